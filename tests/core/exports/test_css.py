"""CSS selects the same elements as the XPath."""

from __future__ import annotations

import pytest
from hypothesis import given
from parsel import Selector

from forest_scrapy.core.exports.css import read_xpath_steps, write_css
from forest_scrapy.core.page.outline import outline_tree
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.xpaths.anchored import anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.structural import node_pattern
from forest_scrapy.core.xpaths.writing import write_xpath

from ..helpers import demo_pages, html_texts


def to_css(xpath: str) -> str | None:
    branches = read_xpath_steps(xpath) or [[]]
    written = [write_css(branch) for branch in branches]
    return ", ".join(map(str, written)) if all(written) else None


def assert_same(root: object) -> int:
    """Compare all expressions for the nodes of a page; the number of those that have CSS."""
    selector, outline, compared = Selector(root=root, type="html"), outline_tree(root), 0
    for node, path in zip(outline.nodes, anchored_paths(outline), strict=True):
        by_path = anchored_xpath(path, [node.element])
        for xpath in (write_xpath(node_pattern(node), [node.element]), by_path):
            if css := to_css(xpath):
                compared += 1
                assert [e.root for e in selector.css(css)] == root.xpath(xpath), (xpath, css)
    return compared


@pytest.mark.parametrize("section", ["news", "journal"])
def test_on_the_demo_site(section: str) -> None:
    assert assert_same(demo_pages(section)[0].root) > 100


@given(html_texts())
def test_on_any_page(html: str) -> None:
    assert_same(parse_html(html))


@pytest.mark.parametrize(
    ("xpath", "css"),
    [
        ("//p", "p"),
        ("//p | //div/a", "p, div > a"),
        ("//div//a", "div a"),
        ("//html[@lang='en'][count(ancestor::*)=0]", 'html[lang="en"]'),
        ("/html/body/p[not(@class or @id)]", "html > body > p:not([class]):not([id])"),
        (
            "//p[starts-with(concat(normalize-space(@class), ' '), 'a ')][count(ancestor::*)=3]",
            'html > * > * > p[class^="a"][class~="a"]',
        ),
    ],
)
def test_expressions_with_an_equivalent(xpath: str, css: str) -> None:
    assert to_css(xpath) == css


@pytest.mark.parametrize(
    "xpath",
    [
        "",
        "//",
        " | ",
        "//p | ",
        "//p[",
        "(//*)[2][self::p]",
        "//*[name()='o:p']",
        "//p[text()]",
        "/p",
        "//div[count(ancestor::*)=0]",
        "//div/p[count(ancestor::*)=3]",
        "//p[@class='\"']",
        "//p[@class='a\\']",
        "//p[@class='a\n']",
        "//p[starts-with(concat(translate(normalize-space(@id), '0123456789', ''), ' '), 'a ')]",
    ],
)
def test_expressions_without_an_equivalent(xpath: str) -> None:
    assert to_css(xpath) is None
