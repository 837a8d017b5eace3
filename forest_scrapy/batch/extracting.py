"""From a stored page to its item, for one page at a time."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from forest_scrapy.batch.raw_page import BadPage
from forest_scrapy.core import PAGE_METHODS, Page, extract, learn
from forest_scrapy.crawl.articles import apply_formats, make_article
from forest_scrapy.crawl.comments import find_comments
from forest_scrapy.crawl.duplicates import describe_article, drop_canonical, is_home_page
from forest_scrapy.crawl.record_items import learn_page_records
from forest_scrapy.crawl.records import RecordItem, make_record
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.threads import describe_thread_page
from forest_scrapy.crawl.wrapper_provider import NOTHING
from forest_scrapy.items import Article, ArticlePage, Listing, Product, Thread
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.articles import FoundArticle
from forest_scrapy.stores.threads import ThreadPage

__all__ = ["Extracted", "check_time", "extract_page", "guarded"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extracted:
    """The outcome of a page: an ``article``, with the values that tell its duplicates (``found``);
    a ``record``, an item of another kind; a ``thread_page``, with the posts of a thread; or the
    ``reason`` for which the page has no item."""

    reason: str = ""
    key: str = ""
    url: str = ""
    article: Article | None = None
    found: FoundArticle | None = None
    record: Product | Listing | None = None
    thread_page: ThreadPage | None = None


def extract_page(
    item: ArticlePage, page: Page, template: Template, settings: ForestSettings
) -> Extracted:
    """What a crawl extracts from a page of a template, of the kinds of ``FOREST_KINDS``.  Raises
    ``BadPage``."""
    if settings.wants_records and (record := _find_record(item, page, template, settings)):
        key, url = item.key, item.url
        if isinstance(record, Thread):
            described = describe_thread_page(item, page, record)
            return Extracted("", key, url, thread_page=described)
        return Extracted("", key, url, record=record)
    if "article" not in settings.kinds:
        raise BadPage("other_kind")
    if not template.is_of_articles:
        raise BadPage("not_article")
    return _finish_page(item, _extract_article(item, page, template, settings), settings)


def _find_record(
    item: ArticlePage, page: Page, template: Template, settings: ForestSettings
) -> RecordItem | None:
    """The thread, product or listing of a page.  Without rules of its template, and if stored ones
    find no post on a page of a thread, the page is learned from by itself."""
    records, kinds = template.records, settings.kinds
    found = make_record(item, page, records, template.id, kinds) if records else None
    has_no_post = template.is_stored and records and records.kind.name == "thread"
    if found or (records and not has_no_post):
        return found
    records = learn_page_records([page], settings, template.is_of_articles)
    return make_record(item, page, records, "", kinds)


def _extract_article(
    item: ArticlePage, page: Page, template: Template, settings: ForestSettings
) -> Article:
    """The article of a page, as a crawl extracts it.  Raises ``BadPage``."""
    learned = template.wrapper or NOTHING
    if settings.method in PAGE_METHODS and template.id:
        learned = learn([page], settings.params)
    wrapper, found = extract(page, learned, settings.params)
    if not found.text:
        raise BadPage("no_content")
    if not item.is_article and wrapper.shows_several(found):
        raise BadPage("several_articles")
    found = found.with_captions(settings.captions)
    article = make_article(item, page, template.id, wrapper, found, learned.fields)
    article.change = {"kind": "new"}
    if settings.comments:
        article.comments = find_comments(page, template, found)
    return article


def guarded(function: Callable[..., Any], *args: Any) -> Any:
    """The result of the function, or the reason why the page cannot be used."""
    try:
        return function(*args)
    except BadPage as error:
        return error.reason
    except Exception as error:  # one page must not end the others
        logger.debug("A page cannot be read", exc_info=True)
        return f"{type(error).__name__}: {error}"


def _finish_page(item: ArticlePage, article: Article, settings: ForestSettings) -> Extracted:
    """The article in the formats of the settings, and the values that tell its duplicates."""
    if is_home_page(article):
        drop_canonical(article)
    found = describe_article(item.key, article)
    apply_formats(article, settings.formats)
    return Extracted("", item.key, item.url, article, found)


def check_time(item: ArticlePage, settings: ForestSettings, is_unusual: bool = False) -> None:
    """Raise ``BadPage`` if the page takes longer than it may."""
    probe = _probe(settings.page_seconds, settings.wants_records, settings.comments)
    if probe.check(item.response, is_unusual):
        raise BadPage("too_slow")


@cache
def _probe(seconds: float, reads_records: bool, reads_comments: bool) -> Probe:
    """Reads pages that may be slow in a process that can be stopped."""
    probe = Probe(seconds, reads_records, reads_comments)
    atexit.register(probe.close)
    return probe
