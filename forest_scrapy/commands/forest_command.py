"""The command ``scrapy forest``.

Scrapy loads this module whatever command is run: what is heavy is imported when it is used.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

__all__ = ["Command"]

#: The options that an action knows.
_OPTIONS = {
    "explain": ("method", "feed", "stored", "all_together", "top", "json"),
    "show": ("template", "json"),
    "export": ("format", "template", "url", "output"),
}
_TOP = 10


class Command(ScrapyCommand):
    """Learned wrappers, explained, shown and exported; the exit status is 1 where something
    named could not be used, 2 for wrong usage."""

    requires_crawler_process = False  # only pages that have to be fetched need one

    def syntax(self) -> str:
        return "explain URL|FILE ... | show [HOST] | export HOST [options]"

    def short_desc(self) -> str:
        return "Explain, show and export wrappers that forest-scrapy learns"

    def long_desc(self) -> str:
        return (
            "explain: learn a wrapper from pages of one template (addresses, files, or the items "
            "of a --feed) and print why it is what it is. "
            "show: print the stored wrappers of a host; without one, the hosts. "
            "export: write a stored wrapper for use without forest-scrapy. "
            "The store is the one that FOREST_STORE names."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        from forest_scrapy.core import METHODS
        from forest_scrapy.core.exports import FORMATS

        super().add_options(parser)
        add = parser.add_argument_group("explain").add_argument
        add("--method", choices=("auto", *METHODS), help="learn by it (default: FOREST_METHOD)")
        add("--feed", metavar="URL|FILE", help="what it says of the pages is used; without pages,"
            " its first items are taken")  # fmt: skip
        add("--stored", action="store_true", default=None, help="do not learn: use what is stored"
            " for the pages' host and template")  # fmt: skip
        add("--all-together", action="store_true", default=None, help="learn from all pages, also"
            " where they are not of one template")  # fmt: skip
        add("--top", type=int, metavar="N", help=f"rows of the ranking (default: {_TOP})")
        add = parser.add_argument_group("export").add_argument
        add("--format", choices=tuple(FORMATS), help="parsel: a Python module (default); ftr: a"
            " site config of Full-Text RSS; freshrss: its CSS selectors; json")  # fmt: skip
        add("--url", action="append", metavar="URL", help="an article's address, for test_url"
            " of ftr")  # fmt: skip
        add("-o", "--output", metavar="FILE", help="write there (default: standard output)")
        add = parser.add_argument_group("several actions").add_argument
        add("--template", metavar="ID", help="show, export: of this template alone")
        add("--json", action="store_true", default=None, help="explain, show: as JSON")

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        _check_usage(args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:
        from forest_scrapy.core import ForestError

        action, *names = args
        try:
            text, complaints = getattr(self, f"_{action}")(names, opts)
            _write(text, opts.output)
        except (ForestError, OSError) as error:
            complaints = str(error).splitlines()
        for complaint in complaints:
            print(f"scrapy forest {action}: {complaint}", file=sys.stderr)
            self.exitcode = 1

    def _explain(self, names: list[str], opts: Namespace) -> tuple[str, list[str]]:
        from forest_scrapy.commands.explanation import explain
        from forest_scrapy.commands.output import explanation_json, explanation_text
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        opts.top = _TOP if opts.top is None else opts.top
        found = explain(names, opts, read_settings(self.settings), self.settings)
        return (explanation_json if opts.json else explanation_text)(found), list(found.complaints)

    def _show(self, names: list[str], opts: Namespace) -> tuple[str, list[str]]:
        from forest_scrapy.commands.output import hosts_text, wrappers_json, wrappers_text
        from forest_scrapy.commands.stored import find_hosts, find_wrappers, pick_wrapper, read_host
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        config = read_settings(self.settings)
        if not names:
            return hosts_text(find_hosts(config), opts.json), []
        host = read_host(names[0])
        found = find_wrappers(host, config)
        found = [pick_wrapper(host, found, opts.template)] if opts.template else found
        return (wrappers_json if opts.json else wrappers_text)(host, found), []

    def _export(self, names: list[str], opts: Namespace) -> tuple[str, list[str]]:
        from forest_scrapy.commands.stored import find_wrappers, pick_wrapper, read_host
        from forest_scrapy.core.exports import FORMATS, Origin, export_wrapper
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        host = read_host(names[0])
        found = find_wrappers(host, read_settings(self.settings))
        one = pick_wrapper(host, found, opts.template or "")
        if len(found) > 1 and not opts.template:
            others = ", ".join(other.template_id for other in found[1:])
            print(
                f"template {one.template_id} of {host}; --template takes {others}", file=sys.stderr
            )
        origin = Origin(host, one.template_id, tuple(opts.url or ()))
        return export_wrapper(one.wrapper, origin, opts.format or next(iter(FORMATS))), []


def _check_usage(args: list[str], opts: Namespace) -> None:
    """Raise ``UsageError``, which Scrapy turns into its message and exit status 2."""
    action, *names = args or [""]
    if action not in _OPTIONS:
        raise UsageError(f"name one of {', '.join(_OPTIONS)}, not {action!r}")
    unknown = next((name for name in names if name.startswith("-")), "")
    if unknown:
        raise UsageError(f"there is no option {unknown}")
    for option in {option for options in _OPTIONS.values() for option in options}:
        if getattr(opts, option) is not None and option not in _OPTIONS[action]:
            raise UsageError(f"--{option.replace('_', '-')} is no option of {action}")
    if action == "explain" and not names and (opts.stored or not opts.feed):
        raise UsageError("name pages to explain, addresses or files, or a --feed")
    if opts.stored and opts.method:
        raise UsageError("--method is for learning; with --stored nothing is learned")
    if action != "explain":
        _check_host(action, names)


def _check_host(action: str, names: list[str]) -> None:
    from forest_scrapy.commands.stored import read_host

    if len(names) > 1 or (action == "export" and not names):
        raise UsageError(f"{action} takes one host")
    if names and not read_host(names[0]):
        raise UsageError(f"{names[0]!r} is no host")


def _write(text: str, place: str | None) -> None:
    if place:
        Path(place).write_text(text, encoding="utf-8")
        return
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        # The reader, a pager say, has seen enough; nothing more shall be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
