"""Which requests count in ``CONCURRENT_REQUESTS``, so that hosts that send next to nothing do not
hold up the others.

Scrapy counts a request from when it leaves the queue until its response is there, also while it
waits for its own host: thirty pages that come at a byte a second hold all places for one
``DOWNLOAD_TIMEOUT`` after the other.  No download is stopped here: nothing is lost of a server that
is slow, but honest.
"""

from collections import Counter
from collections.abc import Iterable
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface
from scrapy.settings import BaseSettings
from twisted.internet.defer import Deferred

#: A request is slow if it brings fewer bytes a second, for so many seconds.
_MIN_BYTES_PER_SECOND = 5_000
_PATIENCE_SECONDS = 3.0
#: Slow requests that take no place.  Each may have a connection, and up to 1 MB of a page.
_MAX_SLOW = 200


def share_places(settings: BaseSettings) -> None:
    """Use the two classes of this module, unless the project has such classes of its own, or
    counts by IP address, which Scrapy's own queue does not support."""
    if settings.getpriority("DOWNLOADER"):
        return
    if settings.getpriority("SCHEDULER_PRIORITY_QUEUE"):
        return
    if settings.getint("CONCURRENT_REQUESTS_PER_IP"):
        return
    settings.set("DOWNLOADER", PatientDownloader, priority="addon")
    settings.set("SCHEDULER_PRIORITY_QUEUE", OpenHostsQueue, priority="addon")


class PatientDownloader(Downloader):
    """Scrapy's downloader; slow requests do not count in ``CONCURRENT_REQUESTS``, up to a bound."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        #: When a request will be slow, or has become it; bytes that arrive postpone that.
        self._slow_at: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        crawler.signals.connect(self._bytes_received, signal=signals.bytes_received)

    def fetch(self, request: Request, *args: Any) -> Deferred[Any]:
        self._slow_at[request] = monotonic() + _PATIENCE_SECONDS
        return super().fetch(request, *args)

    def needs_backout(self) -> bool:
        if not super().needs_backout():
            return False
        slow_count = sum(map(self._is_slow, self.active))
        free_of_place = min(slow_count, _MAX_SLOW)
        places_taken = len(self.active) - free_of_place
        return places_taken >= self.total_concurrency

    def busy_hosts(self) -> dict[str, int]:
        """The number of requests by slot, also of those that have not reached it yet."""
        slots = map(self.get_slot_key, self.active)
        return Counter(slots)

    def max_requests(self, name: str) -> int:
        """How many requests of a slot may be here: others would only wait, and take places."""
        slot_settings = self.per_slot_settings.get(name, {})
        limit = int(slot_settings.get("concurrency", self.domain_concurrency))
        if not self.total_concurrency:
            return limit
        return min(limit, self.total_concurrency)

    def _is_slow(self, request: Request) -> bool:
        # A browser loads its pages itself, and each takes much memory.
        if "playwright" in request.meta:
            return False
        return self._slow_at[request] < monotonic()

    def _bytes_received(self, data: bytes, request: Request) -> None:
        slow_at = self._slow_at.get(request)
        if slow_at is None:
            return
        seconds = len(data) / _MIN_BYTES_PER_SECOND
        postponed = slow_at + seconds
        latest = monotonic() + _PATIENCE_SECONDS
        self._slow_at[request] = min(latest, postponed)


class OpenHostsQueue(DownloaderAwarePriorityQueue):
    """Scrapy's queue, which takes the host with the fewest requests first; without hosts that have
    as many as they may.  Its files in ``JOBDIR`` are those of Scrapy."""

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:
        super().__init__(crawler, *args, **kwargs)
        self._downloader_interface = _OpenHosts(crawler)


class _OpenHosts(DownloaderInterface):
    def stats(self, possible_slots: Iterable[str]) -> list[tuple[int, str]]:
        downloader = self.downloader
        if not isinstance(downloader, PatientDownloader):
            return super().stats(possible_slots)
        busy_hosts = downloader.busy_hosts()
        stats = []
        for name in possible_slots:
            request_count = busy_hosts[name]
            max_requests = downloader.max_requests(name)
            if request_count < max_requests:
                stats.append((request_count, name))
        return stats
