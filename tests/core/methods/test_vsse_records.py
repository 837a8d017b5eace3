"""VSSE for structured records, by hand."""

from __future__ import annotations

from math import log

import pytest

from forest_scrapy.core import Page, Params, learn_records
from forest_scrapy.core.methods.characteristics import filter_container, make_container
from forest_scrapy.core.methods.vsse import (
    find_area,
    find_areas,
    learn_vsse_records,
    read_pairs,
    weigh_nodes,
)

from ..helpers import read_again

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


def test_records_that_are_alike_are_areas_together() -> None:
    """The path ends in the first of two lists, whose tag path both have: each list has four of the
    13 leaves.  A list without a characteristic is no area, and one elsewhere has another path."""
    product = "<ul><li>Price: 3<li>Size: 4<li>Color: red<li>Material: tin</ul>"
    page = Page.from_html(
        f"<nav><ul><li>Home<li>News</ul></nav><main>{product}{product}<ul><li>End</ul></main>"
        "<aside>More</aside><footer>Bye</footer>"
    )
    tags = [node.tag for node in page.outline.nodes]
    main = tags.index("main")
    end, weight = find_area(page.outline)
    areas, areas_weight = find_areas(page.outline)
    assert (tags[end], weight) == ("ul", pytest.approx(4 * log(13 / 4) + 4 * log(13)))
    assert areas_weight == weight
    assert areas == [end, tags.index("ul", end + 1)]
    assert all(page.outline.nodes[area].parent == main for area in areas)
    pairs = [("Price", "3"), ("Size", "4"), ("Color", "red"), ("Material", "tin")]
    assert read_pairs(page) == pairs * 2
    text = learn_vsse_records([page], Params()).apply(page).text
    assert text.count("Price") == 2 and "Home" not in text


def test_a_container_filters_itself() -> None:
    """Of the six leaves of the records all have a colon, of the six others one; a comma is in one
    of the records and in two of the others: only the colon tells the records apart."""
    rows = "".join(f"<li>Pris: {n}" for n in range(5))
    page = Page.from_html(
        f"<div><p>one, two</p><p>a, b</p><p>c: d</p><p>e<p>f<p>g</div><ul>{rows}<li>Pris: 3,5</ul>"
    )
    container = make_container([","])
    list_leaves = range(6, 12)
    kept = filter_container(container, page.outline, list_leaves)
    assert set(kept) == {":"}
    _, weight = find_areas(page.outline, container)
    areas, filtered_weight = find_areas(page.outline, container, is_filtered=True)
    assert [page.outline.nodes[area].tag for area in areas] == ["ul"]
    assert weight == pytest.approx(6 * log(12 / 6) + log(12))
    assert filtered_weight == pytest.approx(6 * log(12 / 6))
    params = Params("vsse-records", characteristics=(",",), filter_characteristics=True)
    records = learn_records([page], params)
    assert records.filter_characteristics
    assert read_again(records) == records
    assert len(records.apply(page)) == 6
