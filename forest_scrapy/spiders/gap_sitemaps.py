"""The sitemaps of a site that may have what was missed of its feeds between two polls.

They are read once for all feeds of the site, whenever in the crawl a feed turns out to have missed
entries.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from forest_scrapy.core.moments import read_moments
from forest_scrapy.core.page.urls import own_host, page_key
from forest_scrapy.feeds.sitemap import Sitemap, SitemapUrl
from forest_scrapy.feeds.turnover import FeedGap
from forest_scrapy.spiders.sources import date_of, newest_first

#: Sitemaps of a site that are read.
MAX_SITEMAPS_OF_GAP = 10
#: Pages that are kept of a sitemap, the newest ones, until the crawl ends: some 500 bytes each.
MAX_KEPT_PAGES = 5_000
#: Older pages among which those of the feed are searched.
MAX_OLDER_PAGES = 100
#: Seconds after which the sitemaps of a site are read again, in a crawl that watches feeds.
MAX_AGE = 600


@dataclass(frozen=True)
class GapPages:
    """The pages of a sitemap of the time in which entries of a feed were missed, the newest first,
    and the newest of the older ones, which has none if the sitemap does not reach back so far."""

    urls: tuple[SitemapUrl, ...]
    older: tuple[SitemapUrl, ...] = ()

    def without_end(self) -> "GapPages":
        """The same, of which not all pages were looked at."""
        return replace(self, older=())


class GapSitemaps:
    """The sitemaps of the site with this host (``own_host``).

    - ``gaps``: the feeds of the site of which entries were missed.
    - ``requested_keys``: the keys of pages that were requested because they are in a sitemap;
      ``requests``: how many for each feed.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.gaps: dict[str, FeedGap] = {}
        self.requested_keys: set[str] = set()
        self.requests: Counter[str] = Counter()
        self._begun = time.monotonic()
        #: Sitemaps that were not requested yet, with their depth, and the URLs of those that were.
        self._further: list[tuple[SitemapUrl, int]] = []
        self._asked: set[str] = set()
        self._pages: dict[str, tuple[SitemapUrl, ...]] = {}
        #: The keys of the pages that were found for each feed: two sitemaps may have the same.
        self._found_keys: defaultdict[str, set[str]] = defaultdict(set)

    def is_outdated(self) -> bool:
        """Whether the sitemaps may have changed since they were read."""
        age = time.monotonic() - self._begun
        return age > MAX_AGE

    def add_gap(self, feed: str, gap: FeedGap) -> None:
        """A feed of the site of which entries were missed."""
        self.gaps[feed] = gap

    def add_urls(self, urls: Iterable[str], depth: int) -> None:
        """Sitemaps that a robots.txt names."""
        for url in urls:
            sitemap_url = SitemapUrl(url)
            self._further.append((sitemap_url, depth))

    def add_index(self, sitemap: Sitemap, depth: int) -> None:
        """The sitemaps that an index names, the newest first."""
        children = sorted(sitemap.urls, key=newest_first)
        for child in children:
            self._further.append((child, depth))

    def take_further(self) -> list[tuple[str, int]]:
        """The URLs and depths of the sitemaps to request now, within the bound for a site; not of
        those that have not changed since before anything was missed."""
        requests: list[tuple[str, int]] = []
        unchanged: list[tuple[SitemapUrl, int]] = []
        for child, depth in self._further:
            url = child.url
            if url in self._asked:
                continue
            is_unchanged = all(is_before(child, gap) for gap in self.gaps.values())
            if is_unchanged:
                unchanged.append((child, depth))
                continue
            if len(self._asked) < MAX_SITEMAPS_OF_GAP:
                self._asked.add(url)
                requests.append((url, depth))
        self._further = unchanged
        return requests

    def add_pages(self, url: str, sitemap: Sitemap) -> None:
        """A sitemap that was read."""
        pages = sorted(sitemap.urls, key=newest_first)
        self._pages[url] = tuple(pages[:MAX_KEPT_PAGES])

    def urls_read(self) -> list[str]:
        """The URLs of the sitemaps that were read."""
        return list(self._pages)

    def pages_of_gap(self, url: str, feed: str) -> GapPages:
        """The pages of a sitemap for a feed, without those that another sitemap had for it."""
        gap = self.gaps[feed]
        found_keys = self._found_keys[feed]
        all_pages = self._pages[url]
        pages: list[SitemapUrl] = []
        for place, page in enumerate(all_pages):
            if is_before(page, gap):
                end = place + MAX_OLDER_PAGES
                older_pages = all_pages[place:end]
                return GapPages(tuple(pages), older_pages)

            key = page_key(page.url)
            is_of_site = own_host(page.url) == self.host
            if key in found_keys or not is_of_site:
                continue
            if is_within(page, gap):
                pages.append(page)
        return GapPages(tuple(pages))

    def note_found(self, feed: str, key: str, is_requested: bool = False) -> None:
        """A page that a feed had not listed, which was requested for it just now, or not."""
        self._found_keys[feed].add(key)
        if is_requested:
            self.requested_keys.add(key)
            self.requests[feed] += 1


def is_before(page: SitemapUrl, gap: FeedGap) -> bool:
    """Whether a page of a sitemap, or a sitemap of an index, was changed last before the entries of
    a feed were missed; False without a date."""
    date = date_of(page)
    moments = read_moments(date)
    if moments is None:
        return False
    _, last = moments
    return last.timestamp() < gap.since


def is_within(page: SitemapUrl, gap: FeedGap) -> bool:
    """Whether a page of a sitemap was published, or changed, while entries of a feed were missed;
    False without a date."""
    date = date_of(page)
    moments = read_moments(date)
    if moments is None:
        return False
    first, last = moments
    is_late_enough = last.timestamp() >= gap.since
    is_early_enough = first.timestamp() <= gap.until
    return is_late_enough and is_early_enough
