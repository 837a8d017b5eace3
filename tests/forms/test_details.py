"""The attributes that the page of a record tells."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.forms.details import read_details
from tests.effort import limited_effort


@pytest.mark.parametrize(
    ("html", "pairs"),
    [
        ("<dl><div><dt>ISBN<dd>12</dd><dd>3</div><dt>Shelf<dd>S1</dl>", "ISBN=12, 3; Shelf=S1"),
        ("<dl><dt>About<dd><dl><dt>ISBN<dd>12</dl><dt>Shelf<dd>S1</dl>", "Shelf=S1; ISBN=12"),
        ("<dl><dd><dl><dt>ISBN</dt><dd>12</dd></dl></dd></dl>", "ISBN=12"),
        (
            "<table><tr><td>Menu<td><table><tr><th>ISBN<td>12</table><tr><td>Shelf<td>S1</table>",
            "ISBN=12; Shelf=S1",
        ),
    ],
)
def test_nested_lists_and_tables_are_read_from_the_inside(html: str, pairs: str) -> None:
    page = Page.from_html(f"<html><body>{html}</body></html>", "http://a.example/1")
    assert "; ".join(f"{name}={value}" for name, value in read_details(page)) == pairs


@pytest.mark.parametrize(
    "wrapped_list",
    [
        "<div><div><dt>Year</dt></div><div><dd>1999</dd></div></div>",
        "<section><dt>Year</dt><dd>1999</dd></section>",
        "<span><dt>Year</dt><dd>1999</dd></span>",
        "<a name=x><dt>Year</dt><dd>1999</dd></a>",
        "<ul><li><dt>Year</dt><dd>1999</dd></li></ul>",
        "<!-- one --><font><dt>Year</dt></font><dd><b>1999</b></dd>",
    ],
)
def test_definitions_are_read_in_any_wrapper(wrapped_list: str) -> None:
    html = f"<html><body><dl>{wrapped_list}</dl></body></html>"
    assert read_details(Page.from_html(html, "http://a.example/1")) == [("Year", "1999")]


@pytest.mark.parametrize(
    ("start", "depth", "rest"),
    [
        ("<dl><dd>", 60, "<dt>a</dt><dd>b</dd>"),
        ("<dl><div><dd>", 60, "<dt>a</dt><dd>b</dd>"),
        ("<dl><dt>", 60, "<dt>a</dt><dd>b</dd>"),
        ("<dl><dd><div>", 60, "<dt>a</dt><dd>b</dd>"),
        ("<dl>" + "<section><dd>" * 60, 1, "<div><dt>a</dt><dd>b</dd></div>"),
        ("<table><tr><td>a</td><td>", 60, "<p>one word after another</p>"),
        ("<tr><td>a</td><td>", 60, "<table><tr><td>a</td><td>b</td></tr></table>"),
    ],
)
def test_nested_lists_and_tables_take_linear_time(start: str, depth: int, rest: str) -> None:
    page = Page.from_html(f"<html><body>{start * depth}{rest * 1500}", "http://a.example/1")
    assert page.outline.lines
    with limited_effort(0.5):
        read_details(page)
