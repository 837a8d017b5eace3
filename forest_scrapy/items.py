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
    """An article, one JSON line.  Where each field comes from is told in ``docs/fields.md``.

    - ``url``: of the page, after redirects; ``canonical_url``: the one it asks to be known by.
    - ``title``, ``authors``, ``published``, ``modified`` (ISO 8601, and ``*_raw`` as the page
      has them), ``language``, ``summary``, ``tags``, ``categories``, ``breadcrumbs``,
      ``site_name``.
    - ``text``: one line a paragraph; ``html``: the same, safe to show, with absolute URLs.
    - ``main_image``, ``images`` (url, alt, caption), ``videos``, ``audios``, ``links`` (url,
      text): what is inside the article.
    - ``comments_url`` and ``comments_count``, where the feed has them.
    - ``entry``: what the feed says: title, description, id, published, updated, author, tags,
      comments_url, comments_count, feed.
    - ``sources``: where each field is from: feed, json-ld, microdata, opengraph, meta, html,
      template, text, url.
    - ``template``: id of the page's template; ``method``: how the content was found
      (``trained`` from a template, ``single`` from the page alone; ``description`` where the
      page gave nothing and the feed entry stands in); ``wrapper``: the XPath that found it;
      ``wrapper_id``: of the wrapper; ``score``: the method's own measure of it.
    - ``fetched_at``: ISO 8601, UTC; ``last_modified`` and ``etag``: HTTP's.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    published: str = ""
    published_raw: str = field(default="", repr=False)
    modified: str = field(default="", repr=False)
    modified_raw: str = field(default="", repr=False)
    authors: list[str] = field(default_factory=list)
    language: str = ""
    summary: str = field(default="", repr=False)
    main_image: str = field(default="", repr=False)
    images: list[dict[str, str]] = field(default_factory=list, repr=False)
    videos: list[str] = field(default_factory=list, repr=False)
    audios: list[str] = field(default_factory=list, repr=False)
    links: list[dict[str, str]] = field(default_factory=list, repr=False)
    tags: list[str] = field(default_factory=list, repr=False)
    categories: list[str] = field(default_factory=list, repr=False)
    breadcrumbs: list[str] = field(default_factory=list, repr=False)
    site_name: str = field(default="", repr=False)
    canonical_url: str = field(default="", repr=False)
    comments_url: str = field(default="", repr=False)
    comments_count: int | None = field(default=None, repr=False)
    entry: dict[str, Any] | None = field(default=None, repr=False)
    sources: dict[str, str] = field(default_factory=dict, repr=False)
    template: str = ""
    method: str = ""
    wrapper: str = ""
    wrapper_id: str = field(default="", repr=False)
    score: float = 0.0
    fetched_at: str = ""
    last_modified: str = field(default="", repr=False)
    etag: str = field(default="", repr=False)
