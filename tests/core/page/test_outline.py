from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_scrapy.core.page.outline import outline_tree
from forest_scrapy.core.page.tree import is_ignored, outermost_elements, parse_html

from ..helpers import html_texts, make_page


def texts(body: str) -> list[str]:
    return [leaf.text for leaf in make_page(body).outline.leaves]


def test_nodes_are_the_visible_elements_from_the_body_down() -> None:
    nodes = make_page("<div><p>a</p><script>x</script></div><ul><li>b</ul>").outline.nodes
    assert [(n.element.tag, n.dfs, n.level, n.parent) for n in nodes] == [
        ("body", 2, 1, -1),
        ("div", 3, 2, 0),
        ("p", 4, 3, 1),
        ("ul", 6, 2, 0),
        ("li", 7, 3, 3),
    ]


def test_dfs_and_level_are_as_in_xpath() -> None:
    page = make_page("<!-- a --><div><p>a</p><svg><g/></svg></div><p>b</p>")
    for node in page.outline.nodes:
        assert page.root.xpath(f"(//*)[{node.dfs}]") == [node.element]
        assert node.element.xpath("count(ancestor::*)") == node.level


def test_leaves_are_texts_and_tails_in_document_order() -> None:
    assert texts("a<p>b<b>c</b>d</p>e<!-- x -->f<script>y</script>g") == list("abcdefg")


def test_the_tail_of_an_element_belongs_to_its_parent() -> None:
    outline = make_page("<div>a<p>b</p>c</div>d").outline
    tags = [outline.nodes[leaf.node].element.tag for leaf in outline.leaves]
    assert tags == ["div", "p", "div", "body"]


def test_the_leaves_of_a_node_are_contiguous() -> None:
    outline = make_page("<div>a<p>b</p>c</div>d").outline
    body, div, p = outline.nodes
    assert (outline.text(body), outline.text(div), outline.text(p)) == ("a b c d", "a b c", "b")


@pytest.mark.parametrize("space", [" ", "\n\t", "&nbsp;", "\u3000"])
def test_white_space_is_not_a_leaf(space: str) -> None:
    assert texts(f"<p>{space}</p>{space}") == []


def test_the_path_leads_up_to_the_body() -> None:
    outline = make_page("<div><p>a</p></div>").outline
    tags = [outline.nodes[i].element.tag for i in outline.path(2)]
    assert tags == ["p", "div", "body"]


def test_values_are_inherited_from_parents() -> None:
    outline = make_page("<div><p>a</p></div><p>b</p>").outline
    assert outline.inherit(0, lambda above, node: above + 1) == [1, 2, 3, 2]
    assert [node.level for node in outline.nodes] == [1, 2, 3, 2]


def test_nodes_inside_elements_with_a_tag() -> None:
    outline = make_page("<a><b><i>x</i></b></a><p><b>y</b></p>").outline
    assert [n.tag for n in outline.nodes] == ["body", "a", "b", "i", "p", "b"]
    assert outline.inside(("a",)) == [False, True, True, True, False, False]
    assert outline.inside(("p", "i")) == [False, False, False, True, True, True]


def test_the_nearest_block_of_each_node() -> None:
    outline = make_page("<b>x</b><div><i><p>y</p></i></div>").outline
    assert [n.tag for n in outline.nodes] == ["body", "b", "div", "i", "p"]
    assert outline.blocks == (0, 0, 2, 2, 4)


def test_the_subtree_and_the_outermost_of_some_nodes() -> None:
    outline = make_page("<div><p><b>x</b></p></div><p>y</p>").outline  # body div p b p
    assert outline.subtree([1]) == {1, 2, 3}
    assert outline.subtree([1, 4], without=[2]) == {1, 4}
    assert outline.outermost({4, 3, 1}) == [1, 4]
    assert outline.outermost([]) == []


def test_the_outermost_of_some_elements() -> None:
    body = make_page("<div><p><b>x</b></p></div><p>y</p>").root.find("body")
    div, p, b, last = body.iterdescendants()
    assert outermost_elements([last, b, p]) == [last, p]
    assert outermost_elements([div, b]) == [div]
    assert outermost_elements([]) == []


@pytest.mark.parametrize(
    "tag", "script style noscript template iframe object svg math select textarea audio".split()
)
def test_ignored_elements(tag: str) -> None:
    root = parse_html(f"<body><p>a</p><{tag}>x</{tag}>b")
    assert is_ignored(next(root.iter(tag)))
    assert "x" not in outline_tree(root).text(outline_tree(root).nodes[0])


def test_comments_and_instructions_are_ignored() -> None:
    assert is_ignored(etree.Comment("a"))
    assert is_ignored(etree.ProcessingInstruction("a"))


@pytest.mark.parametrize(
    "html",
    ["", " ", "\x00", "<!-- a -->", "<!doctype html>", "<?php ?>", "<frameset><frame>", "<html>"],
)
def test_every_document_has_an_outline(html: str) -> None:
    root = parse_html(html)
    assert root.tag == "html"
    assert len(outline_tree(root).nodes) >= 1
    assert outline_tree(root).leaves == ()


def test_a_lone_surrogate_is_parsed() -> None:
    assert parse_html("<p>a\ud800b").tag == "html"


def test_the_root_can_be_the_body() -> None:
    root = parse_html("<p>a").find("body")
    assert [(n.element.tag, n.level) for n in outline_tree(root).nodes] == [("body", 0), ("p", 1)]


@given(st.one_of(html_texts(), st.text()))
def test_the_outline_of_any_text_is_consistent(html: str) -> None:
    root = parse_html(html)
    before = etree.tostring(root)
    outline = outline_tree(root)
    for i, node in enumerate(outline.nodes):
        assert -1 <= node.parent < i or i == 0
        assert node.first <= node.last <= len(outline.leaves)
        if node.parent >= 0:
            above = outline.nodes[node.parent]
            assert above.level + 1 == node.level
            assert above.first <= node.first
            assert node.last <= above.last
    assert all(leaf.text.strip() for leaf in outline.leaves)
    assert outline.nodes[0].last == len(outline.leaves)
    assert etree.tostring(root) == before


@given(html_texts(), st.sampled_from(["div", "p", "*"]))
def test_the_outermost_elements_have_no_ancestor_among_the_elements(html: str, tag: str) -> None:
    elements = list(parse_html(html).iter(tag))
    given_ones = set(elements)
    expected = [one for one in elements if given_ones.isdisjoint(one.iterancestors())]
    assert outermost_elements(elements) == expected
    assert outermost_elements(elements[::-1]) == expected[::-1]
