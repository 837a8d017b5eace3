from __future__ import annotations

from itertools import islice

from benchmarks.sets.bench_set import BenchPage
from benchmarks.speed.batch import vary_pages
from benchmarks.speed.spark import skew_pages
from forest_scrapy.core.page.urls import host_of


def make_page(host: str, number: int) -> BenchPage:
    url = f"http://{host}.example/{number}"
    return BenchPage(url, url, "article", f"<a href={url}>A</a><p>Owl</p>".encode(), "Owl")


PAGES = [make_page(host, number) for host, most in (("a", 2), ("b", 3)) for number in range(most)]


def test_copies_have_other_urls_and_texts() -> None:
    pages = list(islice(vary_pages(PAGES), 12))
    assert pages[:5] == PAGES
    assert len({page.url for page in pages}) == len({page.html for page in pages}) == 12
    assert pages[5].html == b"<a href=http://a.example/0?copy=1>A</a><p>Owl 1</p>"


def test_a_third_of_the_pages_is_of_the_largest_site() -> None:
    pages = list(skew_pages(PAGES, 30))
    hosts = [host_of(page.url) for page in pages]
    assert (hosts.count("b.example"), hosts.count("a.example")) == (10, 20)
    assert len({page.url for page in pages}) == 30


def test_pages_of_a_single_site_are_all_of_it() -> None:
    assert len(list(skew_pages(PAGES[:2], 7))) == 7
