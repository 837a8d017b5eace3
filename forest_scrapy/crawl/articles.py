"""Building the article item from what was extracted from a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta

from forest_scrapy.core import Extract, Page, Wrapper, extract
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.fields.article import build_article
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.conversion import decode_headers, page_of
from forest_scrapy.responses.date_range import read_moments
from forest_scrapy.responses.notes import notes_of

__all__ = ["apply_formats", "for_parse_command", "make_article"]

#: A page that was changed at most so long before it was fetched may have been generated then.
_GENERATED = timedelta(hours=1)


def make_article(
    item: ArticlePage,
    page: Page,
    template_id: str,
    wrapper: Wrapper,
    found: Extract,
    fields: FieldSources | None = None,
) -> Article:
    """The article that ``wrapper`` ``found`` on ``page``.

    ``template_id``: ``""`` if the article was not extracted by a template's wrapper.
    ``fields``: where the template's pages have their fields; None, or empty, for a single page,
    whose own sources are ranked.
    """
    headers = decode_headers(item.response)
    outer = _outer_dates(item, headers)
    article = build_article(page, wrapper, found, fields, item.fetched_at, template_id, outer)
    article.url, article.status = item.response.url, item.response.status
    article.last_modified = headers.get("Last-Modified", "")
    article.etag = headers.get("Etag", "")
    if item.entry:
        article.entry = item.entry.to_dict()
        article.comments_url = item.entry.comments_url
        article.comments_count = item.entry.comments_count
    return article


def _outer_dates(item: ArticlePage, headers: Mapping[str, str]) -> dict[str, str]:
    """Dates of the last change that are not on the page: that of a sitemap, and that of the server
    unless the page may have been generated for this request."""
    served = headers.get("Last-Modified", "")
    found = {"sitemap:lastmod": notes_of(item.response).lastmod, "http:last-modified": served}
    moments, fetched = read_moments(read_date(served)), read_moments(item.fetched_at)
    if not moments or not fetched or moments[0] > fetched[0] - _GENERATED:
        del found["http:last-modified"]
    return {source: text for source, text in found.items() if text}


def for_parse_command(item: ArticlePage) -> ArticlePage | Article:
    """The page; under ``scrapy parse``, which prints what callbacks yield, the article found on
    this single page."""
    request = item.response.request
    if request is None or "_callback" not in request.meta:  # which only that command sets
        return item
    page = page_of(item.response, item.entry)
    wrapper, found = extract(page, Wrapper("none"))
    return make_article(item, page, "", wrapper, found)


def apply_formats(article: Article, formats: Collection[str]) -> None:
    """Fill ``markdown``, and empty ``html``, as the formats say.  Cost: Markdown takes some 5 ms
    for a page."""
    if "markdown" in formats:
        article.markdown = to_markdown(article.html)
    if "html" not in formats:
        article.html = ""


def to_markdown(html: str) -> str:
    """Sanitized HTML as Markdown, with ``#`` headings.

    >>> to_markdown("<h2>Boats</h2><p>Two <b>red</b> <a href='http://a.example/'>boats</a>.</p>")
    '## Boats\\n\\nTwo **red** [boats](http://a.example/).'
    """
    from markdownify import ATX, markdownify

    return str(markdownify(html, heading_style=ATX, bullets="-")).strip()
