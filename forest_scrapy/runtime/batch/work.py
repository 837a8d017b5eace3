"""What the worker processes of a batch do: read pages, plan hosts, learn, extract.

Each function takes a list and returns a list of the same length.  Nothing is written here; the
store of the batch is only read.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from forest_scrapy.core import PAGE_METHODS, Page, Wrapper, extract, learn
from forest_scrapy.core.clustering.distances import MANY_FEATURES
from forest_scrapy.core.clustering.page_types import read_signals
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.core.learning import sample_key
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.runtime.batch.host_plan import HostPlan, learn_templates, plan_host
from forest_scrapy.runtime.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.runtime.pages.article_builder import make_article
from forest_scrapy.runtime.pages.duplicates import describe_article, drop_canonical, is_home_page
from forest_scrapy.runtime.pages.formats import apply_formats
from forest_scrapy.runtime.pages.probe import Probe
from forest_scrapy.runtime.templates.recognition import HostTemplates, Template, fingerprint_of
from forest_scrapy.runtime.wrapper_provider import NOTHING
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, NotedPage, NotedTemplate, WrapperStore
from forest_scrapy.stores.article_table import FoundArticle

__all__ = [
    "Extracted",
    "Job",
    "extract_all",
    "learn_hosts",
    "note_pages",
    "plan_hosts",
    "sample_head",
]

logger = logging.getLogger(__name__)

#: The stores that this process has open, each once.
_opened: list[BatchStore | WrapperStore] = []


@dataclass(frozen=True)
class Job:
    """What all tasks of a batch share.

    ``store``: the file of the batch's notes; ``are_articles``: whether all pages are known to be
    articles; ``wrappers``: the file of stored wrappers to extract with, ``""`` to learn.
    """

    store: str
    settings: ForestSettings
    are_articles: bool = False
    wrappers: str = ""


@dataclass(frozen=True)
class Extracted:
    """What became of a page: an article, with what duplicates of it are told by; or the reason
    why there is none."""

    reason: str = ""
    key: str = ""
    url: str = ""
    article: Article | None = None
    found: FoundArticle | None = None


def note_pages(job: Job, tasks: list[tuple[int, RawPage]]) -> list[NotedPage | str]:
    """What is known of each page, or the reason why it cannot be read.  1 to 5 ms a page."""
    return [_guarded(_note_page, job, number, raw) for number, raw in tasks]


def plan_hosts(job: Job, hosts: list[str]) -> list[HostPlan]:
    """The templates of each host."""
    store = _open_store(job.store)
    return [plan_host(host, store.pages_of(host), job.settings) for host in hosts]


def learn_hosts(job: Job, hosts: list[str]) -> list[list[tuple[str, str, Wrapper]]]:
    """Key, id and wrapper of each template of the hosts.  0.5 to 2 s a template."""
    store = _open_store(job.store)
    learned = []
    for host in hosts:
        samples = (
            (template, _read_sample(job, store, template))
            for template in store.templates.of_host(host)
        )
        found = learn_templates(host, samples, job.settings)
        learned.append([(template.key, id, wrapper) for template, id, wrapper in found])
    return learned


def extract_all(job: Job, tasks: list[tuple[int, RawPage, str, str]]) -> list[Extracted]:
    """What becomes of each page.  A task: the page's number, the page, the key of its template,
    and the reason why it has no article, if that is known already."""
    return [
        Extracted(reason) if reason else _extract_guarded(job, raw, template)
        for _, raw, template, reason in tasks
    ]


def extract_article(
    item: ArticlePage, page: Page, template_id: str, learned: Wrapper, settings: ForestSettings
) -> Article:
    """The article of a page, by the wrapper of its template (``NOTHING`` if it has none), as a
    crawl extracts it.  Raises ``BadPage``."""
    if settings.method in PAGE_METHODS and template_id:
        learned = learn([page], settings.params)
    wrapper, found = extract(page, learned, settings.params)
    if not found.text:
        raise BadPage("no_content")
    if not item.is_article and wrapper.shows_several(found):
        raise BadPage("several_articles")
    article = make_article(item, page, template_id, wrapper, found, learned.fields)
    article.change = {"kind": "new"}
    return article


def _guarded(function: Callable[..., Any], *args: Any) -> Any:
    """The result of the function, or the reason why the page cannot be used."""
    try:
        return function(*args)
    except BadPage as error:
        return error.reason
    except Exception as error:  # one page must not end the others
        logger.debug("A page cannot be read", exc_info=True)
        return f"{type(error).__name__}: {error}"


def _note_page(job: Job, number: int, raw: RawPage) -> NotedPage:
    item = read_item(raw, job.settings.max_bytes, job.are_articles)
    if _probe(job.settings.page_seconds).check(item.response):
        raise BadPage("too_slow")
    page = page_of_item(item)
    signals = None if job.are_articles else read_signals(page)
    fingerprint = fingerprint_of(page, job.settings.distance)
    is_unusual = len(fingerprint.features) > MANY_FEATURES
    if is_unusual and _probe(job.settings.page_seconds).check(item.response, is_unusual):
        raise BadPage("too_slow")
    comes_late, digest = sample_key(item.url, False)
    host = host_of(item.url)
    order = f"{int(comes_late)} {digest}"
    return NotedPage(number, item.key, host, item.url, order, fingerprint, signals)


def _read_sample(job: Job, store: BatchStore, template: NotedTemplate) -> list[Page]:
    pages = []
    for key in template.sample:
        head, body = store.templates.sample(key)
        is_text = head.pop("is_text")
        raw = RawPage(body=body.decode() if is_text else body, **head)
        pages.append(page_of_item(read_item(raw, job.settings.max_bytes, True)))
    return pages


def _extract_guarded(job: Job, raw: RawPage, template: str) -> Extracted:
    found = _guarded(_extract_page, job, raw, template)
    return Extracted(found) if isinstance(found, str) else found


def _extract_page(job: Job, raw: RawPage, template: str) -> Extracted:
    settings = job.settings
    item = read_item(raw, settings.max_bytes, job.are_articles or bool(job.wrappers))
    if job.wrappers and _probe(settings.page_seconds).check(item.response):
        raise BadPage("too_slow")
    page = page_of_item(item)
    if job.wrappers:
        stored = _recognise(job, page)
        id, learned = (stored.id, stored.wrapper) if stored else ("", None)
    else:
        id, learned = _wrapper(job.store, template)
    article = extract_article(item, page, id, learned or NOTHING, settings)
    if is_home_page(article):
        drop_canonical(article)
    found = describe_article(item.key, article)
    apply_formats(article, settings.formats)
    return Extracted("", item.key, item.url, article, found)


def _recognise(job: Job, page: Page) -> Template | None:
    """The stored template of the page; it does not depend on other pages."""
    known = _stored_templates(job.wrappers, job.settings, host_of(page.url))
    if not known.templates:
        return None
    return known.recognise(fingerprint_of(page, job.settings.distance))


@lru_cache(maxsize=512)
def _stored_templates(file: str, settings: ForestSettings, host: str) -> HostTemplates:
    templates = HostTemplates(host, settings, _open_wrappers(file, settings.distance).load(host))
    templates.measure()
    return templates


@lru_cache(maxsize=1024)
def _wrapper(file: str, template: str) -> tuple[str, Wrapper | None]:
    return _open_store(file).templates.wrapper(template)


def close_stores() -> None:
    """Close the stores that were opened in this process."""
    for store in _opened:
        store.close()
    _opened.clear()
    for function in (_open_store, _open_wrappers, _wrapper, _stored_templates):
        function.cache_clear()


@cache
def _open_store(file: str) -> BatchStore:
    _opened.append(store := BatchStore(file))
    return store


@cache
def _open_wrappers(file: str, distance: str) -> WrapperStore:
    _opened.append(store := WrapperStore(file, distance, must_exist=True))
    return store


@cache
def _probe(seconds: float) -> Probe:
    """Reads pages that may be slow in a process that can be stopped."""
    probe = Probe(seconds)
    atexit.register(probe.close)
    return probe


def sample_head(raw: RawPage) -> tuple[Mapping[str, Any], bytes]:
    """A page as ``BatchStore.add_sample`` takes it."""
    values = {**vars(raw), "is_text": isinstance(raw.body, str), "headers": dict(raw.headers)}
    body = values.pop("body")
    return values, body.encode("utf-8", "replace") if isinstance(body, str) else body
