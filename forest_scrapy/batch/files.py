"""Running a batch from files to files, and going on with one that was stopped.

``FILE.job`` is a folder beside the output ``FILE``: the notes of the batch, and the items and
errors so far.  When all pages are extracted, the errors are copied to their file, the output is
made, and that this is so is noted.  Then the output is moved into place, and the folder is deleted.
So a batch that is killed in between goes on there, and never writes to an output in place.
"""

import json
import logging
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import monotonic
from typing import IO, Any, TextIO

from forest_scrapy.batch.batch import HELD, NOT_WANTED, Batch, PageResult, Watcher
from forest_scrapy.batch.inputs import Inputs
from forest_scrapy.batch.pool import Pool, rare_collections
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import Job, close_stores, try_rules
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS, item_kind
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.crawl.progress import INTERVAL, TerminalLine
from forest_scrapy.items import Article, Item
from forest_scrapy.output_files import (
    BadOutput,
    lock_of,
    locked,
    move_into_place,
    naming,
    output_file,
    replacing,
    sync,
)
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, RulesStore
from forest_scrapy.stores.database import BadStore, StoreFailed

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Order:
    """What is to be done.

    ``paths``: of the pages; ``output``, ``errors``: the files to write, JSON lines.
    ``are_articles``: whether all pages are known to be articles.  ``wrappers``: a store to
    extract with, without learning; ``save_wrappers``: a store that the learned ones are added to.
    ``urls``: the only pages to extract; ``()``: all.
    """

    paths: tuple[str, ...]
    output: Path
    errors: Path
    are_articles: bool = False
    wrappers: str = ""
    save_wrappers: str = ""
    urls: tuple[str, ...] = ()


class BatchStopped(ForestError):
    """The batch cannot go on for the moment: a disk is full, a file cannot be read or written.
    When that is repaired, the same batch goes on."""


class _Lost(Exception):
    """A file of the folder is shorter than noted, or is not what was written."""


