from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.xpaths.structural import (
    Pattern,
    RankedPattern,
    Significant,
    find_occurrences,
    mark_significant,
    node_pattern,
    rank_patterns,
    read_page,
    tolerant_form,
)

from ..helpers import make_page, make_pages

SEA = {"sea": 3.0, "boat": 1.0, "owl": 1.0}


def mark(page: Page) -> Significant:
    return mark_significant(read_page(page), SEA)


def one(page: Significant, node: Node) -> float:
    return 1.0


def rank(*bodies: str) -> list[RankedPattern]:
    return rank_patterns([mark(page) for page in make_pages(*bodies)], one)


def find(ranked: list[RankedPattern], tag: str) -> RankedPattern:
    return next(pattern for pattern in ranked if pattern.pattern.tag == tag)


def test_significant_leaves_have_a_signifier() -> None:
    page = mark(make_page("<p>sea</p><p>rain</p><p>a boat, the sea and rain</p>"))
    assert page.leaves == (0, 2)
    assert page.counts(0, 3) == (3, 5)
    assert page.counts(0, 1) == (1, 0)
    assert page.counts(1, 1) == (0, 0)


def test_a_pattern_is_a_type_on_a_level() -> None:
    nodes = make_page("<div class='post wrapper-09'><p>a</p></div>").outline.nodes
    assert [node_pattern(node) for node in nodes] == [
        Pattern("body", (("dfs", "2"),), 1),
        Pattern("div", (("class", "post"),), 2),
        Pattern("p", (("dfs", "4"),), 3),
    ]
    assert [node_pattern(node).has_attributes for node in nodes] == [False, True, False]


def test_occurrences_are_on_significant_paths_and_count_their_leaves() -> None:
    page = mark(make_page("<div><p>sea</p><p>boat</p><p>rain</p></div><ul><li>rain</ul>"))
    found = [(o.pattern.tag, o.paths) for o in find_occurrences(page)]
    assert found == [("body", 2), ("div", 2), ("p", 1), ("p", 1)]


def test_relevance_counts_significant_terminal_paths() -> None:
    """Equation 5: p is the number of paths, as the text of the paper has it; a path has one
    leaf."""
    body = "<div class=a><p>sea sea</p><p>boat</p><p>rain</p></div>"
    ranked = rank(body, body)
    box, page = find(ranked, "div"), find(ranked, "body")
    assert (box.information, box.paths, box.pattern.level) == (2.0, 4, 2)
    assert box.relevance == 2.0 * 4 * 2
    assert page.relevance == 2.0 * 4 * 1
    assert find(ranked, "p").relevance == 2.0 * 2 * 3


def test_relevance_may_count_pages() -> None:
    """Equation 5 with p <= n: of three pages, all have the box, two the list, whose paths are
    more."""
    bodies = [
        "<div class=a><p>sea</p></div>",
        "<div class=a>sea<ul class=b><li>sea<li>boat<li>owl</ul></div>",
        "<div class=a>sea<ul class=b><li>sea<li>boat<li>owl</ul></div>",
    ]
    marked = [mark(page) for page in make_pages(*bodies)]
    by_paths = rank_patterns(marked, one)
    by_pages = rank_patterns(marked, one, count_pages=True)
    assert [find(by_paths, tag).relevance for tag in ("div", "ul")] == [3 * 9 * 2, 2 * 6 * 3]
    assert [find(by_pages, tag).relevance for tag in ("div", "ul")] == [3 * 3 * 2, 2 * 2 * 3]
    assert [find(by_pages, tag).occurrences for tag in ("div", "ul")] == [3, 2]
    assert find(by_pages, "div").paths == 9


def test_each_text_around_an_inner_element_is_a_path() -> None:
    box = find(rank("<div class=a>sea <b>rain</b> boat</div>"), "div")
    assert box.paths == 2


def test_a_pattern_has_the_paths_of_all_its_elements_and_the_value_of_the_best() -> None:
    body = "<div class=a>sea</div><div class=a>sea sea sea</div><div class=a>sea</div>"
    marked = [mark(make_page(body))]
    ranked = rank_patterns(marked, lambda page, node: page.counts(node.first, node.last)[0])
    box = find(ranked, "div")
    assert (box.information, box.paths) == (3.0, 3)
    assert box.nodes == {0: 2}


def test_the_first_of_equal_elements_is_chosen() -> None:
    assert find(rank("<div class=a>sea</div><div class=a>sea</div>"), "div").nodes == {0: 1}


def test_ties_go_to_the_deeper_level() -> None:
    ranked = rank_patterns(
        [mark(make_page("<div class=a><p class=b>sea</p></div>"))], lambda page, node: 0.0
    )
    assert [r.pattern.tag for r in ranked] == ["p", "div", "body"]


def test_ties_on_a_level_go_to_the_smaller_mean_dfs() -> None:
    ranked = rank("<div class=b>sea</div><div class=a>sea</div>")
    assert [r.pattern.type[0][1] for r in ranked[:2]] == ["b", "a"]
    assert [r.mean_dfs for r in ranked[:2]] == [3.0, 4.0]


