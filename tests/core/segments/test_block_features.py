from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES, find_candidates
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

from ..helpers import html_texts, make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it."
OTHERS = "".join(
    f"<div class=teaser><h2><a href=/{i}>Owl {i}</a></h2><p>{TEXT} {i}</p></div>" for i in range(4)
)
#: Segments: menu, heading, two paragraphs, then headings and paragraphs of four teasers.
PAGE = segment_page(
    make_page(
        f"<nav><a href=/>Home</a></nav><article class=story><h1>Test page</h1><p>{TEXT} A"
        f"<p>{TEXT} B</article><div class=more>{OTHERS}</div>"
    )
)
CONTENT = np.array([0.0, 0.4, 0.9, 0.8, *([0.1, 0.3] * 4)])


def values(page: SegmentedPage, probabilities: np.ndarray, name: str) -> list[float]:
    found = find_candidates(page, probabilities)
    return [float(value) for value in found.table[:, BLOCK_FEATURES.index(name)]]


def test_candidates_are_blocks_with_thresholds() -> None:
    found = find_candidates(PAGE, CONTENT)
    kept = {tuple(np.flatnonzero(found.kept_segments(i, CONTENT))) for i in range(len(found.table))}
    assert {(2, 3), (1, 2, 3), (2,), (1, 2, 3, 5, 7, 9, 11), (5, 7, 9, 11)} <= kept
    assert found.table.shape[1] == len(BLOCK_FEATURES) == len(set(BLOCK_FEATURES))


def test_every_candidate_keeps_something() -> None:
    found = find_candidates(PAGE, CONTENT)
    assert all(found.kept_segments(i, CONTENT).any() for i in range(len(found.table)))


def test_the_first_candidate_is_the_whole_page() -> None:
    found = find_candidates(PAGE, CONTENT)
    assert (found.firsts[0], found.lasts[0], found.thresholds[0]) == (0, len(CONTENT), 0.5)
    assert values(PAGE, CONTENT, "share")[0] == 1


def test_linked_headings_are_counted() -> None:
    assert max(values(PAGE, CONTENT, "linked_headings")) == 4
    assert max(values(PAGE, CONTENT, "siblings")) == pytest.approx(np.log1p(4))


@pytest.mark.parametrize("page", [make_page(""), make_page("<nav>Home</nav>")])
def test_pages_without_content_have_no_candidates(page: Page) -> None:
    segmented = segment_page(page)
    assert len(find_candidates(segmented, np.zeros(len(segmented.segments))).table) == 0


@given(html_texts())
def test_any_page_has_finite_features(html: str) -> None:
    page = segment_page(Page.from_html(html, "http://a.example/"))
    probabilities = np.linspace(0, 1, len(page.segments))
    assert np.isfinite(find_candidates(page, probabilities).table).all()


def test_candidates_know_their_prose_and_how_far_the_title_is() -> None:
    long = 2 * TEXT
    page = segment_page(
        make_page(f"<main><div><h1>Test page</h1></div><div><p>{long}<p>Short</div></main>")
    )
    found = find_candidates(page, np.array([0.0, 0.9, 0.8]))
    second = list(zip(found.firsts.tolist(), found.lasts.tolist(), strict=True)).index((1, 3))
    own = dict(zip(BLOCK_FEATURES, found.table[second].tolist(), strict=True))
    assert own["prose_share"] == pytest.approx(len(long) / len(long + "Short"))
    assert own["prose_of_page"] == 1
    assert own["mean_length"] == pytest.approx(np.log1p(len(long + "Short") / 2))
    assert own["sentences"] == pytest.approx(len(long) / len(long + "Short"))
    assert (own["levels_to_title"], own["levels_from_title"]) == (1, 2)  # main is around both
