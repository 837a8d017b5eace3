"""``scrapy forest history``, ``due`` and ``kept``: the pages and feeds of the history, and the
files in which pages are stored."""

import re
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from textwrap import indent
from typing import Any

from scrapy.exceptions import UsageError

from forest_scrapy.archive.page_archive import FileUse, PageArchive
from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.stored import host_name
from forest_scrapy.core import ForestError
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import open_history
from forest_scrapy.feeds.schedule import FeedHints, publishing_strategy
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord

_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


class BadAge(ForestError):
    """An age cannot be read; the message names the form."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not an age: use a number with h, d or w, such as 90d")
        self.text = text


class UnknownHistoryHost(ForestError):
    """The history has no page of a host."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"the history has no page of {host}; scrapy forest history lists the hosts"
        )
        self.host = host


def read_age(text: str) -> int:
    """Seconds.  Raises ``BadAge``.

    >>> read_age("90d"), read_age("12h")
    (7776000, 43200)
    """
    match = re.fullmatch(r"(\d{1,6})([hdw])", text)
    if not match:
        raise BadAge(text)
    return int(match[1]) * _UNITS[match[2]]


class History(Action):
    """Print what is known of a host's pages; without a host, list the hosts. Or delete old rows."""

    name = "history"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", nargs="?", type=host_name, metavar="HOST", help="or a URL of the host")
        text = "delete what was last seen so long ago, such as 90d (h, d or w)"
        add("--prune", metavar="AGE", help=text)
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> Iterator[str]:
        """The pages of a host, page by page; without a host, the hosts.

        Raises ``BadStore``, ``BadAge`` and ``UnknownHistoryHost``, all for the first piece.
        """
        if options.host and options.prune:
            raise UsageError("--prune deletes from the whole history; name no host")
        max_age = read_age(options.prune) if options.prune else 0
        with closing(open_history(self.config, must_exist=True)) as store:
            if options.prune:
                yield _prune(store, max_age)
                return
            if not options.host:
                yield _hosts(store, options.json)
                return

            page_count = store.count_pages(options.host)
            if not page_count:
                raise UnknownHistoryHost(options.host)
            pages = store.host_pages(options.host)
            if options.json:
                yield from _json_pieces(pages)
            else:
                yield from _lines(options.host, page_count, pages)


