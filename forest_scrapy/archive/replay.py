"""Answering requests from an archive instead of the network."""

from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes

from forest_scrapy.archive.page_archive import PageArchive
from forest_scrapy.responses.downloads import max_response_bytes

#: The flag of a response from an archive.
IS_KEPT = "forest_kept"


class NotKept(IgnoreRequest):
    """No response of this URL was kept.  ``reason``: the name of a stat."""

    reason = "not_kept"


class ReplayPages:
    """Downloader middleware that answers each request with the response that was kept last, as it
    came; without one it raises ``NotKept``.

    Nothing is downloaded, but what a response decompresses to is bounded as for downloads.
    """

    def __init__(self, archive: PageArchive, max_bytes: int) -> None:
        self._archive = archive
        self._max_bytes = max_bytes

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        archive: PageArchive = crawler.spider.archive  # type: ignore[union-attr]
        return cls(archive, max_response_bytes(crawler.settings))

    async def process_request(self, request: Request) -> Response:
        # Read when the response is decompressed: no other middleware sees a request that is
        # answered here.
        request.meta.setdefault("download_maxsize", self._max_bytes)
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
