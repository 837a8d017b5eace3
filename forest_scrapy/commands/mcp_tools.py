"""``scrapy forest mcp``, and ``forest-scrapy mcp``: tools for agents."""

from __future__ import annotations

import time
from argparse import Namespace
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.stored import find_wrappers, host_name, site_name
from forest_scrapy.core import ForestError
from forest_scrapy.core.page.urls import is_entry_url, strip_www
from forest_scrapy.crawl.context import open_history, store_file
from forest_scrapy.crawl.rechecks import RecheckHours, plan_next_request
from forest_scrapy.stores import HistoryStore, PageRecord

if TYPE_CHECKING:
    from forest_scrapy.integrations.mcp_server import UnrequestedPages


class MissingMcp(ForestError):
    """The library is not installed."""

    def __init__(self) -> None:
        super().__init__("mcp is not installed: pip install 'forest-scrapy[mcp]'")


class Mcp(Action):
    """Serve tools for agents over the Model Context Protocol, on standard input and output: read an
    article, learn a site, what has changed, why, and preview a correction.

    They use the settings and stores of this folder.
    """

    name = "mcp"

    @staticmethod
    def add_options(add: AddOption) -> None:
        """It has none."""

    def run(self, options: Namespace) -> str:
        """Serve until standard input ends.  Raises ``MissingMcp``."""
        try:
            from forest_scrapy.integrations.mcp_server import StoredKnowledge, make_server
        except ImportError as error:
            raise MissingMcp from error
        stored = StoredKnowledge(self._find_store, self._find_unrequested)
        server = make_server(self.config.allow_private is True, stored)
        server.run("stdio")
        return ""

    def _find_store(self, url: str) -> str:
        """The store of wrappers if it has some for the host of a URL; else ``""``."""
        try:
            templates = find_wrappers(site_name(url), self.config)
        except ForestError:
            return ""  # there is no store yet, or it does not know the host
        if not templates:
            return ""
        file = store_file(self.config.store)
        return self.config.store if file is None else str(file)

    def _find_unrequested(self, url: str, since: int) -> UnrequestedPages:
        """The known pages of the host of a URL, with and without ``www.``, that were not requested
        since then."""
        from forest_scrapy.integrations.mcp_server import UnrequestedPages

        try:
            store = open_history(self.config, must_exist=True)
        except ForestError:
            return UnrequestedPages()  # nothing is known yet
        bare_name = strip_www(host_name(url))
        pages = []
        with closing(store):
            for host in (bare_name, f"www.{bare_name}"):
                pages += [page for page in store.host_pages(host) if _is_left(page, since)]
            next_due = self._next_due(pages, store)
        if next_due is None:
            return UnrequestedPages(len(pages))
        moment = datetime.fromtimestamp(next_due, UTC)
        return UnrequestedPages(len(pages), moment.isoformat())

    def _next_due(self, pages: list[PageRecord], store: HistoryStore) -> int | None:
        """When the first of the pages is requested again, now at the earliest."""
        recheck = RecheckHours(store, tuple(self.config.recheck_hours))
        now = int(time.time())
        moments = []
        for page in pages:
            feed = store.feeds.find(page.feed) if page.feed else None
            planned = plan_next_request(page, feed, now, recheck.of(page))
            if planned.due is not None:
                moments.append(max(planned.due, now))
        return min(moments, default=None)


def _is_left(page: PageRecord, since: int) -> bool:
    """Whether a page that was fetched before is left as it was then."""
    if page.fetched is None or page.outcome == "gone" or is_entry_url(page.url):
        return False
    return page.fetched < since
