"""``scrapy crawl site``: the articles of a site, found by following its links."""

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_scrapy.core.page.urls import site_of
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.no_pages import describe_file
from forest_scrapy.settings import crawl_command
from forest_scrapy.spiders.arguments import BadArgument, read_flag, read_url
from forest_scrapy.spiders.base import site_links
from forest_scrapy.spiders.sources import SitemapReading


class SiteSpider(SitemapReading):
    """Crawls the pages of a site, and emits those of its article templates.

    - ``-a url=URL``: where to start: the home page, a listing or an article.
    - ``-a article=URL``: an article to start from.  It is emitted, and the other pages of its
      template are likely to be articles (Gottron 2008, section 3: the pages that a page links are
      a training set for its template).
    - ``-a feed=no``: do not read the feed that the start page links.  By default its items are
      crawled too, and say which templates are articles.
    - ``-a sitemap=URL[,URL...]``: see ``SitemapReading``.
    - ``-a follow=N``: follow links for N steps (default: 3).
    - the other arguments of ``ArticleSpider``.

    Raises ``BadArgument``, also if neither of the first two nor ``sitemap`` is given.
    """

    name = "site"
    default_steps = 3

    def __init__(
        self,
        *args: Any,
        url: str = "",
        article: str = "",
        feed: str = "yes",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if not url and not article and not self.sitemaps:
            raise BadArgument(
                f"nothing to crawl: name the site, {crawl_command()} site -a url=URL, or one of its"
                " articles, -a article=URL, or a sitemap, -a sitemap=URL"
            )
        self._url = self._select(url)
        self._article = self._select(article)
        self.sitemaps = self.shard.select(self.sitemaps)
        self._reads_feed = read_flag("feed", feed)
        self.start_urls = [*filter(None, (self._url, self._article)), *self.sitemaps]

    def _select(self, address: str) -> str:
        """The URL of an argument; ``""`` if it is not given, or is not in this shard."""
        if not address:
            return ""
        url = read_url(address)
        if self.shard.has(url):
            return url
        return ""

    async def start(self) -> AsyncIterator[Request]:
        if self._article:
            yield self._start_request(self._article, is_article=True)
        if self._url and self._url != self._article:
            yield self._start_request(self._url)
        for request in self.sitemap_requests(self.sitemaps):
            yield request

    async def parse_start(
        self,
        response: Response,
        is_article: bool,
    ) -> AsyncIterator[Any]:
        """The start page, which is an article if the user named it as one, and a request for the
        first feed that it links, or else for its links: items that links are requested for
        first would have no feed entry."""
        file = describe_file(response)
        if file:
            self.logger.warning(
                "%s is %s, no page: name the page that shows or links it, -a url=URL",
                response.url,
                file,
            )
        async for output in self.parse_page(response):
            if isinstance(output, ArticlePage):
                output.is_article |= is_article
                yield output
                response = output.response  # since a page that cannot be read is emptied
        links: dict[str, str] = {}
        if self.follow_steps(self.default_steps):
            links = await site_links(response, self.site_key)
        feed_requests: list[Request] = []
        if self._reads_feed:
            feed_requests = self.linked_feeds(response, max_feeds=1)
        for request in feed_requests:
            yield request.replace(
                callback=self.parse_site_feed,
                errback=self.site_feed_failed,
                cb_kwargs={"site": site_of(response.url), "links": links},
            )
        if not feed_requests:
            for request in self._start_links(links):
                yield request

    async def parse_site_feed(
        self,
        response: Response,
        site: str,
        links: dict[str, str] | list[str],
    ) -> AsyncIterator[Request]:
        """Requests for the feed's items, and for the links of the start page."""
        async for request in self.parse_feed(response, is_linked=True):
            if site_of(request.url) == site:
                yield request
            else:
                self.crawl.outstanding.remove(request)
        for request in self._start_links(links):
            yield request

    def site_feed_failed(self, failure: Failure) -> list[Request]:
        """The request for the feed by the other scheme, or else for the links of the start page."""
        request: Request = failure.request  # type: ignore[attr-defined]
        return self.feed_failed(failure) or self._start_links(request.cb_kwargs["links"])

    def _start_request(self, url: str, is_article: bool = False) -> Request:
        request = self.page_request(url)
        return request.replace(callback=self.parse_start, cb_kwargs={"is_article": is_article})

    def _start_links(self, links: dict[str, str] | list[str]) -> list[Request]:
        """Requests for the links of the start page; a job of an earlier version has their URLs
        only."""
        if isinstance(links, list):
            links = dict.fromkeys(links, "")
        return self.link_requests(links, self.follow_steps(self.default_steps) - 1)
