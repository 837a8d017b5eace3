"""``scrapy crawl site``: from one article to the site's others, without a feed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from forest_scrapy.core.clustering.page_types import is_article, read_signals
from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.responses import page_of
from forest_scrapy.spiders.base import ArticleSpider, BadArgument, as_url, read_steps

__all__ = ["SiteSpider"]


class SiteSpider(ArticleSpider):
    """Crawls the pages that an article links, and emits those of its template.

    Gottron 2008, section 3: the pages that a page links are a training set for its template.

    - ``-a url=URL``: the article to start from; from a listing, the pages that look like
      articles come out.
    - ``-a follow=N``: steps of links, 1 where not given.
    """

    name = "site"

    def __init__(self, *args: Any, url: str = "", follow: str | int = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not url:
            raise BadArgument("name the article to start from: scrapy crawl site -a url=URL")
        self._url = as_url(url)
        self._follow = read_steps("follow", follow)

    async def start(self) -> AsyncIterator[Request]:
        request = self.page_request(self._url, follow=self._follow)
        yield request.replace(callback=self.parse_start)

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The start page and its links; it is an article if it looks like one."""
        for output in self.parse_page(response):
            if isinstance(output, ArticlePage):
                output.is_article = is_article(read_signals(page_of(response)))
                if not output.is_article:
                    self.logger.info("%s looks like a listing, not like an article", self._url)
            yield output
