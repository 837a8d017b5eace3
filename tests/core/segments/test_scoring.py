from __future__ import annotations

from math import inf

import numpy as np
import pytest

from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.scoring import choose_segments
from forest_scrapy.core.segments.segmentation import segment_page

from ..helpers import make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it. " * 3
#: Trees that give every candidate the same score.
EQUAL = Trees(*(np.zeros((1, 1), kind) for kind in ("i2", "f4", "i2", "i2", "f4")))


def choose(html: str, probabilities: list[float], trees: Trees) -> list[int]:
    page = segment_page(make_page(html))
    assert len(page.segments) == len(probabilities)
    (choice,) = choose_segments([page], [np.array(probabilities)], trees)
    return np.flatnonzero(choice.is_kept).tolist()


def test_ties_go_to_the_highest_threshold_and_the_outermost_block() -> None:
    html = f"<div><p>{TEXT}<p>{TEXT}</div><p>{TEXT}<p>{TEXT}"
    assert choose(html, [0.9, 0.4, 0.6, 0.2], EQUAL) == [0, 2]


def test_a_page_without_candidates_keeps_nothing() -> None:
    assert choose("", [], EQUAL) == []
    assert choose("<p>a<p>b", [0.01, 0.02], EQUAL) == []


def test_other_articles_below_are_left_out() -> None:
    own = "".join(f"<p>{TEXT} {i}" for i in range(8))
    others = "".join(
        f"<div class=teaser><h2><a href=/{i}>Other story {i}</a></h2><p>{TEXT} {i}</div>"
        for i in range(5)
    )
    html = f"<article><h1>Test page</h1>{own}</article><div class=related>{others}</div>"
    likely = [0.5, *[0.95] * 8, *[0.1, 0.6] * 5]
    assert choose(html, likely, default_classifier().block_trees)[-1] == 8


#: The score is the link density: 1 above a half.
LINKED = Trees(
    np.array([[BLOCK_FEATURES.index("link_density"), 0, 0]], "i2"), np.array([[0.5, 0, 0]], "f4"),
    np.array([[1, 1, 2]], "i2"), np.array([[2, 1, 2]], "i2"), np.array([[0, 0, 1]], "f4"),
)  # fmt: skip


def test_pages_of_a_template_agree_on_the_block() -> None:
    """Links are in block a on two pages, and in block b on one."""
    plain, linked = f"<p>{TEXT}", f"<p><a href=/b>{TEXT}</a>"
    pages = [
        segment_page(make_page(f"<div id=a>{one}</div><div id=b>{other}</div>"))
        for one, other in ((linked, plain), (linked, plain), (plain, linked))
    ]
    likely = [np.array([0.9, 0.9])] * 3
    choices = choose_segments(pages, likely, LINKED)
    assert [choice.is_kept.tolist() for choice in choices] == [[True, False]] * 3
    assert [choice.is_own for choice in choices] == [True, True, False]
    alone = choose_segments(pages[2:], likely[2:], LINKED)
    assert [choice.is_kept.tolist() for choice in alone] == [[False, True]]
    assert [choice.is_own for choice in alone] == [True]


def test_the_lead_is_over_candidates_that_keep_other_segments() -> None:
    """On one page the links are in the block that the others have as text: the lead is smaller."""
    plain, linked = f"<p>{TEXT}", f"<p><a href=/b>{TEXT}</a>"
    pages = [
        segment_page(make_page(f"<div id=a>{one}</div><div id=b>{other}</div>"))
        for one, other in ((linked, plain), (linked, plain), (plain, linked))
    ]
    likely = [np.array([0.9, 0.9])] * 3
    agreed = choose_segments(pages[:2], likely[:2], LINKED)
    assert [choice.lead for choice in agreed] == pytest.approx([1, 1])
    assert [choice.lead for choice in choose_segments(pages, likely, LINKED)] == pytest.approx(
        [1 / 3] * 3
    )
    (only,) = choose_segments([segment_page(make_page(plain))], [np.array([0.9])], LINKED)
    assert only.lead == inf
