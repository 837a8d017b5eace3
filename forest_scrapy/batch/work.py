"""What the worker processes of a batch do: read pages, plan hosts, learn, extract.

Each function takes a list and returns a list of the same length.  Nothing is written here; the
store of the batch is only read.
"""

import atexit
import json
import logging
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from forest_scrapy.batch.planning import HostPlan, learn_templates, plan_host
from forest_scrapy.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.core import Options, Page, Template, extract_page, learn_rules
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.items import ITEM_KINDS, item_kind
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.methods.article import sample_key
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.learn_records import read_candidates
from forest_scrapy.core.templates.files import describe_file
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.freed_memory import give_back
from forest_scrapy.items import Article, ArticlePage, Item
from forest_scrapy.joining.duplicates import describe_article, drop_canonical, is_home_page
from forest_scrapy.joining.pages import describe_held_page
from forest_scrapy.responses.conversion import visit_of
from forest_scrapy.responses.probe import Probe, has_many_paths
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BadStore, BatchStore, NotedPage, RulesStore
from forest_scrapy.stores.held_pages import HeldPage
from forest_scrapy.stores.page_tables import ArticleIdentity

logger = logging.getLogger(__name__)

#: Pages of a host that are extracted from when its templates are learned, at most: what became of
#: them is in memory until all templates of the host are learned, with 5 KB a page.
_MOST_EXTRACTED = 1000
#: Pages that a host is learned from, after which freed memory is given back.
_MANY_PAGES = 10
#: Pages of a host whose notes are in memory while it is planned, at most, 5 KB each.
_MOST_NOTED = 1000
#: The stores that this process has open, each once.
_opened: list[BatchStore | RulesStore] = []


@dataclass(frozen=True)
class Job:
    """What all tasks of a batch share.

    ``store``: the file of the batch's notes; ``are_articles``: whether all pages are known to be
    articles; ``wrappers``: the file of stored rules to extract with, ``""`` to learn.
    """

    store: str
    settings: ForestSettings
    are_articles: bool = False
    wrappers: str = ""


