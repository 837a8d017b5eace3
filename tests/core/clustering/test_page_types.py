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

NONE = Signals(0, 0, 0, 0, 0, False, False)
ARTICLE = Signals(90, 10, 1, 0, 1, True, True)
LISTING = Signals(20, 80, 0, 20, 12, False, False)


def test_signs_of_a_small_page() -> None:
    signals = read_signals(
        make_page(
            "<h1>One two</h1><article><p>three <a href=u>four</a> five</p></article>"
            "<h2><a href=v>six</a></h2><a href=w><h3>seven eight</h3></a><nav><a>nine</a></nav>"
        )
    )
    assert signals == Signals(4, 5, 1, 2, 1, False, False)


def test_a_heading_in_a_link_in_a_heading_counts_each_level() -> None:
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
def test_what_a_page_declares(html: str, article: bool, date: bool) -> None:
    signals = read_signals(Page.from_html(html + "<p>a"))
    assert (signals.declares_article, signals.declares_date) == (article, date)


def test_points_by_hand() -> None:
    assert article_score(NONE) == 0.0
    assert article_score(ARTICLE) == pytest.approx(1.8 + 2 + 2 + 1 + 1)
    assert article_score(LISTING) == pytest.approx(0.4 - 1 - 0.25 * 8)


@pytest.mark.parametrize(("headings", "points"), [(7, -1.75), (8, -2.0), (9, -2.0)])
def test_linked_headings_count_up_to_eight(headings: int, points: float) -> None:
    assert article_score(replace(NONE, linked_headings=headings)) == points


@pytest.mark.parametrize(("elements", "points"), [(0, 0.0), (1, 1.0), (2, 0.0), (3, -1.0)])
def test_one_article_element_speaks_for_it_more_than_two_against(
    elements: int, points: float
) -> None:
    assert article_score(replace(NONE, article_elements=elements)) == points


@pytest.mark.parametrize(("plain", "verdict"), [(25, True), (24, False)])
def test_a_lone_page_needs_a_point_and_a_half(plain: int, verdict: bool) -> None:
    signals = Signals(plain, 100 - plain, 1, 0, 0, False, False)
    assert is_article(signals) is verdict


@pytest.mark.parametrize(("plain", "chosen"), [(50, [0, 1]), (49, [0])])
def test_a_second_template_needs_three_points_a_page(plain: int, chosen: list[int]) -> None:
    second = Signals(plain, 100 - plain, 0, 0, 0, True, False)
    assert choose_article_templates([[ARTICLE] * 5, [second] * 2]) == chosen


def test_a_second_template_needs_two_pages() -> None:
    assert choose_article_templates([[ARTICLE] * 5, [ARTICLE]]) == [0]
    assert choose_article_templates([[ARTICLE] * 5, [ARTICLE] * 2]) == [0, 1]


def test_the_best_template_is_chosen_whatever_its_points() -> None:
    assert choose_article_templates([[LISTING] * 3, [NONE]]) == [1]
    assert choose_article_templates([[LISTING]]) == [0]


def test_many_pages_outweigh_a_lone_one_with_more_points() -> None:
    usual = replace(ARTICLE, declares_date=False)
    assert article_score(usual) < article_score(ARTICLE)
    assert template_score([usual] * 4) == pytest.approx(2 * article_score(usual))
    assert choose_article_templates([[ARTICLE], [usual] * 4])[0] == 1


def test_no_template_and_no_page() -> None:
    assert choose_article_templates([]) == choose_article_templates([[]]) == []
    assert template_score([]) == 0.0


def test_a_template_without_pages_is_not_in_the_way() -> None:
    assert choose_article_templates([[], [LISTING]]) == [1]


def test_signs_go_through_json() -> None:
    assert Signals.from_dict(json.loads(json.dumps(ARTICLE.to_dict()))) == ARTICLE


def test_the_demos_articles_look_like_articles() -> None:
    for section in ("news", "journal"):
        assert all(is_article(read_signals(page)) for page in demo_pages(section))


@given(html_texts())
def test_any_page_has_signs(html: str) -> None:
    signals = read_signals(Page.from_html(html))
    assert min(signals.plain_words, signals.linked_words, signals.linked_headings) >= 0
    assert is_article(signals) in (True, False)
