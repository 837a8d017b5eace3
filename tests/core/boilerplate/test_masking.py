"""Texts with names in the places of a page's own title, authors, dates and address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.boilerplate.masking import (
    MAX_LENGTH,
    OwnTexts,
    mask_text,
    read_own_texts,
    words_beside,
)

OWN_TEXTS = OwnTexts(
    titles=("the boats come in", "boats"),
    authors=("ana bo",),
    urls=("a.example/boats?p=1", "a.example/boats"),
    language="en",
    days=frozenset(("2024-05-03",)),
)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("The Boats Come In, by Ana  Bo", "{title}, by {author}"),
        ("Lifeboats and boats of Ana Bond", "lifeboats and {title} of ana bond"),
        ("Posted on Friday, 3 May 2024 at 10:15 am.", "posted on {date}."),
        ("Posted on 2024-05-03 in News", "posted on {date} in news"),
        ("Posted on 05/03/2024 in News", "posted on {date} in news"),
        ("Boats left on 4 May 2024", "{title} left on 4 may 2024"),
        ("Posted on 4 May 2024 in News", ""),
        ("All 3 boats had 4 holds", "all 3 {title} had 4 holds"),
        ("See https://www.a.example/boats?p=1", "see {url}"),
        ("See (a.example/boats/).", "see ({url})."),
        ("See a.example/boats/other or b.a.example/boats.", ""),
        ("{title} is no name of ours", ""),
        ("May is the month of 12 owls", ""),
        ("A text of nothing", ""),
        ("Boats " * MAX_LENGTH, ""),
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    own_texts = OWN_TEXTS
    if "a.example/boats/other" in text:
        own_texts = OWN_TEXTS._replace(titles=())
    assert mask_text(text, own_texts) == masked


def test_the_words_beside_the_names() -> None:
    assert words_beside("{title} by {author}, on {date}") == 2


def test_what_a_page_has_of_its_own() -> None:
    html = (
        "<html lang=en><title>Boats &amp; owls - Gazette</title>"
        "<meta property=og:site_name content=Gazette><meta name=author content='Ana Bo'>"
        "<link rel=canonical href='https://a.example/boats/'><h1>Boats &amp; owls</h1>"
    )
    own_texts = read_own_texts(Page.from_html(html, "http://www.a.example/?p=7"))
    assert own_texts == OwnTexts(
        ("boats & owls",), ("ana bo",), ("a.example/boats", "a.example?p=7"), "en"
    )


def test_the_days_of_a_page() -> None:
    html = (
        "<title>Boats</title><meta property=article:published_time content=2024-05-03T10:00:00Z>"
        "<meta property=article:modified_time content=2024-05-09><p>Built on 1 May 1999."
    )
    own_texts = read_own_texts(Page.from_html(html, "http://a.example/boats"))
    assert own_texts.days == {"2024-05-03", "2024-05-09"}


def test_the_name_of_the_site_is_no_title() -> None:
    html = "<title>Boats and owls</title><h1>The Gazette</h1><h1>Boats &amp; the owls</h1>"
    own_texts = read_own_texts(Page.from_html(html, "http://a.example/7"))
    assert own_texts.titles
    assert "the gazette" not in own_texts.titles


def test_the_home_page_is_no_address_of_its_own() -> None:
    assert read_own_texts(Page.from_html("<h1>Boats", "http://a.example/")).urls == ()
    assert read_own_texts(Page.from_html("<h1>Boats", "http://[a/")).urls == ()


@given(st.text(max_size=200), st.text(min_size=1, max_size=20))
def test_any_text_is_masked_at_most_once(text: str, title: str) -> None:
    own_texts = OwnTexts((title.lower(),), (), (), "en")
    masked = mask_text(text, own_texts)
    assert masked == "" or "{" in masked
    assert words_beside(masked) >= 0
