"""The short elements of a page."""

from __future__ import annotations

from forest_scrapy.core.fields.sources import PageSources, short_elements

from ..helpers import make_page

#: No element around it is short.
LONG = "<p>" + "owls at night " * 40


def test_short_elements_in_document_order_the_outermost_with_a_text() -> None:
    page = make_page("<div><p><b>boats</b></p><p>far too long a text</p></div>")
    found = [(node.tag, text) for _, node, text in short_elements(PageSources(page), 10)]
    assert found == [("p", "boats")]


def test_short_elements_with_words() -> None:
    page = PageSources(make_page("<p>Old boats!</p><p>boats</p><p>OLD  BOATS</p><p>...</p>" + LONG))
    assert [one.text for one in page.with_words(["old boats"])] == ["Old boats!", "OLD BOATS"]
    assert [one.text for one in page.with_words(["", "boats"])] == ["boats", "..."]
    assert [one.text for one in page.having_words([["boat", "old"]])] == ["Old boats!", "OLD BOATS"]
