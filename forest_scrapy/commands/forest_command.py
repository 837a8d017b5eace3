"""The command ``scrapy forest``, and the base of its actions.

Scrapy imports this module for every command, so the modules of the actions are imported only when
this command runs.
"""

import json
import os
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getdoc
from itertools import chain
from pkgutil import iter_modules
from typing import Any, ClassVar, TextIO

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

#: ``ArgumentParser.add_argument``.
AddOption = Callable[..., Any]


_OF_SCRAPY = (
    "Scrapy's options, such as -s NAME=VALUE, can be used too; scrapy forest -h lists them."
)


class Action(ABC):
    """An action of ``scrapy forest``: its name, its options, and what it does; its docstring is the
    help.  All subclasses in the modules of this folder are actions.

    ``errors``: one message for each input that cannot be used; the exit status is then 1, else
    ``exit_status``.
    """

    name: ClassVar[str]

    def __init__(self, settings: Settings) -> None:
        """Raises ``BadSetting``."""
        from forest_scrapy.settings import read_settings

        self.settings = settings
        self.config = read_settings(settings)
        self.errors: list[str] = []
        self.exit_status = 0

    @staticmethod
    @abstractmethod
    def add_options(add: AddOption) -> None:
        """Add the arguments and options to a parser."""

    @abstractmethod
    def run(self, options: Namespace) -> str | Iterator[str]:
        """What is printed, at once or in pieces.

        Raises ``ForestError``, ``OSError``, and ``UsageError`` for options that cannot be used
        together.
        """

    def paint(self, text: str) -> str:
        """The text, whose control characters are escaped, as a terminal shows it."""
        return text


class Command(ScrapyCommand):
    """Explains, shows and exports wrappers.

    The exit status is 0, 1 if an input cannot be used, or 2 for wrong usage.
    """

    requires_crawler_process = False  # needed only to fetch pages
    program = "scrapy forest"

    def syntax(self) -> str:
        return "ACTION ... [options]"

    def short_desc(self) -> str:
        return "Explain, show and export the wrappers of forest-scrapy"

    def long_desc(self) -> str:
        return (
            f"{self.short_desc()}. The settings FOREST_STORE and FOREST_HISTORY name the stores."
            f" For the options of an action: {self.program} ACTION -h"
        )

    def add_options(self, parser: ArgumentParser) -> None:
        """Add Scrapy's options; they may stand before, among and after those of the action, which
        are parsed in ``process_options``."""
        super().add_options(parser)
        parser.add_argument(
            "-h",
            "--help",
            action="store_true",
            help="show this help, or that of the action, and exit",
        )
        self._parser = parser

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        actions = {action.name: action for action in self.find_actions()}
        parsers = self._add_parsers(actions)
        name = next((arg for arg in args if not arg.startswith("-")), "")
        if opts.help:
            parsers.get(name, self._parser).print_help()
            sys.exit(0)
        if name not in actions:
            wrong_name = f", not {name!r}" if name else ""
            raise UsageError(f"name an action ({', '.join(actions)}){wrong_name}")
        args.remove(name)
        self._action = actions[name]
        self._parser = parsers[name]
        self._options = self._parser.parse_intermixed_args(args)

    def find_actions(self) -> list[type[Action]]:
        """The actions in the modules of this folder, by name."""
        import forest_scrapy.commands as folder

        for module in iter_modules(folder.__path__, f"{folder.__name__}."):
            import_module(module.name)
        return sorted(Action.__subclasses__(), key=lambda action: action.name)

    def _add_parsers(self, actions: dict[str, type[Action]]) -> dict[str, ArgumentParser]:
        """Add a parser for each action; the parsers by the actions' names."""
        parsers = {}
        subparsers = self._parser.add_subparsers(
            title="actions",
            metavar="ACTION",
            prog=self.program,
        )
        for name, action in actions.items():
            description = getdoc(action) or ""
            first_paragraph, _, _ = description.partition("\n\n")
            summary = " ".join(first_paragraph.split()).rstrip(".")
            parser = subparsers.add_parser(
                name,
                help=summary[:1].lower() + summary[1:],
                description=description,
                epilog=_OF_SCRAPY,
            )
            action.add_options(parser.add_argument)
            parsers[name] = parser
        return parsers

    def run(self, args: list[str], opts: Namespace) -> None:
        from forest_scrapy.core import ForestError
        from forest_scrapy.core.page.text import printable
        from forest_scrapy.crawl.log_filters import escape_log
        from forest_scrapy.output_files import open_standard_streams
        from forest_scrapy.settings import describe_environment

        open_standard_streams()
        escape_log()
        assert self.settings is not None
        warning = describe_environment(os.environ)
        if warning:
            write_piece(f"{self._parser.prog}: {warning}\n", sys.stderr)
        errors: list[str] = []
        try:
            action = self._action(self.settings)
            errors = action.errors
            _write(action.run(self._options), action.paint)
            self.exitcode = action.exit_status
        except UsageError as error:
            self._parser.error(printable(str(error)))
        except (ForestError, OSError) as error:
            errors += str(error).splitlines()
        for message in errors:
            write_piece(f"{self._parser.prog}: {message}\n", sys.stderr)
            self.exitcode = 1


def _write(
    text: str | Iterator[str],
    paint: Callable[[str], str],
) -> None:
    """Write the text, or the pieces of it as they come.  ``paint``: see ``Action``."""
    if isinstance(text, str):
        write_piece(text, sys.stdout, paint)
        return
    first = next(text, "")  # an error comes before anything is written
    for piece in chain([first], text):
        if not write_piece(piece, sys.stdout, paint):
            break


def write_piece(
    piece: str | bytes,
    stream: TextIO,
    paint: Callable[[str], str] = str,
) -> bool:
    """Write to standard output or standard error; False if its reader, such as a pager or
    ``head``, has closed it, which is no error.  Control characters of a text are escaped; bytes are
    written as they are.  Raises ``OSError``, as on a full disk."""
    from forest_scrapy.core.page.text import printable

    try:
        if isinstance(piece, str):
            stream.write(paint(printable(piece)))
        else:
            stream.buffer.write(piece)
        stream.flush()
    except OSError as error:
        # Python must not write it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, f"{stream.name}: {error.strerror}") from error
        return False
    return True


def json_text(value: Any) -> str:
    """The value as indented JSON that ends with a new line."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
