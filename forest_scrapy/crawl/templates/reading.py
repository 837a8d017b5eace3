"""Reading a fetched page: what it is placed by."""

from __future__ import annotations

from dataclasses import dataclass

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.templates.signals import Signals, read_signals
from forest_scrapy.crawl.templates.recognition import fingerprint_of
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import page_of

__all__ = ["PageFeatures", "read_page"]


@dataclass(frozen=True)
class PageFeatures:
    """What a page is placed by.

    ``signals``: what is known of the type of a page; None for a page known to be an article.
    """

    fingerprint: Fingerprint
    signals: Signals | None = None


async def read_page(item: ArticlePage, distance: str) -> PageFeatures:
    """Parse a page that is in the spool (1 to 5 ms; a large page in a thread)."""
    return await run(is_large(item.response), _read, item, distance)


def _read(item: ArticlePage, distance: str) -> PageFeatures:
    page = page_of(item.response)
    signals = None if item.is_article else read_signals(page)
    return PageFeatures(fingerprint_of(page, distance), signals)
