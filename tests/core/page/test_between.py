from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.between import MAX_ELEMENTS, MAX_LEVELS, add_between
from forest_scrapy.core.page.tree import Element, outermost_elements, parse_html


def tags_around(html: str) -> list[str]:
    """The tags of the elements with class ``part``, and of those between them."""
    root = parse_html(html)
    parts: list[Element] = root.xpath("//*[@class='part']")
    return [element.tag for element in add_between(parts)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p class=part>a</p><ul><li>b</ul><p class=part>c</p>", ["p", "ul", "p"]),
        ("<hr><p class=part>a</p><p class=part>c</p><hr>", ["p", "p"]),
        ("<p class=part>a</p><!-- b --><p class=part>c</p>", ["p", "p"]),
        ("<p class=part>a</p>", ["p"]),
        ("<b>no part</b>", []),
        # Each part in an element of its own, with what follows or precedes it in there.
        (
            "<div><p class=part>a</p><em>b</em></div><hr><div><i>c</i><p class=part>d</p></div>",
            ["p", "em", "hr", "i", "p"],
        ),
        # Between three parts, of which two are siblings.
        (
            "<p class=part>a</p><table></table><p class=part>b</p>"
            "<div><ol></ol><div class=part>c</div></div>",
            ["p", "table", "p", "ol", "div"],
        ),
    ],
)
def test_elements_between_parts(html: str, expected: list[str]) -> None:
    assert tags_around(html) == expected


def test_parts_far_apart_in_the_tree_have_nothing_between() -> None:
    for levels, expected in ((MAX_LEVELS - 1, ["p", "hr", "p"]), (MAX_LEVELS, ["p", "p"])):
        deep = f"{'<div>' * levels}<p class=part>a</p>{'</div>' * levels}"
        assert tags_around(f"<main>{deep}<hr><p class=part>b</p></main>") == expected


def test_parts_with_many_elements_between_are_not_joined() -> None:
    for count in (MAX_ELEMENTS, MAX_ELEMENTS + 1):
        tags = tags_around(f"<p class=part>a</p>{'<hr>' * count}<p class=part>b</p>")
        assert len(tags) == (count + 2 if count == MAX_ELEMENTS else 2)


trees = st.recursive(
    st.sampled_from(["<p class=part>a</p>", "<hr>", "<p>b</p>", "text"]),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"<div>{''.join(parts)}</div>"),
    max_leaves=20,
)


@given(trees)
def test_in_document_order_once_and_none_inside_another(html: str) -> None:
    root = parse_html(html)
    parts: list[Element] = root.xpath("//*[@class='part']")
    joined = add_between(parts)
    numbers = {element: number for number, element in enumerate(root.iter())}
    positions = [numbers[element] for element in joined]
    assert positions == sorted(set(positions))
    assert set(parts) <= set(joined)
    assert outermost_elements(joined) == joined
