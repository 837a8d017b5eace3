"""Building the article item from what was extracted from a page."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from forest_scrapy.core import Entry, Extract, Page, Wrapper, extract
from forest_scrapy.core.fields import FieldSources, read_fields
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
    read = read_fields(page, fields, found.content, item.fetched_at)
    fields_found = {name: _json_value(value) for name, value in vars(read).items()}
    sources = {**read.sources, "text": _text_source(wrapper)}
    entry = item.entry or Entry()
    headers = decode_headers(item.response)
    return Article(
        **{**fields_found, "sources": dict(sorted(sources.items()))},
        url=item.response.url,
        text=found.text,
        html=found.html,
        comments_url=entry.comments_url,
        comments_count=entry.comments_count,
        entry=item.entry.to_dict() if item.entry else None,
        template_id=template_id,
        method=wrapper.method,
        xpath=found.xpath,
        wrapper_id=wrapper.id,
        score=wrapper.evidence.score,
        status=item.response.status,
        fetched_at=item.fetched_at,
        last_modified=headers.get("Last-Modified", ""),
        etag=headers.get("Etag", ""),
    )


def for_parse_command(item: ArticlePage) -> ArticlePage | Article:
    """The page; under ``scrapy parse``, which prints what callbacks yield, the article found on
    this single page."""
    request = item.response.request
    if request is None or "_callback" not in request.meta:  # which only that command sets
        return item
    page = page_of(item.response, item.entry)
    wrapper, found = extract(page, Wrapper("none"))
    return make_article(item, page, "", wrapper, found)


def _text_source(wrapper: Wrapper) -> str:
    """The kind of source of the text, as in ``Field``."""
    if wrapper.source == "entry":
        return "feed"
    return "template" if wrapper.evidence.pages > 1 else "text"


def _json_value(value: Any) -> Any:
    """A value of the core as JSON has it: lists and dicts for tuples and dataclasses."""
    if isinstance(value, tuple):
        return [_json_value(one) for one in value]
    return dict(vars(value)) if is_dataclass(value) else value  # all of them are flat
