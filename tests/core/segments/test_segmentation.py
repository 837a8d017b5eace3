from __future__ import annotations

import pytest
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.segments.segmentation import (
    Segment,
    cut_segments,
    segment_page,
)

from ..helpers import html_texts, make_page


def cut(body: str) -> tuple[Segment, ...]:
    return cut_segments(make_page(body).outline)


def texts(body: str) -> list[str]:
    return [segment.text for segment in cut(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<div>one<br>two<br/>three</div>", ["one", "two", "three"]),
        ("<div>one<hr>two</div>", ["one", "two"]),
        ("<div><b>one<br></b>two</div>", ["one", "two"]),
        ("<div><br>one<br><br></div>", ["one"]),
        ("<table><tr><td>one<td>two</table>", ["one", "two"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("one<!-- no -->two", ["onetwo"]),
        ("<p>one<script>no</script> two</p>", ["one two"]),
        ("<svg><text>no</text></svg><p>one</p>", ["one"]),
        # Figure 2 of the paper: the leaves are called by their numbers there.
        (
            "<div><b>12</b><i>13</i><br>7<span><div>19</div>20</span>16</div><div>17<b>18</b></div>",
            ["1213", "7", "19", "2016", "1718"],
        ),
    ],
)
def test_where_segments_end(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


@pytest.mark.parametrize("tag", "a b em i span strong code sub wbr img small".split())
def test_inline_elements_do_not_end_a_segment(tag: str) -> None:
    inner = f"<{tag}>" if tag in ("wbr", "img") else f"<{tag}>two</{tag}>"
    expected = "one three" if tag in ("wbr", "img") else "one two three"
    assert texts(f"<p>one {inner} three</p>") == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "<div>one<div></div>two</div>",
        "<div>one<p> </p>two</div>",
    ],
)
def test_blocks_without_text_end_a_segment(body: str) -> None:
    assert texts(body) == ["one", "two"]


def test_white_space_is_collapsed() -> None:
    assert texts("<p> one\n\t two&nbsp;<b> three </b></p>") == ["one two three"]


@pytest.mark.parametrize(
    ("body", "linked"),
    [
        ("<p>none</p>", 0),
        ("<p>some <a href=/>link</a> text</p>", 4),
        ("<p><a href=/>a  b</a> <a>c <b>de</b></a></p>", 6),
        ("<a href=/><p>whole</p></a>", 5),
    ],
)
def test_characters_in_links(body: str, linked: int) -> None:
    (segment,) = cut(body)
    assert segment.linked == linked


def test_a_segment_has_its_leaves_and_its_block() -> None:
    page = make_page("<p>one <b>two</b></p><div>three</div>")
    first, second = cut_segments(page.outline)
    assert (first.first, first.last, second.first, second.last) == (0, 2, 2, 3)
    tags = [page.outline.nodes[segment.block].element.tag for segment in (first, second)]
    assert tags == ["p", "div"]


@pytest.mark.parametrize("html", ["", "<body></body>", "<p> </p><br><hr>", "<script>x</script>"])
def test_empty_pages(html: str) -> None:
    assert cut_segments(Page.from_html(html).outline) == ()


@given(html_texts())
def test_every_leaf_is_in_one_segment(html: str) -> None:
    outline = Page.from_html(html).outline
    segments = cut_segments(outline)
    leaves = [i for segment in segments for i in range(segment.first, segment.last)]
    assert leaves == list(range(len(outline.leaves)))
    assert all(segment.text and 0 <= segment.linked <= len(segment.text) for segment in segments)


def test_texts_are_compared_in_lower_case() -> None:
    page = segment_page(make_page("<p>Share THIS</p><p>one</p>"))
    assert page.texts == ("share this", "one")
    assert [segment.text for segment in page.segments] == ["Share THIS", "one"]


def test_an_inline_element_has_only_the_segments_inside_it() -> None:
    page = segment_page(make_page("<p><b>One</b> two three</p><p><i>four</i></p>"))
    firsts, lasts = page.spans
    tags = [node.tag for node in page.outline.nodes]
    spans = dict(zip(tags, zip(firsts.tolist(), lasts.tolist(), strict=True), strict=True))
    assert (spans["b"], spans["i"], spans["body"]) == ((0, 0), (1, 2), (0, 2))
