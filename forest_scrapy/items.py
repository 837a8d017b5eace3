"""The items: a page that may be an article, the article extracted from it, threads, products,
listings and other pages."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy.http import Response

from forest_scrapy.core import Entry, ForestError
from forest_scrapy.core.items import Article, Item, Listing, Product, Thread, WebPage

if TYPE_CHECKING:
    from forest_scrapy.core import Page

__all__ = ["Article", "ArticlePage", "Item", "Listing", "Product", "Thread", "WebPage"]


@dataclass
class ArticlePage:
    """A response that is, or may be, an article.  Yield it from any callback.

    - ``entry``: the page's feed entry, if it has one.
    - ``is_article``: False for a page that is an article only if its template is one of articles,
      such as a followed link.
    - ``extra``: what the spider knows besides, such as a category from the list that links the
      page: JSON values, which become ``extra`` of the item.

    The other fields are set on the way: the page's key in the spool, when it was fetched, the
    digest of its fingerprint, the key of its template, the method that found the article, whether
    its item has the content of other pages, too, the item, which ``scrapy parse --pipelines``
    prints, and, until an item is extracted from it, the page as it was read to place it with the
    response that it was read from: another component may give the item one of its own.
    """

    response: Response = field(repr=False)
    entry: Entry | None = field(default=None, repr=False)
    is_article: bool = True
    key: str = field(default="", repr=False)
    fetched_at: str = field(default="", repr=False)
    fingerprint: str = field(default="", repr=False)
    template_key: str = ""
    method: str = ""
    url: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    item: Any = field(default=None, repr=False)
    is_joined: bool = field(default=False, repr=False)
    parsed: "tuple[Response, Page] | None" = field(default=None, repr=False)

    @classmethod
    def from_response(
        cls,
        response: Response,
        entry: Entry | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> "ArticlePage":
        """The page of a response that is known to be an article.  Raises ``BadExtra``."""
        return cls(response, entry, url=response.url, extra=_read_extra(extra or {}))


class BadExtra(ForestError, TypeError):
    """``extra`` of an ``ArticlePage`` cannot be kept while the page waits for its template."""


def _read_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    try:
        values: dict[str, Any] = json.loads(json.dumps(dict(extra)))
    except (TypeError, ValueError) as error:
        raise BadExtra(f"extra = {extra!r} must be JSON values, by name: {error}") from None
    return values
