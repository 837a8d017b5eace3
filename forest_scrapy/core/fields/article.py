"""The article: what is extracted from a page, with all its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from types import MappingProxyType
from typing import Any, Protocol

from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.fields.reading import read_fields
from forest_scrapy.core.page.other_articles import find_related
from forest_scrapy.core.page.page import Extract, Page

__all__ = ["Article", "build_article"]


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
    - ``related`` (title, url): other articles that the page shows or links to.
    - ``comments``: those on the page, if ``FOREST_COMMENTS`` is set, with position, author, date,
      text, html, quote, reply_to and attributes.
    - ``comments_url`` and ``comments_count``: from the feed.
    - ``entry``: the feed entry: title, description, id, published, updated, author, tags,
      comments_url, comments_count, feed.
    - ``sources``: the source of each field: feed, json-ld, microdata, opengraph, meta, html,
      template, text, url, sitemap, http.
    - ``date_confidence``: for ``published`` and ``modified``, the probability that the date is
      right to a day.
    - ``template_id``: the id of the page's template.
    - ``method``: how the content was found: ``trained`` by the wrapper of a template,
      ``single`` from the single page, ``data`` from the data for the page's scripts,
      ``description`` if nothing was found on the page and the feed entry is used, ``entry`` if
      the page could not be fetched or the full text in the feed is better; or the method that
      ``FOREST_METHOD`` names.
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
    related: list[dict[str, str]] = field(default_factory=list, repr=False)
    tags: list[str] = field(default_factory=list, repr=False)
    categories: list[str] = field(default_factory=list, repr=False)
    breadcrumbs: list[str] = field(default_factory=list, repr=False)
    site_name: str = field(default="", repr=False)
    canonical_url: str = field(default="", repr=False)
    other_urls: list[str] = field(default_factory=list, repr=False)
    comments: list[dict[str, Any]] = field(default_factory=list, repr=False)
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


class _Wrapper(Protocol):
    """What an article says of the wrapper that found it."""

    @property
    def id(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def evidence(self) -> Evidence: ...


def build_article(
    page: Page,
    wrapper: _Wrapper,
    found: Extract,
    fields: FieldSources | None = None,
    fetched_at: str = "",
    template_id: str = "",
    outer: Mapping[str, str] = MappingProxyType({}),
) -> Article:
    """The article that ``wrapper`` ``found`` on ``page``, with what the page says of it.

    ``fields``: where the template's pages have their fields; None, or empty, for a single page,
    whose own sources are ranked.  ``template_id``: ``""`` if the template is not known.
    ``fetched_at``: ISO 8601; dates are relative to it.  ``outer``: texts of sources that are not on
    the page, such as ``http:last-modified``.  Cost: see ``read_fields``.
    """
    read = read_fields(page, fields, found.content, fetched_at, outer)
    values = {name: _json_value(value) for name, value in vars(read).items()}
    sources = {**read.sources, "text": _text_source(wrapper)}
    return Article(
        **{**values, "sources": dict(sorted(sources.items()))},
        url=page.url,
        text=found.text,
        html=found.html,
        related=[one._asdict() for one in find_related(page, found.content.text_blocks)],
        template_id=template_id,
        method=wrapper.method,
        xpath=found.xpath,
        wrapper_id=wrapper.id,
        score=wrapper.evidence.score,
        fetched_at=fetched_at,
    )


def _text_source(wrapper: _Wrapper) -> str:
    """The kind of source of the text, as in ``Field``."""
    if wrapper.source == "entry":
        return "feed"
    return "template" if wrapper.evidence.pages > 1 else "text"


def _json_value(value: Any) -> Any:
    """A value of the core as JSON has it: lists and dicts for tuples and dataclasses."""
    if isinstance(value, tuple):
        return [_json_value(one) for one in value]
    return dict(vars(value)) if is_dataclass(value) else value  # all of them are flat
