"""The items: a page that may be an article, the article extracted from it, threads, products,
listings and other pages."""

from dataclasses import dataclass, field

from scrapy.http import Response

from forest_scrapy.core import Entry
from forest_scrapy.core.items import Article, Item, Listing, Product, Thread, WebPage

__all__ = ["Article", "ArticlePage", "Item", "Listing", "Product", "Thread", "WebPage"]


@dataclass
class ArticlePage:
    """A response that is, or may be, an article.  Yield it from any callback.

    ``entry``: the page's feed entry, if it has one.  ``is_article``: False for a page that is
    an article only if its template is one of articles, such as a followed link.  The other
    fields are set on the way: the page's key in the spool, when it was fetched, the digest of its
    fingerprint, the key of its template, and the method that found the article.
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

    @classmethod
    def from_response(cls, response: Response, entry: Entry | None = None) -> "ArticlePage":
        """The page of a response that is known to be an article."""
        return cls(response, entry, url=response.url)
