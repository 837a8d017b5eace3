"""The two items: a page that may be an article, on its way in, and the article that comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scrapy.http import Response

from forest_scrapy.core import Entry

__all__ = ["Article", "ArticlePage"]


@dataclass
class ArticlePage:
    """A response that is, or may be, an article.  Yield it from any callback.

    ``entry``: what a feed says of it.  ``is_article``: False for a page that is one only if it
    falls into a template of articles, as a followed link.  The other fields are filled in on
    the way: the page's key in the spool, when it was fetched, its template, and the method
    that found the article.
    """

    response: Response = field(repr=False)
    entry: Entry | None = field(default=None, repr=False)
    is_article: bool = True
    key: str = field(default="", repr=False)
    fetched_at: str = field(default="", repr=False)
    template: str = ""
    method: str = ""
    url: str = ""

    @classmethod
    def from_response(cls, response: Response, entry: Entry | None = None) -> ArticlePage:
        """A page that is known to be an article."""
        return cls(response, entry, url=response.url)


@dataclass
class Article:
    """An article, one JSON line.

    - ``url``: of the page, after redirects.
    - ``title``: the feed entry's, else the page's own.
    - ``text``: one line a paragraph; ``html``: the article's subtree, without scripts.
    - ``entry``: what the feed says: title, description, id, published, author, tags, feed.
    - ``template``: id of the page's template; ``method``: how the content was found
      (``trained`` from a template, ``single`` from the page alone; ``description`` where the
      page gave nothing and the feed entry stands in); ``wrapper``: the XPath that found it;
      ``score``: the method's own measure of it.
    - ``fetched_at``: ISO 8601, UTC.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    published: str = ""
    entry: dict[str, Any] | None = field(default=None, repr=False)
    template: str = ""
    method: str = ""
    wrapper: str = ""
    score: float = 0.0
    fetched_at: str = ""