def test_further_ties_go_to_the_smaller_pattern() -> None:
    b_first = "<div class=b>sea</div><div class=a>sea</div>"
    a_first = "<div class=a>sea</div><div class=b>sea</div>"
    ranked = rank(b_first, a_first)
    assert [(r.pattern.type[0][1], r.mean_dfs) for r in ranked[:2]] == [("a", 3.5), ("b", 3.5)]


@pytest.mark.parametrize(("more", "winner"), [(2e-7, "b"), (4e-7, "a")])
def test_relevance_is_compared_to_the_sixth_digit(more: float, winner: str) -> None:
    """R is twice the value here; a difference of 0.000_000_4 is ignored."""

    def measure(page: Significant, node: Node) -> float:
        return 1.0 + more * int(node.element.get("class") == "a")

    marked = [mark(make_page("<div class=b>sea</div><div class=a>sea</div>"))]
    assert rank_patterns(marked, measure)[0].pattern.type[0][1] == winner


def test_the_ranking_does_not_depend_on_the_order_of_pages() -> None:
    pages = [
        mark(page)
        for page in make_pages(
            "<div class=b>sea</div><div class=a>boat</div>",
            "<div class=a>sea</div><p>owl</p>",
            "<div class=b>sea owl</div>",
        )
    ]
    forwards = [r.pattern for r in rank_patterns(pages, one)]
    assert forwards == [r.pattern for r in rank_patterns(pages[::-1], one)]


def test_nothing_to_rank() -> None:
    assert rank() == []
    assert rank("<p>rain</p>") == []


def test_full_values_tell_apart_what_the_tolerant_form_joins() -> None:
    """The example of section 3.2: "post wrapper-09" and "post wrapper-02" are one type in tolerant
    form.  Equation 5 with p = 2 pages at level 2, or p = 1 for each of two patterns."""
    pages = make_pages(
        "<div class='post wrapper-09'>sea</div>",
        "<div class='post wrapper-02'>sea</div>",
    )
    read_pages = [read_page(page) for page in pages]
    tolerant = rank_patterns([mark_significant(page, SEA) for page in read_pages], one)
    marked = [mark_significant(page, SEA, full_values=True) for page in read_pages]
    full = rank_patterns(marked, one)
    assert [r.relevance for r in tolerant if r.pattern.tag == "div"] == [2 * 2 * 2]
    assert [(r.pattern.type[0][1], r.relevance) for r in full if r.pattern.tag == "div"] == [
        ("post wrapper-02", 1 * 1 * 2),
        ("post wrapper-09", 1 * 1 * 2),
    ]


def test_relevance_without_the_level() -> None:
    """Two pages, one path each: information 2 times p = 2, at level 2 and 3."""
    body = "<div class=a><p class=b>sea</p></div>"
    marked = [mark(page) for page in make_pages(body, body)]
    with_level = rank_patterns(marked, one)
    without_level = rank_patterns(marked, one, level_factor=False)
    assert [find(with_level, tag).relevance for tag in ("div", "p")] == [2 * 2 * 2, 2 * 2 * 3]
    assert [find(without_level, tag).relevance for tag in ("div", "p")] == [2 * 2, 2 * 2]


def test_lists_of_links_may_have_no_terms() -> None:
    """A list with a text outside of its links, and a list of one link, are not lists of links."""
    body = (
        "<ul><li><a>sea</a><li><a>boat</a> </ul><ul><li><a>sea</a><li><a>sea</a> and rain</ul>"
        "<ol><li><a>owl</a></ol>"
    )
    page = make_page(body)
    assert read_page(page).all_terms == ["sea", "boat", "sea", "sea", "and", "rain", "owl"]
    without = read_page(page, without_link_lists=True)
    assert without.all_terms == ["sea", "sea", "and", "rain", "owl"]
    assert mark_significant(without, SEA).leaves == (2, 3, 5)


def test_paths_with_comments_in_their_signature_may_be_filtered() -> None:
    """Only the first token of a class is in the signature, unless the values are full; that of the
    body tells of the whole page.  The terms count all the same."""
    page = Page.from_html(
        "<html lang=xx><body class=comments-open><div class=a>sea</div>"
        "<div id=comments-12><p>boat</p></div><div class='b comments'>owl</div></body>"
    )
    read = read_page(page)
    tolerant = mark_significant(read, SEA, without_comments=True)
    full = mark_significant(read, SEA, full_values=True, without_comments=True)
    assert mark_significant(read, SEA).leaves == (0, 1, 2)
    assert tolerant.leaves == (0, 2)
    assert full.leaves == (0,)
    assert tolerant.counts(0, 3) == full.counts(0, 3) == (3, 0)


@given(st.text(" \t\n\x0bab12\u00a0", max_size=8))
def test_a_tolerant_form_is_that_of_the_first_token(value: str) -> None:
    first_token, *_ = re.split(r"[ \t\r\n]+", value.strip(" \t\r\n"), maxsplit=1)
    assert tolerant_form(value) == re.sub("[0-9]+", "", first_token)
