"""The structures of a page are read from whatever element the content begins at."""

from __future__ import annotations

import pytest
from hypothesis import given
from lxml import etree

from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.structures.page_structures import find_structures
from forest_scrapy.core.page.tree import find_elements, parse_html

from ...helpers import html_texts

PAGE = (
    "<div class=highlight><div class=bar><span>C</span><button>Copy</button></div><table><tr>"
    "<td class=gutter><pre>1\n2</pre></td><td class=code><pre><code>a\n  b</code></pre></td></tr>"
    "</table></div><p>So <span class=katex><math><mi>x</mi></math><i>x</i></span></p>"
)


@pytest.mark.parametrize(
    ("xpath", "text"),
    [
        ("//div[@class='highlight']", "a\n  b"),
        ("//table", "a\n  b"),
        ("//td[@class='code']", "a\n  b"),
        ("//code", "a\n  b"),
        ("//td[@class='gutter']", ""),
        ("//div[@class='bar']", ""),
        ("//math", "x"),
        ("//p", "So x"),
    ],
)
def test_content_may_begin_inside_of_a_structure(xpath: str, text: str) -> None:
    root = parse_html(PAGE)
    assert read_content(find_elements(xpath, root)[0]).text == text


def test_what_the_wrapper_leaves_out_of_code_stays_out() -> None:
    root = parse_html(PAGE)
    assert read_content(root, find_elements("//div[@class='highlight']", root)).text == "So x"


@given(html_texts())
def test_any_tree_has_structures_and_is_not_changed(html: str) -> None:
    root = parse_html(html)
    before = etree.tostring(root)
    find_structures(root, "http://a.example/")
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    "piece",
    [
        "<a href=#a id=a><sup>1</sup></a>",
        "<p id=x><sup><a href=#x>1</a></sup>a",
        "<pre>a</pre>",
        "<div class=code><pre>a</pre>",
        "<div class=highlight>",
        "<span class=math>",
        "<math><mi>x</mi></math>",
        "<span class=katex><math><mi>x</mi></math>",
        "<h2><a href=#a>#</a>",
        "<span class=ltx_note ltx_role_footnote>a",
        "\\(",
        "$x$ ",
        "<table><tr><td rowspan=99>a",
    ],
)
def test_time_does_not_grow_with_the_square(piece: str) -> None:
    content = read_content(parse_html(f"<body>{piece * 3000}</body>"))
    assert len(content.text) < 100 * 3000
