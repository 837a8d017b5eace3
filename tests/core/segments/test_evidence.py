from __future__ import annotations

import numpy as np
import pytest
from effort import limited_effort

from forest_scrapy.core import Page
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES, Candidates, find_candidates
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

from ..helpers import make_page

TEXT = "The boats came in with the fish of the night, and the town bought all of it. "
POSTS = "".join(f"<li><p>Owl {i}, 10:0{i}</p><p>{TEXT}{TEXT}{i}</p></li>" for i in range(9))
#: Segments: heading, two paragraphs of a short article; two for each of nine posts.
PAGE = segment_page(
    make_page(f"<main><div><h1>Test page</h1><p>{TEXT}<p>{TEXT}</div><ul>{POSTS}</ul></main>")
)
LIKELY = np.array([0.4, 0.9, 0.9, *[0.1, 0.9] * 9])


def rows(page: SegmentedPage, probabilities: np.ndarray) -> list[dict[str, float]]:
    table = find_candidates(page, probabilities).table
    return [dict(zip(BLOCK_FEATURES, row.tolist(), strict=True)) for row in table]


def kept(found: Candidates, probabilities: np.ndarray) -> list[list[int]]:
    return [
        np.flatnonzero(found.kept_segments(i, probabilities)).tolist()
        for i in range(len(found.table))
    ]


def test_a_short_article_beside_a_long_thread_is_a_candidate() -> None:
    """It has less than a tenth of the likely text: it is one of the densest elements, and what is
    left of its page before the posts."""
    found = find_candidates(PAGE, LIKELY)
    assert [1, 2] in kept(found, LIKELY)
    assert [1, 2] in [own for own, end in zip(kept(found, LIKELY), found.endings, strict=True)
                      if end >= 0]  # fmt: skip


def test_an_ending_before_almost_no_content_makes_no_candidate() -> None:
    unlikely = np.array([0.4, 0.9, 0.9, *[0.001, 0.001] * 9])
    assert set(find_candidates(PAGE, unlikely).endings.tolist()) == {-1}


def test_the_densest_block_is_a_candidate_beside_many_with_more_content() -> None:
    nest = "".join(f"<div><p>{TEXT}{i}" for i in range(20))
    page = segment_page(make_page(f"<section>{f'<p>{TEXT}</p>' * 6}</section>{nest}"))
    probabilities = np.array([0.15] * 6 + [0.9] * 20)
    assert list(range(6)) in kept(find_candidates(page, probabilities), probabilities)


def test_posts_are_counted_by_their_dates() -> None:
    article, whole = (
        next(
            row for row in rows(PAGE, LIKELY) if row["kept_segments"] == pytest.approx(np.log1p(n))
        )
        for n in (2, 11)
    )
    assert article["repeated_share"] == 0 < whole["repeated_share"]
    assert (article["contains_records"], whole["contains_records"]) == (0, 1)


def test_candidates_agree_with_themselves_most() -> None:
    for row in rows(PAGE, LIKELY):
        assert 0 < row["agreement"] <= 1
        assert 0 <= row["of_likely"] <= 1
    assert max(row["likely_of_it"] for row in rows(PAGE, LIKELY)) == pytest.approx(1)


def test_words_of_the_title_are_counted() -> None:
    body = f"<div id=a><p>A page of boats. {TEXT}</div><div id=b><p>The owls sleep.</div>"
    page = segment_page(Page.from_html(f"<title>Boats</title><body>{body}", "http://a.example/"))
    own = rows(page, np.array([0.9, 0.9]))
    assert max(row["title_words_of_page"] for row in own) == 1
    assert min(row["title_words_of_page"] for row in own) == 0


def test_a_title_with_all_of_the_text_takes_no_time() -> None:
    words = " ".join(f"word{i}" for i in range(8000))
    page = segment_page(Page.from_html(f"<h1>{words}</h1>{f'<p>{TEXT}</p>' * 3000}"))
    with limited_effort(2):
        find_candidates(page, np.full(len(page.segments), 0.9))
