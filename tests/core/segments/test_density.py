from __future__ import annotations

import numpy as np
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.segments.density import score_density
from forest_scrapy.core.segments.segmentation import segment_page

from ..helpers import html_texts, make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it."
COMMENT = "<li class=c><div><p>I saw them come in, all of them, from my own window that day.</div>"


def densest(html: str) -> str | None:
    page = segment_page(make_page(html))
    return page.outline.nodes[int(np.argmax(score_density(page)))].element.get("id")


def test_a_short_article_is_denser_than_a_long_thread() -> None:
    assert densest(f"<div id=a>{3 * f'<p>{TEXT}'}</div><ul id=b>{12 * COMMENT}</ul>") == "a"


def test_text_without_paragraphs_counts_for_its_own_element() -> None:
    assert densest(f"<div id=a>{TEXT}<br>{TEXT}</div><div id=b><p>{TEXT}</div>") == "a"


def test_links_do_not_count() -> None:
    linked = 4 * f"<p><a href=/x>{TEXT}</a>"
    assert densest(f"<div id=a>{linked}</div><div id=b><p>{TEXT}</div>") == "b"


def test_a_paragraph_counts_half_for_the_element_around_its_own() -> None:
    halves = f"<div><p>{TEXT}</div>" * 3
    assert densest(f"<div id=a>{halves}</div><div id=b><p>{TEXT}</div>") == "a"


def test_a_block_with_many_links_is_less_dense() -> None:
    links = "".join(f"<b><a href=/{i}>Boat {i}</a></b> " for i in range(40))
    own = f"<p>{TEXT}</p>"
    assert densest(f"<div id=a>{own}{own}<p>{links}</div><div id=b>{own}</div>") == "b"


@given(html_texts())
def test_every_node_has_a_finite_score(html: str) -> None:
    page = segment_page(Page.from_html(html, "http://a.example/"))
    scores = score_density(page)
    assert scores.shape == (len(page.outline.nodes),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
