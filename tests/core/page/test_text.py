from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from forest_scrapy.core.page.text import block_text, strip_invisible, strip_markup
from forest_scrapy.core.page.tree import is_block, parse_html

from ..helpers import html_texts, make_page, read_cases


@pytest.mark.parametrize("case", read_cases("page/text", "block_text"))
def test_block_text(case: dict[str, str]) -> None:
    assert block_text(make_page(case["html"]).root) == case["text"]


@pytest.mark.parametrize("case", read_cases("page/text", "strip_markup"))
def test_strip_markup(case: dict[str, str]) -> None:
    assert strip_markup(case["text"]) == case["stripped"]


def test_strip_markup_of_deep_markup() -> None:
    assert strip_markup("a" + "<div>" * 300 + "b") == "a b"


@given(html_texts())
def test_strip_markup_gives_the_block_text_on_one_line(markup: str) -> None:
    lines = block_text(parse_html(f"<div>{markup}&#97;</div>"))
    assert strip_markup(f"{markup}&#97;") == " ".join(lines.split())


def test_text_after_an_element_is_not_part_of_it() -> None:
    first = make_page("<p>a</p>b").root.find(".//p")
    assert block_text(first) == "a"


def test_an_ignored_element_has_no_text() -> None:
    script = make_page("<script>x</script>b").root.find(".//script")
    assert block_text(script) == ""


def test_comments_are_not_blocks() -> None:
    comment = html.fromstring("<div><!-- a --></div>")[0]
    assert not is_block(comment)


@given(html_texts())
def test_any_tree_has_text(text: str) -> None:
    root = parse_html(text)
    lines = block_text(root).split("\n")
    assert lines == [""] or all(line.rstrip() == line != "" for line in lines)


@given(st.one_of(html_texts(), st.text()))
def test_stripped_markup_is_one_line(text: str) -> None:
    stripped = strip_markup(text)
    assert stripped == " ".join(stripped.split())


@given(st.text(alphabet="ab \n\t漢é.,;'\"/-()"))
def test_plain_text_is_kept(text: str) -> None:
    assert strip_markup(text) == " ".join(text.split())
    assert strip_markup(strip_markup(text)) == strip_markup(text)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("Schiff\u00adfahrt \ufeff\u2060", "Schifffahrt "),
        ("a\u200c\u200db", "ab"),
        # Joiners are judged by what stands beside them in the text, with a width or not.
        ("a\u200b\u200db", "a\u200db"),
        ("\u0915\u200d\u0937", "\u0915\u200d\u0937"),
    ],
)
def test_characters_without_a_width(text: str, visible: str) -> None:
    assert strip_invisible(text) == visible
