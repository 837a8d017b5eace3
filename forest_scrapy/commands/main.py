"""The program ``forest-scrapy``: Scrapy's command line, in any folder, with the add-on."""

import gc
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pkgutil import iter_modules
from typing import Any

from scrapy.commands import ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings, inside_project

from forest_scrapy.commands.forest_command import write_piece
from forest_scrapy.core import ForestError
from forest_scrapy.core.page.text import printable
from forest_scrapy.output_files import open_standard_streams
from forest_scrapy.settings import has_addon

_ADDON = "forest_scrapy.Addon"
#: The exit status of Scrapy's command line if it does not understand it.
_WRONG_USAGE = 2
#: The settings outside a project: polite, and with the commands that Scrapy has in projects only.
DEFAULTS: dict[str, Any] = {
    "BOT_NAME": "forest",
    "ADDONS": {_ADDON: 500},
    "COMMANDS_MODULE": "forest_scrapy.commands.standalone",
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 4.0,
    "AUTOTHROTTLE_START_DELAY": 0.2,
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
    "DOWNLOAD_TIMEOUT": 30,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
    "FEED_EXPORT_ENCODING": "utf-8",
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command of Scrapy, and exit with its status.

    In a folder of a Scrapy project its settings are used, and the add-on is added.
    """
    open_standard_streams()
    words = list(sys.argv if argv is None else argv)
    if words[1:] == ["--version"]:
        words[1:] = ["version"]
    try:
        if words[1:] in ([], ["-h"], ["--help"]):
            _print_help(words)
        settings = read_project_settings()
        is_of_project = settings["COMMANDS_MODULE"] != DEFAULTS["COMMANDS_MODULE"]
        if words[1] == "extract" and not is_of_project:
            sys.exit(_extract(words[2:], settings))
        _collect_garbage()
        _execute(words, settings)
    except KeyboardInterrupt:
        sys.exit(130)  # while it starts; a crawl, and an extraction, end as they should
    except (ForestError, ImportError, OSError, ValueError) as error:
        # Errors during a crawl are logged, not raised.
        sys.exit(printable(f"forest-scrapy: {error}"))


def _execute(words: Sequence[str], settings: Settings) -> None:
    """Run a command; if that is unknown, and is an action of ``forest``, say how it is run."""
    from scrapy.cmdline import execute

    try:
        execute(list(words), settings)
    except SystemExit as end:
        if end.code == _WRONG_USAGE and _is_action_only(words[1]):
            arguments = shlex.join(["forest-scrapy", "forest", *words[1:]])
            print(printable(f"{words[1]} is an action of forest: {arguments}"), file=sys.stderr)
        raise


def _is_action_only(name: str) -> bool:
    """Whether the command ``forest`` has an action of this name, and there is no such command."""
    from forest_scrapy.commands import standalone
    from forest_scrapy.commands.forest_command import Command

    if any(module.name == name for module in iter_modules(standalone.__path__)):
        return False
    return any(action.name == name for action in Command().find_actions())


class _ExtractParser(ArgumentParser):
    """Reads ``-:json`` as a value, as the parser of Scrapy's command line does, whose module loads
    the engine."""

    def _parse_optional(self, arg_string: str) -> Any:
        if arg_string.startswith("-:"):
            return None
        return super()._parse_optional(arg_string)


def _extract(words: Sequence[str], settings: Settings) -> int:
    """Run ``extract``, as ``execute`` does, without the other commands and the engine, whose
    imports take longer than a page does.  The exit status."""
    from forest_scrapy.commands.standalone.extract import Command

    command = Command()
    parser = _ExtractParser(
        prog="forest-scrapy",
        formatter_class=ScrapyHelpFormatter,
        usage=f"forest-scrapy extract {command.syntax()}",
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    settings.setdict(command.default_settings, priority="command")
    command.settings = settings
    command.add_options(parser)
    options, arguments = parser.parse_known_args(args=list(words))
    try:
        command.process_options(arguments, options)
        _collect_garbage()
        command.run(arguments, options)
    except UsageError as error:
        parser.error(str(error))
    return command.exitcode


def _collect_garbage() -> None:
    """Begin to collect garbage, if the program began without (see ``program``); what was loaded
    until now is not looked through any more."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _print_help(words: Sequence[str]) -> None:
    """Print Scrapy's list of commands, with the name of this program, and exit."""
    from scrapy.cmdline import execute

    text = StringIO()
    try:
        with redirect_stdout(text):
            execute(list(words), read_project_settings())
    finally:
        help_text = text.getvalue().replace("scrapy <command>", "forest-scrapy <command>")
        write_piece(help_text, sys.stdout)


def read_project_settings() -> Settings:
    """The settings of the project of this folder, with the add-on; outside, ``DEFAULTS``."""
    settings = get_project_settings()
    if not inside_project():
        settings.setdict(DEFAULTS, priority="project")
        return settings
    addons = settings.getdict("ADDONS")
    if not has_addon(addons):
        settings.set("ADDONS", {**addons, _ADDON: 500}, priority="project")
    settings.set("COMMANDS_MODULE", DEFAULTS["COMMANDS_MODULE"], priority="default")
    return settings
