"""``scrapy crawl refresh``: articles are extracted again from stored pages."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from forest_scrapy.core import Entry
from forest_scrapy.core.items import OTHER_ITEMS
from forest_scrapy.core.moments import parse_moment
from forest_scrapy.core.page.urls import host_with_port, is_of_host, page_key, split_port
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.page_records import page_digest
from forest_scrapy.crawl.unfetched import failure_reason
from forest_scrapy.items import Item
from forest_scrapy.responses.notes import PageNotes
from forest_scrapy.settings import crawl_command
from forest_scrapy.spiders.arguments import BadArgument
from forest_scrapy.spiders.base import ArticleSpider

if TYPE_CHECKING:
    from forest_scrapy.archive.page_archive import PageArchive

#: Before all other downloader middlewares: nothing is requested from the network.
_ORDER = 1


class RefreshSpider(ArticleSpider):
    """Extracts the articles of hosts again from the pages that ``FOREST_WARC`` has stored: after a
    correction of a wrapper, or with a new version.  Nothing is downloaded.

    - ``-a host=HOST[,HOST...]``: the hosts, or a URL of each.

    Articles whose text is another now are emitted, with ``change.kind`` ``wrapper``, and the
    history has their new text.  Pages that were not stored, or that have changed since, are left as
    they are, as are those of an older layout, which the wrapper does not fit, and those of other
    kinds: threads, products, lists.  The stored wrappers stay.  Raises ``BadArgument``.
    """

    name = "refresh"
    keeps_rules = True

    def __init__(
        self,
        *args: Any,
        host: str = "",
        **kwargs: Any,
    ) -> None:
        kwargs["only_new"] = "yes"
        super().__init__(*args, **kwargs)
        names = []
        for part in host.split(","):
            name = part.strip()
            if name:
                names.append(name)
        if not names:
            raise BadArgument(
                f"nothing to refresh: name the host, {crawl_command()} refresh -a host=HOST;"
                " scrapy forest history lists those that are known"
            )
        self._hosts = [host_with_port(name if "://" in name else f"//{name}") for name in names]

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        # Imported here: Scrapy loads every spider.
        from forest_scrapy.archive.replay import ReplayPages

        super().update_settings(settings)
        middlewares = settings["DOWNLOADER_MIDDLEWARES"].copy()
        middlewares.set(ReplayPages, _ORDER, priority="spider")
        settings.set("DOWNLOADER_MIDDLEWARES", middlewares, priority="spider")
        for name in ("ROBOTSTXT_OBEY", "AUTOTHROTTLE_ENABLED", "HTTPCACHE_ENABLED"):
            settings.set(name, False, priority="spider")

    @property
    def archive(self) -> "PageArchive":
        """The stored pages; opened once.  Raises ``BadArgument`` and ``BadStore``."""
        if not hasattr(self, "_archive"):
            folder = self.crawl.settings.warc
            if not folder:
                raise BadArgument(
                    'FOREST_WARC = "" keeps no pages: name the folder of those that were kept, such'
                    " as -s FOREST_WARC=pages"
                )
            from forest_scrapy.archive.page_archive import PageArchive

            self._archive = PageArchive(folder, must_exist=True)
            self.crawler.signals.connect(self._archive.close, signal=signals.engine_stopped)
        return self._archive

    async def start(self) -> AsyncIterator[Any]:
        """Requests for the articles that the history has; a host of which it has none fails."""
        for host in self._hosts:
            urls = self._find_articles(host)
            if not urls:
                self.count("forest/failed/unknown_host")
                self.logger.error(
                    "The history has no article of %s; scrapy forest history lists the hosts that"
                    " are known",
                    host,
                )
                continue
            requests = list(self._requests(urls))
            self.logger.info(
                "%s: %s, the pages of %d were kept",
                host,
                count(len(urls), "article"),
                len(requests),
            )
            for request in requests:
                yield request

    def _find_articles(self, host: str) -> list[str]:
        """The URLs of the articles of a host.  Pages of other kinds stay what they are: as articles
        they would get wrappers that their templates do not have."""
        urls = []
        other_kinds: Counter[str] = Counter()
        name, _ = split_port(host)
        for page in self.crawl.history.store.host_pages(name):
            if not is_of_host(page.url, host):
                continue
            if page.outcome != "article":
                continue
            if page.method in OTHER_ITEMS:
                other_kinds[page.method] += 1
            else:
                urls.append(page.url)
        if other_kinds:
            self.count("forest/refresh/other_kind", other_kinds.total())
            self.logger.info(
                "%s: pages of other kinds than articles are left as they are: %s",
                host,
                ", ".join(count(number, kind) for kind, number in sorted(other_kinds.items())),
            )
        return urls

    def _requests(self, urls: list[str]) -> Iterator[Request]:
        for url in urls:
            stored_page = self.archive.describe(url)
            if stored_page is None:
                self.count("forest/refresh/not_kept")
                continue
            moment, description = stored_page
            entry = None
            if "entry" in description:
                entry = Entry.from_dict(description["entry"])
            notes = PageNotes(entry, was_article=True, fetched_at=_in_utc(moment))
            yield self.page_request(url, notes)

    def further_requests(
        self,
        url: str,
        notes: PageNotes,
    ) -> Iterator[Request]:
        """The request for a further page of an article, if it was stored."""
        if page_key(url) in self._seen:
            return
        stored_page = self.archive.describe(url)
        if stored_page is not None:
            moment, _ = stored_page
            yield self.page_request(url, replace(notes, fetched_at=_in_utc(moment)))

    async def parse_page(self, response: Response) -> AsyncIterator[Any]:
        """The page, if it is the one that the article was taken from."""
        # A crawl may have fetched another page meanwhile.
        record = self.crawl.history.known(response)
        if record is None or record.page_digest != page_digest(response):
            self.count("forest/refresh/other_page")
            self.logger.info("%s is left as it is: another page of it was kept", response.url)
            return
        async for output in super().parse_page(response):
            yield output

    def page_failed(self, failure: Failure) -> list[Item]:
        """Count a page whose response, or that of a redirect, was not stored."""
        request = self.failed_request(failure)
        self.count("forest/refresh/not_kept")
        self.logger.info("%s is left as it is: %s", request.url, failure_reason(failure))
        return []


def _in_utc(moment: str) -> str:
    return parse_moment(moment).astimezone(UTC).isoformat()
