"""``scrapy forest versions``: what an article was, from when until when, and what has changed."""

import json
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption, json_text, write_piece
from forest_scrapy.commands.stored import host_name, lines_text
from forest_scrapy.core import ForestError
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import open_history
from forest_scrapy.output_files import is_stream, locked, naming, output_file, replacing
from forest_scrapy.report.html_pages import render_page
from forest_scrapy.report.version_view import (
    NumberedVersion,
    VersionsView,
    describe_version,
    diff_versions,
    format_moment,
    number_versions,
)
from forest_scrapy.stores import HistoryStore, PageVersion

#: Characters of a date without a time, ``2026-11-20``.
_DAY_LENGTH = 10


class NoVersions(ForestError):
    """The history has no version that was asked for; the message says which it has."""


def read_time(text: str) -> int:
    """A date or a time as seconds since 1970; the last second of a day.  Raises
    ``ArgumentTypeError``.

    >>> read_time("1970-01-01"), read_time("1970-01-01T01:00")
    (86399, 3600)
    """
    moment = read_moment(text)
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-11-20 or 2026-11-20T08:00")
    if len(text) == _DAY_LENGTH:
        moment += timedelta(days=1, seconds=-1)
    return int(moment.timestamp())


class Versions(Action):
    """List the versions of an article that the history keeps, compare two of them, or print the
    article as it was. FOREST_VERSIONS says how many are kept.

    With --host, write all versions of all articles of a host as JSON lines.
    """

    name = "versions"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("url", nargs="?", metavar="URL", help="the article")
        text = "write the versions of all articles of a host, or of a URL's host, as JSON lines"
        add("--host", type=host_name, metavar="HOST", help=text)
        add("--diff", action="store_true", help="print how two versions differ, line by line")
        add("--words", action="store_true", help="the same, word by word")
        text = "write a page that shows two versions side by side"
        add("--html", action="store_true", help=text)
        text = "the versions to compare (default: the latest two that have an article)"
        add("--between", nargs=2, type=int, metavar=("N", "M"), help=text)
        text = "print the item as it was at this date, or time (UTC if it names no zone), as JSON"
        add("--at", type=read_time, metavar="DATE", help=text)
        add("--json", action="store_true", help="print the list as JSON")
        text = "write to this file, in place of what is there (default: standard output)"
        add("-o", "-O", "--output", metavar="FILE", help=text)

    def run(self, options: Namespace) -> str | Iterator[str]:
        """What is printed.  Raises ``BadStore``, ``NoVersions``, ``BadOutput`` and ``OSError``."""
        _check_options(options)
        pieces = self._export_lines(options.host) if options.host else self._show(options)
        if not options.output:
            return pieces
        _write_pieces(options.output, pieces)
        return ""

    def _show(self, options: Namespace) -> Iterator[str]:
        with closing(open_history(self.config, must_exist=True)) as store:
            versions = store.versions.of_page(page_key(options.url))
            if not versions:
                key = store.versions.find_key(options.url)
                versions = store.versions.of_page(key)
        if not versions:
            raise NoVersions(f"the history keeps no version of {options.url}")
        if options.at is not None:
            version = _find_version(versions, options.at)
            yield json_text(version.to_item())
        elif options.json:
            yield json_text([_to_json(version, options.url) for version in versions])
        elif options.diff or options.words or options.html:
            yield _compare(options, versions)
        else:
            yield f"{options.url}: {count(len(versions), 'version')}\n"
            for numbered in number_versions(versions):
                yield lines_text(describe_version(numbered))

    def _export_lines(self, host: str) -> Iterator[str]:
        """A line of JSON for each version of the articles of a host."""
        number = 0
        with closing(open_history(self.config, must_exist=True)) as store:
            for version in _of_host(store, host):
                number += 1
                row = _to_json(version, version.url)
                line = json.dumps(row, ensure_ascii=False)
                yield f"{line}\n"
        write_piece(f"{count(number, 'version')} of items of {host}\n", sys.stderr)


def _write_pieces(name: str, pieces: Iterator[str]) -> None:
    """Write a file as a whole, or to a stream, piece by piece.  Raises ``ForestError`` and
    ``OSError``."""
    if is_stream(name):
        with naming(Path(name)), Path(name).open("ab") as stream:
            for piece in pieces:
                stream.write(piece.encode("utf-8", "replace"))
        return
    path = output_file(name)
    with locked(path), replacing(path) as part:
        for piece in pieces:
            part.write(piece.encode("utf-8", "replace"))


def _check_options(options: Namespace) -> None:
    if bool(options.url) == bool(options.host):
        raise UsageError("name the URL of an article, or --host")
    is_diff = options.diff or options.words
    is_of_date = options.at is not None
    compares = is_diff or options.html
    if options.host and (compares or is_of_date):
        raise UsageError("--diff, --words, --html and --at are for one article")
    if options.between and not compares:
        raise UsageError("--between needs --diff, --words or --html")
    outputs = [is_diff, options.html, is_of_date, options.json]
    if outputs.count(True) > 1:
        raise UsageError("name one of --diff (or --words), --html, --at and --json")


def _of_host(store: HistoryStore, host: str) -> Iterator[PageVersion]:
    """The versions of a host.  Raises ``NoVersions`` if there is none."""
    versions = store.versions.of_host(host)
    first = next(versions, None)
    if first is None:
        raise NoVersions(
            f"the history keeps no version of an article of {host};"
            " scrapy forest history lists the hosts"
        )
    yield first
    yield from versions


def _find_version(versions: Sequence[PageVersion], seconds: int) -> PageVersion:
    """The version of this time.  Raises ``NoVersions`` if all are later."""
    earlier = [version for version in versions if version.first_seen <= seconds]
    if not earlier:
        first_seen = format_moment(versions[0].first_seen)
        raise NoVersions(f"the first version that is kept was seen at {first_seen}, UTC")
    return earlier[-1]


def _compare(options: Namespace, versions: Sequence[PageVersion]) -> str:
    old, new = _pick_versions(number_versions(versions), options.between)
    if options.html:
        view = VersionsView(options.url, number_versions(versions), old, new)
        page = render_page("versions.html", {"view": view})
        return page.decode()
    text = diff_versions(old, new, by_words=options.words)
    if not text:
        return f"{old.name} and {new.name} are equal\n"
    return f"{text}\n"


def _pick_versions(
    numbered_versions: Sequence[NumberedVersion],
    numbers: Sequence[int] | None,
) -> tuple[NumberedVersion, NumberedVersion]:
    """The versions with these numbers, or the latest two that have an article.  Raises
    ``NoVersions``."""
    if numbers is None:
        articles = [numbered for numbered in numbered_versions if not numbered.version.is_gone]
        if len(articles) < 2:
            raise NoVersions("there is a single version that has an article")
        return articles[-2], articles[-1]
    for number in numbers:
        if not 1 <= number <= len(numbered_versions):
            raise NoVersions(f"there is no version {number}; there are {len(numbered_versions)}")
    old_number, new_number = numbers
    return numbered_versions[old_number - 1], numbered_versions[new_number - 1]


def _to_json(version: PageVersion, url: str) -> dict[str, Any]:
    """A version as JSON values; ``item``: as it was emitted."""
    return {
        "url": url,
        "first_seen": _iso(version.first_seen),
        "last_seen": _iso(version.last_seen),
        "kind": version.kind,
        "status": version.status,
        "change": dict(version.change),
        "item": version.to_item(),
    }


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
