from __future__ import annotations

import numpy as np
import pytest
from effort import limited_effort
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.segments.endings import (
    ENDINGS,
    find_dated,
    find_endings,
    find_records,
)
from forest_scrapy.core.segments.segmentation import segment_page

from ..helpers import html_texts, make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it. "
OWN = f"<h1>Test page</h1><p>{TEXT}<p>{TEXT}"
#: The segments of the article.
END = 3
POSTS = "".join(
    f"<li><b>Owl {i}</b> <p>3/4/2024 10:0{i}</p><p>{TEXT}{i}</p></li>" for i in range(4)
)


def endings(html: str) -> dict[str, int]:
    page = segment_page(Page.from_html(html, "http://a.example/"))
    inside = page.outline.inside(("h1", "h2", "h3", "h4"))
    is_heading = np.array([inside[s.block] for s in page.segments], dtype=bool)
    lists = find_records(page, find_dated(page))
    found = find_endings(page, 0 if page.segments else -1, is_heading, lists)
    assert all(0 < one.segment < len(page.segments) for one in found)
    return {ENDINGS[one.kind]: one.segment for one in found}


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("<p>More.", {}),
        (f"<h2>A part</h2><p>{TEXT}", {}),
        (f"<h1>Another</h1><p>{TEXT}", {"heading": END}),
        (f"<h2><a href=/b>Another</a></h2><p>{TEXT}", {"heading": END}),
        (f"<ul>{POSTS}</ul>", {"records": END}),
        (f"<h3>Said by readers</h3><ul>{POSTS}</ul>", {"records": END}),
        (f"<h3>Comments</h3><div class=comment-list><p>{TEXT}</div>", {"named": END}),
        (f"<ol id=comments>{POSTS}</ol>", {"records": END, "named": END}),
        (f"<div><div>{TEXT}</div><div>{TEXT}</div><div>{TEXT}</div></div>", {}),  # no dates
    ],
)
def test_an_article_may_end_before_what_follows(after: str, found: dict[str, int]) -> None:
    assert endings(f"{OWN}{after}") == found


def test_nothing_ends_before_the_article_has_a_sentence_or_two() -> None:
    assert endings(f"<h1>Test page</h1><p>By Owl<h1>The night</h1><p>{TEXT}<p>{TEXT}") == {}


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("Owl, 3 hours ago", True),
        ("2024-05-17", True),
        ("17.5.24", True),
        ("at 9:30", True),
        ("May 2019", True),
        ("5 h", True),
        ("Owl", False),
        ("10 things", False),
        (f"In 2019, {TEXT}{TEXT}", False),  # a sentence
    ],
)
def test_short_texts_with_dates(text: str, is_dated: bool) -> None:
    assert find_dated(segment_page(make_page(f"<p>{text}"))).tolist() == [is_dated]


@given(html_texts())
def test_any_page_has_its_endings_inside(html: str) -> None:
    endings(html)


def test_deep_headings_take_no_time() -> None:
    page = segment_page(make_page(f"{OWN}{'<div>' * 1900}{'<h2>Owls</h2>' * 8000}"))
    with limited_effort(1):
        assert find_endings(page, 0, page.in_heading, []) == ()
