"""The next page of pagers as sites write them, and none of pages that have no pager."""

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.core import Page
from forest_scrapy.core.records.next_page import find_next_page, find_previous_page
from tests.core.records.pagers import LAST, PAGERS, SITE, WITHOUT_PAGER, Pager

MIDDLE = 3


@pytest.mark.parametrize("pager", PAGERS, ids=lambda pager: pager.name)
def test_next_page(pager: Pager) -> None:
    for number in (1, MIDDLE, LAST):
        page = Page.from_html(pager.html(number), pager.url(number))
        assert find_next_page(page) == (pager.next_url(number) or "")


@pytest.mark.parametrize("name", WITHOUT_PAGER)
def test_no_next_page(name: str) -> None:
    address, html = WITHOUT_PAGER[name]
    assert find_next_page(Page.from_html(html, SITE + address)) == ""


def test_a_list_without_links_before_the_first_page() -> None:
    for pager in PAGERS:
        page = Page.from_html(pager.html(1), pager.url(1))
        assert find_previous_page(page) == "", pager.name


@pytest.mark.parametrize("relations", [("rel=next", "rel=prev"), ("", "")])
def test_pages_that_count_down(relations: tuple[str, str]) -> None:
    following, previous = relations
    page = Page.from_html(
        f"<a href='/list?page=6' {previous}>Newer posts</a>"
        f"<a href='/list?page=4' {following}>Older posts</a>",
        f"{SITE}/list?page=5",
    )
    assert find_next_page(page) == f"{SITE}/list?page=4"
    assert find_previous_page(page) == f"{SITE}/list?page=6"


@pytest.mark.parametrize(("number", "last"), [(1, 2), (2, 2), (1, 9), (9, 9)])
def test_pages_in_a_circle_end(number: int, last: int) -> None:
    following = number % last + 1
    before = (number - 2) % last + 1
    page = Page.from_html(
        f"<a href='/list?page={before}'>Previous</a> <a href='/list?page={following}'>Next</a>",
        f"{SITE}/list?page={number}",
    )
    assert find_next_page(page) == (f"{SITE}/list?page={following}" if number < last else "")
    assert find_previous_page(page) == (f"{SITE}/list?page={before}" if number > 1 else "")


@pytest.mark.slow
def test_many_links_in_one_element_take_linear_time() -> None:
    page = Page.from_html("<a href='/1'>a</a> " * 40_000, f"{SITE}/list?page=3")
    _ = page.outline.lines
    with limited_effort(5):
        assert find_next_page(page) == ""
