"""The links of a page to its own site."""

from __future__ import annotations

from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from forest_scrapy.core.document.complexity import may_be_slow
from forest_scrapy.core.document.tree import Element, parse_html
from forest_scrapy.runtime.pages.page_urls import site_of
from forest_scrapy.runtime.pages.threads import is_large, run

__all__ = ["page_start", "site_links"]

#: Links followed from a page, the first ones.
_MOST_LINKS = 2_000
#: Bytes, or characters, in which the links to feeds are looked for.
_START = 200_000


def page_start(response: Response) -> Element | None:
    """The tree of the start of an HTML page, where feeds are linked; None for other responses, and
    if parsing it may be slow."""
    is_html = isinstance(response, HtmlResponse) and response.body
    if not is_html or may_be_slow(response.body[:_START]):
        return None
    return parse_html(response.text[:_START])


async def site_links(response: Response) -> list[str]:
    """The http and https URLs of its own site that a page links, in the page's order."""
    if not isinstance(response, HtmlResponse) or not response.body:
        return []
    return await run(is_large(response), _find_links, response)


def _find_links(response: HtmlResponse) -> list[str]:
    site = site_of(response.url)
    links = (link.url for link in LinkExtractor().extract_links(response)[:_MOST_LINKS])
    return [url for url in links if url.startswith(("http:", "https:")) and site_of(url) == site]
