from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.clustering.page_types import (
    Signals,
    article_score,
    choose_article_templates,
    is_article,
    read_signals,
    template_score,
)

from ..helpers import demo_pages, html_texts, make_page

LINKED = ("a", "h1", "h2", "h3", "h4")
NONE = Signals(0, 0, 0, 0, 0, False, False)
ARTICLE = Signals(90, 10, 1, 0, 1, True, True)
LISTING = Signals(20, 80, 0, 20, 12, False, False)


def test_signals_of_a_small_page() -> None:
    signals = read_signals(
        make_page(
            "<h1>One two</h1><article><p>three <a href=u>four</a> five</p></article>"
            "<h2><a href=v>six</a></h2><a href=w><h3>seven eight</h3></a><nav><a>nine</a></nav>"
        )
    )
    assert signals == Signals(4, 5, 1, 2, 1, False, False)


def test_a_link_in_a_heading_counts_once() -> None:
    assert read_signals(make_page("<h2><b><a href=u><i>a</i></a></b></h2>")).linked_headings == 1


@pytest.mark.parametrize(
    ("html", "article", "date"),
    [
        ("<meta property='og:type' content='article'>", True, False),
        ("<meta property='og:type' content='website'>", False, False),
        ("<div itemscope itemtype='http://schema.org/NewsArticle'>", True, False),
        ("<div itemscope itemtype='http://schema.org/BlogPosting'>", True, False),
        ('<script type=\'application/ld+json\'>{"@type": "NewsArticle"}</script>', True, False),
        ('<script type="application/ld+json">{"@type":["BlogPosting"]}</script>', True, False),
        ('<script type=\'application/ld+json\'>{"@type": "WebSite"}</script>', False, False),
        ('<script>{"@type": "NewsArticle"}</script>', False, False),
        ("<meta property='article:published_time' content='2024'>", False, True),
        ("<meta itemprop=datePublished content='2024'>", False, True),
        ("<meta name=author content='A'>", False, False),
    ],
)
def test_declarations_of_a_page(html: str, article: bool, date: bool) -> None:
    signals = read_signals(Page.from_html(html + "<p>a"))
    assert (signals.declares_article, signals.declares_date) == (article, date)


def test_scores_by_hand() -> None:
    assert article_score(NONE) == 0.0
    assert article_score(ARTICLE) == pytest.approx(1.8 + 2 + 2 + 1 + 1)
    assert article_score(LISTING) == pytest.approx(0.4 - 1 - 0.25 * 8)


@pytest.mark.parametrize(("headings", "score"), [(7, -1.75), (8, -2.0), (9, -2.0)])
def test_linked_headings_count_up_to_eight(headings: int, score: float) -> None:
    assert article_score(replace(NONE, linked_headings=headings)) == score


@pytest.mark.parametrize(("elements", "score"), [(0, 0.0), (1, 1.0), (2, 0.0), (3, -1.0)])
def test_one_article_element_raises_the_score_and_three_lower_it(
    elements: int, score: float
) -> None:
    assert article_score(replace(NONE, article_elements=elements)) == score


@pytest.mark.parametrize(("plain", "expected"), [(25, True), (24, False)])
def test_a_single_article_has_a_score_of_at_least_1_5(plain: int, expected: bool) -> None:
    signals = Signals(plain, 100 - plain, 1, 0, 0, False, False)
    assert is_article(signals) is expected


@pytest.mark.parametrize(("plain", "chosen"), [(50, [0, 1]), (49, [0])])
def test_a_second_template_needs_a_mean_score_of_3(plain: int, chosen: list[int]) -> None:
    second = Signals(plain, 100 - plain, 0, 0, 0, True, False)
    assert choose_article_templates([[ARTICLE] * 5, [second] * 2]) == chosen


def test_a_second_template_needs_two_pages() -> None:
    assert choose_article_templates([[ARTICLE] * 5, [ARTICLE]]) == [0]
    assert choose_article_templates([[ARTICLE] * 5, [ARTICLE] * 2]) == [0, 1]


def test_the_best_template_is_chosen_whatever_its_score() -> None:
    assert choose_article_templates([[LISTING] * 3, [NONE]]) == [1]
    assert choose_article_templates([[LISTING]]) == [0]


def test_many_pages_outweigh_a_single_one_with_a_higher_score() -> None:
    usual = replace(ARTICLE, declares_date=False)
    assert article_score(usual) < article_score(ARTICLE)
    assert template_score([usual] * 4) == pytest.approx(2 * article_score(usual))
    assert choose_article_templates([[ARTICLE], [usual] * 4])[0] == 1


def test_no_templates_and_no_pages() -> None:
    assert choose_article_templates([]) == choose_article_templates([[]]) == []
    assert template_score([]) == 0.0


def test_a_template_without_pages_is_ignored() -> None:
    assert choose_article_templates([[], [LISTING]]) == [1]


def test_json_round_trip() -> None:
    assert Signals.from_dict(json.loads(json.dumps(ARTICLE.to_dict()))) == ARTICLE


def test_the_articles_of_the_demo_look_like_articles() -> None:
    for section in ("news", "journal"):
        assert all(is_article(read_signals(page)) for page in demo_pages(section))


@given(html_texts())
def test_signals_of_any_page_count_its_words_and_headings(html: str) -> None:
    page = Page.from_html(html)
    signals = read_signals(page)
    words = sum(len(leaf.text.split()) for leaf in page.outline.leaves)
    assert signals.plain_words + signals.linked_words == words
    assert 0 <= signals.linked_headings <= sum(n.tag in LINKED for n in page.outline.nodes)
