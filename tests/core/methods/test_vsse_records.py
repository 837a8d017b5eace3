"""VSSE for structured records, by hand."""

from __future__ import annotations

from math import log

import pytest

from forest_scrapy.core import Page, Params
from forest_scrapy.core.methods.vsse import (
    find_area,
    learn_vsse_records,
    read_pairs,
    weigh_nodes,
)

ROWS = "".join(f"<tr><td>Price:</td><td>{n} EUR</td></tr>" for n in range(6))
HTML = f"<ul><li>Home<li>News</ul><div id=main><h1>Boats</h1><table>{ROWS}</table></div><p>End"


def test_weights_by_hand() -> None:
    """Of four leaves two have a colon, and one of these has a name of the dictionary."""
    outline = Page.from_html("<div><p>Price: 3</p><p>Hull: red</p></div><p>a</p><p>b</p>").outline
    body, div, first = weigh_nodes(outline)[:3]
    assert body == div == pytest.approx(2 * log(4 / 2) + 1 * log(4 / 1))
    assert first == pytest.approx(log(4) + log(4))


def test_the_area_of_records() -> None:
    page = Page.from_html(HTML)
    area, weight = find_area(page.outline)
    assert weight > 0
    text = learn_vsse_records([page], Params()).apply(page).text
    assert page.outline.nodes[area].tag in ("div", "table", "tbody")
    assert text.count("EUR") == 6
    assert "News" not in text


def test_pairs() -> None:
    assert read_pairs(Page.from_html(HTML)) == [("Price", f"{n} EUR") for n in range(6)]


@pytest.mark.parametrize("html", ["", "<p>one</p><p>two</p>", "<div>" * 3000 + "a: b"])
def test_pages_without_records(html: str) -> None:
    page = Page.from_html(html)
    assert learn_vsse_records([page], Params()).method == "vsse-records"
    assert isinstance(read_pairs(page), list)
