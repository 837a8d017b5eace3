"""A batch: articles, threads, products and listings from stored pages, in passes over them.

    read     note for every page its fingerprint and its signals, not the page itself
    plan     group the pages of each host by template, and decide which are articles
    collect  copy the few pages that each wrapper is learned from
    learn    learn the wrappers, and apply them to the pages that they were learned from
    extract  apply them to the other pages; all results come in the order of the input

Reading, planning, learning and extracting run in worker processes.  All that is noted is in an
SQLite file, so memory does not grow with the number of pages, and a batch that was stopped goes
on where it was.
"""

import logging
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Protocol

from forest_scrapy.batch.planning import HostPlan
from forest_scrapy.batch.pool import Pool, chunks_of
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import (
    Extracted,
    Job,
    LearnedTemplate,
    Task,
    extract_all,
    learn_hosts,
    note_pages,
    plan_hosts,
    sample_head,
)
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.items import Article, Item, Thread
from forest_scrapy.joining.duplicates import Duplicates, describe_article
from forest_scrapy.joining.pages import JOINED, PageJoiner
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, RulesStore
from forest_scrapy.stores.database import StoreFailed
from forest_scrapy.stores.held_pages import HeldPage
from forest_scrapy.stores.page_tables import ArticleIdentity

logger = logging.getLogger(__name__)

#: The reason for a page that crashed its process.
CRASHED = "crashed"
#: The reason for a page that was not asked for.
NOT_WANTED = "not_wanted"
#: Pages, and bytes of them, that a process gets at a time.
_PAGES, _BYTES = 16, 2_000_000
#: Pages whose samples are committed together.
_COMMIT = 100


class Watcher(Protocol):
    """Receives the progress of a batch."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins; ``total``: the number of its pages or hosts, None if unknown."""

    def advance(self, number: int) -> None:
        """A further ``number`` of pages or hosts is done."""


#: The reason for a page whose content is in the item that comes with another page, or at the end.
HELD = JOINED


@dataclass(frozen=True)
class PageResult:
    """The outcome of one page: its ``item``, or the ``reason`` why it has none.  A thread or an
    article that is not complete comes after all pages, as a page of its own."""

    raw: RawPage
    reason: str
    item: Item | None = None


class Results:
    """Decides on the pages of a batch, in their order.  ``notes_pages``: whether the store has a
    row for each page, so that no URL comes twice."""

    def __init__(self, store: BatchStore, settings: ForestSettings, notes_pages: bool) -> None:
        self._store, self._notes_pages = store, notes_pages
        self._duplicates = Duplicates(store.articles)
        self._joiner = PageJoiner(store.held_pages, settings)

    def of(self, raw: RawPage, result: Extracted) -> PageResult:
        """The outcome of a page."""
        if result.reason:
            return PageResult(raw, result.reason)
        if result.part is not None and not self._is_alone(result.part):
            return self._of_part(raw, result.key, result.part)
        if isinstance(result.item, Article) and result.found:
            is_new = self._notes_pages or not self._store.articles.has(result.found.page_key)
            is_new = is_new and self._is_new(result.found, result.item)
            return PageResult(raw, "", result.item) if is_new else PageResult(raw, "duplicate")
        if not self._store.add_record(result.key):
            return PageResult(raw, "duplicate")
        return PageResult(raw, "", result.item)

    def _is_alone(self, part: HeldPage) -> bool:
        """Whether none of the pages that an article is joined with is among the pages: it comes in
        its place then."""
        if not (self._notes_pages and part.is_first and part.item):
            return False
        return part.item["type"] == "article" and not self._store.has_page(part.next_key)

    def _of_part(self, raw: RawPage, key: str, part: HeldPage) -> PageResult:
        """The outcome of a page of a thread or of an article of several pages."""
        if not self._store.add_record(key):
            return PageResult(raw, "duplicate")
        added = self._joiner.add(part)
        item = added.item
        if added.first:
            item = self._joiner.join(added.first)
        if item is not None:
            return self._of_joined(raw, item)
        return PageResult(raw, "duplicate" if added.is_repeated else HELD)

    def _of_joined(self, raw: RawPage, item: Thread | Article) -> PageResult:
        if isinstance(item, Article):
            found = describe_article(page_key(item.url), item)
            if not self._is_new(found, item):
                return PageResult(raw, "duplicate")
        return PageResult(raw, "", item)

    def _is_new(self, found: ArticleIdentity, article: Article) -> bool:
        return not self._duplicates.is_known(found, article, (article.url,))

    def rest(self) -> Iterator[PageResult]:
        """The threads and articles that are not complete, as far as they are there.  What is
        written between two of them belongs to the first."""
        while keys := self._store.held_pages.starts():
            for key in keys:
                with self._store.writing():
                    item = self._joiner.join(key)
                    yield self._of_joined(RawPage(item.url, b""), item)