@dataclass(frozen=True)
class Extracted:
    """What became of a page: its ``item``, of a thread or an article of several pages as far as it
    is on the page (with ``part``, what it is joined by), of an article with the values that tell
    its duplicates (``found``); or the ``reason`` why it has none."""

    reason: str = ""
    key: str = ""
    url: str = ""
    item: Item | None = None
    found: ArticleIdentity | None = None
    part: HeldPage | None = None

    def to_bytes(self) -> bytes:
        """The values as they are kept in the notes of a batch, compressed: some 5 KB."""
        found = vars(self.found).items() if self.found else ()
        values = {
            **vars(self),
            "item": vars(self.item) if self.item else None,
            "found": {name: _plain(value) for name, value in found},
            "part": asdict(self.part) if self.part else None,
        }
        return zlib.compress(json.dumps([item_kind(self.item), values]).encode(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Extracted":
        """The values of ``to_bytes``."""
        kind, values = json.loads(zlib.decompress(data))
        found, page = values.pop("found"), values.pop("part")
        item = ITEM_KINDS[kind](**values.pop("item")) if kind else values.pop("item")
        if found:
            digests = {name: bytes.fromhex(found[name]) for name in ("digest", "sketch")}
            found = ArticleIdentity(**{**found, **digests})
        part = HeldPage(**page) if page else None
        return cls(**values, item=item, found=found or None, part=part)


def _plain(value: str | bytes | bool) -> str | bool:
    return value.hex() if isinstance(value, bytes) else value


class Task(NamedTuple):
    """A page to extract from: its template's key; the ``reason`` why it has no item, if that is
    known already; its key in the notes if it was ``extracted`` already."""

    raw: RawPage
    template: str = ""
    reason: str = ""
    extracted: str = ""


@dataclass(frozen=True)
class LearnedTemplate:
    """A template with its rules; ``extracted``: what became of pages of its sample by their keys,
    as ``Extracted.to_bytes`` gives it."""

    template: Template
    extracted: Mapping[str, bytes] = field(default_factory=dict)


def note_pages(job: Job, tasks: list[tuple[int, RawPage]]) -> list[NotedPage | str]:
    """What is known of each page, or the reason why it cannot be read.  5 to 25 ms a page, some
    90 ms more for a file without a URL, whose records are looked for."""
    settings, are_articles = job.settings, job.are_articles
    return [guarded(note_page, settings, are_articles, number, raw) for number, raw in tasks]


def plan_hosts(job: Job, hosts: list[str]) -> list[HostPlan]:
    """The templates of each host."""
    store, options = _open_store(job.store), job.settings.options
    return [plan_host(host, _HostPages(store, host), options) for host in hosts]


def learn_hosts(job: Job, extracts: bool, hosts: list[str]) -> list[list[LearnedTemplate]]:
    """The templates of each host, with their rules, and if it ``extracts``, what these give on the
    pages that they were learned from, whose trees and outlines are there now.  0.1 to 2 s a
    template."""
    learned = []
    for host in hosts:
        learned.append(own := _learn_host(job, extracts, host))
        if sum(len(one.template.sample) for one in own) >= _MANY_PAGES:
            give_back()
    return learned


def _learn_host(job: Job, extracts: bool, host: str) -> list[LearnedTemplate]:
    store = _open_store(job.store)
    templates = list(store.templates.of_host(host))
    try:
        return _learn_templates(job, extracts, host, templates)
    except BadPage:  # a file has changed since its pages were read: the others are left
        readable = [_without_bad_pages(job, store, template) for template in templates]
        return _learn_templates(job, extracts, host, [one for one in readable if one.sample])


def _without_bad_pages(job: Job, store: BatchStore, template: Template) -> Template:
    """The template without the pages of its sample that cannot be read."""
    sample = []
    for key in template.sample:
        try:
            _read_sample(job, store, key)
        except BadPage:
            continue
        sample.append(key)
    return replace(template, sample=tuple(sample))


def _learn_templates(
    job: Job, extracts: bool, host: str, templates: Sequence[Template]
) -> list[LearnedTemplate]:
    """Raises ``BadPage`` for a page of a sample that cannot be read."""
    store = _open_store(job.store)
    items: dict[str, ArticlePage] = {}

    def read(keys: Sequence[str]) -> list[Page]:
        items.update((key, _read_sample(job, store, key)) for key in keys)
        return [page_of_item(items[key]) for key in keys]

    learned: list[LearnedTemplate] = []
    left = _MOST_EXTRACTED if extracts else 0
    for template, pages in learn_templates(host, templates, read, job.settings.options):
        keys = template.sample[:left]
        left -= len(keys)
        found = (
            guarded(extract_raw, items[key], page, template, job.settings)
            for key, page in zip(keys, pages, strict=False)
        )
        extracted = (Extracted(one) if isinstance(one, str) else one for one in found)
        kept = {key: one.to_bytes() for key, one in zip(keys, extracted, strict=True)}
        learned.append(LearnedTemplate(template, kept))
        for key in template.sample:
            items.pop(key, None)
    return learned


def extract_all(job: Job, tasks: list[Task]) -> list[Extracted]:
    """What becomes of each page; nothing of those that were extracted already."""
    return [
        Extracted(task.reason)
        if task.reason or task.extracted
        else _extract_guarded(job, task.raw, task.template)
        for task in tasks
    ]


def load_models() -> None:
    """Load what pages are read with, before processes are forked that share it.  0.1 s."""
    texts = "".join(f"<p>Boats come into the harbour on day {n} of the year.</p>" for n in range(9))
    page = Page.from_html(f"<title>A harbour</title><article>{texts}</article>", "http://a.example")
    extract_page(page, learn_rules([page]))


def note_page(settings: ForestSettings, is_article: bool, number: int, raw: RawPage) -> NotedPage:
    """What is known of a page; ``is_article``: whether it is known to be one.  Raises
    ``BadPage``."""
    item = read_item(raw, settings.max_bytes, is_article)
    check_time(item, settings)
    page, host = page_of_item(item), host_of(item.url)
    fingerprint = read_fingerprint(page, settings.distance)
    if len(fingerprint.features) > MANY_FEATURES:
        check_time(item, settings, is_unusual=True)
    file = None
    if not host and not is_article:
        file = describe_file(page, read_candidates(choose_affordable([page])).facts)
    signals = None if is_article else read_signals(page)
    comes_late, digest = sample_key(item.url, False)
    order = f"{int(comes_late)} {digest}"
    return NotedPage(number, item.key, host, item.url, order, fingerprint, signals, file)


def extract_raw(
    item: ArticlePage, page: Page, template: Template | None, settings: ForestSettings
) -> Extracted:
    """What a crawl extracts from a page of a template.  Raises ``BadPage``."""
    visit = visit_of(item, template)
    done = extract_page(page, template.rules if template else None, settings.options, visit)
    if done.item is None:
        raise BadPage(done.reason)
    extracted = Extracted("", item.key, item.url, done.item)
    if not isinstance(done.item, Article):
        return replace(extracted, part=describe_held_page(item, done, page))
    done.item.change = {"kind": "new"}
    if is_home_page(done.item):
        drop_canonical(done.item)
    found = describe_article(item.key, done.item)
    return replace(extracted, found=found, part=describe_held_page(item, done))


def guarded(function: Callable[..., Any], *args: Any) -> Any:
    """The result of the function, or the reason why the page cannot be used.  Raises what is not
    the page's: the notes cannot be read, a process cannot be started."""
    try:
        return function(*args)
    except BadPage as error:
        return error.reason
    except (OSError, sqlite3.Error, BadStore):
        raise
    except Exception as error:  # one page must not end the others
        logger.debug("A page cannot be read", exc_info=True)
        return f"{type(error).__name__}: {error}"


def check_time(item: ArticlePage, settings: ForestSettings, is_unusual: bool = False) -> None:
    """Raise ``BadPage`` if the page takes longer than it may."""
    probe = _probe(settings.page_seconds, settings.options)
    if probe.check(item.response, is_unusual):
        raise BadPage("too_slow")


@cache
def _probe(seconds: float, options: Options) -> Probe:
    """Reads pages that may be slow in a process that can be stopped."""
    probe = Probe(seconds, options)
    atexit.register(probe.close)
    return probe


class _HostPages:
    """The pages of a host, which can be iterated again and again.  Those of most hosts are few:
    they are read once."""

    def __init__(self, store: BatchStore, host: str) -> None:
        self._store, self._host = store, host
        found = list(islice(store.pages_of(host), _MOST_NOTED + 1))
        self._pages = found if len(found) <= _MOST_NOTED else None

    def __iter__(self) -> Iterator[NotedPage]:
        return self._store.pages_of(self._host) if self._pages is None else iter(self._pages)


def _read_sample(job: Job, store: BatchStore, key: str) -> ArticlePage:
    """A page to learn from, as it is read to extract from it."""
    head, body = store.templates.sample(key)
    is_text = head.pop("is_text")
    raw = RawPage(body=body.decode() if is_text else body, **head)
    return read_item(raw, job.settings.max_bytes, job.are_articles)


def _extract_guarded(job: Job, raw: RawPage, template: str) -> Extracted:
    found = guarded(_extract_page, job, raw, template)
    return Extracted(found) if isinstance(found, str) else found


def _extract_page(job: Job, raw: RawPage, template: str) -> Extracted:
    settings = job.settings
    item = read_item(raw, settings.max_bytes, job.are_articles or bool(job.wrappers))
    if job.wrappers:
        check_time(item, settings)
    page = page_of_item(item)
    if job.wrappers and has_many_paths(page):
        check_time(item, settings, is_unusual=True)
    known = _recognise(job, page) if job.wrappers else _template(job.store, template)
    return extract_raw(item, page, known, settings)


def _recognise(job: Job, page: Page) -> Template | None:
    """The stored template of the page, which does not depend on other pages."""
    known = _stored_templates(job.wrappers, job.settings, host_of(page.url))
    if not known.templates:
        return None
    return known.recognise(read_fingerprint(page, job.settings.distance))


@lru_cache(maxsize=512)
def _stored_templates(file: str, settings: ForestSettings, host: str) -> HostTemplates:
    stored = _open_rules(file, settings.distance, settings.store_seconds).load(host)
    templates = HostTemplates(host, settings.options, stored)
    templates.grouping.measure()
    return templates


@lru_cache(maxsize=1024)
def _template(file: str, key: str) -> Template | None:
    return _open_store(file).templates.get(key)


def close_stores() -> None:
    """Close the stores that were opened in this process."""
    for store in _opened:
        store.close()
    _opened.clear()
    for function in (_open_store, _open_rules, _template, _stored_templates):
        function.cache_clear()


@cache
def _open_store(file: str) -> BatchStore:
    _opened.append(store := BatchStore(file))
    return store


def try_rules(file: str, settings: ForestSettings) -> None:
    """Raise ``BadStore`` if there is no store of wrappers to extract with."""
    seconds = settings.store_seconds
    RulesStore(file, settings.distance, must_exist=True, seconds=seconds).close()


@cache
def _open_rules(file: str, distance: str, seconds: float) -> RulesStore:
    _opened.append(store := RulesStore(file, distance, must_exist=True, seconds=seconds))
    return store


def sample_head(raw: RawPage) -> tuple[Mapping[str, Any], bytes]:
    """A page as ``BatchStore.add_sample`` takes it."""
    values = {**vars(raw), "is_text": isinstance(raw.body, str), "headers": dict(raw.headers)}
    body = values.pop("body")
    return values, body.encode("utf-8", "replace") if isinstance(body, str) else body
