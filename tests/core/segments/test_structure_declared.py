"""Features from the article's text that the page or its feed entry declares."""

from __future__ import annotations

import json

import numpy as np
import pytest

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.segments.segmentation import KeptSums, SegmentedPage, segment_page
from forest_scrapy.core.segments.structure import BodySums, body_shares

STORY = "The boats came in with the fish of the night and the town bought all of it at once"
DECLARED = " ".join(f"{STORY} {i}." for i in range(5))
HTML = f"<p>{STORY}</p><p>Read our other stories here</p><p>boats</p><p>owls</p>"


def page(declared: str, entry: Entry | None = None) -> SegmentedPage:
    node = json.dumps({"@type": "NewsArticle", "articleBody": declared})
    script = f"<script type=application/ld+json>{node}</script>" if declared else ""
    return segment_page(Page.from_html(f"{script}<body>{HTML}</body>", "http://a.example/", entry))


@pytest.mark.parametrize("entry", [None, Entry(content=f"<p>{DECLARED}</p>")])
def test_the_share_of_each_segment(entry: Entry | None) -> None:
    found = page("" if entry else DECLARED, entry)
    assert body_shares(found).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("declared", ["", "The boats came in with the fish."])
def test_without_a_text_or_with_a_summary_only(declared: str) -> None:
    found = page(declared)
    assert body_shares(found).tolist() == [-1] * 4
    sums = BodySums(found, np.ones(4))
    kept = KeptSums(np.ones((1, 4), dtype=bool), np.array([0]), np.array([4]))
    values = sums.values(kept, np.ones((1, 1)))
    assert [value.tolist() for value in values] == [[[-1]], [[-1]]]


def test_candidates() -> None:
    found = page(DECLARED)
    lengths = np.array([len(segment.text) for segment in found.segments], dtype=float)
    kept = KeptSums(np.array([[True, True, False, False]]), np.array([0, 1]), np.array([4, 2]))
    of_kept, of_body = BodySums(found, lengths).values(kept, np.array([[100.0, 10.0]]))
    assert of_kept.tolist() == [[lengths[0] / 100, 0]]
    assert of_body.tolist() == [[lengths[0] / (lengths[0] + lengths[2]), 0]]