class Batch:
    """The items of ``source``, which gives the same pages in the same order each time it is
    iterated.

    ``wanted``: keys of the pages to extract, if not all; wrappers are learned from all pages.
    """

    def __init__(
        self,
        source: Iterable[RawPage],
        job: Job,
        store: BatchStore,
        pool: Pool,
        watcher: Watcher,
        wanted: Container[str] | None = None,
    ) -> None:
        self._source, self._job, self._store, self._pool = source, job, store, pool
        self._watcher, self._wanted = watcher, wanted
        self._results = Results(store, job.settings, not job.wrappers)

    def learn(self) -> None:
        """Read all pages, and learn the wrappers of their templates; not if they are stored."""
        if self._job.wrappers:
            return
        for name, stage in {
            "read": self._read,
            "plan": self._plan,
            "collect": self._collect,
            "learn": self._learn,
        }.items():
            if not self._store.get(name):
                stage()
                with self._store.writing():
                    self._store.set(name, True)

    def extract(self, start: int = 0) -> Iterator[list[PageResult]]:
        """The outcomes of the pages from number ``start`` on, in order and in small lists, then
        those of the threads and articles that are not complete.

        What is written to the store before the next list is taken is committed with it.
        """
        self._watcher.begin("extract", self._store.get("pages"))
        self._watcher.advance(start)
        chunks = self._chunks(islice(enumerate(self._source), start, None))
        tasks = (self._tasks(chunk) for chunk in chunks)
        function = partial(extract_all, self._job)
        for given, results in self._pool.map(function, tasks, lambda _: Extracted(CRASHED)):
            pairs = zip(given, results, strict=True)
            with self._store.writing():
                yield [self._results.of(task.raw, self._recall(task, one)) for task, one in pairs]
            self._watcher.advance(len(given))
        yield from ([outcome] for outcome in self._results.rest())

    def save_rules(self, store: RulesStore) -> int:
        """Store the rules that were learned from several pages; their number.  Raises
        ``StoreFailed``."""
        saved = 0
        for host in self._store.hosts():
            for one in self._store.templates.of_host(host):
                if one.is_learned and one.rules:
                    digests = self._store.templates.digests(one.key)
                    found = (self._store.fingerprints.find(host, digest) for digest in digests)
                    is_saved = store.save(host, one.id, one.rules, [f for f in found if f])
                    if not is_saved and store.database.seconds_away() is None:
                        raise StoreFailed("the wrappers cannot be stored; see the warning above")
                    saved += 1
        return saved

    def _recall(self, task: Task, result: Extracted) -> Extracted:
        """The result of a task; that of a page which was extracted before, from the store."""
        if not task.extracted:
            return result
        return Extracted.from_bytes(self._store.templates.take_extracted(task.extracted))

    def _read(self) -> None:
        start = self._store.get("pages", 0)
        self._watcher.begin("read", None)
        self._watcher.advance(start)
        chunks = self._chunks(islice(enumerate(self._source), start, None))
        function = partial(note_pages, self._job)
        for given, results in self._pool.map(function, chunks, lambda _: CRASHED):
            with self._store.writing():
                for (number, raw), noted in zip(given, results, strict=True):
                    if isinstance(noted, str):
                        self._store.refuse(number, raw.name, noted)
                    else:
                        self._store.add(noted)
                self._store.set("pages", given[-1][0] + 1)
            self._watcher.advance(len(given))

    def _plan(self) -> None:
        hosts = self._hosts_after("planned", "plan")
        function = partial(plan_hosts, self._job)
        for (host,), (plan,) in self._pool.map(function, hosts, _no_plan):
            with self._store.writing():
                self._store.plan_host(host, plan.templates, plan.assigned)
                self._store.set("planned", host)
            self._watcher.advance(1)

    def _collect(self) -> None:
        wanted = self._store.templates.missing_samples()
        numbers = self._store.numbers_of(wanted)
        self._watcher.begin("collect", len(numbers))
        pages = ((n, raw) for n, raw in enumerate(self._source) if n in numbers)
        for chunk in chunks_of(pages, _COMMIT, lambda page: len(page[1].body), 20 * _BYTES):
            with self._store.writing():
                for number, raw in chunk:
                    self._store.templates.add_sample(numbers[number], *sample_head(raw))
            self._watcher.advance(len(chunk))

    def _learn(self) -> None:
        hosts = self._hosts_after("learned", "learn")
        function = partial(learn_hosts, self._job, self._wanted is None)
        for (host,), (learned,) in self._pool.map(function, hosts, _no_rules):
            with self._store.writing():
                for one in learned:
                    self._store.templates.learned(one.template)
                    for key, content in one.extracted.items():
                        self._store.templates.add_extracted(key, content)
                self._store.set("learned", host)
            self._watcher.advance(1)

    def _hosts_after(self, name: str, stage: str) -> Iterator[list[str]]:
        """The hosts after the last one of an earlier run, one by one."""
        last = self._store.get(name, "")
        # The empty host is that of pages without a URL.
        hosts = [host for host in self._store.hosts() if host > last or last == ""]
        self._watcher.begin(stage, len(hosts))
        return ([host] for host in hosts)

    def _tasks(self, chunk: list[tuple[int, RawPage]]) -> list[Task]:
        """The pages with their notes; without its body if nothing is to be extracted from it."""
        known = [("", "", "")] * len(chunk)
        if not self._job.wrappers:
            known = self._store.outcomes(chunk[0][0], chunk[-1][0] + 1)
        tasks = []
        for (_, raw), (template, reason, extracted) in zip(chunk, known, strict=True):
            is_wanted = self._wanted is None or raw.error or page_key(raw.url) in self._wanted
            reason = reason if is_wanted else NOT_WANTED
            sent = RawPage(raw.url, b"", raw.source) if reason or extracted else raw
            tasks.append(Task(sent, template, reason, extracted))
        return tasks

    def _chunks(self, pages: Iterable[tuple[int, RawPage]]) -> Iterator[list[tuple[int, RawPage]]]:
        return chunks_of(pages, _PAGES, lambda page: len(page[1].body), _BYTES)


def _no_plan(host: str) -> HostPlan:
    """For a host whose pages end the process that groups them: only those that are known to be
    articles are some."""
    logger.warning(
        "The pages of %s cannot be grouped by template; those that are not known to be articles are"
        " left out, the others are extracted one by one",
        host,
    )
    return HostPlan(host, (), {})


def _no_rules(host: str) -> list[LearnedTemplate]:
    """For a host whose pages end the process that learns: each page is extracted by itself."""
    logger.warning("No wrapper can be learned for %s; its pages are extracted one by one", host)
    return []