class FileBatch:
    """One batch with its folder.

    ``convert``: makes the output of a file of JSON lines, at another path; None: they are the
    output.
    """

    def __init__(
        self,
        order: Order,
        settings: ForestSettings,
        processes: int,
        watcher: Watcher,
        convert: Callable[[Path, Path], None] | None = None,
    ) -> None:
        self._settings, self._watcher = settings, watcher
        self._processes, self._convert = processes, convert
        output, errors = output_file(str(order.output)), output_file(str(order.errors))
        self._order = order = replace(order, output=output, errors=errors)
        self.folder = output.with_name(f"{output.name}.job")
        self._database = self.folder / "pages.db"
        self._articles, self._errors = self.folder / "articles.jsonl", self.folder / "errors.jsonl"
        self._made = self.folder / f"output{output.suffix}" if convert else self._articles
        ignored = (output, errors, self.folder)
        inputs = Inputs(order.paths, settings.max_bytes, ignored)
        self._source = _Wanted(inputs, order.urls)
        self.counts: Counter[str] = Counter()
        #: The names of the files that were changed while they were read.
        self.changed = inputs.changed
        self._check_files()
        self._check_folder()

    def run(self) -> None:
        """Write the output and the errors.  Raises ``ForestError``: ``InUse`` if another process
        writes one of them, ``BatchStopped`` if the disk is full; then, or after a kill, ``run``
        again goes on."""
        with ExitStack() as opened:
            for path in (self._order.output, self._order.errors):
                opened.enter_context(locked(path))
            opened.enter_context(_stopping(self.folder))
            files = self._describe()
            if not self._is_done(files):
                try:
                    self._extract(files)
                except _Lost:  # by a power cut: the pages are there to begin again
                    logger.warning("%s is damaged: all pages are extracted again", self.folder)
                    self._begin_again()
                    self._extract(files)
            if self._made.exists():
                move_into_place(self._made, self._order.output)
            shutil.rmtree(self.folder, ignore_errors=True)  # nothing in it is needed any more

    def _check_files(self) -> None:
        """Raises ``BadOutput`` if one file would be written twice, or is one to read."""
        output, errors = self._order.output, self._order.errors
        if errors in (output, lock_of(output)) or self.folder in (errors, *errors.parents):
            raise BadOutput(f"--errors cannot be {errors}; name another file")
        others = (*self._order.paths, self._order.wrappers, self._order.save_wrappers)
        for name in filter(None, others):
            if Path(name).resolve() in (output, errors):
                raise BadOutput(f"{name} is not only an output; write to another file")

    def _check_folder(self) -> None:
        """Raises ``BadOutput`` if what has the name of the folder is not a batch's."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadOutput(f"{self.folder}: {error.strerror}; name another output") from error
        own = tuple(one.name for one in (self._database, self._articles, self._errors))
        if others := [one for one in names if not one.startswith((*own, "output"))]:
            raise BadOutput(
                f"{self.folder} has other files, such as {others[0]}; name another output"
            )

    def _describe(self) -> dict[str, Any]:
        """What the batch is of.  Raises ``ForestError`` if there are no pages."""
        order = {**asdict(self._order), "output": "", "errors": ""}
        files = self._source.inputs.describe()
        if not files:
            raise ForestError(f"there are no pages in {', '.join(self._order.paths)}")
        given = {"files": files, "order": order, "settings": asdict(self._settings)}
        found: dict[str, Any] = json.loads(json.dumps(given, default=str))
        return found

    def _is_done(self, given: Mapping[str, Any]) -> bool:
        """Whether nothing is left to do but to move the output; also if it is in place."""
        if not self._database.exists():
            return False
        with closing(_open_notes(str(self._database))) as store:
            finished, is_same = store.get("finished"), store.get("given") == given
        if finished is None or (_is_file(self._made, finished["size"]) and not is_same):
            return False
        made = (self._made, self._order.output)
        if not is_same or not any(_is_file(one, finished["size"]) for one in made):
            self._begin_again()
            return False
        self.counts.update(finished["counts"])
        return True

    def _begin_again(self) -> None:
        shutil.rmtree(self.folder)
        self.counts.clear()
        self._source.seen.clear()

    def _extract(self, given: Mapping[str, Any]) -> None:
        """Extract all pages, and write all but the output into place."""
        name = str(self._database)
        with ExitStack() as opened:
            opened.callback(close_stores)
            wrappers = self._open_wrappers(opened)  # before there is a folder to go on with
            self.folder.mkdir(exist_ok=True)
            if self._processes == 1:  # else the worker processes do the same
                opened.enter_context(rare_collections())
            store = opened.enter_context(closing(_open_notes(name)))
            self._check_same(store, given)
            pool = opened.enter_context(closing(Pool(self._processes)))
            job = Job(name, self._settings, self._order.are_articles, self._order.wrappers)
            batch = Batch(self._source, job, store, pool, self._watcher, self._source.keys)
            batch.learn()
            self._write(batch, store)
            if wrappers is not None:
                self.counts["wrappers saved"] = batch.save_rules(wrappers)
            self._finish(store)

    def _open_wrappers(self, opened: ExitStack) -> RulesStore | None:
        """The store to add wrappers to.  The one to read them from is only tried: the processes
        open it.  Raises ``BadStore``."""
        if self._order.wrappers:
            try_rules(self._order.wrappers, self._settings)
        if not self._order.save_wrappers:
            return None
        distance, seconds = self._settings.distance, self._settings.store_seconds
        store = RulesStore(self._order.save_wrappers, distance, seconds=seconds)
        return opened.enter_context(closing(store))

    def _check_same(self, store: BatchStore, given: Mapping[str, Any]) -> None:
        """Raises ``ForestError`` if the folder is that of a batch with other pages or options."""
        if store.get("given", given) != given:
            raise ForestError(
                f"{self.folder} is of a batch with other pages or options that was stopped; "
                "delete it, or name another output"
            )
        with store.writing():
            store.set("given", given)

    def _finish(self, store: BatchStore) -> None:
        """Make the output, and note that it only has to be moved."""
        with replacing(self._order.errors) as errors:
            shutil.copyfile(self._errors, errors)
        if self._convert is not None:
            for left in self.folder.glob(f"{self._made.name}*"):  # by a killed process
                left.unlink()
            with naming(self._made):
                self._convert(self._articles, self._made)
        sync(self._made)
        finished = {"size": self._made.stat().st_size, "counts": dict(self.counts)}
        with store.writing():
            store.set("finished", finished)

    def _write(self, batch: Batch, store: BatchStore) -> None:
        source = self._source
        state = store.get("written") or {"pages": 0, "articles": 0, "errors": 0, "counts": {}}
        self.counts.update(state["counts"])
        source.seen.update(state.get("seen", ()))
        with (
            naming(self.folder),
            _append(self._articles, state["articles"]) as articles,
            _append(self._errors, state["errors"]) as errors,
        ):
            for outcomes in batch.extract(state["pages"]):
                for outcome in outcomes:
                    self._write_one(outcome, articles, errors)
                state["pages"] += len(outcomes)
                state["articles"], state["errors"] = _size(articles), _size(errors)
                state["counts"], state["seen"] = dict(self.counts), sorted(source.seen)
                store.set("written", state)
            for url in source.missing():
                self.counts["not_found"] += 1
                write_line(errors, {"url": url, "source": "", "reason": "not_found"})

    def _write_one(self, outcome: PageResult, articles: IO[str], errors: IO[str]) -> None:
        if outcome.reason == NOT_WANTED:
            return
        item = outcome.item
        if item is not None:
            write_line(articles, {one.name: getattr(item, one.name) for one in fields(item)})
            self.counts[f"{item_kind(item)}s"] += 1
        if isinstance(item, Article):
            self.counts[f"by {item.method}"] += 1
        elif item is None and outcome.reason != HELD:
            raw = outcome.raw
            line = {"url": raw.name, "source": raw.source, "reason": outcome.reason}
            write_line(errors, line)
            self.counts[outcome.reason if outcome.reason.isidentifier() else "unreadable"] += 1
        self._source.note(outcome.raw)


class _Wanted:
    """The pages of the hosts of some URLs; all pages if there are none.

    ``keys``: of the pages that are wanted, None: all; ``seen``: those that were found.
    """

    def __init__(self, inputs: Inputs, urls: tuple[str, ...]) -> None:
        self.inputs = inputs
        self._urls = {page_key(url): url for url in urls}
        self._hosts = {host_of(url) for url in urls}
        self.keys = self._urls.keys() if urls else None
        self.seen: set[str] = set()

    def __iter__(self) -> Iterator[RawPage]:
        pages = iter(self.inputs)
        if not self._hosts:
            return pages
        return (page for page in pages if page.error or host_of(page.url) in self._hosts)

    def note(self, raw: RawPage) -> None:
        """Note that a page was found."""
        if self._urls:
            self.seen.add(page_key(raw.url))

    def missing(self) -> list[str]:
        """The URLs that were not found."""
        return [url for key, url in self._urls.items() if key not in self.seen]


def write_line(file: IO[str], value: Mapping[str, Any]) -> None:
    """Write a line of JSON, as Scrapy's exporter writes it in UTF-8."""
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def read_items(file: Path) -> Iterator[Item]:
    """The items of a file of JSON lines, told by their fields."""
    classes: dict[frozenset[str], Callable[..., Item]] = {
        frozenset(field.name for field in fields(one)): one for one in ITEM_KINDS.values()
    }
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            values = json.loads(line)
            yield classes[frozenset(values)](**values)


