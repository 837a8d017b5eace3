"""XPaths of elements with a certain text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.sources import (
    PageSources,
    TextIndex,
    find_visible,
    fold_words,
    short_elements,
)
from forest_scrapy.core.page.tree import Element

from ..helpers import make_page, make_pages


def find(*bodies: str, most: int = 3) -> list[str]:
    """The classes of the elements with the text "boats"."""
    pages = [PageSources(page) for page in make_pages(*bodies)]

    def is_marked(element: Element) -> bool:
        return element.get("class") == "marked"

    xpaths = find_visible(pages, [page.with_words(["boats"]) for page in pages], most, is_marked)
    return [xpath.split("'")[1] for xpath in xpaths]


def test_short_elements_in_document_order_the_outermost_with_a_text() -> None:
    page = make_page("<div><p><b>boats</b></p><p>far too long a text</p></div>")
    found = [(node.tag, text) for _, node, text in short_elements(PageSources(page), 10)]
    assert found == [("p", "boats")]


def test_the_path_on_most_pages_comes_first() -> None:
    bodies = ("<p class=a>boats</p><p class=b>boats</p>", "<p class=b>boats</p>owl")
    assert find(*bodies) == ["b", "a"]
    assert find(*bodies, most=1) == ["b"]


def test_then_the_path_with_the_fewest_elements() -> None:
    one, two = "<p class=a>boats</p>", "<p class=b>boats</p>"
    assert find(one * 2 + two, one * 2 + two) == ["b", "a"]


def test_then_the_path_with_a_marked_element() -> None:
    body = "<p class=a>boats</p><p class=marked>boats</p>"
    assert find(body, body) == ["marked", "a"]


def test_on_a_single_page_marks_come_before_the_number_of_elements() -> None:
    several = "<p class=marked>boats</p>" * 2
    assert find(f"<p class=a>boats</p>{several}") == ["marked", "a"]
    assert find(*[f"<p class=a>boats</p>{several}"] * 2) == ["a", "marked"]


@given(st.lists(st.text("aAbß_İ -", max_size=8)), st.lists(st.text("aAbß", min_size=1, max_size=3)))
def test_the_index_finds_what_a_look_at_each_text_finds(texts: list[str], words: list[str]) -> None:
    words = [word.casefold() for word in words]
    expected = [i for i, text in enumerate(texts) if all(w in fold_words(text) for w in words)]
    assert TextIndex(texts).having(words) == expected


#: No element around it is short.
LONG = "<p>" + "owls at night " * 40


def test_short_elements_with_words() -> None:
    page = PageSources(make_page("<p>Old boats!</p><p>boats</p><p>OLD  BOATS</p><p>...</p>" + LONG))
    assert [one.text for one in page.with_words(["old boats"])] == ["Old boats!", "OLD BOATS"]
    assert [one.text for one in page.with_words(["", "boats"])] == ["boats", "..."]
    assert [one.text for one in page.having_words([["boat", "old"]])] == ["Old boats!", "OLD BOATS"]
