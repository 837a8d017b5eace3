from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.spiders.arguments import BadArgument, Shard, read_shard
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.site_spider import SiteSpider

URLS = [f"https://{name}.example-{n}.co.uk/feed" for n in range(40) for name in ("www", "blog")]


@given(st.integers(1, 9))
def test_each_url_is_in_one_part(count: int) -> None:
    parts = [Shard(number, count).select(URLS) for number in range(1, count + 1)]
    assert sorted(url for part in parts for url in part) == sorted(URLS)


def test_all_hosts_of_a_domain_are_in_one_part() -> None:
    for one, other in zip(URLS[::2], URLS[1::2], strict=True):
        assert Shard(1, 4).has(one) == Shard(1, 4).has(other)


def test_parts_are_of_similar_size() -> None:
    sizes = [len(Shard(number, 4).select(URLS)) for number in range(1, 5)]
    assert min(sizes) >= 8


def test_the_same_on_all_machines() -> None:
    assert [Shard(1, 3).has(f"https://site-{n}.example/") for n in range(8)] == [
        *[False, False, False, True, False, False, False, True]
    ]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "1/0", "-1/4", "1/4/2"])
def test_wrong_shards(text: str) -> None:
    with pytest.raises(BadArgument, match="must be I/N"):
        read_shard(text)


def test_the_spiders_take_their_part() -> None:
    feeds = ",".join(URLS)
    parts = [FeedsSpider(feeds=feeds, shard=f"{n}/3").start_urls for n in (1, 2, 3)]
    assert sorted(chain.from_iterable(parts)) == sorted(URLS)
    sites = [SiteSpider(url=URLS[0], shard=f"{n}/3").start_urls for n in (1, 2, 3)]
    assert sorted(sites) == [[], [], [URLS[0]]]
