"""From a stored page to its article, for one page at a time."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from forest_scrapy.core import PAGE_METHODS, Page, Wrapper, extract, learn
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.runtime.batch.raw_page import BadPage
from forest_scrapy.runtime.pages.article_builder import make_article
from forest_scrapy.runtime.pages.duplicates import describe_article, drop_canonical, is_home_page
from forest_scrapy.runtime.pages.formats import apply_formats
from forest_scrapy.runtime.pages.probe import Probe
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.article_table import FoundArticle

__all__ = ["Extracted", "check_time", "extract_article", "finish_page", "guarded"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extracted:
    """What became of a page: an article, with what duplicates of it are told by; or the reason
    why there is none."""

    reason: str = ""
    key: str = ""
    url: str = ""
    article: Article | None = None
    found: FoundArticle | None = None


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
    found = found.with_captions(settings.captions)
    article = make_article(item, page, template_id, wrapper, found, learned.fields)
    article.change = {"kind": "new"}
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


def finish_page(item: ArticlePage, article: Article, settings: ForestSettings) -> Extracted:
    """The article in the formats of the settings, and what duplicates are told by."""
    if is_home_page(article):
        drop_canonical(article)
    found = describe_article(item.key, article)
    apply_formats(article, settings.formats)
    return Extracted("", item.key, item.url, article, found)


def check_time(item: ArticlePage, settings: ForestSettings, is_unusual: bool = False) -> None:
    """Raise ``BadPage`` if the page takes longer than it may."""
    if _probe(settings.page_seconds).check(item.response, is_unusual):
        raise BadPage("too_slow")


@cache
def _probe(seconds: float) -> Probe:
    """Reads pages that may be slow in a process that can be stopped."""
    probe = Probe(seconds)
    atexit.register(probe.close)
    return probe
