"""Threads, products and lists while only articles are wanted."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Options, Page
from forest_scrapy.core.other_kinds import describe_other_kinds, find_other_kind
from tests.core.records.shop import LAMPS, list_html, product_html
from tests.crawls.helpers import story
from tests.crawls.test_records_spider import posts_of, thread_html

PAGES = {
    "thread": thread_html("harbour", posts_of("harbour", 1, 5)),
    "product": product_html(LAMPS[0], declares=False),
    "listing": list_html(LAMPS),
    "article": story(1),
}


@pytest.mark.parametrize("kind", PAGES)
def test_the_kind_of_a_page_that_is_no_article(kind: str) -> None:
    page = Page.from_html(PAGES[kind], "http://a.example/1")
    assert find_other_kind(page, Options(), may_be_article=False, needs_hint=False) == kind


@pytest.mark.parametrize(("path", "kind"), [("/1", "article"), ("/threads/1", "thread")])
def test_a_hint_that_is_needed(path: str, kind: str) -> None:
    """Pages of articles are looked at if their URL, for one, names threads."""
    html = PAGES["thread"].replace("class=", "data-name=")
    page = Page.from_html(html, f"http://a.example{path}")
    assert find_other_kind(page, Options(), may_be_article=True, needs_hint=True) == kind


def test_lists_are_told_of_if_most_pages_are_some() -> None:
    assert describe_other_kinds({"listing": 5, "article": 5}, ("article",)) == ""
    assert describe_other_kinds({"listing": 6, "article": 5}, ("article",)).startswith("6 of 11")


def test_one_page_of_many() -> None:
    text = describe_other_kinds({"product": 1, "article": 3}, ("article",))
    assert text == "1 of 4 pages looks like a product: --kinds article,product gives this"


def test_kinds_that_are_wanted_are_not_told_of() -> None:
    assert describe_other_kinds({"thread": 5}, ("article", "thread")) == ""
