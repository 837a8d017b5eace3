"""The two items: a page that may be an article, and the article extracted from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scrapy.http import Response

from forest_scrapy.core import Entry

__all__ = ["Article", "ArticlePage"]


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
    def from_response(cls, response: Response, entry: Entry | None = None) -> ArticlePage:
        """The page of a response that is known to be an article."""
        return cls(response, entry, url=response.url)


@dataclass
class Article:
    """An article, one JSON line.  ``docs/fields.md`` describes where each field comes from.

    - ``url``: the page's URL after redirects; ``canonical_url``: the URL that it declares;
      ``other_urls``: the other URLs of the article that were known when it was emitted.
    - ``title``, ``authors``, ``published``, ``modified`` (ISO 8601; ``*_raw`` as written on the
      page), ``language``, ``summary``, ``tags``, ``categories``, ``breadcrumbs``,
      ``site_name``.
    - ``text``: one line for each paragraph; ``html``: the same content, sanitized, with
      absolute URLs; ``markdown``: the same as Markdown, if ``FOREST_FORMATS`` names it.
    - ``main_image``, ``images`` (url, alt, caption), ``videos``, ``audios``, ``links`` (url,
      text): the media and links of the article.
    - ``comments_url`` and ``comments_count``: from the feed.
    - ``entry``: the feed entry: title, description, id, published, updated, author, tags,
      comments_url, comments_count, feed.
    - ``sources``: the source of each field: feed, json-ld, microdata, opengraph, meta, html,
      template, text, url, sitemap, http.
    - ``date_confidence``: for ``published`` and ``modified``, the probability that the date is
      right to a day.
    - ``template_id``: the id of the page's template.
    - ``method``: how the content was found: ``trained`` by the wrapper of a template,
      ``single`` from the single page, ``description`` if nothing was found on the page and the
      feed entry is used, ``entry`` if the page could not be fetched or the full text in the feed
      is better; or the method that ``FOREST_METHOD`` names.
    - ``xpath``: the expression that found the content; ``wrapper_id``: the id of its wrapper;
      ``score``: the method's own score of the wrapper.
    - ``change``: what has become of the article since it was last crawled: ``kind`` (``new``,
      ``changed``, ``unchanged`` or ``gone``); ``since``, when it was fetched last; of a changed
      text the ``share`` of its shingles, and what was ``inserted`` and ``deleted``.
    - ``status``: the HTTP status; 0 if there was no response.
    - ``fetched_at``: ISO 8601, UTC; ``last_modified`` and ``etag``: the HTTP headers.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    markdown: str = field(default="", repr=False)
    published: str = ""
    published_raw: str = field(default="", repr=False)
    modified: str = field(default="", repr=False)
    modified_raw: str = field(default="", repr=False)
    authors: list[str] = field(default_factory=list)
    language: str = ""
    summary: str = field(default="", repr=False)
    main_image: str = field(default="", repr=False)
    images: list[dict[str, Any]] = field(default_factory=list, repr=False)
    videos: list[dict[str, Any]] = field(default_factory=list, repr=False)
    audios: list[dict[str, Any]] = field(default_factory=list, repr=False)
    links: list[dict[str, str]] = field(default_factory=list, repr=False)
    tags: list[str] = field(default_factory=list, repr=False)
    categories: list[str] = field(default_factory=list, repr=False)
    breadcrumbs: list[str] = field(default_factory=list, repr=False)
    site_name: str = field(default="", repr=False)
    canonical_url: str = field(default="", repr=False)
    other_urls: list[str] = field(default_factory=list, repr=False)
    comments_url: str = field(default="", repr=False)
    comments_count: int | None = field(default=None, repr=False)
    entry: dict[str, Any] | None = field(default=None, repr=False)
    sources: dict[str, str] = field(default_factory=dict, repr=False)
    date_confidence: dict[str, float] = field(default_factory=dict, repr=False)
    template_id: str = ""
    method: str = ""
    xpath: str = ""
    wrapper_id: str = field(default="", repr=False)
    score: float = 0.0
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    status: int = 200
    fetched_at: str = ""
    last_modified: str = field(default="", repr=False)
    etag: str = field(default="", repr=False)
