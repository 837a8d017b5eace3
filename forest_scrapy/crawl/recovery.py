"""Recovery after a killed run, before the crawl is resumed."""

import csv
import json
import logging
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any, BinaryIO

from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later
from w3lib.url import file_uri_to_path

from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.crawl.history import RECOVERED, make_page_record
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.responses.conversion import asked_url, rebuild_page
from forest_scrapy.stores import Export, HistoryStore, PageRecord, Spool

logger = logging.getLogger(__name__)

_LINES = ("jsonlines", "jsonl", "jl")
_SAFE = (*_LINES, "csv")
#: A comma between two URLs.
_COMMA = re.compile(",(?=https?://)")
#: Bytes read at a time when the end of a file is looked for.
_BLOCK = 1 << 20


def open_exports(crawler: Crawler) -> list[Export]:
    """The files that the running crawl appends to, as large as they are now."""
    found = []
    for slot in _slots(crawler):
        if _why_unsafe(slot) == "":
            path = Path(slot.storage.path).absolute()  # type: ignore[attr-defined]
            size = path.stat().st_size if path.is_file() else 0
            found.append(Export(str(path), slot.format, size))
    return found


def configured_exports(settings: BaseSettings) -> list[Export]:
    """The local files that ``FEEDS`` names and that are appended to, to be read as a whole."""
    found = []
    for uri, options in settings.getdict("FEEDS").items():
        path = Path(file_uri_to_path(str(uri)) if "://" in str(uri) else str(uri))
        if options.get("format") in _SAFE and not options.get("overwrite"):
            found.append(Export(str(path.absolute()), options["format"], 0))
    return found


def warn_of_unsafe_exports(crawler: Crawler) -> None:
    """Warn of exports in which a killed crawl may lose or repeat articles; in graphs, what is
    repeated is there once."""
    for slot in _slots(crawler):
        reason = _why_unsafe(slot)
        is_graph = getattr(slot.exporters[slot.format], "is_idempotent", False)
        if reason and not (is_graph and reason == f"is written as {slot.format}"):
            logger.warning(
                "%s %s: if the crawl is killed and resumed, articles may be missing there or"
                " occur twice; append to a local file in jsonlines or csv, as -o FILE.jsonl does",
                slot.uri,
                reason,
            )


def read_tail(export: Export) -> Iterator[str]:
    """The URLs of the items that follow the first ``size`` bytes of a file, with those of all of
    their pages.  An incomplete item at its end is removed, because its page will be extracted
    again."""
    path = Path(export.path)
    if not path.is_file():
        return
    end = _cut_incomplete(export)
    start = export.size if export.size <= end else 0
    if export.format == "csv":
        yield from _csv_urls(path, start)
    else:
        with path.open("rb") as file:
            file.seek(start)
            yield from _line_urls(file)


