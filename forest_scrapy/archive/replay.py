"""Answering requests from an archive instead of the network."""

from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes

from forest_scrapy.archive.page_archive import PageArchive

#: The flag of a response from an archive.
IS_KEPT = "forest_kept"


class NotKept(IgnoreRequest):
    """No response of this URL was kept.  ``reason``: the name of a stat."""

    reason = "not_kept"


class ReplayPages:
    """Downloader middleware that answers each request with the response that was kept last, as it
    came; without one it raises ``NotKept``.  Nothing is downloaded."""

    def __init__(self, archive: PageArchive) -> None:
        self._archive = archive

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        archive: PageArchive = crawler.spider.archive  # type: ignore[union-attr]
        return cls(archive)

    async def process_request(self, request: Request) -> Response:
        response = self._archive.latest(request.url)
        if response is None:
            raise NotKept(f"{request.url}: no response of it was kept")
        headers = Headers()
        for name, value in response.headers:
            headers.appendlist(name, value)
        response_type = responsetypes.from_args(
            headers=headers,
            url=response.url,
            body=response.body,
        )
        return response_type(
            response.url,
            response.status,
            headers=headers,
            body=response.body,
            flags=[IS_KEPT],
        )
