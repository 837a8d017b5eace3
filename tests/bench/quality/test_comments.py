"""Comments in the text of articles, as ``benchmarks.quality.records --comments`` finds them."""

from __future__ import annotations

import pytest

from benchmarks.quality.comments import CommentCount, lines_in_text, summarize_comments
from forest_scrapy.core import Page, Wrapper

_PAGE = """<html><body><div class=story><h1>Boats</h1>
<p>The boats are in the harbour today, and nobody knows why they came.</p><p>ok</p></div>
<ol id=comments><li class=comment><b>Ana</b> <time>3 May 2024</time><p>They came for the owls.</p>
<li class=comment><b>Cy</b> <time>4 May 2024</time><p>The boats are in the harbour</p></ol>"""


@pytest.mark.parametrize(
    ("xpath", "found"),
    [
        ("//div[@class='story']", ()),
        ("//body", ("They came for the owls.", "The boats are in the harbour")),
    ],
)
def test_whole_lines(xpath: str, found: tuple[str, ...]) -> None:
    """A comment that is only part of a line of the article does not count."""
    page = Page.from_html(_PAGE, "http://a.example/1")
    article = Wrapper("own", (xpath,)).apply(page)
    assert lines_in_text(page, article, None, ()) == found


def test_summary() -> None:
    counts = [CommentCount("a", 2, 2, 1, 2, ("ok",)), CommentCount("b", 0, 1, 0, 0, ())]
    report = summarize_comments(counts)
    assert (report["right"], report["found_without"]) == (1, 1)
    assert (report["pages_with_comments_in_text"], report["lines_in_text"]) == (1, 1)
