"""What a store that fails does to a crawl."""

from __future__ import annotations

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.stores.database import SharedStoreFailed, StoreFailed


@pytest.fixture
def failure() -> DiskFailure:
    return DiskFailure(MemoryStatsCollector(Crawler(Spider)))


def read(failure: DiskFailure, error: Exception | None) -> str:
    with failure.guard(OSError):
        if error:
            raise error
        return "read"
    return "not read"


def test_a_block_ends_where_a_store_fails(failure: DiskFailure) -> None:
    assert (read(failure, None), failure.error) == ("read", None)
    first, second = StoreFailed("full"), OSError("full")
    assert read(failure, first) == read(failure, second) == "not read"
    assert failure.error is first
    assert failure._stats.get_value("forest/disk/failed") == 2
    with pytest.raises(ValueError, match="another"):
        read(failure, ValueError("another"))


def test_errors_of_stores_are_told_from_others(failure: DiskFailure) -> None:
    assert not failure.take(None) and not failure.take(OSError())
    assert failure.error is None
    assert failure.take(SharedStoreFailed("denied"))
    assert failure._stats.get_value("forest/store/failed") == 1
