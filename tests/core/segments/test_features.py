from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from forest_scrapy.core import Page
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
from forest_scrapy.core.xpaths.anchored import attribute_words

from ..helpers import demo_pages, html_texts, make_page

VOCABULARY = Vocabulary(("div", "p"), ("content", "sidebar"))


def describe_pages(*pages: Page) -> list[NDArray[np.float32]]:
    cut: list[SegmentedPage] = [segment_page(page) for page in pages]
    found_on = Counter(text for page in cut for text in set(page.texts))
    return [describe(page, found_on, len(cut), VOCABULARY) for page in cut]


def test_width() -> None:
    assert VOCABULARY.width == len(NUMERIC) + 3 * 2 + 2
    (table,) = describe_pages(make_page("<p>one</p><p>two</p>"))
    assert table.shape == (2, VOCABULARY.width)
    assert table.dtype == np.float32


@pytest.mark.parametrize("body", ["", "<p> </p>", "<script>no</script>"])
def test_a_page_without_text_has_no_rows(body: str) -> None:
    (table,) = describe_pages(make_page(body))
    assert table.shape == (0, VOCABULARY.width)


def test_tags_and_words_of_the_block_have_columns() -> None:
    body = "<div class=post-content><p>one</p></div><div id=sideBar2>two</div><p class=content>3"
    (table,) = describe_pages(make_page(body))
    tags = table[:, len(NUMERIC) : -2].tolist()
    # div and p: of the block, of its parent, of its grandparent
    assert tags == [[0, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    assert table[:, -2:].tolist() == [[1, 0], [0, 0], [1, 0]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", set()),
        ("post-content entry_title", {"post", "content", "entry", "title"}),
        ("mainContent", {"main", "content"}),
        ("HTMLBody", {"html", "body"}),
        ("a bb ccc", {"ccc"}),
        ("x" * 16 + " " + "y" * 15, {"y" * 15}),
        ("post-1234 12", {"post"}),
        ("Ünïcode", {"code"}),
    ],
)
def test_attribute_words(value: str, expected: set[str]) -> None:
    assert attribute_words(value) == expected


def test_words_of_ancestors_have_columns() -> None:
    (table,) = describe_pages(make_page("<div class=content><ul><li><p>one</ul></div><p>two"))
    assert table[:, -2].tolist() == [1, 0]


@pytest.mark.parametrize("section", ["news", "journal"])
def test_values_of_real_pages_are_finite(section: str) -> None:
    for table in describe_pages(*demo_pages(section)):
        assert len(table)
        assert np.isfinite(table).all()


@given(html_texts())
def test_values_of_any_page_are_finite(html: str) -> None:
    page = Page.from_html(html)
    first, second = describe_pages(page, page)
    assert first.shape == (len(segment_page(page).segments), VOCABULARY.width)
    assert np.isfinite(first).all()
    assert np.array_equal(first, second)
