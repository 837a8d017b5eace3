from __future__ import annotations

import pytest

from forest_scrapy.core.document.declared_entry import declared_entry, declared_title
from forest_scrapy.core.document.tree import parse_html

OG = "<meta property='og:title' content='Og'>"
TITLE = "<title>Title - Site</title>"
H1 = "<body><h1>Heading</h1>"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (OG + TITLE + H1, "Og"),
        (TITLE + H1, "Heading"),
        (TITLE + H1 + "<h1>Another</h1>", "Title - Site"),
        (TITLE, "Title - Site"),
        ("<meta name='og:title' content=' a  b '>" + TITLE, "a b"),
        ("<meta property='og:title' content=' '>" + H1, "Heading"),
        (TITLE + "<body><h1> </h1>", "Title - Site"),
        ("<body><h1>Old <em>boats</em></h1>", "Old boats"),
        ("<body><svg><title>Icon</title></svg>", ""),
        ("", ""),
    ],
)
def test_declared_title(html: str, title: str) -> None:
    assert declared_title(parse_html(html)) == title


@pytest.mark.parametrize(
    "heading", ["B<em>oats</em>", "Boats<script>x</script>"], ids=["initial", "script"]
)
def test_a_heading_reads_as_it_is_seen(heading: str) -> None:
    assert declared_title(parse_html(f"<body><h1>{heading}</h1>")) == "Boats"


def test_the_longest_description_is_taken() -> None:
    head = (
        "<meta name=description content='short'>"
        "<meta property='og:description' content='rather \n longer'>"
    )
    entry = declared_entry(parse_html(head + TITLE))
    assert (entry.title, entry.description) == ("Title - Site", "rather longer")


def test_nothing_is_declared() -> None:
    assert declared_entry(parse_html("")).text == ""
