"""The requests of a crawl that have no outcome yet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection

from scrapy import Request

from forest_scrapy.core.page.urls import page_key, site_of
from forest_scrapy.responses.conversion import first_url

__all__ = ["OutstandingRequests"]


class OutstandingRequests:
    """The requests of our spiders for pages and feeds that have no outcome yet, by site and feed.

    They tell whether more pages of a host may come, so that its templates are learned from the
    same pages whatever the order of the responses.  Requests are added when they are made, and
    removed when their response, or their failure, was processed.  Those of other spiders, and
    those in the queue of a resumed crawl, are not known.

    ``on_complete``: called with the hosts of which no more pages are expected.
    """

    def __init__(self) -> None:
        self.on_complete: Callable[[Collection[str]], None] | None = None
        #: The site and the feed of each request, by the key of its URL.
        self._requests: dict[str, tuple[str, str]] = {}
        self._by_group: Counter[str] = Counter()
        #: The sites and feeds from which a host has pages, and the hosts of each.
        self._groups: defaultdict[str, set[str]] = defaultdict(set)
        self._hosts: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, url: str, feed: str = "") -> None:
        """Note a request; ``feed``: the URL of the feed that lists the page."""
        key = page_key(url)
        if key not in self._requests:
            groups = self._requests[key] = (site_of(url), feed)
            self._by_group.update(filter(None, groups))

    def remove(self, request: Request) -> None:
        """Note that a request has an outcome."""
        complete = set()
        for group in self._requests.pop(page_key(first_url(request)), ()):
            self._by_group[group] -= 1
            if not self._by_group[group]:
                del self._by_group[group]
                complete |= self._hosts.get(group, set())
        hosts = sorted(host for host in complete if not self.may_bring(host))
        if hosts and self.on_complete:
            self.on_complete(hosts)

    def add_page(self, host: str, url: str, feed: str = "") -> None:
        """Note that a page of a host has come, listed by a feed or not."""
        groups = {site_of(url), feed} - {""}
        for group in groups - self._groups[host]:
            self._groups[host].add(group)
            self._hosts[group].add(host)

    def may_bring(self, host: str) -> bool:
        """Whether more pages of a host may come: there are requests to its site, or for items of
        a feed that has listed pages of it."""
        return any(group in self._by_group for group in self._groups.get(host, ()))

    @property
    def is_empty(self) -> bool:
        """Whether all requests that were added have an outcome."""
        return not self._requests

    def clear(self) -> None:
        """Forget all requests: the crawl is idle."""
        self._requests.clear()
        self._by_group.clear()
