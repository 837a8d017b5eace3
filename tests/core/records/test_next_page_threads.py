"""Which URLs are those of pages of one thread."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records.next_page import (
    has_previous_page,
    is_same_thread,
    next_thread_page,
)

SAME = {
    "a query": ("/t/owls.html", "/t/owls.html?page=2"),
    "the next number of a query": ("/t/owls?page=2", "/t/owls?page=3"),
    "a path": ("/threads/owls.416785/", "/threads/owls.416785/page-2"),
    "a number in a name": ("/owls-2183693.html", "/owls-2183693-p2.html"),
    "an offset and a session": (f"/v?t=8&sid={'0e2' * 8}", f"/v?t=8&sid={'fa7' * 8}&start=15"),
    "a number between ids": ("/topic/146535/1/Owls", "/topic/146535/2/Owls"),
    "another spelling": ("/a/16340-problemlsung.html", "/a/16340-problemloesung-2.html"),
}
OTHER = {
    "another number": ("/t/1", "/t/2"),
    "another id": ("/threads/owls.3691417/", "/threads/owls.3691650/"),
    "another name": ("/t/owls", "/t/boats"),
    "a link to a neighbour": ("/topic/owls/", "/topic/owls/next/"),
    "a query for a neighbour": ("/i.php?topic=343886.0", "/i.php?topic=343886.0&prev_next=next"),
    "nothing": ("/t/owls", ""),
}


@pytest.mark.parametrize(("url", "other"), SAME.values(), ids=SAME.keys())
def test_same_thread(url: str, other: str) -> None:
    assert is_same_thread(f"http://a.example{url}", f"http://a.example{other}")


@pytest.mark.parametrize(("url", "other"), OTHER.values(), ids=OTHER.keys())
def test_other_thread(url: str, other: str) -> None:
    assert not is_same_thread(f"http://a.example{url}", f"http://a.example{other}")


def test_links_to_the_pages_of_a_thread() -> None:
    html = "<a href=/t/owls?page=2>Previous</a> <a href=/t/owls?page=4>Next</a>"
    page = Page.from_html(html, "http://a.example/t/owls?page=3")
    assert next_thread_page(page) == "http://a.example/t/owls?page=4"
    assert has_previous_page(page)


def test_links_to_other_threads() -> None:
    html = "<a rel=prev href=/t/boats>Previous</a> <a rel=next href=/t/ropes>Next</a>"
    page = Page.from_html(html, "http://a.example/t/owls")
    assert next_thread_page(page) == ""
    assert not has_previous_page(page)
