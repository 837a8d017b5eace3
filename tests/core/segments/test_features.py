from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.segments.features import (
    NUMERIC,
    SegmentedPage,
    Vocabulary,
    attribute_words,
    describe,
    segment_page,
)

from ..helpers import demo_pages, html_texts, make_page

VOCABULARY = Vocabulary(("div", "p"), ("content", "sidebar"))


def describe_pages(*pages: Page) -> list[NDArray[np.float32]]:
    cut: list[SegmentedPage] = [segment_page(page) for page in pages]
    found_on = Counter(text for page in cut for text in set(page.texts))
    return [describe(page, found_on, len(cut), VOCABULARY) for page in cut]


def column(table: NDArray[np.float32], name: str) -> list[float]:
    return [float(value) for value in table[:, NUMERIC.index(name)]]


def test_names_are_different() -> None:
    assert len(set(NUMERIC)) == len(NUMERIC)


def test_width() -> None:
    assert VOCABULARY.width == len(NUMERIC) + 3 * 2 + 2
    (table,) = describe_pages(make_page("<p>one</p><p>two</p>"))
    assert table.shape == (2, VOCABULARY.width)
    assert table.dtype == np.float32


@pytest.mark.parametrize("body", ["", "<p> </p>", "<script>no</script>"])
def test_a_page_without_text_has_no_rows(body: str) -> None:
    (table,) = describe_pages(make_page(body))
    assert table.shape == (0, VOCABULARY.width)


def test_document_frequency_of_two_pages() -> None:
    first, second = describe_pages(
        make_page("<p>Share this</p><p>a harbour</p><p>share THIS</p>"),
        make_page("<p>an owl</p><p>share this</p>"),
    )
    assert column(first, "df") == [1, 0, 1]
    assert column(second, "df") == [0, 1]
    assert column(first, "pages") == [2, 2, 2]


def test_document_frequency_of_three_pages_and_of_one() -> None:
    bodies = ("<p>a</p><p>b</p>", "<p>a</p><p>c</p>", "<p>a</p><p>b</p>")
    first, second, _ = describe_pages(*map(make_page, bodies))
    assert (column(first, "df"), column(second, "df")) == ([1, 0.5], [1, 0])
    (alone,) = describe_pages(make_page("<p>a</p><p>a</p>"))
    assert column(alone, "df") == [0, 0]


def test_values_by_hand() -> None:
    body = "<nav><a href=/>Home</a></nav><h1>A Title</h1><article><p>It rained, 42.</p></article>"
    (table,) = describe_pages(make_page(body, entry=Entry("A title", "it rained")))
    assert column(table, "link_density") == [1, 0, 0]
    assert column(table, "ends_sentence") == [0, 0, 1]
    assert column(table, "in_title") == [0, 1, 0]
    assert column(table, "in_description") == pytest.approx([0, 0, 2 / 3])
    assert column(table, "in_nav") == [1, 0, 0]
    assert column(table, "in_h1") == [0, 1, 0]
    assert column(table, "in_article") == column(table, "in_p") == [0, 0, 1]
    assert column(table, "after_h1") == [0, 0, 1]
    assert column(table, "depth") == [2, 2, 3]
    assert column(table, "digits") == pytest.approx([0, 0, 2 / 14])
    assert column(table, "before_link_density") == [0, 1, 0]
    assert column(table, "after2_ends_sentence") == [1, 0, 0]


def test_tags_and_words_have_columns() -> None:
    body = "<div class=post-content><p>one</p></div><div id=sideBar2>two</div><p class=content>3"
    (table,) = describe_pages(make_page(body))
    tags = table[:, len(NUMERIC) : -2].tolist()
    # div and p of the block itself, of its parent and of that one's parent
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


def test_words_of_ancestors_count() -> None:
    (table,) = describe_pages(make_page("<div class=content><ul><li><p>one</ul></div><p>two"))
    assert table[:, -2].tolist() == [1, 0]


@pytest.mark.parametrize("section", ["news", "journal"])
def test_values_of_real_pages_are_finite(section: str) -> None:
    for table in describe_pages(*demo_pages(section)):
        assert len(table)
        assert np.isfinite(table).all()


@given(html_texts())
def test_values_are_finite_whatever_the_page(html: str) -> None:
    page = Page.from_html(html)
    first, second = describe_pages(page, page)
    assert first.shape == (len(segment_page(page).segments), VOCABULARY.width)
    assert np.isfinite(first).all()
    assert np.array_equal(first, second)
