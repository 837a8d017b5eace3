"""From the pages of one host to its templates, and from these to wrappers.

The same components as in a crawl decide, so that a batch finds the same templates as a crawl
that receives the same pages in the same order.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core import NotEnoughPages, Page, RecordWrapper, learn
from forest_scrapy.crawl.comments import learn_page_comments
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.crawl.outcomes import InFlight, Ledger, OutstandingRequests
from forest_scrapy.crawl.record_items import learn_page_records
from forest_scrapy.crawl.records import wrap_records
from forest_scrapy.crawl.templates.reading import PageFeatures
from forest_scrapy.crawl.templates.recognition import HostTemplates
from forest_scrapy.crawl.templates.templates import Templates
from forest_scrapy.crawl.wrapper_provider import NOTHING, choose_fingerprints
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage, NotedTemplate, Spool, SpooledPage, WrapperStore

__all__ = ["HostPlan", "learn_templates", "plan_host"]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

#: Pages of a host above which they are placed on disk instead of in memory (some 4 KB a page).
_MANY = 20_000


@dataclass(frozen=True)
class HostPlan:
    """The templates of a host, and the key of the template by the key of each page that is an
    article."""

    host: str
    templates: tuple[NotedTemplate, ...]
    assigned: dict[str, str]


def plan_host(host: str, pages: Iterable[NotedPage], settings: ForestSettings) -> HostPlan:
    """Group all pages of a host, and decide which are articles.

    Cost: some 0.2 ms a page, and up to 50 ms each time the number of pages doubles.  Of a host
    with many pages, only the fingerprints of up to 256 are in memory.
    """
    pages = iter(pages)
    first = list(islice(pages, _MANY + 1))
    with _open_spool(len(first) > _MANY) as spool:
        templates = _place(host, chain(first, pages), spool, settings)
        assigned = spool.ready_templates()
        keys = dict.fromkeys(assigned.values())
        others = {key for key in keys if (one := templates.get(key)) and not one.is_of_articles}
        samples = {key: spool.sample(key, settings.pages) for key in keys}
        known = templates.host(host)
        found = tuple(
            NotedTemplate(
                key,
                host,
                (known.cut.distance, known.cut.reason),
                tuple(choose_fingerprints(known, spool.fingerprints, sample)),
                tuple(page.key for page in sample),
                key not in others,
            )
            for key, sample in samples.items()
        )
    return HostPlan(host, found, assigned)


def learn_templates(
    host: str,
    samples: Iterable[tuple[NotedTemplate, Sequence[Page]]],
    settings: ForestSettings,
) -> Iterator[NotedTemplate]:
    """Each template with what is learned of it; its wrapper is ``NOTHING`` if there is none.
    ``samples``: the templates of one host, in order, with the pages to learn from."""
    table = HostTemplates(host, settings)
    for template, pages in samples:
        learned = _learn_template(template, pages, settings)
        assert learned.wrapper is not None
        known = table.add_template(template.digests)
        known.id = table.new_id(learned.wrapper)
        yield replace(learned, id=known.id)


def _learn_template(
    template: NotedTemplate, pages: Sequence[Page], settings: ForestSettings
) -> NotedTemplate:
    records, wrapper, comments = None, NOTHING, None
    if settings.wants_records:
        is_of_articles = template.is_of_articles
        records = _guarded(learn_page_records, pages, settings, is_of_articles) or RecordWrapper()
    if records and records.rules and records.kind.name == "thread" and "thread" in settings.kinds:
        wrapper = wrap_records(records, len(pages))
    elif template.is_of_articles and "article" in settings.kinds:
        wrapper = _guarded(learn, pages, settings.params) or NOTHING
        if settings.comments:
            comments = _guarded(learn_page_comments, pages, wrapper)
    wrapper = wrapper.with_cut(*template.cut)
    return replace(template, wrapper=wrapper, records=records, comments=comments)


def _guarded(function: Callable[..., _T], pages: Sequence[Page], *args: Any) -> _T | None:
    """What is learned from the pages of a template; None if that fails."""
    try:
        return function(pages, *args)
    except NotEnoughPages:
        return None
    except Exception:
        logger.exception("Cannot learn the template of %s", pages[0].url)
        return None


def _place(
    host: str, pages: Iterable[NotedPage], spool: Spool, settings: ForestSettings
) -> Templates:
    """Place the pages as a crawl does, and decide on all of them as if no more would come."""
    stats = MemoryStatsCollector(_crawler())
    failure = DiskFailure(stats)
    ledger = Ledger(spool, stats, InFlight(spool), failure, settings.pages)
    with closing(WrapperStore(":memory:", settings.distance)) as no_wrappers:
        templates = Templates(settings, spool, no_wrappers, stats, ledger, OutstandingRequests())
        templates.host(host)
    for page in pages:
        spooled = _spooled(page)
        spool.add(spooled)
        templates.place(spooled, PageFeatures(page.fingerprint, page.signals))
    for _ in templates.flush_steps(host):
        pass
    return templates


def _spooled(page: NotedPage) -> SpooledPage:
    """The page without its content, which placing does not need."""
    return SpooledPage(
        key=page.key,
        host=page.host,
        url=page.url,
        is_article=page.signals is None,
        entry=None,
        fetched_at="",
        sample_key=page.sample_key,
        meta={},
        status=200,
        headers=[],
        encoding=None,
        body=b"",
    )


@contextmanager
def _open_spool(is_large: bool) -> Iterator[Spool]:
    """A spool in memory; a large one in a temporary file."""
    with TemporaryDirectory() if is_large else nullcontext(None) as folder:
        spool = Spool(str(Path(folder, "spool.db")) if folder else ":memory:", temporary=True)
        spool.file.on_begin = lambda: None  # one transaction, which is never committed
        with closing(spool):
            yield spool


@cache
def _crawler() -> Crawler:
    """Scrapy's collector of stats needs one."""
    return Crawler(Spider)
