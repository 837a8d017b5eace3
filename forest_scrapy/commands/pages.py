"""The pages named on the command line: files are read, URLs fetched by Scrapy."""

import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure

from forest_scrapy.addon import Addon
from forest_scrapy.commands.forest_command import Action, write_piece
from forest_scrapy.commands.kept_pages import (
    find_kept_pages,
    is_of_many_pages,
    read_named_pages,
)
from forest_scrapy.core import Entry, Page
from forest_scrapy.core.page.urls import is_entry_url, is_url, page_key, with_scheme
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.unfetched import describe_error
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.input_files import read_bytes
from forest_scrapy.responses.accept import FEED_TYPES, accept_headers
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding
from forest_scrapy.responses.downloads import GuardedSpider, is_too_large
from forest_scrapy.responses.probe import Probe, has_many_paths
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


#: A host, and what may follow it; not the name of a file.
_WITHOUT_SCHEME = re.compile(
    r"(?:(?:[\w-]+\.)+(?!(?:x?html?|xml)$)[a-z]{2,}(?:[:/?]|$)|[\w.-]+:[0-9]+(?:[/?]|$))",
    re.IGNORECASE,
)

#: The messages on pages that ``refuse_page`` refuses.
_REASONS = {
    "empty": "is empty",
    "too_large": "is larger than FOREST_MAX_BYTES",
    "too_slow": "takes too much time or memory to read (FOREST_PAGE_SECONDS)",
    "not_html": "is not HTML",
}


def read_pages(
    names: Sequence[str],
    feed: str,
    action: Action,
    announced: str = "",
    fetched: "Fetched | None" = None,
    task: str = "page",
    uses_kept: bool = True,
) -> list[Page]:
    """The pages of files and URLs in the order given, with their entries from the feed, a URL or a
    file, if any; for each that cannot be used, a message is added to the action's errors.

    A folder or a WARC file gives its first pages.  Without names, the pages are the first
    ``FOREST_PAGES`` items of the feed.  Pages that ``FOREST_WARC`` has kept are taken from there,
    and a crawl is started only if something has to be fetched.  ``announced``: what the pages are
    of, if it is told how many are fetched.  ``fetched``: what the responses are added to, if they
    are wanted, too.  Pages and feeds that may take long are read with limits; ``task``: see
    ``Probe``.  ``uses_kept``: False to fetch pages that were kept, too.  Raises ``BadStore``.
    """
    config = action.config
    if fetched is None:
        fetched = Fetched(action.errors)
    names = [complete_name(name) for name in names]
    feed = complete_name(feed)
    names = list(_read_folders(names, fetched, config))

    if feed and not is_url(feed):
        _read_feed_file(feed, fetched, config)

    for name in names:
        if is_entry_url(name):
            fetched.errors.append(f"{name}: is an entry of a feed, without a page of its own")
    urls = [name for name in names if is_url(name) and not is_entry_url(name)]
    if uses_kept:
        read_kept_pages(urls, fetched, config)
    urls = [url for url in urls if url not in fetched.responses]

    fetches_items = not names and bool(fetched.items)
    if urls or is_url(feed) or fetches_items:
        if announced:
            write_piece(f"Fetching {count(len(urls), 'page')} of {announced}\n", sys.stderr)
        item_count = 0 if names else config.pages
        fetch(urls, feed, item_count, action.settings, fetched)

    # Pages of folders that have no URL are read, under the name of their file.
    files = [name for name in names if not is_url(name) and name not in fetched.responses]
    _read_page_files(files, fetched)
    if not names:
        names = fetched.items[: config.pages]
    return _collect_pages(names, fetched, config, task)


def read_kept(urls: Sequence[str], action: Action) -> list[Page]:
    """The pages of URLs that ``FOREST_WARC`` has kept; nothing is fetched, and what was not kept is
    left out.  Raises ``BadStore``."""
    fetched = Fetched(action.errors)
    read_kept_pages(urls, fetched, action.config)
    kept_urls = [url for url in urls if url in fetched.responses]
    return _collect_pages(kept_urls, fetched, action.config)


def read_kept_pages(
    urls: Sequence[str],
    fetched: "Fetched",
    config: ForestSettings,
) -> None:
    """Add the responses of these URLs that were kept, and say how many there are."""
    responses, entries = find_kept_pages(urls, config)
    fetched.responses |= responses
    fetched.kept_urls.update(responses)
    for url, entry in entries.items():
        fetched.entries.setdefault(page_key(url), entry)
    if responses:
        message = f"{count(len(responses), 'page')} as kept in {config.warc}\n"
        write_piece(message, sys.stderr)


