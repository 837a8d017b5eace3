"""The step from the URL of a page to that of another page of the same list."""

from __future__ import annotations

import pytest

from forest_scrapy.core.records.page_steps import is_second_page, read_named_number, read_step

#: The page's own URL, another one, and the number in each.
STEPS = {
    "a parameter": ("/owls", "/owls?page=2", None, 2),
    "the next number": ("/owls?page=2", "/owls?page=3", 2, 3),
    "back to no number": ("/owls?page=2", "/owls", 2, None),
    "an order named along with it": ("/owls?q=a", "/owls?q=a&page=2&sort=date", None, 2),
    "an unknown parameter": ("/owls?ab=20", "/owls?ab=40", 20, 40),
    "an offset behind an id": ("/i.php?topic=50.0", "/i.php?topic=50.15", 0, 15),
    "a session": ("/owls?sid=0123456789abcdef0", "/owls?page=2", None, 2),
    "a path": ("/owls", "/owls/page/2/", None, 2),
    "a number in a path": ("/owls/2", "/owls/3", 2, 3),
    "a file": ("/owls.html", "/owls-2.html", None, 2),
    "an index": ("/owls/", "/owls/index2.html", None, 2),
    "another name of the number": ("/owls?start=0", "/owls?page=2", None, 2),
    "from a query to a path": ("/owls?page=2", "/owls/page/1", 2, 1),
    "from a path to a query": ("/owls/page/1", "/owls?page=2", 1, 2),
    "ranges": ("/list/1-10/owls", "/list/11-20/owls", 1, 11),
    "another name of the board": ("/t.asp?f=9&t=1858583", "/t.asp?f=8&t=1858583&i=20", None, 20),
}
NO_STEPS = {
    "another list": ("/owls", "/boats?page=2"),
    "another order": ("/owls", "/owls?sort=date"),
    "another thread": ("/t?id=4", "/t?id=5"),
    "a neighbour of a thread": ("/t?topic=4", "/t?topic=4&prev_next=next"),
    "a day": ("/2024/05/03", "/2024/05/04"),
    "a year": ("/owls/2019", "/owls/2020"),
    "the same page": ("/owls?page=2", "/owls/index.php?page=2"),
    "an article": ("/owls", "/owls/storm"),
}


@pytest.mark.parametrize(("own", "other", "own_number", "number"), STEPS.values(), ids=STEPS)
def test_step(
    own: str,
    other: str,
    own_number: int | None,
    number: int | None,
) -> None:
    step = read_step(f"http://a.example{own}", f"http://a.example{other}")
    assert step is not None
    assert (step.own_number, step.number) == (own_number, number)


@pytest.mark.parametrize(("own", "other"), NO_STEPS.values(), ids=NO_STEPS)
def test_no_step(own: str, other: str) -> None:
    assert read_step(f"http://a.example{own}", f"http://a.example{other}") is None


def test_what_no_number_differs_in() -> None:
    step = read_step("http://a.example/owls", "http://a.example/owls?after=t3_x")
    assert step is not None
    assert step.is_cursor


def test_odd_urls() -> None:
    for url in ("", "http://[", "http://a.example/" + "x" * 3_000, "http://a.example/?page=²"):
        assert read_step(url, "http://a.example/owls?page=2") is None
        assert read_named_number(url) is None
        assert not is_second_page("http://a.example/owls", url)


def test_the_second_page_of_a_home_page() -> None:
    home = "http://a.example/"
    assert is_second_page(home, "http://a.example/blog/page/2")
    assert not is_second_page(home, "http://a.example/blog/page/3")
    assert not is_second_page("http://a.example/owls", "http://a.example/blog/page/2")
    assert not is_second_page("http://a.example/owls", "http://a.example/owls/comments/2")
