"""Pages that list the items of a feed, and older ones."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.feeds.list_pages import read_list_page

SITE = "https://a.example"
MENU = "<ul class=menu><li><a href=/boats>Boats</a><li><a href=/post/9>Best day</a></ul>"
PAGERS = {
    "rel": "<link rel=next href=/blog/page/2/>",
    "numbers": "<p>1 <a href=/blog/page/2/>2</a> <a href=/blog/page/3/>3</a></p>",
    "label": "<a href=/blog/page/2/>Older posts</a>",
}


def write_page(numbers: range, pager: str = "") -> Page:
    rows = "".join(f"<article><h2><a href=/post/{n}>Day {n}</a></h2></article>" for n in numbers)
    return Page.from_html(f"<title>Blog</title>{MENU}<main>{rows}</main>{pager}", f"{SITE}/blog/")


def keys_of(numbers: range) -> set[str]:
    return {page_key(f"{SITE}/post/{number}") for number in numbers}


@pytest.mark.parametrize("pager", PAGERS.values(), ids=PAGERS)
def test_items_that_the_feed_has_not(pager: str) -> None:
    first = read_list_page(write_page(range(4, 10), pager), keys_of(range(6, 10)))
    assert first.urls == (f"{SITE}/post/4", f"{SITE}/post/5")
    assert first.next_url == f"{SITE}/blog/page/2/"
    second = read_list_page(write_page(range(4)), keys_of(range(4, 10)), first.places)
    assert second.urls == tuple(f"{SITE}/post/{number}" for number in range(4))
    assert second.next_url == ""


def test_links_to_other_sites_are_no_items() -> None:
    rows = "".join(
        f"<article><h2><a href={site}/post/{n}>Day {n}</a></h2></article>"
        for n in range(6)
        for site in (SITE, "https://b.example")
    )
    page = Page.from_html(f"<main>{rows}</main>", f"{SITE}/blog/")
    assert read_list_page(page, keys_of(range(1, 6))).urls == (f"{SITE}/post/0",)


def test_a_page_that_does_not_list_the_items() -> None:
    """A link to one of them is no list."""
    listed = read_list_page(write_page(range(20, 30), PAGERS["label"]), keys_of(range(6, 10)))
    assert (listed.urls, listed.places, listed.next_url) == ((), (), "")
