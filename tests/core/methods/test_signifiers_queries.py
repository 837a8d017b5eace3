"""The queries that pages answer."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.methods.signifiers import find_queries

FIELD = "<form><input name=search value='{}'></form>"


@pytest.mark.parametrize(
    ("url", "query"),
    [
        ("http://a.example/?q=barn+owls", "barn owls"),
        ("http://a.example/?s=owls&page=2", "owls"),
        ("http://a.example/?search_query=owls&author-keyword=x", "owls"),
        ("http://a.example/?keywords=owls&searchterm=barn", "owls barn"),
        ("http://a.example/?field-keywords%5B%5D=owls", ""),
        ("http://a.example/?page=owls&sort=name", ""),
        ("http://a.example/?q=123", ""),
        ("http://a.example/search/barn%20owls/2", "barn owls"),
        ("http://a.example/search/label/owls", "owls"),
        ("http://a.example/en/tag/barn-owls/", "barn owls"),
        ("http://a.example/tags/barn_owls.html", "barn owls"),
        ("http://a.example/search", ""),
        ("http://[", ""),
        ("", ""),
        ("http://a.example/?q=" + "x" * 300, ""),
        ("http://a.example/?" + "&".join(f"a{i}=b" for i in range(500)), ""),
    ],
)
def test_urls(url: str, query: str) -> None:
    assert find_queries([Page.from_html("", url)]) == [query]


@pytest.mark.parametrize(
    ("html", "query"),
    [
        ("<input type=search value=' barn\n owls '>", "barn owls"),
        ("<form role=search><input value=owls></form>", "owls"),
        ("<input name=q value=owls>", "owls"),
        ("<input name=q type=hidden value=owls>", ""),
        ("<input name=q type=submit value=owls>", ""),
        ("<input name=email value=owls>", ""),
        ("<input name=q>", ""),
        ("<input name=q value=7>", ""),
    ],
)
def test_search_fields(html: str, query: str) -> None:
    assert find_queries([Page.from_html(html)]) == [query]


def test_what_the_caller_gives_comes_first() -> None:
    page = Page.from_html(FIELD.format("field"), "http://a.example/?q=url", query="given")
    assert find_queries([page]) == ["given"]
    assert find_queries([Page.from_html(FIELD.format("field"), page.url)]) == ["url"]


def test_a_text_in_the_fields_of_all_pages_is_a_label() -> None:
    labels = [Page.from_html(FIELD.format("Find it")) for _ in range(2)]
    assert find_queries(labels) == ["", ""]
    filled = [Page.from_html(FIELD.format(text)) for text in ("owls", "whales")]
    assert find_queries(filled) == ["owls", "whales"]
