"""Recovery after a killed run, before the crawl is resumed.

An item is written to all exports in turn.  A kill between two of them leaves the item of that
moment in the first ones only: it is removed there, and its page is read again, as if the item had
not been exported.  An item that all exports have and that was not recorded is recorded from them.
"""

from __future__ import annotations

import csv
import json
import logging
import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from glob import escape
from pathlib import Path
from shutil import rmtree
from typing import Any, BinaryIO

from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage, ItemFilter
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later
from w3lib.url import file_uri_to_path

from forest_scrapy import core
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.field_changes import remember_known_fields
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.page_records import (
    RECOVERED,
    add_item,
    as_recovered,
    compared_text,
    make_gone_version,
    make_latest,
    make_page_record,
    make_version,
    to_seconds,
)
from forest_scrapy.items import Article, ArticlePage, Item, Listing
from forest_scrapy.joining.duplicates import describe_article
from forest_scrapy.responses.conversion import asked_url, rebuild_page
from forest_scrapy.settings import read_settings
from forest_scrapy.stores import Export, HistoryStore, PageRecord, Spool

logger = logging.getLogger(__name__)

_LINES = ("jsonlines", "jsonl", "jl")
_SAFE = (*_LINES, "csv")
#: Formats in which an item that is written twice is there once.
_GRAPHS = ("nt", "ttl", "jsonld")
#: A part of an export's URI that is filled in for each crawl, or each site.
_PARAMETER = re.compile(r"%\(\w+\)[sd]")
#: A comma between two URLs, which may have commas themselves.
_COMMA = re.compile(",(?=https?://)")
_WEB_URL = re.compile("https?://")
#: Bytes read at a time when the end of a file is looked for.
_BLOCK = 1 << 20
#: The quotation mark that begins a quoted value of CSV: others are part of their value.
_OPENING_QUOTE = re.compile(rb'(?:^|,)"')


class DamagedExport(ForestError):
    """A file that is appended to has an open quotation mark, and it is not known which items follow
    it; it is left as it is."""


def open_exports(crawler: Crawler) -> list[Export]:
    """The files that the running crawl appends to, as large as they are now."""
    return export_sizes(_slots(crawler))


def changed_exports(crawler: Crawler) -> list[Export]:
    """As ``open_exports``, without files of which it is known that they were not written since the
    last call: there may be thousands."""
    exporter = crawler.get_extension(FeedExporter)
    take_written = getattr(exporter, "take_written", None)
    if take_written is None:
        return open_exports(crawler)
    return export_sizes(take_written())


def export_sizes(slots: Iterable[FeedSlot]) -> list[Export]:
    """The files of these slots that are appended to, as large as they are now."""
    sizes = []
    for slot in slots:
        if _why_unsafe(slot) == "":
            sizes.append(_export_of(slot))
    return sizes


def _export_of(slot: FeedSlot) -> Export:
    path = Path(slot.storage.path).absolute()  # type: ignore[attr-defined]
    size = path.stat().st_size if path.is_file() else 0
    return Export(str(path), slot.format, size)


def leave_out_exported(
    crawler: Crawler,
    names: Sequence[str],
    identify: Callable[[Mapping[str, Any]], Hashable],
) -> Set[Hashable]:
    """Have each file that the running crawl appends to leave out the items that it has already;
    what is the same in items that all of these files have.

    ``names``: the fields that ``identify`` needs to tell what is the same.  Cost: reads the files.
    """
    identities: list[Set[Hashable]] = []
    is_csv_safe = read_settings(crawler.settings).csv_safe
    for slot in _all_slots(crawler):
        if _why_unsafe(slot) != "":
            continue
        path = Path(slot.storage.path).absolute()  # type: ignore[attr-defined]
        written: set[Hashable] = set()
        for export_path in _filled_in(path):
            export = Export(str(export_path), slot.format, 0)
            items = read_exported(export, names, is_csv_safe)
            written.update(map(identify, items))
        slot.filter = _NewItems(slot.filter, written, identify)
        identities.append(written)
    if not identities:
        return frozenset()
    return frozenset.intersection(*map(frozenset, identities))


