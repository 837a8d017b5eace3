"""The command ``scrapy forest``.

Scrapy imports this module for every command, so each action imports what it needs when it runs.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path

from scrapy.commands import ScrapyCommand

from forest_scrapy.commands.options import add_options
from forest_scrapy.commands.usage import check_usage

__all__ = ["Command"]

#: The actions of the report: module and function.
_REPORTS = {
    "report": ("report", "make_report"),
    "import": ("editing", "import_wrapper"),
    "edit": ("editing", "edit_hosts"),
}
_DESCRIPTION = (
    "explain: learn a wrapper from pages of one template (URLs, files, or the items of a "
    "--feed) and print the evidence for it. "
    "report: write what wrappers keep and drop on pages as HTML, to the folder -o. "
    "import: store a wrapper that was edited in a report. "
    "edit: serve the report of hosts on loopback, to correct their wrappers in a browser. "
    "show: print the stored wrappers of a host; without a host, list the hosts. "
    "export: write a stored wrapper for use without forest-scrapy. "
    "forget: delete the stored wrappers of a host, so that they are learned again. "
    "history: print what is known of a host's pages, or delete old rows. "
    "due: print the feeds that are due to be polled. "
    "extract: extract the articles of stored pages. "
    "The settings FOREST_STORE and FOREST_HISTORY name the stores."
)


class Command(ScrapyCommand):
    """Explains, shows and exports wrappers.

    The exit status is 0, 1 if an input cannot be used, or 2 for wrong usage.
    """

    requires_crawler_process = False  # needed only to fetch pages

    def syntax(self) -> str:
        return (
            "explain URL|FILE ... | report [HOST|URL|FILE ...] | import FILE [URL|FILE ...] | "
            "edit HOST ... | show [HOST] | export HOST | forget HOST | history [HOST] | due | "
            "extract PATH ... [options]"
        )

    def short_desc(self) -> str:
        return "Explain, show and export the wrappers of forest-scrapy"

    def long_desc(self) -> str:
        return _DESCRIPTION

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_options(parser)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        check_usage(args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:
        from forest_scrapy.core import ForestError

        action, *names = args
        actions: dict[str, Callable[..., tuple[str | Iterator[str], Sequence[str]]]] = {
            "explain": self._explain,
            "report": self._report,
            "import": partial(self._report, action="import"),
            "edit": partial(self._report, action="edit"),
            "show": self._show,
            "export": self._export,
            "forget": self._forget,
            "history": self._history,
            "due": self._due,
            "extract": self._extract,
        }
        try:
            text, errors = actions[action](names, opts)
            if action != "extract":
                _write(text, None if action == "report" else opts.output)
        except (ForestError, OSError) as error:
            errors = str(error).splitlines()
        for message in errors:
            print(f"scrapy forest {action}: {message}", file=sys.stderr)
            self.exitcode = 1

    def _explain(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands.explanation import explain
        from forest_scrapy.commands.output import colour_lines, explanation_json, explanation_text
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        found = explain(names, opts, read_settings(self.settings), self.settings)
        text = explanation_json(found) if opts.json else colour_lines(explanation_text(found))
        return text, found.errors

    def _report(
        self, names: list[str], opts: Namespace, action: str = "report"
    ) -> tuple[str, Sequence[str]]:
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        module, function = _REPORTS[action]
        run = getattr(import_module(f"forest_scrapy.commands.{module}"), function)
        found: tuple[str, Sequence[str]]
        found = run(names, opts, read_settings(self.settings), self.settings)
        return found

    def _show(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands import lookup, output
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        config = read_settings(self.settings)
        if not names:
            return output.hosts_text(lookup.find_hosts(config), opts.json), ()
        host = lookup.read_host(names[0])
        found = lookup.find_wrappers(host, config)
        found = [lookup.pick_wrapper(host, found, opts.template)] if opts.template else found
        if opts.versions:
            versions = lookup.find_versions(host, found, config)
            return output.versions_text(host, versions, opts.json), ()
        return (output.wrappers_json if opts.json else output.wrappers_text)(host, found), ()

    def _export(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands.lookup import find_wrappers, pick_wrapper, read_host
        from forest_scrapy.core.exports import FORMATS, Origin, export_wrapper
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        host = read_host(names[0])
        found = find_wrappers(host, read_settings(self.settings))
        one = pick_wrapper(host, found, opts.template or "")
        if len(found) > 1 and not opts.template:
            others = ", ".join(other.id for other in found[1:])
            note = f"exported template {one.id} of {host}; others, for --template: {others}"
            print(note, file=sys.stderr)
        origin = Origin(host, one.id, tuple(opts.url or ()))
        return export_wrapper(one.wrapper, origin, opts.format or next(iter(FORMATS))), ()

    def _forget(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands.lookup import forget_wrappers, read_host
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        host, config = read_host(names[0]), read_settings(self.settings)
        return forget_wrappers(host, opts.template or "", bool(opts.force), config), ()

    def _history(self, names: list[str], opts: Namespace) -> tuple[Iterator[str], Sequence[str]]:
        from forest_scrapy.commands.history_report import history_report
        from forest_scrapy.commands.lookup import read_host
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        host = read_host(names[0]) if names else ""
        return history_report(host, opts.prune, opts.json, read_settings(self.settings)), ()

    def _due(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands.history_report import due_report
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        return due_report(bool(opts.all), opts.json, read_settings(self.settings)), ()

    def _extract(self, names: list[str], opts: Namespace) -> tuple[str, Sequence[str]]:
        from forest_scrapy.commands.extraction import extract_files
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        extract_files(names, opts, read_settings(self.settings))
        return "", ()


def _write(text: str | Iterator[str], path: str | None) -> None:
    """Write the text, or the pieces of it as they come."""
    pieces = iter([text]) if isinstance(text, str) else text
    first = next(pieces, "")  # an error comes before the file is opened
    if path:
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(chain([first], pieces))
        return
    try:
        sys.stdout.writelines(chain([first], pieces))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as a pager, has closed the pipe: do not flush to it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
