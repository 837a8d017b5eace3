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
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Protocol

from forest_scrapy.batch.planning import HostPlan
from forest_scrapy.batch.pool import Pool, chunks_of
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import (
    ExtractedPage,
    LearnedTemplate,
    Task,
    TaskContext,
    extract_all,
    learn_hosts,
    note_pages,
    plan_hosts,
)
from forest_scrapy.core import Template
from forest_scrapy.core.other_kinds import MAX_TEMPLATES_LOOKED_AT
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
#: The reason for a page that is another one under another URL, or has the article of another one.
DUPLICATE = "duplicate"
#: The reason for a page whose content is in the item that comes with another page, or at the end.
HELD = JOINED
#: Pages, and bytes of them, that a process gets at a time.
_PAGES_OF_CHUNK = 16
_BYTES_OF_CHUNK = 2_000_000
#: Pages, and bytes of them, whose samples are committed together.
_PAGES_OF_COMMIT = 100
_BYTES_OF_COMMIT = 40_000_000

#: What is logged once, of the first such page.
_NO_BASE = (
    "%s tells no URL: its relative links and images are left out, as are those of other such pages;"
    ' to keep them, put <base href="URL"> into the head of each page, or give JSON lines with url'
    " and html"
)

#: A page with its position in the input, from 0.
_NumberedPage = tuple[int, RawPage]


class Watcher(Protocol):
    """Receives the progress of a batch."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins; ``total``: the number of its pages or hosts, None if unknown."""

    def advance(self, number: int) -> None:
        """A further ``number`` of pages or hosts is done."""


@dataclass(frozen=True)
class PageResult:
    """The outcome of one page: its ``item``, or the ``reason`` why it has none.  A thread or an
    article that is not complete comes after all pages, as a page of its own.

    ``has_no_base``: whether relative addresses are left out of the article.  ``other_kind``: of
    which other kind the page and others of its template look, ``pages_alike`` in all."""

    raw: RawPage
    reason: str
    item: Item | None = None
    has_no_base: bool = False
    other_kind: str = ""
    pages_alike: int = 0


class Results:
    """Decides on the pages of a batch, in their order.  ``notes_pages``: whether the store has a
    row for each page, so that no URL comes twice."""

    def __init__(
        self,
        store: BatchStore,
        settings: ForestSettings,
        notes_pages: bool,
    ) -> None:
        self._store = store
        self._notes_pages = notes_pages
        self._duplicates = Duplicates(store.articles)
        self._joiner = PageJoiner(store.held_pages, settings)
        self._has_named_base = False

    def of(self, raw: RawPage, extracted: ExtractedPage) -> PageResult:
        """The outcome of a page."""
        if extracted.reason:
            return PageResult(raw, extracted.reason)
        if extracted.has_no_base and not self._has_named_base:
            self._has_named_base = True
            warn_of_base(raw)

        held_page = extracted.held_page
        if held_page is not None and not self._is_alone(held_page):
            return self._of_held_page(raw, extracted.key, held_page)

        item = extracted.item
        identity = extracted.identity
        if isinstance(item, Article) and identity:
            is_new = self._is_new_page(identity) and self._is_new(identity, item)
        else:
            is_new = self._store.add_record(extracted.key)
        if not is_new:
            return PageResult(raw, DUPLICATE)
        return PageResult(raw, "", item, extracted.has_no_base)

    def incomplete(self) -> Iterator[PageResult]:
        """The threads and articles that are not complete, as far as they are there.  What is
        written between two of them belongs to the first."""
        while keys := self._store.held_pages.starts():
            for key in keys:
                with self._store.writing():
                    item = self._joiner.join(key)
                    yield self._of_joined(RawPage(item.url, b""), item)

    def _is_alone(self, held_page: HeldPage) -> bool:
        """Whether none of the pages that an article is joined with is among the pages: it comes in
        its place then."""
        if not self._notes_pages or not held_page.is_first:
            return False
        if not held_page.item or held_page.item["type"] != "article":
            return False
        has_next = self._store.has_page(held_page.next_key)
        return not has_next

    def _of_held_page(
        self,
        raw: RawPage,
        key: str,
        held_page: HeldPage,
    ) -> PageResult:
        """The outcome of a page of a thread or of an article of several pages."""
        if not self._store.add_record(key):
            return PageResult(raw, DUPLICATE)
        joined = self._joiner.add(held_page)
        item = joined.item
        if joined.first:
            item = self._joiner.join(joined.first)
        if item is not None:
            return self._of_joined(raw, item)
        reason = DUPLICATE if joined.is_repeated else HELD
        return PageResult(raw, reason)

    def _of_joined(self, raw: RawPage, item: Thread | Article) -> PageResult:
        if isinstance(item, Article):
            key = page_key(item.url)
            identity = describe_article(key, item)
            if not self._is_new(identity, item):
                return PageResult(raw, DUPLICATE)
        return PageResult(raw, "", item)

    def _is_new_page(self, identity: ArticleIdentity) -> bool:
        if self._notes_pages:
            return True
        return not self._store.articles.has(identity.page_key)

    def _is_new(self, identity: ArticleIdentity, article: Article) -> bool:
        return not self._duplicates.is_known(identity, article, (article.url,))


