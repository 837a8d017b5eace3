"""XPaths of the elements that show a text."""

from __future__ import annotations

from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.visible import find_visible
from forest_scrapy.core.page.tree import Element

from ..helpers import make_pages


def find(*bodies: str, most: int = 3) -> list[str]:
    """The classes of the elements with the text "boats"."""
    pages = [PageSources(page) for page in make_pages(*bodies)]

    def is_marked(element: Element) -> bool:
        return element.get("class") == "marked"

    xpaths = find_visible(pages, [page.with_words(["boats"]) for page in pages], most, is_marked)
    return [xpath.split("'")[1] for xpath in xpaths]


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
