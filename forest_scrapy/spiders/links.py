"""The links of a page to its own site."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from tldextract import TLDExtract

from forest_scrapy.runtime.threads import is_large, run

__all__ = ["site_links", "site_of"]

#: Links followed from a page, the first ones.
_MOST_LINKS = 2_000


async def site_links(response: Response) -> list[str]:
    """The http and https URLs of its own site that a page links, in the page's order."""
    if not isinstance(response, HtmlResponse) or not response.body:
        return []
    return await run(is_large(response), _find_links, response)


def _find_links(response: HtmlResponse) -> list[str]:
    site = site_of(response.url)
    links = (link.url for link in LinkExtractor().extract_links(response)[:_MOST_LINKS])
    return [url for url in links if url.startswith(("http:", "https:")) and site_of(url) == site]


def site_of(url: str) -> str:
    """The registered domain of a URL; host and port if there is none, as for an IP address.

    >>> site_of("https://www.example.co.uk/a"), site_of("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1:8000')
    """
    found = _suffixes()(url)
    return found.top_domain_under_public_suffix or urlsplit(url).netloc.lower()


@cache
def _suffixes() -> TLDExtract:
    # The list in the package: nothing is fetched.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)
