from __future__ import annotations

from typing import Any

import pytest

from forest_scrapy.core import Page, Params, UnknownChoice
from forest_scrapy.core.methods.vsse import (
    aggregate_paths,
    learn_vsse,
    starting_leaves,
    weigh_leaves,
)

from ..helpers import make_page


def test_vvtc_by_hand() -> None:
    """Four leaves; 12 characters and 2 marks: 12 / 4 * 2 / 4."""
    assert weigh_leaves(["Boats, owls.", "menu", "no marks at all", "!"]) == [
        pytest.approx(12 / 4 * 2 / 4), 0, 0, pytest.approx(1 / 4 * 1 / 4),
    ]  # fmt: skip


def test_without_leaves_there_are_no_weights() -> None:
    assert weigh_leaves([]) == []


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("body div p", "body div p", "body div p"),
        ("body div p", "body div ul li", "body div"),
        ("body div section p", "body div p", "body div section"),
        ("body div p", "body div section p", "body div p"),
        ("body", "div p", ""),
        ("", "body p", ""),
        ("body a b c", "body c b a", "body a"),
    ],
)
def test_aggregation_by_hand(one: str, other: str, shared: str) -> None:
    """Equation 2: the first tags, as many as the longest common subsequence has."""
    assert aggregate_paths(tuple(one.split()), tuple(other.split())) == tuple(shared.split())


def extract(page: Page) -> str:
    return learn_vsse([page], Params()).apply(page).text


def test_leaves_start_from_four_fifths_of_the_largest_weight() -> None:
    assert starting_leaves([20, 24, 30, 0]) == {1, 2}  # 24 of 30 are four fifths
    assert starting_leaves([20, 23.9, 30, 0]) == {2}
    assert starting_leaves([0, 0]) == starting_leaves([]) == set()


def test_leaves_with_punctuation_in_the_area_are_kept() -> None:
    page = make_page("<div><p>1, 2.</p><p>123456789, 123.</p><p>menu</p></div><span>3, 4.</span>")
    assert extract(page) == "1, 2.\n123456789, 123."


def declared(title: str, body: str) -> Page:
    return Page.from_html(f"<html lang=xx><head><title>{title}</title></head><body>{body}</body>")


LONG = "The harbour, they said, was full of boats, owls, and nets, that day."


def test_a_leaf_with_the_title_is_kept() -> None:
    page = declared("owls at sea", f"<div><p>owls at sea</p><p>{LONG}</p><p>other words</p></div>")
    assert extract(page) == f"owls at sea\n{LONG}"


def test_a_leaf_with_the_title_outside_the_area_is_not_kept() -> None:
    page = declared("owls at sea", f"<span>owls at sea</span><div><p>{LONG}</p></div>")
    assert extract(page) == LONG


def test_without_punctuation_nothing_is_kept() -> None:
    assert extract(make_page("<p>boats and owls</p>")) == ""
    assert extract(declared("boats", "<p>boats and owls</p>")) == ""


def test_an_area_without_elements() -> None:
    """No element has the aggregated path, so only the starting leaves are kept."""
    body = f"<div><ul><li><p>{LONG}</p></ul></div><ul><li><div><p>{LONG}</p></div></ul>"
    assert extract(declared("owls", body)) == f"{LONG}\n{LONG}"


def test_the_thresholds_are_options() -> None:
    """The weights are 19 * 4 and 68 * 8 by the square of the leaves.  Of T2, a title of 64 other
    bits at most resembles any leaf."""
    body = f"<span>Owls, boats, nets.</span><div><p>{LONG}</p><p>other words</p></div>"
    page = declared("owls at sea", body)

    def extract_with(**options: Any) -> str:
        return learn_vsse([page], Params(**options)).apply(page).text

    assert extract_with() == LONG
    assert extract_with(t2=64) == f"{LONG}\nother words"
    assert extract_with(t1=0.1).startswith("Owls, boats, nets.")


def test_all_leaves_may_be_compared_as_published() -> None:
    """The second paragraph has punctuation, and nothing of the title."""
    body = f"<div><p>{LONG}</p><p>It rained, too.</p><p>owls at sea</p></div>"
    page = declared("owls at sea", body)
    wrapper = learn_vsse([page], Params(compared="all"))
    assert wrapper.apply(page).text == f"{LONG}\nowls at sea"
    assert extract(page) == f"{LONG}\nIt rained, too.\nowls at sea"
    with pytest.raises(UnknownChoice, match="compared 'none'"):
        learn_vsse([page], Params(compared="none"))
