"""The features of segments and of candidates, in compiled code and by numpy, are the same."""

from __future__ import annotations

from gzip import decompress
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.page.outline import NodeArrays
from forest_scrapy.core.segments import block_features, features, segmentation
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.features import describe_in_numpy, numeric_rows
from forest_scrapy.core.segments.segmentation import (
    Segment,
    SegmentedPage,
    Values,
    cut_segments,
    segment_page,
)

SITES = Path(__file__).parents[4] / "shared/bench/feeds-dev"
IS_COMPILED = features.IS_NATIVE and block_features.IS_NATIVE and segmentation.IS_NATIVE
needs_compiled = pytest.mark.skipif(not IS_COMPILED, reason="nothing was compiled here")

_TITLE = "The harbour of owls"
_PROSE = "On 2024-05-03 the boats of the harbour came in, and the town bought all fish. Good!"
_TAGS = st.sampled_from("div p article section ul li h1 h2 a nav td table main figure".split())
_ATTRIBUTES = st.sampled_from(
    ["", " class='post story'", " class=comments", " id=sidebar role=main", " itemprop=articleBody"]
)
_PIECES = st.sampled_from(
    [_PROSE, _TITLE, "Owls", "3 May 2024", "<img src=a.jpg>", "<br>", "<a href=/b>All owls</a>"]
)
_ITEMS = st.sampled_from(
    ["<li>2 min ago: the first boat of the day came in, with the fish of the night.", "<li>Owls"]
)


@st.composite
def pages(draw: st.DrawFn) -> SegmentedPage:
    """Pages with a declared title, headings, links, lists of records, articles and comments."""
    pieces = []
    for _ in range(draw(st.integers(0, 12))):
        tag = draw(_TAGS)
        end = f"</{tag}>" if draw(st.booleans()) else ""
        pieces += [f"<{tag}{draw(_ATTRIBUTES)}>", draw(_PIECES), end]
    items = draw(_ITEMS) * draw(st.integers(0, 4))
    declared = draw(st.sampled_from(["", 8 * f"{_PROSE} "]))
    title = draw(st.sampled_from(["", f"<title>{_TITLE}</title>"]))
    body = "".join([*pieces, items, draw(_PIECES)])
    entry = Entry(_TITLE, _PROSE, content=declared) if declared else None
    return segment_page(Page.from_html(f"{title}<body>{body}", "http://a.example/1", entry))


def find_in_numpy(page: SegmentedPage, probabilities: Values) -> Candidates:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_features, "IS_NATIVE", False)
        return find_candidates(page, probabilities)


def cut_without_compiled_code(page: SegmentedPage) -> tuple[Segment, ...]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segmentation, "IS_NATIVE", False)
        return cut_segments(page.outline)


def assert_alike(page: SegmentedPage, probabilities: Values) -> None:
    assert page.segments == cut_without_compiled_code(page)
    nodes = NodeArrays.of_lists(page.outline.columns)
    for compiled_column, column in zip(page.outline.arrays, nodes, strict=True):
        assert compiled_column.dtype == column.dtype
        assert compiled_column.tolist() == column.tolist()
    if page.segments:
        assert numeric_rows(page).tolist() == describe_in_numpy(page).tolist()
    compiled = vars(find_candidates(page, probabilities))
    for name, values in vars(find_in_numpy(page, probabilities)).items():
        assert compiled[name].dtype == values.dtype
        assert compiled[name].tolist() == values.tolist()


@needs_compiled
@given(pages(), st.integers(0, 99))
def test_any_page_has_the_same_features_in_both_ways(page: SegmentedPage, seed: int) -> None:
    assert_alike(page, np.random.default_rng(seed).random(len(page.segments)))


@needs_compiled
@pytest.mark.parametrize("probability", [0.0, 0.1, 1.0])
def test_without_and_with_all_segments_kept(probability: float) -> None:
    page = segment_page(Page.from_html(f"<h1>{_TITLE}</h1><p>{_PROSE}<p>{_PROSE}"))
    assert_alike(page, np.full(len(page.segments), probability))


@needs_compiled
@pytest.mark.skipif(not SITES.exists(), reason="needs recorded pages")
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_recorded_pages_have_the_same_features_in_both_ways(count: int) -> None:
    files = sorted((SITES / "html").rglob("*.*"))
    assert files
    for file in islice(files, count):
        data = file.read_bytes()
        html = decompress(data) if file.suffix == ".gz" else data
        page = segment_page(Page.from_html(html, "http://a.example/1").head)
        assert_alike(page, np.linspace(1, 0, len(page.segments)))
