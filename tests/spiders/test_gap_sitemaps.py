"""Which sitemaps and pages of a site are looked at for what was missed of its feeds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from forest_scrapy.core.page.urls import own_host, page_key
from forest_scrapy.feeds.sitemap import Sitemap, SitemapUrl
from forest_scrapy.feeds.turnover import FeedGap
from forest_scrapy.spiders import gap_sitemaps
from forest_scrapy.spiders.gap_sitemaps import MAX_SITEMAPS_OF_GAP, GapSitemaps

SITE = "http://a.example"


def listed(path: str, seconds: int) -> SitemapUrl:
    return SitemapUrl(f"{SITE}{path}", datetime.fromtimestamp(seconds, UTC).isoformat())


@pytest.fixture
def sitemaps() -> GapSitemaps:
    result = GapSitemaps(own_host(SITE))
    result.add_gap("first", FeedGap(5, True, since=1000, until=2000))
    return result


def test_sitemaps_from_before_the_gap_wait_for_a_feed_with_an_earlier_one(
    sitemaps: GapSitemaps,
) -> None:
    index = Sitemap("index", (listed("/old.xml", 500), listed("/new.xml", 1500)))
    sitemaps.add_index(index, 2)
    assert sitemaps.take_further() == [(f"{SITE}/new.xml", 2)]
    sitemaps.add_gap("second", FeedGap(5, True, since=400, until=2000))
    assert sitemaps.take_further() == [(f"{SITE}/old.xml", 2)]
    sitemaps.add_index(index, 2)
    assert sitemaps.take_further() == [], "each is read once"


def test_so_many_sitemaps_are_read_of_a_site(sitemaps: GapSitemaps) -> None:
    for start in (0, MAX_SITEMAPS_OF_GAP):
        numbers = range(start, start + MAX_SITEMAPS_OF_GAP)
        sitemaps.add_urls([f"{SITE}/{number}.xml" for number in numbers], 1)
        assert len(sitemaps.take_further()) == (0 if start else MAX_SITEMAPS_OF_GAP)


def test_the_pages_of_a_gap(sitemaps: GapSitemaps) -> None:
    pages = [listed(f"/{seconds}", seconds) for seconds in (900, 1000, 1500, 2000, 2100)]
    other_site = SitemapUrl("http://b.example/", pages[2].modified)
    sitemaps.add_pages("all", Sitemap("pages", (*pages, other_site, SitemapUrl(f"{SITE}/undated"))))
    found = sitemaps.pages_of_gap("all", "first")
    assert [page.url for page in found.urls] == [pages[3].url, pages[2].url, pages[1].url]
    assert found.older[0] == pages[0] and not found.without_end().older
    sitemaps.note_found("first", page_key(pages[2].url))
    assert pages[2] not in sitemaps.pages_of_gap("all", "first").urls, "it counts once"
    sitemaps.add_gap("second", FeedGap(5, True, since=800, until=2000))
    found = sitemaps.pages_of_gap("all", "second")
    assert (len(found.urls), found.older) == (4, ())


def test_sitemaps_are_read_again_by_a_crawl_that_goes_on(
    sitemaps: GapSitemaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not sitemaps.is_outdated()
    monkeypatch.setattr(gap_sitemaps, "MAX_AGE", -1)
    assert sitemaps.is_outdated()
