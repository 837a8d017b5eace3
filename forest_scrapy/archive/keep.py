"""Keeping all that a crawl fetches (``FOREST_WARC``)."""

from collections.abc import Mapping
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from forest_scrapy.archive.page_archive import KeptResponse, PageArchive
from forest_scrapy.archive.replay import IS_KEPT
from forest_scrapy.crawl.context import CrawlContext, context_of
from forest_scrapy.responses.notes import has_notes, notes_of

_NOT_MODIFIED = 304
#: Headers of requests that are answered with this status if nothing has changed.
_CONDITIONS = ("If-None-Match", "If-Modified-Since")


class KeepPages:
    """Downloader middleware that keeps each response in an archive as it came.  It stands next to
    the downloader, so that nothing has been decompressed or replaced yet.

    An archive that cannot be written ends the crawl, as a full disk does.
    """

    def __init__(self, crawl: CrawlContext, archive: PageArchive) -> None:
        self._crawl = crawl
        self._archive = archive

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = context_of(crawler)
        if not crawl.settings.warc:
            raise NotConfigured
        middleware = cls(crawl, PageArchive(crawl.settings.warc))
        crawler.signals.connect(middleware.close, signal=signals.engine_stopped)
        return middleware

    async def process_request(self, request: Request) -> None:
        """Have a page sent as a whole, changed or not, if what was kept of it is gone."""
        conditions = [name for name in _CONDITIONS if name in request.headers]
        if not conditions or not has_notes(request):
            return
        if not self._archive.has_page(request.url):
            for name in conditions:
                del request.headers[name]

    async def process_response(self, request: Request, response: Response) -> Response:
        """Keep a response, with the feed entry of its page."""
        if IS_KEPT in response.flags or response.status == _NOT_MODIFIED:
            return response
        if self._crawl.failure.error is None:
            entry = notes_of(request).entry
            notes = {"entry": entry.to_dict()} if entry else {}
            with self._crawl.failure.guard(OSError):
                self._archive.add(_describe(response, notes))
                self._crawl.stats.inc_value("forest/warc/responses")
        return response

    def close(self) -> None:
        """Close the files."""
        with self._crawl.failure.guard(OSError):
            self._archive.close()


def _describe(response: Response, notes: Mapping[str, Any]) -> KeptResponse:
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
    return KeptResponse(
        url=response.url,
        status=response.status,
        headers=headers,
        body=response.body,
        notes=notes,
    )
