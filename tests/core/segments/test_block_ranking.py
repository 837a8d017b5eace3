from __future__ import annotations

import numpy as np

from forest_scrapy.core.segments.block_ranking import choose_segments
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.segments.tree_scoring import Trees

from ..helpers import make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it. " * 3
#: Trees that give every candidate the same score.
EQUAL = Trees(*(np.zeros((1, 1), kind) for kind in ("i2", "f4", "i2", "i2", "f4")))


def choose(html: str, probabilities: list[float], trees: Trees) -> list[int]:
    page = segment_page(make_page(html))
    assert len(page.segments) == len(probabilities)
    return np.flatnonzero(choose_segments(page, np.array(probabilities), trees)).tolist()


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