class Due(Action):
    """Print the URLs of the feeds that are due to be polled, those due longest first."""

    name = "due"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("--all", action="store_true", help="all feeds, and when each is due")
        add("--json", action="store_true", help="print JSON, with all that is known of each feed")

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``."""
        now = int(time.time())
        with closing(open_history(self.config, must_exist=True)) as store:
            feeds = sorted(store.feeds.all(), key=lambda feed: (feed.due_at(now), feed.url))
        if not options.all:
            feeds = [feed for feed in feeds if feed.due_at(now) <= now]
        if options.json:
            return json_text([_due_values(feed, now) for feed in feeds])
        if options.all:
            lines = [_due_line(feed, now) for feed in feeds]
        else:
            lines = [feed.url for feed in feeds]
        return "".join(f"{line}\n" for line in lines)


def _lines(
    host: str,
    page_count: int,
    pages: Iterable[PageRecord],
) -> Iterator[str]:
    yield f"{host}: {count(page_count, 'page')}\n"
    for page in pages:
        yield f"{_line(page)}\n"


def _json_pieces(pages: Iterable[PageRecord]) -> Iterator[str]:
    """The same text as ``json_text`` gives for a list."""
    start = "["
    for page in pages:
        yield f"{start}\n{indent(json_text(_values(page)).rstrip(), '  ')}"
        start = ","
    yield "\n]\n"


def _prune(store: HistoryStore, age: int) -> str:
    deleted = store.prune(int(time.time()) - age)
    store.compact()
    return f"deleted {count(deleted, 'page')}\n"


def _hosts(store: HistoryStore, as_json: bool) -> str:
    hosts = store.hosts()
    if as_json:
        return json_text(hosts)
    if not hosts:
        return "no page yet\n"
    return "".join(f"{host}  {count(pages, 'page')}\n" for host, pages in hosts.items())


def _line(page: PageRecord) -> str:
    fetched = _date(page.fetched) or "-"
    is_gone = page.outcome == "gone"
    kind = page.method if page.method in ITEM_KINDS and not is_gone else ""
    outcome = kind or page.outcome or "not fetched"
    if page.failures:
        outcome += f", failed {count(page.failures, 'time')} (status {page.status})"
    return f"  {fetched:16}  {outcome}  {page.url}"


def _values(page: PageRecord) -> dict[str, object]:
    """The record as JSON values: digests are left out, times are ISO 8601."""
    values: dict[str, Any] = {}
    for name, value in vars(page).items():
        is_digest = isinstance(value, bytes)
        if not is_digest and name not in ("text", "key"):
            values[name] = value
    values["fields"] = {name: memory.value for name, memory in page.fields.items()}
    for name in ("first_seen", "last_seen", "fetched", "published", "modified"):
        values[name] = _iso(values[name]) or None
    return values


def _date(seconds: int | None) -> str:
    if seconds is None:
        return ""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _due_line(feed: FeedRecord, now: int) -> str:
    values = _due_values(feed, now)
    due = values["due"] or "now"
    notes = ""
    if values["is_regular"]:
        notes += ", regular"
    if values["hub"]:
        notes += ", WebSub"
    if feed.failures:
        notes += f", failed {count(feed.failures, 'time')}"
    return f"{due:25}  {values['entries_a_day']:8.2f} entries a day{notes}  {feed.url}"


def _due_values(feed: FeedRecord, now: int) -> dict[str, Any]:
    """A feed as JSON values.  ``quartiles``: hours between two entries."""
    hints = from_json(FeedHints, feed.hints, ignore_unknown=True)
    strategy = publishing_strategy(feed.dates, now, hints.period)
    return {
        "url": feed.url,
        "polled": _iso(feed.polled),
        "due": _iso(feed.due_at(now) or None),
        "status": feed.status,
        "failures": feed.failures,
        "entries_a_day": round(strategy.rate * 86_400, 3),
        "quartiles": [round(seconds / 3600, 2) for seconds in strategy.quartiles],
        "is_regular": strategy.is_regular,
        "hub": hints.hub,
    }


def _iso(seconds: int | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class NothingKept(ForestError):
    """No pages are stored; the message says what stores them."""


class Kept(Action):
    """List the files in which FOREST_WARC has kept pages, the oldest first, and say which may be
    removed: those without which the last response of each page is still there.  Remove one at a
    time, while no crawl runs, and ask again: what was needless may be needed then.
    """

    name = "kept"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> str:
        """Raises ``NothingKept`` and ``BadStore``."""
        if not self.config.warc:
            raise NothingKept(
                'FOREST_WARC = "" keeps no pages: name the folder of those that were kept, such as'
                " -s FOREST_WARC=pages"
            )
        with closing(PageArchive(self.config.warc, must_exist=True)) as archive:
            files = archive.files()
        if options.json:
            values = [{**to_json(file), "may_be_removed": file.is_needless} for file in files]
            return json_text(values)
        return "".join(f"{_describe(file)}\n" for file in files)


def _describe(file: FileUse) -> str:
    """A line for a file.

    >>> _describe(FileUse("a.warc.gz", 2_000_000, 9, 0, 0))
    'a.warc.gz: 2.0 MB, 9 responses; may be removed'
    >>> _describe(FileUse("a.warc.gz", 20_480, 1, 3, 0))
    'a.warc.gz: 20.5 kB, 1 response; keep it: it has the latest response of 3 pages'
    """
    head = f"{file.name}: {_describe_size(file.size)}, {count(file.responses, 'response')}"
    if file.is_needless:
        return f"{head}; may be removed"
    reasons = []
    if file.latest:
        reasons.append(f"the latest response of {count(file.latest, 'page')}")
    if file.needed:
        reasons.append(f"the body of {count(file.needed, 'response')} in other files")
    return f"{head}; keep it: it has {' and '.join(reasons)}"


def _describe_size(size: int) -> str:
    """
    >>> [_describe_size(size) for size in (999, 20_480, 2_000_000, 1_050_000_000)]
    ['999 bytes', '20.5 kB', '2.0 MB', '1.1 GB']
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return count(size, "byte")
