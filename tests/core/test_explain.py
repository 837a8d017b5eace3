from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core import METHODS, Entry, Evidence, Page, Params, Wrapper, learn
from forest_scrapy.core.explain import (
    DroppedText,
    Expression,
    explain_expressions,
    explain_page,
    explain_ranking,
)
from forest_scrapy.core.methods.forest import density, unexpectedness
from forest_scrapy.core.wrapper import Rule

from .helpers import demo_pages, make_page, make_pages

PARAMS = Params()
PAGES = make_pages(
    "<div class=menu>home about</div><div class=story>harbour boats fish net</div>",
    "<div class=menu>home about</div><div class=story>owl hedge mice field</div>",
)


@pytest.mark.parametrize("method", [name for name in METHODS if "forest" in name])
def test_the_ranking_is_that_of_the_method(method: str) -> None:
    pages, params = demo_pages("news"), Params(method)
    wrapper = learn(pages, params)
    rows = explain_ranking(pages, params, wrapper, 5)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5]
    assert rows[0].xpath == wrapper.xpath
    assert round(wrapper.evidence.score, 2) == rows[0].R
    assert rows[1].xpath == wrapper.evidence.runner_up


def test_the_ranking_of_coverage() -> None:
    params = Params("coverage")
    wrapper = learn(PAGES, params)
    assert round(wrapper.evidence.score, 2) == explain_ranking(PAGES, params, wrapper, 9)[0].R


def test_the_numbers_of_a_row() -> None:
    row = explain_ranking(PAGES, PARAMS, learn(PAGES), 9)[0]
    assert row.xpath == "//div[@class='story'][count(ancestor::*)=2]"
    assert (row.pages, row.x, row.y, row.level, row.p) == (2, 4, 0, 2, 2)
    assert round(density(4, 0), 4) == row.J
    assert round(unexpectedness(4, 0, 4, 2), 2) == row.U
    assert pytest.approx(2 * row.J * row.U, rel=1e-2) == row.I
    assert pytest.approx(row.I * row.p * row.level, rel=1e-3) == row.R


def test_a_single_page_is_ranked_by_its_entry_only() -> None:
    single = PAGES[:1]
    assert explain_ranking(single, PARAMS, learn(single), 9) == ()
    page = Page(single[0].url, single[0].root, Entry("Harbour boats", "fish in the net"))
    rows = explain_ranking([page], PARAMS, learn([page]), 9)
    assert rows[0].xpath == "//div[@class='story'][count(ancestor::*)=2]"


@pytest.mark.parametrize("most", [0, -1])
def test_no_rows_if_none_are_wanted(most: int) -> None:
    assert explain_ranking(PAGES, PARAMS, learn(PAGES), most) == ()


def test_expressions_with_their_evidence() -> None:
    rules = (Rule("//h1", 2, 0.7), Rule("//div", 9, 0.9), Rule("//i", 1, 0.8))
    wrapper = Wrapper("x", ("//h1 | //div", "//b"), Evidence(rules=rules), drop=("//i",))
    assert explain_expressions(wrapper, PAGES) == (
        Expression("keep", "//h1 | //div", 2, rules[:2]),
        Expression("keep", "//b", 0, ()),
        Expression("drop", "//i", 0, rules[2:]),
    )


def test_a_page_with_dropped_texts() -> None:
    page = make_page(
        "<p>before</p><main><p>One two.</p><p class=x>Share <b class=x>this</b></p>"
        "<p class=x>Tweet</p><p>Three.</p></main><p class=x>after</p>"
    )
    wrapper = Wrapper("x", ("//main",), drop=("//*[@class='x']", "//p[@class='y']"))
    outcome = explain_page(page, wrapper, PARAMS, words=2)
    assert (outcome.method, outcome.xpath, outcome.characters) == ("x", "//main", 15)
    assert (outcome.first, outcome.last) == ("One two.", "Three.")
    assert outcome.dropped == (DroppedText("//*[@class='x']", 2, "Share this"),)


def test_dropped_texts_are_in_the_element_that_is_kept() -> None:
    page = make_page("<div>a <i>b</i></div><div>much more <i>c</i></div>")
    wrapper = Wrapper("x", ("//div",), drop=("//i",))
    assert explain_page(page, wrapper, PARAMS).dropped == (DroppedText("//i", 1, "c"),)
    every = replace(wrapper, take="all")
    assert explain_page(page, every, PARAMS).dropped == (DroppedText("//i", 2, "b"),)


def test_a_block_that_the_classifier_rejects_is_dropped_without_an_expression() -> None:
    page = make_page(
        "<article><h1>Owls</h1>" + "<p>The owl flew over the field, and it was seen.</p>" * 5 +
        "<ul class=share><li><a href=/a>Tweet</a></li><li><a href=/b>Share</a></li></ul></article>"
    )  # fmt: skip
    wrapper = Wrapper("x", ("//article",), take="all", known=("somewhere else",))
    outcome = explain_page(page, wrapper, PARAMS)
    assert outcome.unseen
    assert outcome.dropped == (DroppedText("", 1, "Tweet Share"),)


def test_a_page_on_which_the_wrapper_finds_nothing() -> None:
    page, wrapper = demo_pages("journal", with_entries=False)[0], Wrapper("x", ("//nothing",))
    outcome = explain_page(page, wrapper, PARAMS)
    assert outcome.method == "single"
    assert outcome.characters > 500
    empty = explain_page(make_page(""), wrapper, PARAMS)
    assert (empty.method, empty.characters, empty.first, empty.dropped) == ("", 0, "", ())


def test_the_last_words_are_not_the_first_again() -> None:
    outcome = explain_page(make_page("<main>one two three"), Wrapper("x", ("//main",)), PARAMS, 2)
    assert (outcome.first, outcome.last) == ("one two", "three")
