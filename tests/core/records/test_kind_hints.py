"""What a page says about its kind before any records are looked for."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records.kind_hints import (
    declared_kinds,
    describe_forum,
    hints_at_records,
    url_words,
)

URL = "http://a.example/1"


def make_page(body: str, url: str = URL, head: str = "") -> Page:
    return Page.from_html(f"<html><head>{head}</head><body>{body}</body></html>", url)


@pytest.mark.parametrize(
    ("body", "is_hint"),
    [
        ("<div class=post id=post-{n}>Owls.</div>", True),
        ("<li class=product-tile>A lamp</li>", True),
        ("<li class='comment reply' id=comment-{n}>Owls.</li>", False),
        ("<div class=entry>Owls.</div>", False),
    ],
)
def test_names_that_are_repeated(body: str, is_hint: bool) -> None:
    repeated = "".join(body.replace("{n}", str(number)) for number in range(3))
    assert hints_at_records(make_page(repeated)) == is_hint
    assert not hints_at_records(make_page(body))


def test_one_comment_has_several_names_and_is_no_hint() -> None:
    html = "<div class=replies><div class=reply-1><div class=reply-body>Owls.</div></div></div>"
    assert not hints_at_records(make_page(html))


@pytest.mark.parametrize(
    ("head", "body", "url"),
    [
        ("", "", "http://a.example/threads/7"),
        ("", "<body class=phpbb>", URL),
        ("<meta name=generator content='XenForo 2'>", "", URL),
        ("<meta property=og:type content=product>", "", URL),
    ],
)
def test_urls_software_and_declared_types(head: str, body: str, url: str) -> None:
    assert hints_at_records(Page.from_html(f"<html><head>{head}</head>{body}<p>Owls.</html>", url))


def test_the_numbers_of_a_page() -> None:
    page = make_page("", head='<meta property="og:type" content="article">')
    assert declared_kinds(page)["og_article"] == 1.0
    assert url_words("http://a.example/shop/lamp-1")["url_product"] == 1.0
    assert url_words("http://[/shop")["url_product"] == 0.0
    assert describe_forum(make_page("", "http://a.example/forum/1"))["forum_url"] == 1.0