def _read_folders(
    names: Sequence[str],
    fetched: "Fetched",
    config: ForestSettings,
) -> Iterator[str]:
    """The names, with the URLs of the pages of folders and WARC files in the place of these, whose
    responses are added."""
    for name in names:
        if not is_of_many_pages(name):
            yield name
            continue
        error_count = len(fetched.errors)
        has_pages = False
        for response in read_named_pages(name, config.max_bytes, fetched.errors):
            has_pages = True
            if response.url not in fetched.responses:
                fetched.responses[response.url] = response
                yield response.url
        if not has_pages and len(fetched.errors) == error_count:
            fetched.errors.append(f"{name}: there are no pages in it")


def complete_name(name: str) -> str:
    """The name of a page; what is no file, and looks like a URL without a scheme, gets one.

    >>> complete_name("example.org/news"), complete_name("example.org"), complete_name("page")
    ('https://example.org/news', 'https://example.org', 'page')
    """
    if _WITHOUT_SCHEME.match(name) and not Path(name).exists():
        return with_scheme(name)
    return name


def _read_feed_file(
    name: str,
    fetched: "Fetched",
    config: ForestSettings,
) -> None:
    try:
        response = read_response(name)
    except OSError as error:
        fetched.errors.append(f"{name}: {error.strerror}")
    else:
        with closing(Probe(config.page_seconds)) as probe:
            feed = probe.read_feed_now(response)
        fetched.add_items(feed, response.url)


def _read_page_files(names: Sequence[str], fetched: "Fetched") -> None:
    for name in dict.fromkeys(names):
        try:
            fetched.responses[name] = read_response(name)
        except FileNotFoundError:
            fetched.errors.append(f"{name}: not a file, and not an http or https URL")
        except OSError as error:
            fetched.errors.append(f"{name}: {error.strerror}")


def _collect_pages(
    names: Sequence[str],
    fetched: "Fetched",
    config: ForestSettings,
    task: str = "page",
) -> list[Page]:
    pages = []
    errors = fetched.errors
    with closing(Probe(config.page_seconds, config.options, task)) as probe:
        for name in dict.fromkeys(names):
            if name in fetched.responses:
                page, reason = _read_page(name, fetched, config, probe)
                if page is not None:
                    pages.append(page)
                else:
                    errors.append(f"{name}: {reason}")
            elif not any(error.startswith(f"{name}: ") for error in errors):
                errors.append(f"{name}: was not fetched; see the log, with -L INFO")
    return pages


def _read_page(
    name: str,
    fetched: "Fetched",
    config: ForestSettings,
    probe: Probe,
) -> tuple[Page | None, str]:
    """The page, or None and the reason why it cannot be used."""
    response = repair_encoding(fetched.responses[name])
    reason = refuse_page(response, config.max_bytes)
    if not reason and not isinstance(response, HtmlResponse):
        # A crawl reads any text; this is to explain pages.
        reason = "not_html"
    if not reason and probe.check(response):
        reason = "too_slow"
    if reason:
        fetched.refusals[name] = reason
        return None, _REASONS[reason]
    page = _make_page(name, response, fetched, config.feed_fields)
    if has_many_paths(page) and probe.check(response, is_unusual=True):
        fetched.refusals[name] = "too_slow"
        return None, _REASONS["too_slow"]
    if not page.outline.leaves:
        return None, "has no text"
    return page, ""


def _make_page(
    name: str,
    response: Response,
    fetched: "Fetched",
    feed_fields: bool,
) -> Page:
    """The page with its feed entry; the URL of a file is its canonical link, if any."""
    if not is_url(name):
        canonical = response.xpath("string(//link[@rel='canonical']/@href)").get("").strip()
        url = urljoin(response.url, canonical)
        if is_url(url):
            response = response.replace(url=url)
    entry = fetched.entry_of(name, response.url)
    return page_of(response, entry, feed_fields)


@dataclass
class Fetched:
    """The pages and the feed that were read and fetched.

    - ``errors``: one message for each failure.
    - ``responses``: by the URL or file name asked for; ``kept_urls``: those of the responses that
      ``FOREST_WARC`` has kept.
    - ``failed_statuses``: those of responses that are errors, by the URL asked for;
      ``refusals``: the names of the reasons why responses cannot be read.
    - ``items``: the URLs of the feed's items that have a page; ``entries``: the feed's entries by
      page key.
    """

    errors: list[str]
    responses: dict[str, Response] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    kept_urls: set[str] = field(default_factory=set)
    failed_statuses: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)

    def entry_of(self, *urls: str) -> Entry | None:
        """The feed's entry for a page with one of these URLs, None if there is none."""
        for url in urls:
            key = page_key(url)
            if key in self.entries:
                return self.entries[key]
        return None

    def add_items(self, feed: Feed, url: str) -> None:
        """Add the items of a feed that was read, or the reason why it has none."""
        for url_of_item, entry in feed.items:
            if not is_entry_url(url_of_item):
                self.items.append(url_of_item)
            self.entries[page_key(url_of_item)] = entry
        if feed.problem:
            self.errors.append(f"{url}: {feed.problem}")