def warn_of_base(raw: RawPage) -> None:
    """Log that the relative links of such pages are left out, and the remedy."""
    logger.warning(_NO_BASE, raw.source or raw.name)


class Batch:
    """The items of ``source``, which gives the same pages in the same order each time it is
    iterated.

    ``wanted_keys``: of the pages to extract, if not all; wrappers are learned from all pages.
    """

    def __init__(
        self,
        source: Iterable[RawPage],
        context: TaskContext,
        store: BatchStore,
        pool: Pool,
        watcher: Watcher,
        wanted_keys: Container[str] | None = None,
    ) -> None:
        self._source = source
        self._context = context
        self._store = store
        self._pool = pool
        self._watcher = watcher
        self._wanted_keys = wanted_keys
        #: Whether wrappers are learned; if not, they are stored, and no page is noted.
        self._learns = not context.wrappers
        self._results = Results(store, context.settings, notes_pages=self._learns)
        #: How many pages the templates have whose pages with these numbers are looked at.
        self._pages_alike: dict[int, int] = {}

    def learn(self) -> None:
        """Read all pages, and learn the wrappers of their templates; not if they are stored."""
        if not self._learns:
            return
        stages = {
            "read": self._read,
            "plan": self._plan,
            "collect": self._collect,
            "learn": self._learn,
        }
        for name, run_stage in stages.items():
            if not self._store.get(name):
                run_stage()
                with self._store.writing():
                    self._store.set(name, True)

    def extract(self, start: int = 0) -> Iterator[list[PageResult]]:
        """The outcomes of the pages from number ``start`` on, in order and in small lists, then
        those of the threads and articles that are not complete.

        What is written to the store before the next list is taken is committed with it.
        """
        self._watcher.begin("extract", self._store.get("pages"))
        self._watcher.advance(start)
        self._pages_alike = self._choose_looked_at()
        chunks = map(self._tasks, self._chunks(start))
        function = partial(extract_all, self._context)
        for tasks, pages in self._pool.map(function, chunks, _crashed_task):
            with self._store.writing():
                results = []
                for task, page in zip(tasks, pages, strict=True):
                    extracted = self._recall(task, page)
                    result = self._results.of(task.raw, extracted)
                    if page.other_kind:
                        result = replace(
                            result,
                            other_kind=page.other_kind,
                            pages_alike=self._pages_alike[task.number],
                        )
                    results.append(result)
                yield results
            self._watcher.advance(len(tasks))

        for result in self._results.incomplete():
            yield [result]

    def _choose_looked_at(self) -> dict[int, int]:
        """The numbers of the pages whose kind is looked at, and how many pages their templates
        have; none if the kinds that are wanted were named, or the pages."""
        context = self._context
        is_named = context.are_articles or context.settings.wants_records
        if not self._learns or is_named or self._wanted_keys is not None:
            return {}
        return self._store.largest_templates(MAX_TEMPLATES_LOOKED_AT)

    def save_rules(self, store: RulesStore) -> int:
        """Store the rules that were learned from several pages; their number.  Raises
        ``StoreFailed``."""
        number = 0
        options = self._context.settings.options
        for host in self._store.hosts():
            templates = self._store.templates.of_host(host)
            for template in templates:
                is_storable = options.may_store_records or not template.is_of_records
                if template.is_learned and is_storable:
                    self._save(store, template)
                    number += 1
        return number

    def _save(self, store: RulesStore, template: Template) -> None:
        assert template.rules is not None
        host = template.host
        fingerprints = []
        for digest in self._store.templates.digests(template.key):
            fingerprint = self._store.fingerprints.find(host, digest)
            if fingerprint is not None:
                fingerprints.append(fingerprint)
        is_saved = store.save(host, template.id, template.rules, fingerprints)
        is_available = store.database.seconds_unavailable() is None
        if not is_saved and is_available:
            raise StoreFailed("the wrappers cannot be stored; see the warning above")

    def _recall(self, task: Task, extracted: ExtractedPage) -> ExtractedPage:
        """The result of a task; that of a page which was extracted before, from the store."""
        if not task.extracted:
            return extracted
        content = self._store.templates.take_extracted(task.extracted)
        return ExtractedPage.from_bytes(content)

    def _read(self) -> None:
        start = self._store.get("pages", 0)
        self._watcher.begin("read", None)
        self._watcher.advance(start)
        function = partial(note_pages, self._context)
        for pages, notes in self._pool.map(function, self._chunks(start), _crashed_page):
            with self._store.writing():
                for (number, raw), note in zip(pages, notes, strict=True):
                    if isinstance(note, str):
                        self._store.refuse(number, raw.name, note)
                    else:
                        self._store.add(note)
                last_number, _ = pages[-1]
                self._store.set("pages", last_number + 1)
            self._watcher.advance(len(pages))

    def _plan(self) -> None:
        hosts = self._hosts_after("planned", "plan")
        function = partial(plan_hosts, self._context)
        for (host,), (plan,) in self._pool.map(function, hosts, _no_plan):
            with self._store.writing():
                self._store.plan_host(host, plan.templates, plan.assigned, plan.refused)
                self._store.set("planned", host)
            self._watcher.advance(1)

    def _collect(self) -> None:
        keys = self._store.templates.missing_samples()
        keys_by_number = self._store.numbers_of(keys)
        self._watcher.begin("collect", len(keys_by_number))
        pages = self._pages_of(keys_by_number)
        chunks = chunks_of(pages, _PAGES_OF_COMMIT, _size_of, _BYTES_OF_COMMIT)
        for chunk in chunks:
            with self._store.writing():
                for number, raw in chunk:
                    key = keys_by_number[number]
                    head, body = raw.to_parts()
                    self._store.templates.add_sample(key, head, body)
            self._watcher.advance(len(chunk))

    def _pages_of(self, numbers: Container[int]) -> Iterator[_NumberedPage]:
        """The pages with these numbers."""
        for number, raw in enumerate(self._source):
            if number in numbers:
                yield number, raw

    def _learn(self) -> None:
        hosts = self._hosts_after("learned", "learn")
        # Pages that are not wanted need no results.
        extracts = self._wanted_keys is None
        function = partial(learn_hosts, self._context, extracts)
        for (host,), (templates,) in self._pool.map(function, hosts, _no_rules):
            with self._store.writing():
                for learned in templates:
                    self._store.templates.learned(learned.template)
                    for key, content in learned.extracted.items():
                        self._store.templates.add_extracted(key, content)
                self._store.set("learned", host)
            self._watcher.advance(1)

    def _hosts_after(self, name: str, stage: str) -> Iterator[list[str]]:
        """The hosts after the last one of an earlier run, one by one."""
        last = self._store.get(name, "")
        hosts = self._store.hosts()
        if last:  # the empty host is that of pages without a URL
            hosts = [host for host in hosts if host > last]
        self._watcher.begin(stage, len(hosts))
        return ([host] for host in hosts)

    def _tasks(self, chunk: list[_NumberedPage]) -> list[Task]:
        """The pages with their notes; without its body if nothing is to be extracted from it."""
        notes = [("", "", "")] * len(chunk)
        if self._learns:
            start, _ = chunk[0]
            end, _ = chunk[-1]
            notes = self._store.outcomes(start, end + 1)
        tasks = []
        for (number, raw), (template, reason, extracted) in zip(chunk, notes, strict=True):
            if not self._is_wanted(raw):
                reason = NOT_WANTED
            tells_kind = number in self._pages_alike
            if (reason or extracted) and not tells_kind:
                raw = without_body(raw)
            tasks.append(Task(raw, template, reason, extracted, number, tells_kind))
        return tasks

    def _is_wanted(self, raw: RawPage) -> bool:
        """Whether a page is to be extracted; what cannot be read is named in any case."""
        if self._wanted_keys is None or raw.error:
            return True
        return page_key(raw.page_url) in self._wanted_keys

    def _chunks(self, start: int) -> Iterator[list[_NumberedPage]]:
        """The pages from number ``start`` on, as a process gets them."""
        pages = islice(enumerate(self._source), start, None)
        return chunks_of(pages, _PAGES_OF_CHUNK, _size_of, _BYTES_OF_CHUNK)


def without_body(raw: RawPage) -> RawPage:
    """The page, of which nothing is to be extracted any more."""
    url = raw.url if raw.error else raw.page_url
    return RawPage(
        url,
        body=b"",
        source=raw.source,
        error=raw.error,
    )


def _size_of(page: _NumberedPage) -> int:
    _, raw = page
    return len(raw.body)


def _crashed_page(page: _NumberedPage) -> str:
    return CRASHED


def _crashed_task(task: Task) -> ExtractedPage:
    return ExtractedPage(CRASHED)


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
