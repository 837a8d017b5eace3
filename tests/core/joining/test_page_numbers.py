"""The page numbers that URLs have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.joining.page_numbers import fold_base, read_page_numbers

HOST = "http://www.a.example"


@pytest.mark.parametrize(
    ("path", "readings"),
    [
        ("/owls?page=2", [("a.example/owls", 2, True)]),
        ("/owls?a=1&Seite=3", [("a.example/owls?a=1", 3, True)]),
        ("/owls?start=120", [("a.example/owls", 120, False)]),
        ("/owls?p=2", [("a.example/owls", 2, False)]),
        ("/owls/2/", [("a.example/owls", 2, False)]),
        ("/owls/2.html", [("a.example/owls", 2, False)]),
        ("/owls.html/2", [("a.example/owls", 2, False)]),
        ("/owls/page/2/", [("a.example/owls", 2, True)]),
        ("/owls/seite-12", [("a.example/owls", 12, True)]),
        ("/owls-page-2.html", [("a.example/owls", 2, True)]),
        ("/owls-70412-2.html", [("a.example/owls-70412", 2, False)]),
        ("/owls,2.html", [("a.example/owls", 2, False)]),
        ("/owls_2.php?id=7", [("a.example/owls?id=7", 2, False)]),
        ("/?p=12&page=2", [("a.example?page=2", 12, False), ("a.example?p=12", 2, True)]),
        ("/owls", []),
        ("/owls/2024", []),
        ("/owls?id=2", []),
        ("/owls?page=two", []),
        ("/owls?cpage=2", []),
        ("/owls/comment-page-2/", []),
        ("/page/2/", []),
        ("/?page=2", []),
        ("/2.html", []),
    ],
)
def test_the_numbers_of_a_url(path: str, readings: list[tuple[str, int, bool]]) -> None:
    numbers = read_page_numbers(HOST + path)
    assert [(one.base, one.number, one.is_named) for one in numbers] == readings


@pytest.mark.parametrize("path", ["/owls", "/owls/", "/owls.html", "/owls/index.html", "/owls#top"])
def test_the_base_is_that_of_the_first_page(path: str) -> None:
    assert fold_base(HOST + path) == "a.example/owls"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for url in (text, f"http://a.example/{text}", f"http://a.example/?page={text}"):
        assert all(one.number >= 0 for one in read_page_numbers(url))
        assert isinstance(fold_base(url), str)
