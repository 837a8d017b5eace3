"""Building threads, products and listings from what was found on a page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from forest_scrapy.core import Page, RecordWrapper, Wrapper
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.records import ProductRules, read_listing, read_product
from forest_scrapy.core.records.next_page import next_thread_page
from forest_scrapy.items import ArticlePage, Listing, Product, Thread

__all__ = ["RecordItem", "make_record", "wrap_records"]

RecordItem = Thread | Product | Listing


def make_record(
    item: ArticlePage,
    page: Page,
    wrapper: RecordWrapper,
    template_id: str,
    kinds: Collection[str],
) -> RecordItem | None:
    """The item as far as it is on the page; None if there is none, or it is not of one of the
    ``kinds``, or an article.  ``template_id``: ``""`` for a single page."""
    kind = wrapper.kind.name
    if kind not in kinds or kind == "article":
        return None
    return _MAKERS[kind](item, page, wrapper, template_id)


def wrap_records(records: RecordWrapper, pages: int) -> Wrapper:
    """The wrapper that takes the text of the records of a template, to store the template with and
    to make its id.  ``pages``: the number of pages that the records were learned from."""
    xpaths = tuple(rules.record for rules in records.rules)
    evidence = Evidence(pages, "segments", records.evidence.score, match=1.0, text_at=xpaths[-1])
    return Wrapper("records", xpaths, evidence, take="all")


def _make_thread(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template_id: str
) -> Thread | None:
    """The thread as far as it is on a page; None if it has no post."""
    posts = [record.describe() for record in wrapper.apply(page, item.fetched_at)]
    if not posts:
        return None
    return Thread(
        url=item.response.url,
        title=page.declared.title,
        posts=posts,
        pages=[item.response.url],
        next_page=next_thread_page(page),
        language=page.language,
        fetched_at=item.fetched_at,
        template_id=template_id,
    )


def _make_product(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template_id: str
) -> Product | None:
    """The product of a page; None if it has no name."""
    product = read_product(page, wrapper.product or ProductRules(), item.fetched_at)
    product.url, product.template_id = item.response.url, template_id
    product.text = wrapper.read_text(page)
    return product if product.name else None


def _make_listing(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template_id: str
) -> Listing | None:
    """The listing of a page; None if it has no item with a title."""
    listing = read_listing(page, wrapper, item.fetched_at)
    listing.url, listing.template_id = item.response.url, template_id
    return listing if listing.items else None


_MAKERS: Mapping[str, Callable[..., RecordItem | None]] = {
    "thread": _make_thread,
    "product": _make_product,
    "listing": _make_listing,
}
