from __future__ import annotations

import pytest
from lxml import etree, html

from forest_scrapy.core.page.tree import (
    choose_classes_fast,
    compile_xpath,
    find_elements,
    find_texts,
    parse_html,
)

ROOT = parse_html("<p id=a>b<!-- c --><i>d</i>e</p>")


@pytest.mark.parametrize(
    ("xpath", "elements", "texts"),
    [
        ("//p | //i", ["p", "i"], []),
        ("//p/@id | //p/text()", [], ["a", "b", "e"]),
        ("//p/node()", [etree.Comment, "i"], ["b", "e"]),
        ("count(//p)", [], []),
        ("string(//p)", [], []),
        ("true()", [], []),
        ("//q", [], []),
    ],
)
def test_elements_and_texts_of_an_expression(
    xpath: str, elements: list[object], texts: list[str]
) -> None:
    assert [element.tag for element in find_elements(xpath, ROOT)] == elements
    assert find_texts(xpath, ROOT) == texts


@pytest.mark.parametrize("xpath", ["", "//", "//p["])
def test_text_that_is_not_an_xpath(xpath: str) -> None:
    with pytest.raises(etree.XPathError):
        compile_xpath(xpath)


def test_a_control_character_is_not_an_xpath() -> None:
    with pytest.raises(ValueError, match="control characters"):
        find_elements("//p[.='\x01']", ROOT)


def test_an_expression_is_compiled_once() -> None:
    assert compile_xpath("//p") is compile_xpath("//p")


def test_elements_have_the_classes_that_lxml_gives_them() -> None:
    tags = sorted(html.HtmlElementClassLookup._default_element_classes)
    assert "form" in tags
    markup = "<!--c--><?p i?>" + "".join(
        f"<{tag}>a</{tag}>" for tag in (*tags, "p", "o:p", "BUTTON")
    )
    expected = [type(element) for element in html.document_fromstring(markup).iter()]
    root = html.document_fromstring(markup)
    choose_classes_fast(root)
    assert [type(element) for element in root.iter()] == expected
    assert [type(element) for element in parse_html(markup).iter()] == expected