@contextmanager
def _append(path: Path, size: int) -> Iterator[IO[str]]:
    """Open a file to write after its first ``size`` bytes, which are lines; what was written later
    is deleted.  Raises ``_Lost``."""
    with path.open("a+b") as file:
        if size and (file.seek(0, os.SEEK_END) < size or not _ends_line(file, size)):
            raise _Lost
        file.truncate(size)
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as text:
        yield text


def _ends_line(file: IO[bytes], size: int) -> bool:
    file.seek(size - 1)
    return file.read(1) == b"\n"


def _is_file(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _open_notes(name: str) -> BatchStore:
    try:
        return BatchStore(name)
    except BadStore as error:  # the folder is the batch's own: no other remedy than space
        raise BatchStopped(f"{name}: {error.__cause__ or error}") from error


@contextmanager
def _stopping(folder: Path) -> Iterator[None]:
    """Errors of disks and files, among them the notes in the folder, are ``BatchStopped``."""
    try:
        yield
    except (OSError, StoreFailed) as error:
        raise BatchStopped(str(error)) from error
    except sqlite3.Error as error:
        raise BatchStopped(f"{folder}: {error}") from error


def _size(file: IO[str]) -> int:
    """The bytes of a file, when what is in its buffers is written."""
    file.flush()
    return os.fstat(file.fileno()).st_size


#: What a stage does, and what it counts.
_STAGES = {
    "read": ("reading", "pages"),
    "plan": ("finding templates", "hosts"),
    "collect": ("copying pages to learn from", "pages"),
    "learn": ("learning wrappers", "hosts"),
    "extract": ("extracting", "pages"),
}


class NoProgress:
    """Shows nothing."""

    def begin(self, stage: str, total: int | None) -> None:
        pass

    def advance(self, number: int) -> None:
        pass


class TerminalProgress:
    """Keeps a line at the bottom of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._line = TerminalLine(stream)
        self.begin("read", None)

    def begin(self, stage: str, total: int | None) -> None:
        self._stage, self._total = stage, total
        self._done = self._before = 0
        self._start, self._shown = monotonic(), 0.0

    def advance(self, number: int) -> None:
        self._done += number
        now = monotonic()
        if now - self._start < 0.001:  # what an earlier run has done
            self._before = self._done
        if now - self._shown > INTERVAL:
            self._shown = now
            rate = (self._done - self._before) / max(now - self._start, 0.001)
            self._line.show(describe_progress(self._stage, self._done, self._total, rate))

    def close(self) -> None:
        """Erase the line."""
        self._line.erase()


def describe_progress(stage: str, done: int, total: int | None, rate: float) -> str:
    """The state of a stage in one line; ``rate``: a second.

    >>> describe_progress("extract", 1200, 20000, 400.0)
    'extracting: 1,200 of 20,000 pages, 400 pages/s, 47 s left'
    """
    verb, noun = _STAGES[stage]
    of = f" of {total:,}" if total is not None else ""
    left = ""
    if total is not None and rate > 0:
        seconds = round(max(total - done, 0) / rate)
        minutes, hours = seconds // 60, seconds // 3600
        duration = f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
        left = f", {duration if minutes else f'{seconds} s'} left"
    return f"{verb}: {done:,}{of} {noun}, {rate:,.0f} {noun}/s{left}"
