"""``scrapy crawl site``: the articles of a site, found by following its links."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from forest_scrapy.items import ArticlePage
from forest_scrapy.spiders.arguments import BadArgument, read_url
from forest_scrapy.spiders.base import ArticleSpider

__all__ = ["SiteSpider"]

#: Steps for which links are followed if no limit is given.
_STEPS = 3


class SiteSpider(ArticleSpider):
    """Crawls the pages of a site, and emits those of its article templates.

    - ``-a url=URL``: where to start: the home page, a listing or an article.
    - ``-a article=URL``: an article to start from.  It is emitted, and the other pages of its
      template are articles (Gottron 2008, section 3: the pages that a page links are a training
      set for its template).
    - ``-a follow=N``: follow links for N steps (default: 3).
    - the other arguments of ``ArticleSpider``.

    Raises ``BadArgument``, also if neither of the first two is given.
    """

    name = "site"

    def __init__(self, *args: Any, url: str = "", article: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not url and not article:
            raise BadArgument(
                "nothing to crawl: name the site, scrapy crawl site -a url=URL, or one of its"
                " articles, -a article=URL"
            )
        self._url = read_url(url) if url else ""
        self._article = read_url(article) if article else ""
        self.start_urls = [one for one in (self._url, self._article) if one]

    async def start(self) -> AsyncIterator[Request]:
        steps = self.follow_steps(_STEPS)
        if self._article:
            request = self.page_request(self._article, follow=steps)
            yield request.replace(callback=self.parse_article)
        if self._url and self._url != self._article:
            yield self.page_request(self._url, follow=steps)

    async def parse_article(self, response: Response) -> AsyncIterator[Any]:
        """The page, which the user named as an article, and requests for its links."""
        async for output in self.parse_page(response):
            if isinstance(output, ArticlePage):
                output.is_article = True
            yield output
