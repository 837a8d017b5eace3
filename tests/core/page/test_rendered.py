from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.page.rendered import STYLE_ATTRIBUTE, Style, read_styles

from ..helpers import make_page


@pytest.mark.parametrize(
    ("display", "breaks"),
    [
        *[(one, True) for one in ("block", "flex", "grid", "list-item", "table-cell", "flow-root")],
        *[(one, False) for one in ("inline", "inline-block", "inline-flex", "contents", "none")],
    ],
)
def test_where_the_browser_breaks_lines(display: str, breaks: bool) -> None:
    style = Style.parse(f"0,0,10,10,16,rgb(0,0,0),{display}")
    assert style is not None
    assert style.breaks_line is breaks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0,0,10,10,16,rgb(0,0,0)",
        "0,0,10,10,16,rgb(0,0,0),block,",
        "0,0,-1,10,16,red,block",
        "0,0,1e9,10,16,red,block",
        "nan,0,10,10,16,red,block",
        f"0,0,10,10,16,{'r' * 101},block",
        f"{'9' * 8},0,10,10,16,red,block",
    ],
)
def test_values_that_no_browser_writes_are_ignored(text: str) -> None:
    assert Style.parse(text) is None


def test_a_page_is_rendered_if_its_body_has_a_style() -> None:
    assert read_styles(make_page("<p>a").outline) is None
    given = f'{STYLE_ATTRIBUTE}="0,0,5,6,16,red,block"'
    page = make_page(f"<p {given}>a")  # a page that has the attribute itself
    assert read_styles(page.outline) is None


def test_elements_that_the_parser_adds_have_the_style_of_their_parent() -> None:
    style = f'{STYLE_ATTRIBUTE}="0,0,5,6,16,red,table"'
    page = Page.from_html(f"<body {style}><table><tr><td>a")
    styles = read_styles(page.outline)
    assert styles is not None
    assert {one.font_size for one in styles} == {16.0}