class _NewItems(ItemFilter):
    """Accepts the items that another filter accepts and that are not written yet."""

    def __init__(
        self,
        project_filter: ItemFilter,
        written: Set[Hashable],
        identify: Callable[[Mapping[str, Any]], Hashable],
    ) -> None:
        super().__init__(project_filter.feed_options)
        self._project_filter = project_filter
        self._written = written
        self._identify = identify

    def accepts(self, item: Any) -> bool:
        from itemadapter import ItemAdapter  # loads all libraries of items that are installed

        values = ItemAdapter(item).asdict()
        if self._identify(values) in self._written:
            return False
        return bool(self._project_filter.accepts(item))


def configured_exports(settings: BaseSettings) -> list[Export]:
    """The local files that ``FEEDS`` names and that are appended to, to be read as a whole.  Of a
    URI with parameters, such as ``%(site)s``, those that are there."""
    exports = []
    feeds = settings.getdict("FEEDS")
    for uri, options in feeds.items():
        file_format = options.get("format")
        is_safe = file_format in _SAFE
        if not is_safe or options.get("overwrite"):
            continue
        name = str(uri)
        if "://" in name:
            name = file_uri_to_path(name)
        path = Path(name).absolute()
        for export_path in _filled_in(path):
            export = Export(str(export_path), file_format, 0)
            exports.append(export)
    return exports


def _filled_in(path: Path) -> list[Path]:
    """The files whose path is this one; if it has parameters, those with some values filled in,
    sorted."""
    if "%(" not in str(path):
        return [path]
    root = Path(path.anchor)
    template = str(path.relative_to(root))
    pattern = _PARAMETER.sub("*", escape(template))
    return sorted(root.glob(pattern))


def warn_of_unsafe_exports(crawler: Crawler) -> None:
    """Warn of exports in which a killed crawl may lose or repeat articles; in graphs, what is
    repeated is there once."""
    for slot in _all_slots(crawler):
        reason = _why_unsafe(slot)
        is_graph = getattr(slot.exporters[slot.format], "is_idempotent", False)
        is_safe_graph = is_graph and reason == f"is written as {slot.format}"
        if reason and not is_safe_graph:
            logger.warning(
                "%s %s: if the crawl is killed and resumed, items may be missing there or"
                " occur twice; append to a local file in jsonlines or csv, as -o FILE.jsonl does",
                slot.uri,
                reason,
            )


@dataclass(frozen=True)
class ExportedItem:
    """An item in the file of an export: the byte at which it begins, and its fields.  CSV has texts
    only."""

    start: int
    values: dict[str, Any]

    @property
    def url(self) -> str:
        """The URL of its page."""
        return str(self.values["url"])

    @property
    def page_keys(self) -> list[str]:
        """The keys of its pages: of its URL, and of all pages that were joined."""
        urls = [self.url, *_texts(self.values.get("pages"))]
        keys = map(page_key, urls)
        return list(dict.fromkeys(keys))

    @property
    def asked_keys(self) -> list[str]:
        """The keys under which the history may have its page."""
        urls = [self.url, *_texts(self.values.get("other_urls"))]
        return [page_key(url) for url in urls]


def read_tail(export: Export, is_csv_safe: bool = False) -> Iterator[ExportedItem]:
    """The items with a URL that follow the first ``size`` bytes of a file.  An incomplete item at
    its end is removed, because its page will be extracted again.  ``is_csv_safe``: as
    ``FOREST_CSV_SAFE`` says.

    Raises ``DamagedExport`` if nothing is known of a file, and what is incomplete looks like
    several items.
    """
    path = Path(export.path)
    if not path.is_file():
        return
    end = _cut_incomplete(export, _check_no_rows)
    start = export.size if export.size <= end else 0
    rows = _csv_rows(path, start) if export.format == "csv" else _line_items(path, start)
    for position, values in rows:
        if isinstance(values.get("url"), str):
            if is_csv_safe and export.format == "csv":
                values = _with_formulas(values)
            yield ExportedItem(position, values)


def read_exported(
    export: Export,
    names: Sequence[str],
    is_csv_safe: bool = False,
) -> Iterator[dict[str, Any]]:
    """These fields of all items that a file has; those that it does not have are left out.  An
    incomplete item at its end is removed, but no more than the last line: the file may be a
    person's.  Raises ``DamagedExport`` if that would not do.  ``is_csv_safe``: as
    ``FOREST_CSV_SAFE`` says."""
    path = Path(export.path)
    if not path.is_file():
        return
    _cut_incomplete(export, _check_is_last_line)
    if export.format == "csv":
        csv.field_size_limit(1 << 30)
        with path.open(encoding="utf-8", errors="replace", newline="") as text:
            for row in csv.DictReader(text):
                values = {name: value for name, value in row.items() if value is not None}
                if is_csv_safe:
                    values = _with_formulas(values)
                yield _select(values, names)
        return
    for _, item in _line_items(path, 0):
        yield _select(item, names)


