from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.segments.structure import STRUCTURE, structure_rows

from ..helpers import html_texts

TITLE = "<head><title>The boats come in | Gazette</title></head>"
TEASER = "<li><h3><a href=/{0}>Owl {0}</a></h3><img src=/{0}.png><p>Text {0}</li>"
BODY = (
    "<nav><a href=/>Home</a></nav>"
    "<main><h1>The boats come in</h1><div><p>At night.<p>At dawn.</div></main>"
    "<ul>" + "".join(map(TEASER.format, range(3))) + "</ul>"
    "<h1>Another story</h1><p>At noon."
)


def column(body: str, name: str, head: str = TITLE) -> dict[str, float]:
    """The value of each segment, by its text."""
    page = segment_page(Page.from_html(f"{head}<body>{body}</body>", "http://a.example/boats"))
    values = structure_rows(page)[:, STRUCTURE.index(name)]
    return dict(zip((s.text for s in page.segments), values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("title", "Home", 1),
        ("since_title", "At night.", 1 / 12),
        ("since_title", "Home", -1 / 12),
        ("levels_to_title", "At night.", 2),  # p and div, below main
        ("levels_from_title", "At night.", 1),
        ("levels_from_title", "At noon.", 2),
        ("h1_since_title", "At dawn.", 0),
        ("h1_since_title", "At noon.", 1),
        ("linked_headings_since_title", "At noon.", 3),
        ("linked_headings_since_title", "At dawn.", 0),
        ("heading_linked", "Home", -1),  # no heading before it
        ("heading_linked", "At dawn.", 0),
        ("heading_linked", "Text 1", 1),
        ("inner_list_items", "Text 1", np.log1p(3)),
        ("inner_list_headings", "Text 1", 1),
        ("inner_list_pictures", "Text 1", 1),
        ("inner_list_items", "At night.", 0),  # paragraphs are no list
        ("pictures_parent", "Text 1", np.log1p(1)),
        ("pictures_grandparent", "Text 1", np.log1p(3)),
    ],
)
def test_structure(name: str, text: str, value: float) -> None:
    assert column(BODY, name)[text] == pytest.approx(value)


def test_without_a_title_there_is_no_distance() -> None:
    assert set(column(BODY, "title", "").values()) == {0}
    assert set(column(BODY, "since_title", "").values()) == {-2}


def test_articles_are_numbered() -> None:
    body = (
        "<article><h1>The boats come in</h1><article><p>A quote.</article></article>"
        "<p>Between</p><article><p>Owls.</article>"
    )
    assert column(body, "article_number") == {
        "The boats come in": 1, "A quote.": 1, "Between": 0, "Owls.": 2,
    }  # fmt: skip
    assert column(body, "title_in_article")["A quote."] == 1
    assert column(body, "title_in_article")["Owls."] == 0


def test_lists_in_lists_have_an_inner_and_an_outer_one() -> None:
    inner = "<ul><li>a<li>b<li>c<li>d</ul>"
    body = f"<div class=x>{inner}</div>" * 3
    assert column(body, "inner_list_items")["a"] == pytest.approx(np.log1p(4))
    assert column(body, "outer_list_items")["a"] == pytest.approx(np.log1p(3))


@given(html_texts())
def test_all_values_are_finite(html: str) -> None:
    page = segment_page(Page.from_html(html, "http://a.example/"))
    if page.segments:
        rows = structure_rows(page)
        assert rows.shape == (len(page.segments), len(STRUCTURE))
        assert np.isfinite(rows).all()
