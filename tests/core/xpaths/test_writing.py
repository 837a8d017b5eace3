from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_scrapy.core import Page, Params, learn
from forest_scrapy.core.xpaths.structural import Pattern, node_pattern
from forest_scrapy.core.xpaths.writing import write_xpath

from ..helpers import make_page, make_pages, read_cases

values = st.text(alphabet="ab-_'\"é漢 09", min_size=1, max_size=12)


def find(xpath: str, page: Page) -> list[object]:
    found = etree.XPath(xpath)(page.root)
    assert isinstance(found, list)
    return list(found)


def write_for(pages: list[Page]) -> str:
    nodes = [page.outline.nodes[1] for page in pages]
    assert len({node_pattern(node) for node in nodes}) == 1
    return write_xpath(node_pattern(nodes[0]), [node.element for node in nodes])


@pytest.mark.parametrize("case", read_cases("xpaths/xpaths", "matches_its_own_pages"))
def test_the_expression_selects_the_elements_it_was_written_for(case: dict[str, list[str]]) -> None:
    pages = make_pages(*(f'<div class="{escape(c)}">a</div>' for c in case["classes"]))
    xpath = write_for(pages)
    assert [find(xpath, page) for page in pages] == [
        [page.outline.nodes[1].element] for page in pages
    ]


@pytest.mark.parametrize("case", read_cases("xpaths/xpaths", "tags"))
@pytest.mark.parametrize("attribute", [" class=a", ""], ids=["with a class", "by number"])
def test_any_tag_can_be_learned(case: dict[str, str], attribute: str) -> None:
    tag = case["tag"]
    pages = make_pages(
        *(
            f"<{tag}{attribute}>{text}</{tag}>x y"
            for text in ("sea boat harbour fish", "owl fox hedge tree")
        )
    )
    wrapper = learn(pages, Params(method="forest"))
    assert [wrapper.apply(page).text for page in pages] == [
        "sea boat harbour fish",
        "owl fox hedge tree",
    ]


def test_an_attribute_with_one_value_is_tested_for_equality() -> None:
    pages = make_pages("<div class='post-1 a'>a</div>", "<div class='post-1 a'>b</div>")
    assert write_for(pages) == "//div[@class='post-1 a'][count(ancestor::*)=2]"


def test_digits_are_ignored_only_if_they_vary() -> None:
    pages = make_pages("<div class='post-1 a'>a</div>", "<div class='post-1 b'>b</div>")
    assert "translate" in write_for(pages)
    pages = make_pages("<div class='post a'>a</div>", "<div class='post b'>b</div>")
    assert "translate" not in write_for(pages)


def test_all_typing_attributes_are_tested() -> None:
    xpath = write_for(make_pages("<div class=a id=b itemprop=c role=d>a</div>"))
    assert xpath == "//div[@class='a'][@id='b'][@itemprop='c'][@role='d'][count(ancestor::*)=2]"


def test_a_first_token_is_not_matched_by_a_longer_one() -> None:
    xpath = write_for(make_pages("<div class='post a'>a</div>", "<div class='post b'>b</div>"))
    assert find(xpath, make_page("<div class=post>a</div>"))
    assert not find(xpath, make_page("<div class='poster c'>a</div>"))
    assert not find(xpath, make_page("<div class='a post'>a</div>"))


def test_the_level_is_tested() -> None:
    xpath = write_for(make_pages("<div class=a>a</div>"))
    assert not find(xpath, make_page("<div><div class=a>a</div></div>"))


def test_an_element_without_attributes_is_selected_by_number() -> None:
    page = make_page("<p>a</p><!-- b --><p>c</p>")
    xpath = write_xpath(node_pattern(page.outline.nodes[2]), [])
    assert xpath == "(//*)[4][self::p][count(ancestor::*)=2]"
    assert find(xpath, page) == [page.outline.nodes[2].element]
    assert write_xpath(Pattern("td", (("dfs", "4"),), 2), []) == xpath.replace("p]", "td]")


@given(values, st.integers(0, 99), st.integers(0, 99), values)
def test_one_element_is_selected_on_each_page(token: str, a: int, b: int, rest: str) -> None:
    classes = (f"x{token}{a} {rest}", f"x{token}{b}")
    pages = make_pages(*(f'<div class="{escape(c)}">a</div>' for c in classes))
    xpath = write_for(pages)
    assert all(len(find(xpath, page)) == 1 for page in pages)


@pytest.mark.parametrize("tag", ["x\x01y", "d\x0biv", "p\x00"])
def test_names_with_control_characters_are_tested_by_their_start(tag: str) -> None:
    html = f"<p>Home<{tag}>The boats came back to the harbour with the evening tide.</{tag}>"
    page = Page.from_html(html, "http://a.example/1")
    wrapper = learn([page], Params(method="single"))
    assert "The boats came back" in wrapper.apply(page).text
