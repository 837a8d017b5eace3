from __future__ import annotations

import pytest

from forest_scrapy.core import Page, Params
from forest_scrapy.core.methods.vsse import aggregate_paths, learn_vsse, weigh_leaves

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
    """vvtc in units of 1 / 16 for four leaves: characters times marks."""
    page = make_page("<p>123456, 9.</p><p>12345678, 1234.</p><p>123456789, 123.</p><p>menu</p>")
    found = [weight * 16 for weight in weigh_leaves([x.text for x in page.outline.leaves])]
    assert found == [20, 30, 30, 0]
    assert extract(page) == "12345678, 1234.\n123456789, 123."
    page = make_page("<p>12345678, 9.</p><p>123456789, 1234.</p><p>menu</p>")
    assert extract(page) == "123456789, 1234."  # 24 of 32 are three quarters
    page = make_page("<p>1234567890, 9.</p><p>123456789, 1234.</p><p>menu</p>")
    assert extract(page) == "1234567890, 9.\n123456789, 1234."  # 28 of 32 are seven eighths


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