def read_response(name: str) -> Response:
    """The file as a response; Scrapy detects its type and encoding.

    Raises ``OSError``.
    """
    path = Path(name)
    body = read_bytes(path)
    response_class = responsetypes.from_args(filename=name, body=body)
    return response_class(path.absolute().as_uri(), body=body)


def fetch(
    urls: Sequence[str],
    feed: str,
    items: int,
    settings: Settings,
    fetched: Fetched,
) -> None:
    """Fetch the feed, if any, and the URLs; without URLs, the first ``items`` items of the feed.

    Uses the project's settings (proxies, user agent, robots.txt, throttling).  Raises
    ``BadSetting`` if the reactor is not Scrapy's default.
    """
    check_reactor(settings)
    process = AsyncCrawlerProcess(_without_outputs(settings))
    process.crawl(PageSpider, urls=urls, feed=feed, items=items, fetched=fetched)
    process.start()
    if process.bootstrap_failed:
        fetched.errors.append("the crawl did not start; see the log, with -L INFO")


def check_reactor(settings: BaseSettings) -> None:
    """Raise ``BadSetting`` if the reactor is not Scrapy's default."""
    reactor = settings["TWISTED_REACTOR"]
    if reactor != _ASYNCIO:
        raise BadSetting("TWISTED_REACTOR", reactor, "Scrapy's default, the asyncio reactor")


class PageSpider(GuardedSpider):
    """Fetches pages and keeps the responses; yields no items.

    Addresses and sizes are limited as in a crawl: the feed chooses URLs, and a server redirects.
    """

    name = "forest-explain"

    def __init__(
        self,
        urls: Sequence[str],
        feed: str,
        items: int,
        fetched: Fetched,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._urls = urls
        self._feed = feed
        self._items = items
        self._fetched = fetched
        self.start_urls = [url for url in (feed, *urls) if is_url(url)]

    async def start(self) -> AsyncIterator[Request]:
        if self._feed and is_url(self._feed):
            headers = accept_headers(self.settings, FEED_TYPES)
            yield self._request(self._feed, self.parse_feed, headers)
        else:
            for request in self._page_requests():
                yield request

    async def parse_feed(
        self,
        response: Response,
        asked: str,
    ) -> AsyncIterator[Request]:
        with closing(Probe(read_settings(self.settings).page_seconds)) as probe:
            feed = await probe.read_feed(response)
        self._fetched.add_items(feed, response.url)
        for request in self._page_requests():
            yield request

    def parse(self, response: Response, **kwargs: Any) -> None:
        self._fetched.responses[kwargs["asked"]] = response

    def failed(self, failure: Failure) -> Iterable[Request]:
        request = failure.request  # type: ignore[attr-defined]
        asked = request.cb_kwargs["asked"]
        if is_too_large(failure.value):
            reason = _REASONS["too_large"]
        else:
            reason = f"cannot be fetched: {describe_error(failure.value)}"
        if isinstance(failure.value, HttpError):
            self._fetched.failed_statuses[asked] = failure.value.response.status
        self._fetched.errors.append(f"{asked}: {reason}")
        if asked == self._feed:
            return self._page_requests()
        return ()

    def _page_requests(self) -> list[Request]:
        urls = self._urls or self._fetched.items[: self._items]
        return [self._request(url, self.parse) for url in dict.fromkeys(urls)]

    def _request(
        self,
        url: str,
        callback: Any,
        headers: dict[str, str] | None = None,
    ) -> Request:
        return Request(
            url,
            callback,
            headers=headers,
            errback=self.failed,
            cb_kwargs={"asked": url},
            dont_filter=True,
        )


#: Extensions of Scrapy that control or export a crawl; importing the first one takes a fifth of the
#: time that a page takes.
_UNUSED_EXTENSIONS = (
    "scrapy.extensions.remote_control.RemoteControl",
    "scrapy.extensions.telnet.TelnetConsole",
)


def _without_outputs(settings: Settings) -> Settings:
    """The settings for a crawl without exports, pipelines, a job directory and our own add-on.

    The add-on would open its stores.  Nothing is logged unless the command line sets a log
    level, since errors are reported.
    """
    addons = dict(settings["ADDONS"] or {})
    addons = {addon: addons[addon] for addon in addons if load_object(addon) is not Addon}
    quiet = settings.copy()
    quiet.set("ADDONS", addons, priority="cmdline")
    quiet.set("FEEDS", {}, priority="cmdline")
    quiet.set("ITEM_PIPELINES", {}, priority="cmdline")
    for extension in _UNUSED_EXTENSIONS:
        if extension in quiet["EXTENSIONS_BASE"]:
            quiet["EXTENSIONS_BASE"].set(extension, None, priority="cmdline")
    quiet.set("JOBDIR", None, priority="cmdline")
    if (settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
        quiet.set("LOG_LEVEL", "CRITICAL", priority="cmdline")
    return quiet
