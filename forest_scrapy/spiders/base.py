"""Base of the spiders: requests for pages, links within the site, and requests after a kill."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.httperror import HttpError
from tldextract import TLDExtract
from twisted.python.failure import Failure

from forest_scrapy.core import Entry
from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.downloads import RefusedUrl, guard_downloads, is_too_large
from forest_scrapy.runtime.responses import TOO_LARGE, page_key
from forest_scrapy.runtime.threads import is_large, run
from forest_scrapy.stores import Spool

__all__ = ["ArticleSpider", "site_of"]

#: Links followed from a page, the first ones.
_MOST_LINKS = 2_000


class ArticleSpider(Spider):
    """Base of the spiders ``feeds`` and ``site``.

    ``meta["forest"]`` of a request: the feed ``entry`` of the page, and ``follow``, the number
    of steps for which links are followed from it.  Subclasses set ``start_urls`` to the URLs
    that the user names: only if one of them is private, private addresses are requested.
    """

    crawler: Crawler

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._requested: set[str] = set()

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        guard_downloads(settings)

    def page_request(
        self, url: str, entry: Entry | None = None, follow: int = 0, **options: Any
    ) -> Request:
        """A request for a page that may be an article."""
        meta = {"entry": entry.to_dict() if entry else None, "follow": follow}
        return Request(
            url,
            callback=self.parse_page,
            errback=self.page_failed,
            meta={"forest": meta},
            dont_filter=self._was_killed and self._is_first_request(url),
            **options,
        )

    async def parse_page(self, response: Response) -> AsyncIterator[Any]:
        """The page, and requests for the pages of the same site that it links."""
        meta = response.meta.get("forest", {})
        entry = Entry.from_dict(meta["entry"]) if meta.get("entry") else None
        page = ArticlePage.from_response(response, entry)
        page.is_article = entry is not None
        yield page
        if meta.get("follow", 0) > 0:
            # The response of the page, since a page that cannot be read is emptied.
            for request in await self.follow_links(page.response, meta["follow"] - 1):
                yield request

    async def follow_links(self, response: Response, follow: int) -> list[Request]:
        """Requests for the links of a page to its own site, in the page's order."""
        if not isinstance(response, HtmlResponse) or not response.body:
            return []
        links = await run(is_large(response), _site_links, response)
        chosen = [url for url in links if not self.is_done(url, follow)]
        self.count("forest/links/followed", len(chosen))
        return [self.page_request(url, follow=follow) for url in chosen]

    def page_failed(self, failure: Failure) -> None:
        """Count a page that could not be fetched, by its status or the name of the error."""
        error, request = failure.value, failure.request  # type: ignore[attr-defined]
        if is_too_large(error) and self.crawler.engine:
            # Handed to the callback, since a feed entry may describe the page.
            again = request.copy()  # Scrapy is still busy with the request itself
            empty = Response(request.url, request=again, flags=[TOO_LARGE])
            self.crawler.engine.scraper.enqueue_scrape(empty, again)
            return
        if isinstance(error, HttpError):
            reason = f"status_{error.response.status}"
        else:
            reason = error.reason if isinstance(error, RefusedUrl) else type(error).__name__
        self.count(f"forest/failed/{reason}")
        self.logger.info("Page %s cannot be fetched: %s", request.url, reason)

    def count(self, stat: str, n: int = 1) -> None:
        """Increment a stat."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(stat, n)

    def is_done(self, url: str, follow: int) -> bool:
        """Whether an earlier, killed run of the crawl has fetched the page, and its links are not
        to be followed.  (Pages whose links are followed are fetched again, because the killed
        run may not have followed all of them.)"""
        return self._was_killed and not follow and self._spool.knows(page_key(url))

    @property
    def _spool(self) -> Spool:
        return context_of(self.crawler).spool

    @property
    def _was_killed(self) -> bool:
        """Whether the previous run was killed.  Its queue is lost, but Scrapy's duplicate filter
        still knows the requests that were in it: each must pass the filter once more."""
        return self._spool.was_killed

    def _is_first_request(self, url: str) -> bool:
        """Whether this run requests the page for the first time; later calls return False."""
        key = page_key(url)
        is_first = key not in self._requested
        self._requested.add(key)
        return is_first


@cache
def _suffixes() -> TLDExtract:
    # The list in the package: nothing is fetched.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def _site_links(response: HtmlResponse) -> list[str]:
    """The http and https URLs of the response's own site that it links, each once."""
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