def read_items(export: Export, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    """These fields of all items that a file has; those that it does not have are left out.  An
    incomplete item at its end is removed."""
    path = Path(export.path)
    if not path.is_file():
        return
    _cut_incomplete(export)
    if export.format == "csv":
        csv.field_size_limit(1 << 30)
        with path.open(encoding="utf-8", errors="replace", newline="") as text:
            for row in csv.DictReader(text):
                yield {name: row[name] for name in fields if row.get(name) is not None}
        return
    with path.open("rb") as file:
        for item in _line_items(file):
            yield {name: item[name] for name in fields if name in item}


def _cut_incomplete(export: Export) -> int:
    """Remove an incomplete item at the end of a file; its size then."""
    with Path(export.path).open("rb+") as file:
        end = _complete_end(file, has_quotes=export.format == "csv")
        if end < file.seek(0, 2):
            logger.info("%s: removed the last item, which is incomplete", export.path)
            file.truncate(end)
    return end


def _slots(crawler: Crawler) -> list[FeedSlot]:
    exporter = crawler.get_extension(FeedExporter)
    return exporter.slots if exporter else []


def _why_unsafe(slot: FeedSlot) -> str:
    """Why a killed crawl may lose or repeat articles of an export; ``""`` if it may not."""
    exporter = slot.exporters[slot.format]
    if not isinstance(slot.storage, FileFeedStorage):
        return "is not a local file"
    if slot.storage.write_mode != "ab":
        return "is overwritten by each run"
    if slot.format not in _SAFE or not getattr(exporter, "is_flushed", False):
        return f"is written as {slot.format}"
    if "postprocessing" in slot.feed_options or slot.feed_options.get("item_export_kwargs"):
        return "has options of its own"
    fields = slot.feed_options.get("fields")
    return "has no field url" if fields and "url" not in fields else ""


def _complete_end(file: BinaryIO, has_quotes: bool) -> int:
    """Where the last complete item ends: after a newline that is not quoted, if the format
    ``has_quotes``."""
    if not has_quotes:
        return _after_last_newline(file)
    file.seek(0)
    position, end, quotes = 0, 0, 0
    for line in file:
        position += len(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0 and line.endswith(b"\n"):
            end = position
    return end


def _after_last_newline(file: BinaryIO) -> int:
    start = file.seek(0, 2)
    while start > 0:
        size = min(_BLOCK, start)
        start = file.seek(start - size)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def _line_items(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for line in file:
        try:
            item = json.loads(line)
        except ValueError:  # not a line of this crawl
            continue
        if isinstance(item, dict):
            yield item


def _line_urls(file: BinaryIO) -> Iterator[str]:
    for item in _line_items(file):
        if isinstance(item.get("url"), str):
            yield item["url"]
            yield from _page_urls(item.get("pages"))


def _page_urls(pages: Any) -> list[str]:
    """The URLs of the pages of an item, as an export has them."""
    return [url for url in pages if isinstance(url, str)] if isinstance(pages, list) else []


def _csv_urls(path: Path, start: int) -> Iterator[str]:
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        header = next(csv.reader(file), [])
        if "url" not in header:
            return
        column, pages = header.index("url"), header.index("pages") if "pages" in header else -1
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        file.seek(start)
        for row in csv.reader(file):
            if len(row) > max(column, pages) and row[column] != "url":  # Scrapy repeats the header
                yield row[column]
                yield from _COMMA.split(row[pages]) if pages >= 0 else ()


#: The outcome of pages whose article was exported but not recorded; the method is not known.
_RECOVERED = Outcome.article(RECOVERED)


def recover_job(jobdir: Path, settings: BaseSettings, spool: Spool, history: HistoryStore) -> None:
    """Make a job ready to be resumed whose last run was killed, or whose spool was lost.

    The request queue, which a kill leaves unreadable, is deleted, and the table of seen requests
    with it: what was requested and not fetched is requested again.  Pages in the spool are not
    fetched again.  Articles that were exported but not recorded are recorded, in the history
    first: what the spool has recorded is not looked at again.
    """
    logger.info(
        "%s; resuming from the pages in the spool",
        "The spool was lost" if spool.was_lost else "The previous run of this job was killed",
    )
    rmtree(jobdir / "requests.queue", ignore_errors=True)
    (jobdir / "requests.seen").unlink(missing_ok=True)
    exports = configured_exports(settings) if spool.was_lost else spool.run.exports()
    for export in exports:
        for url in read_tail(export):
            key = page_key(url)
            _recover_history(url, spool, history)
            if spool.is_pending(key) or not spool.knows(key):
                spool.finish(key, _RECOVERED.kind, _RECOVERED.detail)
    spool.run.recover()


def _recover_history(url: str, spool: Spool, history: HistoryStore) -> None:
    """Note an exported article in the history, which was not written if the crawl was killed in
    that moment, or while the history was away."""
    key, now = page_key(url), int(time.time())
    if spool.is_pending(key):
        page = rebuild_page(spool.read(key))
        known = history.find(page_key(asked_url(page.response)))
        record = make_page_record(page, known, now)
        is_recorded = known and known.outcome == "article" and known.fetched == record.fetched
    else:
        known = history.find(key)
        record = replace(known or PageRecord(key, host_of(url), url, now, now), fetched=now)
        is_recorded = known and known.outcome == "article"
    if not is_recorded:
        history.save(replace(record, outcome="article", method=RECOVERED, failures=0))


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
        self, crawler: Crawler, spool: Spool, history: HistoryStore, failure: DiskFailure
    ) -> None:
        self._crawler, self._spool, self._failure = crawler, spool, failure
        self._history = history.database
        spool.file.on_begin = self.start

    def start(self) -> None:
        """A transaction has begun."""
        call_later(DELAY, self.commit)

    def commit(self) -> None:
        """Commit now, if something was written.  A failure ends the crawl.  While the history is
        away, its writes are in memory only: if the process is killed, they are made up for from
        the exports, whose sizes are left as they were."""
        if self._failure.error or not self._spool.file.is_writing:
            return
        with self._failure.guard(OSError):
            exports = () if self._history.unwritten() else open_exports(self._crawler)
            self._spool.file.commit(exports)
