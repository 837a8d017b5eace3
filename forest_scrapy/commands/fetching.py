"""Pages named on the command line: files are read, addresses fetched by Scrapy itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure

from forest_scrapy.addon import Addon
from forest_scrapy.core import Entry
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.runtime.responses import page_key
from forest_scrapy.settings import BadSetting

__all__ = ["Fetched", "fetch", "is_url", "read_file"]

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


@dataclass
class Fetched:
    """What came of the addresses: responses by the address asked for, the addresses of the
    feed's items, their entries by page key, and complaints."""

    responses: dict[str, Response] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def entry_of(self, *urls: str) -> Entry | None:
        """What the feed says of a page that has one of these addresses."""
        keys = (page_key(url) for url in urls)
        return next((self.entries[key] for key in keys if key in self.entries), None)

    def note_feed(self, body: bytes, url: str, headers: Mapping[str, str]) -> None:
        """Keep the items of a feed, or say what is wrong with it."""
        found, fault = read_feed(body, url, headers)
        self.items += [item for item, _ in found]
        self.entries |= {page_key(item): entry for item, entry in found}
        if fault:
            self.complaints.append(f"{url}: {fault}")


def is_url(text: str) -> bool:
    """Whether it names a page to fetch.

    >>> is_url("https://a.example/1"), is_url("pages/1.html"), is_url("http://")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def read_file(name: str) -> Response:
    """The file as a response, its type and encoding found as Scrapy finds them.  Raises
    ``OSError``."""
    path = Path(name)
    body = path.read_bytes()
    kind = responsetypes.from_args(filename=name, body=body)
    return kind(path.absolute().as_uri(), body=body)


def fetch(urls: Sequence[str], feed: str, items: int, settings: Settings, fetched: Fetched) -> None:
    """Fetch the feed, if one is named, and the addresses; where none is, the feed's first
    items.  By the project's settings: its proxies, its user agent, its manners.  Raises
    ``BadSetting`` for another reactor than Scrapy's default."""
    reactor = settings["TWISTED_REACTOR"]
    if reactor != _ASYNCIO:
        raise BadSetting("TWISTED_REACTOR", reactor, "Scrapy's default, the asyncio reactor")
    process = AsyncCrawlerProcess(_without_outputs(settings))
    process.crawl(PageSpider, urls=urls, feed=feed, items=items, fetched=fetched)
    process.start()
    if process.bootstrap_failed:
        fetched.complaints.append("the crawl did not start; with -L INFO the log tells why")


class PageSpider(Spider):
    """Fetches pages and keeps them; no item comes out."""

    name = "forest-explain"

    def __init__(
        self, urls: Sequence[str], feed: str, items: int, fetched: Fetched, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._urls, self._feed, self._items, self._fetched = urls, feed, items, fetched

    async def start(self) -> AsyncIterator[Request]:
        if self._feed and is_url(self._feed):
            yield self._request(self._feed, self.parse_feed)
        else:
            for request in self._page_requests():
                yield request

    def parse_feed(self, response: Response, asked: str) -> Iterable[Request]:
        headers = {str(k): str(v) for k, v in response.headers.to_unicode_dict().items()}
        self._fetched.note_feed(response.body, response.url, headers)
        return self._page_requests()

    def parse(self, response: Response, **kwargs: Any) -> None:
        self._fetched.responses[kwargs["asked"]] = response

    def failed(self, failure: Failure) -> Iterable[Request]:
        error, request = failure.value, failure.request  # type: ignore[attr-defined]
        asked = request.cb_kwargs["asked"]
        reason = f"status {error.response.status}" if isinstance(error, HttpError) else _say(error)
        self._fetched.complaints.append(f"{asked}: cannot be fetched: {reason}")
        return self._page_requests() if asked == self._feed else ()

    def _page_requests(self) -> list[Request]:
        urls = self._urls or self._fetched.items[: self._items]
        return [self._request(url, self.parse) for url in dict.fromkeys(urls)]

    def _request(self, url: str, callback: Any) -> Request:
        return Request(
            url, callback, errback=self.failed, cb_kwargs={"asked": url}, dont_filter=True
        )


def _say(error: BaseException | None) -> str:
    """An error on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _without_outputs(settings: Settings) -> Settings:
    """The settings for a crawl that leaves nothing behind: no exports, no pipelines, no job, and
    no add-on of ours, which would open its stores.  Errors are told, so they are not logged
    unless a log is asked for."""
    quiet = settings.copy()
    addons = dict(settings["ADDONS"] or {})
    kept = {addon: order for addon, order in addons.items() if load_object(addon) is not Addon}
    for name, value in (("ADDONS", kept), ("FEEDS", {}), ("ITEM_PIPELINES", {}), ("JOBDIR", None)):
        quiet.set(name, value, priority="cmdline")
    if (settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
        quiet.set("LOG_LEVEL", "CRITICAL", priority="cmdline")
    return quiet
