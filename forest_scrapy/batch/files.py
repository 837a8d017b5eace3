"""Running a batch from files to files, and going on with one that was stopped.

``FILE.job`` is a folder beside the output ``FILE``: the notes of the batch, and the articles and
errors so far.  When the batch is complete, they are moved, and the folder is deleted.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import monotonic
from typing import IO, Any, TextIO

from forest_scrapy.batch.batch import HELD, NOT_WANTED, Batch, PageResult, Watcher
from forest_scrapy.batch.inputs import Inputs
from forest_scrapy.batch.pool import Pool, rare_collections
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import Job, close_stores
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.crawl.progress import INTERVAL, TerminalLine
from forest_scrapy.items import Article, Item
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, RulesStore


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


class FileBatch:
    """One batch with its folder."""

    def __init__(
        self, order: Order, settings: ForestSettings, processes: int, watcher: Watcher
    ) -> None:
        self._order, self._settings, self._watcher = order, settings, watcher
        self._processes = processes
        self.folder = order.output.with_name(f"{order.output.name}.job")
        self.counts: Counter[str] = Counter()

    def run(self) -> Path:
        """Extract all pages; the file of the articles, in the folder.  Raises ``ForestError``,
        and ``OSError`` if the disk is full; then, or after a kill, ``run`` again goes on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        source = _Wanted(Inputs(self._order.paths, self._settings.max_bytes), self._order.urls)
        with ExitStack() as opened:
            opened.callback(close_stores)
            if self._processes == 1:  # else the worker processes do the same
                opened.enter_context(rare_collections())
            store = opened.enter_context(closing(BatchStore(str(self.folder / "pages.db"))))
            self._check_same(store, source.inputs)
            if self._order.wrappers:  # the processes open it; fail before that
                distance = self._settings.distance
                RulesStore(self._order.wrappers, distance, must_exist=True).close()
            pool = opened.enter_context(closing(Pool(self._processes)))
            job = Job(
                str(self.folder / "pages.db"),
                self._settings,
                self._order.are_articles,
                self._order.wrappers,
            )
            batch = Batch(source, job, store, pool, self._watcher, source.keys)
            batch.learn()
            self._write(batch, store, source)
            if self._order.save_wrappers:
                name, distance = self._order.save_wrappers, self._settings.distance
                wrappers = opened.enter_context(closing(RulesStore(name, distance)))
                self.counts["wrappers saved"] = batch.save_rules(wrappers)
        return self.folder / "articles.jsonl"

    def finish(self) -> None:
        """Move the errors to their file, and delete the folder."""
        (self.folder / "errors.jsonl").replace(self._order.errors)
        shutil.rmtree(self.folder)

    def _check_same(self, store: BatchStore, inputs: Inputs) -> None:
        """Raises ``ForestError`` if the folder is that of a batch with other pages or options."""
        order = {**asdict(self._order), "output": "", "errors": ""}
        files = inputs.describe()
        if not files:
            raise ForestError(f"there are no pages in {', '.join(self._order.paths)}")
        given = {"files": files, "order": order, "settings": asdict(self._settings)}
        given = json.loads(json.dumps(given, default=str))
        if store.get("given", given) != given:
            raise ForestError(
                f"{self.folder} is of a batch with other pages or options that was stopped; "
                "delete it, or name another output"
            )
        with store.writing():
            store.set("given", given)

    def _write(self, batch: Batch, store: BatchStore, source: "_Wanted") -> None:
        state = store.get("written") or {"pages": 0, "articles": 0, "errors": 0, "counts": {}}
        self.counts.update(state["counts"])
        source.seen.update(state.get("seen", ()))
        with (
            _append(self.folder / "articles.jsonl", state["articles"]) as articles,
            _append(self.folder / "errors.jsonl", state["errors"]) as errors,
        ):
            for outcomes in batch.extract(state["pages"]):
                for outcome in outcomes:
                    self._write_one(outcome, articles, errors, source)
                state["pages"] += len(outcomes)
                state["articles"], state["errors"] = _size(articles), _size(errors)
                state["counts"], state["seen"] = dict(self.counts), sorted(source.seen)
                store.set("written", state)
            for url in source.missing():
                self.counts["not_found"] += 1
                write_line(errors, {"url": url, "source": "", "reason": "not_found"})

    def _write_one(
        self, outcome: PageResult, articles: IO[str], errors: IO[str], source: "_Wanted"
    ) -> None:
        if outcome.reason == NOT_WANTED:
            return
        item = outcome.item
        if item is not None:
            write_line(articles, asdict(item))
            self.counts[f"{type(item).__name__.lower()}s"] += 1
        if isinstance(item, Article):
            self.counts[f"by {item.method}"] += 1
        elif item is None and outcome.reason != HELD:
            raw = outcome.raw
            line = {"url": raw.name, "source": raw.source, "reason": outcome.reason}
            write_line(errors, line)
            self.counts[outcome.reason if outcome.reason.isidentifier() else "unreadable"] += 1
        source.note(outcome.raw)


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
        return (p for p in pages if host_of(p.url) in self._hosts) if self._hosts else pages

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
    """Open a file to write after its first ``size`` bytes; what was written later is deleted."""
    with path.open("a+b") as file:
        file.truncate(size)
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as text:
        yield text


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
