"""The pages that a crawl keeps for its report, in a temporary file."""

from __future__ import annotations

import zlib
from tempfile import TemporaryFile

from scrapy.http import HtmlResponse, Response, TextResponse

from forest_scrapy.core import Entry, Page
from forest_scrapy.runtime.pages.responses import page_of

__all__ = ["KeptPage", "PageFile"]


class KeptPage:
    """A page in a ``PageFile``."""

    def __init__(self, pages: PageFile, start: int, size: int, response: Response) -> None:
        self._pages, self._start, self._size = pages, start, size
        self.url = response.url
        self._encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"
        self.entry: Entry | None = None

    def read(self) -> Page:
        """Parse the page.  Raises ``OSError``."""
        body = zlib.decompress(self._pages.read(self._start, self._size))
        response = HtmlResponse(self.url, body=body, encoding=self._encoding)
        return page_of(response, self.entry)


class PageFile:
    """Pages, compressed, in a temporary file that is deleted when it is closed."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by close
        self._size = 0

    def add(self, response: Response, entry: Entry | None) -> KeptPage:
        """Keep a page.  Raises ``OSError``."""
        packed = zlib.compress(response.body, 1)
        self._file.seek(self._size)
        self._file.write(packed)
        page = KeptPage(self, self._size, len(packed), response)
        page.entry = entry
        self._size += len(packed)
        return page

    def read(self, start: int, size: int) -> bytes:
        """The bytes of a page."""
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()