def _with_formulas(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of CSV without the apostrophes that ``FOREST_CSV_SAFE`` has put before texts and names
    of columns."""
    from forest_scrapy.core.spreadsheet_texts import with_formula  # few crawls are recovered

    values = {}
    for name, value in row.items():
        values[with_formula(name)] = with_formula(value) if isinstance(value, str) else value
    return values


def _select(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _cut_incomplete(export: Export, check: Callable[[Export, bytes], None]) -> int:
    """Remove an incomplete item at the end of a file, not of its first ``size`` bytes; the size of
    the file then.  Of a CSV file without such bytes, what would be removed is given to ``check``
    before."""
    with Path(export.path).open("rb+") as file:
        file_size = file.seek(0, 2)
        # A file that is shorter was replaced: nothing is known of it.
        start = export.size if export.size <= file_size else 0
        find_end = _end_of_rows if export.format == "csv" else _end_of_lines
        end = find_end(file, start)
        if end == file_size:
            return end
        file.seek(end)
        incomplete = file.read()
        if export.format == "csv":
            if start == 0:
                check(export, incomplete)
        elif _is_json(incomplete):
            file.write(b"\n")
            return file.tell()
        logger.info("%s: removed the last item, which is incomplete", export.path)
        file.truncate(end)
    return end


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _check_is_last_line(export: Export, incomplete: bytes) -> None:
    """Raises ``DamagedExport`` if an incomplete row has more than one line."""
    if b"\n" in incomplete:
        raise _damaged(export, incomplete)


def _check_no_rows(export: Export, incomplete: bytes) -> None:
    """Raises ``DamagedExport`` if a line of an incomplete row, after its first, has as many values
    as the header: it looks like a row of its own."""
    with Path(export.path).open(encoding="utf-8", errors="replace", newline="") as text:
        column_count = len(_first_row(text))
    if column_count <= 1:
        return
    text_lines = incomplete.decode("utf-8", "replace").splitlines()
    for line in text_lines[1:]:
        row = _first_row([line])
        if len(row) == column_count:
            raise _damaged(export, incomplete)


def _first_row(lines: Iterable[str]) -> list[str]:
    """The values of the first row of CSV; none if there is no row."""
    return next(csv.reader(lines), [])


def _damaged(export: Export, incomplete: bytes) -> DamagedExport:
    line, _, _ = incomplete.partition(b"\n")
    first_line = line.decode("utf-8", "replace").strip()
    return DamagedExport(
        f"{export.path}: a quotation mark is open from the row {first_line[:100]!r} to the end of"
        " the file, which is left as it is: close it or remove that row, or name another file"
    )


def _slots(crawler: Crawler) -> list[FeedSlot]:
    """The slots of the exports that the crawl writes."""
    exporter = crawler.get_extension(FeedExporter)
    if exporter is None:
        return []
    return exporter.slots


def _all_slots(crawler: Crawler) -> list[FeedSlot]:
    """As ``_slots``, and one for each export with a file for each site, which is never opened."""
    exporter = crawler.get_extension(FeedExporter)
    site_templates = getattr(exporter, "templates", ())
    return [*_slots(crawler), *site_templates]


def _why_unsafe(slot: FeedSlot) -> str:
    """Why a killed crawl may lose or repeat articles of an export; ``""`` if it may not."""
    exporter = slot.exporters[slot.format]
    if not isinstance(slot.storage, FileFeedStorage):
        return "is not a local file"
    if slot.storage.write_mode != "ab":
        return "is overwritten by each run"
    if slot.format not in _SAFE:
        return f"is written as {slot.format}"
    if not getattr(exporter, "is_flushed", False):
        return f"is written as {slot.format}"
    if "postprocessing" in slot.feed_options:
        return "has options of its own"
    if slot.feed_options.get("item_export_kwargs"):
        return "has options of its own"
    fields = slot.feed_options.get("fields")
    if fields and "url" not in fields:
        return "has no field url"
    return ""


def _end_of_rows(file: BinaryIO, start: int) -> int:
    """Where the last complete row of a CSV file ends, after a newline that is not quoted; at least
    ``start``, where a row begins."""
    file.seek(start)
    position = start
    end = start
    is_quoted = False
    for line in file:
        position += len(line)
        is_quoted = _is_quoted_after(line, is_quoted)
        if not is_quoted and line.endswith(b"\n"):
            end = position
    return end


def _is_quoted_after(line: bytes, is_quoted: bool) -> bool:
    """Whether a quoted value goes on after a line of CSV; before it, ``is_quoted``."""
    position = 0
    while True:
        if is_quoted:
            quote = line.find(b'"', position)
            if quote < 0:
                return True
            position = quote + 1
            is_doubled = line.startswith(b'"', position)
            if is_doubled:
                position += 1
            is_quoted = is_doubled
        else:
            opening = _OPENING_QUOTE.search(line, position)
            if opening is None:
                return False
            position = opening.end()
            is_quoted = True


def _end_of_lines(file: BinaryIO, start: int) -> int:
    """Where the last line with a newline ends; at least ``start``, where a line begins."""
    block_start = file.seek(0, 2)
    while block_start > start:
        size = min(_BLOCK, block_start - start)
        block_start = file.seek(block_start - size)
        block = file.read(size)
        newline = block.rfind(b"\n")
        if newline >= 0:
            return block_start + newline + 1
    return start


def _line_items(path: Path, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines from a byte on, each with the byte at which it begins."""
    position = start
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            line_start = position
            position += len(line)
            try:
                item = json.loads(line)
            except (ValueError, RecursionError):  # not a line of this crawl
                continue
            if isinstance(item, dict):
                yield line_start, item


def _csv_rows(path: Path, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a CSV file from a byte on, each with the byte at which it begins."""
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", errors="replace", newline="") as text:
        header = next(csv.reader(text), [])
    if "url" not in header:
        return
    column = header.index("url")
    with path.open("rb") as file:
        file.seek(start)
        lines = _CountedLines(file)
        row_start = start
        for row in csv.reader(lines):
            url = row[column] if len(row) > column else None
            if url == "url":  # Scrapy repeats the header
                header = row
            elif url is not None:
                values = zip(header, row, strict=False)
                yield row_start, dict(values)
            row_start = start + lines.size


class _CountedLines:
    """The lines of a file as texts; ``size``: bytes that were read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.size += len(line)
            yield line.decode("utf-8", "replace")


def _texts(value: Any) -> list[str]:
    """The URLs in a list, also as CSV has it."""
    if isinstance(value, str):
        return _split_texts(value)
    if not isinstance(value, list):
        return []
    return [text for text in value if isinstance(text, str)]


def _split_texts(joined: str) -> list[str]:
    """The texts that CSV has joined by commas.

    >>> _split_texts("https://a.example/w_9,h_9/owl.jpg,https://a.example/elk.jpg")
    ['https://a.example/w_9,h_9/owl.jpg', 'https://a.example/elk.jpg']
    >>> _split_texts("owl,night"), _split_texts("")
    (['owl', 'night'], [])
    """
    if not joined:
        return []
    if _WEB_URL.match(joined):
        return _COMMA.split(joined)
    return joined.split(",")


#: The outcome of pages whose item was exported but not recorded.
_RECOVERED = Outcome.article(RECOVERED)


def recover_job(jobdir: Path, settings: BaseSettings, spool: Spool, history: HistoryStore) -> None:
    """Make a job ready to be resumed whose last run was killed, or whose spool was lost.

    The request queue, which a kill leaves unreadable, is deleted, and the table of seen requests
    with it: what was requested and not fetched is requested again.  Pages in the spool are not
    fetched again.  An item that not all exports have is removed from the others.  Items that
    were exported but not recorded are recorded, in the history first: what the spool has recorded
    is not looked at again.
    """
    logger.info(
        "%s; resuming from the pages in the spool",
        "The spool was lost" if spool.was_lost else "The previous run of this job was killed",
    )
    rmtree(jobdir / "requests.queue", ignore_errors=True)
    seen_requests = jobdir / "requests.seen"
    seen_requests.unlink(missing_ok=True)
    exports = configured_exports(settings) if spool.was_lost else spool.run.exports()
    records = _Records(spool, history)
    _remove_partial(exports, _has_graphs(settings), records)
    is_csv_safe = read_settings(settings).csv_safe
    for export in exports:
        for item in read_tail(export, is_csv_safe):
            records.recover(item)
    spool.run.recover()


def _has_graphs(settings: BaseSettings) -> bool:
    """Whether an export is a graph, of which it is not known what it has."""
    feeds = settings.getdict("FEEDS").values()
    return any(options.get("format") in _GRAPHS for options in feeds)


def _remove_partial(exports: Sequence[Export], has_graphs: bool, records: _Records) -> None:
    """Remove the items that a kill has left in some of the exports: the last item of a file, if
    another file does not have it and it is recorded nowhere.  If graphs are written, too, the last
    item is always one of these.

    An export with a filter does not have all items.  Its missing items are removed from the others
    only if they are not recorded, and come again.
    """
    tails = []
    for export in exports:
        if Path(export.path).is_file():
            tails.append(_Tail.read(export))
    last_keys = set()
    for tail in tails:
        if tail.last is not None:
            last_keys.add(tail.last_key)
    for key in sorted(last_keys):
        holders = [tail for tail in tails if key in tail.page_keys]
        last_items = []
        for tail in holders:
            if tail.last and tail.last_key == key:
                last_items.append(tail.last)
        is_last = len(last_items) == len(holders)
        is_everywhere = len(holders) == len(tails) and not has_graphs
        if not is_last or is_everywhere or records.has(last_items[0]):
            continue
        for tail, item in zip(holders, last_items, strict=True):
            path = tail.export.path
            logger.info("%s: removed %s, which other exports do not have", path, item.url)
            with Path(path).open("rb+") as file:
                file.truncate(item.start)


@dataclass(frozen=True)
class _Tail:
    """The items of an export since its size was recorded: the last one, its key, and the keys of
    all."""

    export: Export
    last: ExportedItem | None
    last_key: str
    page_keys: Set[str]

    @classmethod
    def read(cls, export: Export) -> _Tail:
        last_item = None
        last_key = ""
        keys = set()
        for item in read_tail(export):
            last_item = item
            last_key = page_key(item.url)
            keys.add(last_key)
        return cls(export, last_item, last_key, keys)


class _Records:
    """What the spool and the history have of exported items."""

    def __init__(self, spool: Spool, history: HistoryStore) -> None:
        self._spool = spool
        self._history = history

    def has(self, item: ExportedItem) -> bool:
        """Whether an item is recorded, so that all exports have it."""
        key = page_key(item.url)
        keys = [*self._page_keys(key), *item.asked_keys]
        if self._spool.knows(key) and not self._spool.is_pending(key):
            return True
        for history_key in keys:
            record = self._history.find(history_key)
            if self._is_recorded(record, item):
                return True
        return False

    def recover(self, item: ExportedItem) -> None:
        """Record an item that all exports have, if it is not recorded.  That it is not comes from a
        kill in that moment, or while the history could not be written."""
        key = page_key(item.url)
        self._recover_history(key, item)
        for spool_key in item.page_keys:
            if self._spool.is_pending(spool_key) or not self._spool.knows(spool_key):
                self._spool.finish(spool_key, _RECOVERED.kind, _RECOVERED.detail)

    def _page_keys(self, key: str) -> list[str]:
        """The key by which the history has a page that is in the spool."""
        page = self._pending_page(key)
        if page is None:
            return []
        url = asked_url(page.response)
        return [page_key(url)]

    def _pending_page(self, key: str) -> ArticlePage | None:
        """The page in the spool that has no outcome yet; None if there is none."""
        if not self._spool.is_pending(key):
            return None
        spooled = self._spool.read(key)
        return rebuild_page(spooled)

    def _recover_history(self, key: str, item: ExportedItem) -> None:
        now = int(time.time())
        page = self._pending_page(key)
        history_key = page_key(asked_url(page.response)) if page else key
        stored = self._history.find(history_key)
        if self._is_recorded(stored, item, page):
            return
        if _is_gone(item):
            if stored:
                gone = replace(stored, outcome="gone", fetched=now, failures=0)
                self._history.save(gone, version=make_gone_version(stored, now))
            return
        content = read_item(item.values)
        if page:
            record = make_page_record(page, stored, now)
        else:
            fetched = to_seconds(content.fetched_at) if content else None
            record = stored or PageRecord(key, host_of(item.url), item.url, now, now)
            record = replace(record, fetched=fetched or now)
        record = replace(record, outcome="article", failures=0)
        if content is None:
            kind = str(item.values.get("type") or "article")
            record = replace(record, text=core.TextSummary(), fields={})
            self._history.save(as_recovered(record, kind))
            return
        latest = None
        memories = remember_known_fields(content, item.values.keys())
        record = replace(add_item(record, content), fields=memories)
        if isinstance(content, Article):
            self._spool.articles.add(describe_article(key, content))
            latest = make_latest(record, content, now)
        record = as_recovered(record, content.type)
        self._history.save(
            record,
            text=compared_text(content),
            latest=latest,
            version=make_version(record, content, now),
        )

    def _is_recorded(
        self,
        stored: PageRecord | None,
        item: ExportedItem,
        page: ArticlePage | None = None,
    ) -> bool:
        """Whether the history has what was exported, and not an earlier state of the page."""
        outcome = "gone" if _is_gone(item) else "article"
        if stored is None or stored.outcome != outcome:
            return False
        if outcome == "gone":
            return True
        if page:
            record = make_page_record(page, stored, 0)
            return stored.fetched == record.fetched
        exported = str(item.values.get("fetched_at") or "")
        fetched = to_seconds(exported) or self._spool.run.began_at
        return (stored.fetched or 0) >= fetched


def _is_gone(item: ExportedItem) -> bool:
    """Whether the item says that the item of its page does not exist any more."""
    change: dict[str, Any] = _read_value({}, item.values.get("change"))
    return change.get("kind") == "gone"


#: Without these an exported item does not tell what it is compared by, by its kind.
_NEEDED = {
    "article": {"text", "links"},
    "thread": {"text"},
    "product": {"name", "price"},
    "listing": {"items"},
    "page": {"text"},
}


def read_item(values: Mapping[str, Any]) -> Item | None:
    """The item that was exported; None if it is of no kind of ours, or was exported without what it
    is compared by.  Values that cannot be read count as missing.

    >>> row = {"url": "https://a.example/", "text": "Owls.", "links": "", "tags": "owl,night"}
    >>> read_item(row).tags
    ['owl', 'night']
    >>> read_item({"url": "https://a.example/", "type": "product", "name": "An owl"})
    """
    kind = str(values.get("type") or "article")
    item_class = ITEM_KINDS.get(kind)
    if item_class is None or not values.keys() >= _NEEDED[kind]:
        return None
    content = item_class(str(values["url"]))
    for part in fields(item_class):
        name = part.name
        if name in values:
            default = getattr(content, name)
            setattr(content, name, _read_value(default, values[name]))
    if isinstance(content, Article):
        content.links = [link for link in content.links if _has_text(link)]
    if isinstance(content, Listing):
        content.items = [row for row in content.items if isinstance(row, dict)]
    return content


def _has_text(link: Any) -> bool:
    return isinstance(link, dict) and isinstance(link.get("text"), str)


def _read_value(default: Any, value: Any) -> Any:
    """The value of a field whose values are of the type of its ``default``.  CSV has objects and
    lists of objects as JSON, and joins texts by commas."""
    if isinstance(default, list):
        return _read_list(value)
    if isinstance(value, str) and isinstance(default, int | float | dict | None):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return default
    if default is None or isinstance(value, type(default)):
        return value
    return default


def _read_list(value: Any) -> list[Any]:
    if isinstance(value, str) and value.startswith("[{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if isinstance(value, str):
        return _split_texts(value)
    if isinstance(value, list):
        return value
    return []


#: Seconds from the first write of a transaction to its commit.  A page that is fetched and done
#: within them is not written to the disk at all.
DELAY = 0.05


class CommitTimer:
    """Commits the spool's writes a moment after the first one.

    If the process is killed before, the pages of that moment are requested again when the crawl
    is resumed, as if they had not been fetched; articles exported in it are found in the export,
    whose size is written with the outcomes.
    """

    def __init__(
        self,
        crawler: Crawler,
        spool: Spool,
        history: HistoryStore,
        failure: DiskFailure,
    ) -> None:
        self._crawler = crawler
        self._spool = spool
        self._failure = failure
        self._history = history.database
        spool.file.on_begin = self.start

    def start(self) -> None:
        """A transaction has begun."""
        call_later(DELAY, self.commit)

    def commit(self) -> None:
        """Commit now, if something was written.  A failure ends the crawl.  While the history is
        unavailable, its writes are in memory only: if the process is killed, they are made up for
        from the exports, whose sizes are left as they were."""
        if self._failure.error or not self._spool.file.is_writing:
            return
        with self._failure.guard(OSError):
            exports = () if self._history.unwritten() else changed_exports(self._crawler)
            self._spool.file.commit(exports)
