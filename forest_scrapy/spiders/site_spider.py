"""``scrapy crawl site``: the articles of a site, found from one of them without a feed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from forest_scrapy.core.clustering.page_types import is_article, read_signals
from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.responses import page_of
from forest_scrapy.spiders.arguments import BadArgument, read_steps, read_url
from forest_scrapy.spiders.base import ArticleSpider

__all__ = ["SiteSpider"]


class SiteSpider(ArticleSpider):
    """Crawls the pages that an article links, and emits those of the article's template.

    Gottron 2008, section 3: the pages that a page links are a training set for its template.

    - ``-a url=URL``: the article to start from.  If it is a listing, the pages that look like
      articles are emitted.
    - ``-a follow=N``: follow links for N steps (default: 1).

    Raises ``BadArgument``.
    """

    name = "site"

    def __init__(self, *args: Any, url: str = "", follow: str | int = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not url:
            raise BadArgument("name the article to start from: scrapy crawl site -a url=URL")
        self._url = read_url(url)
        self.start_urls = [self._url]
        self._follow = read_steps("follow", follow)

    async def start(self) -> AsyncIterator[Request]:
        request = self.page_request(self._url, follow=self._follow)
        yield request.replace(callback=self.parse_start)

    async def parse_start(self, response: Response) -> AsyncIterator[Any]:
        """The start page, as an article if it looks like one, and requests for its links."""
        async for output in self.parse_page(response):
            if isinstance(output, ArticlePage):
                output.is_article = is_article(read_signals(page_of(response)))
                if not output.is_article:
                    self.logger.info("%s looks like a listing, not an article", self._url)
            yield output
