"""Expressions learned by examples."""

from __future__ import annotations

from lxml import html as lxml_html

from forest_scrapy.core.records.article_list.places import Example, learn_field, learn_place
from forest_scrapy.core.records.article_list.rules import read_first


def examples_of(*items: str) -> list[Example]:
    """Examples whose value is the text of the first ``b``."""
    examples = []
    for html in items:
        element = lxml_html.fragment_fromstring(html)
        target = element.find(".//b")
        examples.append(Example(element, target, "" if target is None else target.text))
    return examples


def read(element: lxml_html.HtmlElement, text: str) -> str:
    return text or "".join(element.itertext())


def test_the_first_match_counts() -> None:
    examples = examples_of(
        "<li><p><b>one</b></p><b>x</b></li>",
        "<li><p><b>two</b></p></li>",
    )
    assert learn_place([examples], read) == "descendant::b"


def test_lists_of_several_tags_are_joined() -> None:
    """A plain expression of one would find something else in the other."""
    boxes = examples_of(*(f"<div><i>x</i><b>box {n}</b></div>" for n in range(3)))
    lines = examples_of(*(f"<li><i><b>line {n}</b></i><u/></li>" for n in range(3)))
    xpath = learn_place([boxes, lines], read)
    assert [read_first(xpath, e.item) for e in (*boxes, *lines)] == [
        *(f"box {n}" for n in range(3)),
        *(f"line {n}" for n in range(3)),
    ]


def test_a_field_of_few_items_is_left_out() -> None:
    few = examples_of("<li><b>one</b></li>", "<li>two</li>", "<li>three</li>")
    assert learn_field([few], read) == ""
    most = examples_of("<li><b>one</b></li>", "<li><b>two</b></li>", "<li>three</li>")
    assert learn_field([most], read) == "b"
