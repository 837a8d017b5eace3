"""Which of the titles of a single page is taken."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields import read_fields
from forest_scrapy.core.fields.titles import read_title

SHARED = "<meta property=og:title content='10 Best Boats | Buy Cheap'>"
PAGE = "<title>10 Best Boats | Buy Cheap</title>"


def title(html: str) -> str:
    return read_fields(Page.from_html(html, "http://a.example/1")).title


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{PAGE}{SHARED}<h1>The 10 best boats of the year</h1>", "The 10 best boats of the year"),
        (f"{PAGE}{SHARED}<h1>Gazette</h1>", "10 Best Boats | Buy Cheap"),
        (f"{PAGE}<div><h1>The best boats</h1></div><h3>Subscribe now</h3>", "The best boats"),
        (f"{PAGE}{SHARED}<h1 class=logo>Gazette</h1><h1>Our ten best boats</h1>", "Our ten best boats"),
        ('<script type=application/ld+json>{"@type": "Article", "headline": "Ten boats"}</script>'
         f"{SHARED}<h1>Best boats</h1>", "Ten boats"),
        ('<script type=application/ld+json>{"@type": "Article", "headline": "Ten boats"}</script>'
         "<meta property=og:title content='Best boats'><h1>Best boats</h1>", "Best boats"),
    ],
)  # fmt: skip
def test_the_heading_comes_before_a_title_for_search_engines(html: str, expected: str) -> None:
    assert title(html) == expected


@pytest.mark.parametrize("path", ["1", "1#top", "?p=1", "forum/thread.php?t=1", "index.php?t=1#p2"])
def test_the_name_in_the_link_to_the_home_page_is_no_title(path: str) -> None:
    html = "<title>Boats - Forum</title><a href=/>Forum</a><h1>Forum</h1>"
    assert read_title(Page.from_html(html, f"http://a.example/{path}")) == "Boats"


def test_a_heading_in_an_element_whose_name_is_no_xml_name() -> None:
    """Word writes ``o:p``; the second heading has no XPath but its position."""
    other = "<o:p><div><b>Whales near the coast</b></div></o:p>"
    assert title(f"{PAGE}{other}<o:p><div><b>10 Best Boats</b></div></o:p>") == "10 Best Boats"
