"""Building the article item from what was extracted from a page."""

from __future__ import annotations

from forest_scrapy.core import Extract, Page, Wrapper, extract
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.fields.article import build_article
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.runtime.pages.responses import decode_headers, page_of

__all__ = ["for_parse_command", "make_article"]


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
    article = build_article(page, wrapper, found, fields, item.fetched_at, template_id)
    headers = decode_headers(item.response)
    article.url, article.status = item.response.url, item.response.status
    article.last_modified = headers.get("Last-Modified", "")
    article.etag = headers.get("Etag", "")
    if item.entry:
        article.entry = item.entry.to_dict()
        article.comments_url = item.entry.comments_url
        article.comments_count = item.entry.comments_count
    return article


def for_parse_command(item: ArticlePage) -> ArticlePage | Article:
    """The page; under ``scrapy parse``, which prints what callbacks yield, the article found on
    this single page."""
    request = item.response.request
    if request is None or "_callback" not in request.meta:  # which only that command sets
        return item
    page = page_of(item.response, item.entry)
    wrapper, found = extract(page, Wrapper("none"))
    return make_article(item, page, "", wrapper, found)
