"""What the worker processes of a batch do: read pages, plan hosts, learn, extract.

Each function takes a list and returns a list of the same length.  Nothing is written here; the
store of the batch is only read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from forest_scrapy.batch.extracting import (
    Extracted,
    check_time,
    extract_page,
    guarded,
)
from forest_scrapy.batch.host_plan import HostPlan, learn_templates, plan_host
from forest_scrapy.batch.raw_page import RawPage, page_of_item, read_item
from forest_scrapy.core import Page
from forest_scrapy.core.learning import sample_key
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.crawl.templates.recognition import HostTemplates, fingerprint_of
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, NotedPage, NotedTemplate, WrapperStore

__all__ = [
    "Job",
    "close_stores",
    "extract_all",
    "learn_hosts",
    "note_page",
    "note_pages",
    "plan_hosts",
    "sample_head",
]

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


def note_pages(job: Job, tasks: list[tuple[int, RawPage]]) -> list[NotedPage | str]:
    """What is known of each page, or the reason why it cannot be read.  1 to 5 ms a page."""
    return [guarded(note_page, job, number, raw) for number, raw in tasks]


def plan_hosts(job: Job, hosts: list[str]) -> list[HostPlan]:
    """The templates of each host."""
    store = _open_store(job.store)
    return [plan_host(host, store.pages_of(host), job.settings) for host in hosts]


def learn_hosts(job: Job, hosts: list[str]) -> list[list[NotedTemplate]]:
    """The templates of each host, with what is learned of them.  0.5 to 2 s a template."""
    store = _open_store(job.store)
    learned = []
    for host in hosts:
        samples = (
            (template, _read_sample(job, store, template))
            for template in store.templates.of_host(host)
        )
        learned.append(list(learn_templates(host, samples, job.settings)))
    return learned


def extract_all(job: Job, tasks: list[tuple[int, RawPage, str, str]]) -> list[Extracted]:
    """What becomes of each page.  A task: the page's number, the page, the key of its template,
    and the reason why it has no article, if that is known already."""
    return [
        Extracted(reason) if reason else _extract_guarded(job, raw, template)
        for _, raw, template, reason in tasks
    ]


def note_page(job: Job, number: int, raw: RawPage) -> NotedPage:
    """What is known of a page.  Raises ``BadPage``."""
    item = read_item(raw, job.settings.max_bytes, job.are_articles)
    check_time(item, job.settings)
    page = page_of_item(item)
    signals = None if job.are_articles else read_signals(page)
    fingerprint = fingerprint_of(page, job.settings.distance)
    if len(fingerprint.features) > MANY_FEATURES:
        check_time(item, job.settings, is_unusual=True)
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
    found = guarded(_extract_page, job, raw, template)
    return Extracted(found) if isinstance(found, str) else found


def _extract_page(job: Job, raw: RawPage, template: str) -> Extracted:
    settings = job.settings
    item = read_item(raw, settings.max_bytes, job.are_articles or bool(job.wrappers))
    if job.wrappers:
        check_time(item, settings)
    page = page_of_item(item)
    known = _recognise(job, page) if job.wrappers else _template(job.store, template)
    return extract_page(item, page, known, settings)


@lru_cache(maxsize=512)
def _stored_templates(file: str, settings: ForestSettings, host: str) -> HostTemplates:
    templates = HostTemplates(host, settings, _open_wrappers(file, settings.distance).load(host))
    templates.measure()
    return templates


@lru_cache(maxsize=1024)
def _template(file: str, key: str) -> Template:
    noted = _open_store(file).templates.get(key)
    if noted is None:
        return Template(key, "")
    return Template(
        *(key, noted.host, noted.id, noted.wrapper, noted.sample),
        records=noted.records,
        is_of_articles=noted.is_of_articles,
        comments=noted.comments,
    )


def close_stores() -> None:
    """Close the stores that were opened in this process."""
    for store in _opened:
        store.close()
    _opened.clear()
    for function in (_open_store, _open_wrappers, _template, _stored_templates):
        function.cache_clear()


@cache
def _open_store(file: str) -> BatchStore:
    _opened.append(store := BatchStore(file))
    return store


@cache
def _open_wrappers(file: str, distance: str) -> WrapperStore:
    _opened.append(store := WrapperStore(file, distance, must_exist=True))
    return store


def sample_head(raw: RawPage) -> tuple[Mapping[str, Any], bytes]:
    """A page as ``BatchStore.add_sample`` takes it."""
    values = {**vars(raw), "is_text": isinstance(raw.body, str), "headers": dict(raw.headers)}
    body = values.pop("body")
    return values, body.encode("utf-8", "replace") if isinstance(body, str) else body


def _recognise(job: Job, page: Page) -> Template:
    """The stored template of the page, which does not depend on other pages; an empty one if there
    is none."""
    host = host_of(page.url)
    known = _stored_templates(job.wrappers, job.settings, host)
    found = known.templates and known.recognise(fingerprint_of(page, job.settings.distance))
    return found or Template("", host)
