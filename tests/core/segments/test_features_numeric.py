from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import segment_page

from ..helpers import make_page

Rows = NDArray[np.float64]


def rows_of(*pages: Page) -> list[Rows]:
    cut = [segment_page(page) for page in pages]
    found_on = Counter(text for page in cut for text in set(page.texts))
    tables = (describe(page, found_on, len(cut), Vocabulary((), ())) for page in cut)
    return [table.astype(np.float64) for table in tables]


def column(rows: Rows, name: str) -> list[float]:
    values: list[float] = rows[:, NUMERIC.index(name)].tolist()
    return values


def test_names_are_unique() -> None:
    assert len(set(NUMERIC)) == len(NUMERIC) == 106


def test_document_frequency_of_two_pages() -> None:
    first, second = rows_of(
        make_page("<p>Share this</p><p>a harbour</p><p>share THIS</p>"),
        make_page("<p>an owl</p><p>share this</p>"),
    )
    assert column(first, "df") == [1, 0, 1]
    assert column(second, "df") == [0, 1]
    assert column(first, "pages") == [2, 2, 2]


def test_document_frequency_of_three_pages_and_of_a_single_one() -> None:
    bodies = ("<p>a</p><p>b</p>", "<p>a</p><p>c</p>", "<p>a</p><p>b</p>")
    first, second, _ = rows_of(*map(make_page, bodies))
    assert (column(first, "df"), column(second, "df")) == ([1, 0.5], [1, 0])
    (single,) = rows_of(make_page("<p>a</p><p>a</p>"))
    assert column(single, "df") == [0, 0]


def test_values_by_hand() -> None:
    body = "<nav><a href=/>Home</a></nav><h1>A Title</h1><article><p>It rained, 42.</p></article>"
    (rows,) = rows_of(make_page(body, entry=Entry("A title", "it rained")))
    assert column(rows, "link_density") == [1, 0, 0]
    assert column(rows, "ends_sentence") == [0, 0, 1]
    assert column(rows, "in_title") == [0, 1, 0]
    assert column(rows, "in_description") == pytest.approx([0, 0, 2 / 3])
    assert column(rows, "in_nav") == [1, 0, 0]
    assert column(rows, "in_h1") == [0, 1, 0]
    assert column(rows, "in_article") == column(rows, "in_p") == [0, 0, 1]
    assert column(rows, "after_h1") == [0, 0, 1]
    assert column(rows, "depth") == [2, 2, 3]
    assert column(rows, "digits") == pytest.approx([0, 0, 2 / 14])
    assert column(rows, "before_link_density") == [0, 1, 0]
    assert column(rows, "after2_ends_sentence") == [1, 0, 0]


def test_positions_and_repeats() -> None:
    (rows,) = rows_of(make_page("<p>abc</p><p>d</p><p>abc</p><p>e</p>"))
    assert column(rows, "position") == [0, 0.25, 0.5, 0.75]
    assert column(rows, "position_by_text") == [0, 3 / 8, 4 / 8, 7 / 8]
    assert column(rows, "repeats") == [1, 0, 1, 0]


def test_shares_of_running_text_by_path_and_block() -> None:
    """Running text: 6 characters in p, 2 in li; the link is not running text."""
    (rows,) = rows_of(make_page("<div><p>abc</p><p>def</p></div><ul><li>gh<li><a>link</a></ul>"))
    assert column(rows, "share_path") == [6 / 8, 6 / 8, 2 / 8, 2 / 8]
    assert column(rows, "share_block") == [3 / 8, 3 / 8, 2 / 8, 0]
    assert column(rows, "share_parent") == [6 / 8, 6 / 8, 2 / 8, 2 / 8]
    assert column(rows, "share_grandparent") == [1, 1, 1, 1]
