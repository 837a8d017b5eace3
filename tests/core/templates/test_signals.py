from __future__ import annotations

import json
from math import log1p
from typing import Any

import pytest
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.templates.signals import Signals, is_service_url, read_signals

from ..helpers import html_texts, make_page


def signals_of(html: str, url: str = "http://a.example/") -> Signals:
    return read_signals(Page.from_html(html, url))


def test_signals_of_a_small_page() -> None:
    words = "three four five six seven eight nine ten eleven twelve"
    page = make_page(
        f"<h1>One two</h1><article><p>{words} <a href=u>linked</a></p></article>"
        "<ul><li><a href=v>a b</a><li>c<li>d</ul><h2><a href=w>e</a></h2>"
    )
    signals = read_signals(page)
    assert signals.log_plain_words == log1p(14)
    assert signals.log_linked_words == log1p(4)
    assert signals.plain_share == 14 / 18
    assert signals.largest_share == 10 / 14
    assert signals.log_siblings == log1p(3)
    flags = (signals.one_heading, signals.linked_headings, signals.one_article)
    assert flags == (1, 1, 1)
    assert signals.many_articles == 0


def test_words_of_scripts_without_spaces_are_pairs_of_characters() -> None:
    assert signals_of("<p>森林公园森林公园").log_plain_words == log1p(4)


@pytest.mark.parametrize(("count", "one", "many"), [(0, 0, 0), (1, 1, 0), (2, 0, 0), (3, 0, 1)])
def test_article_elements(count: int, one: int, many: int) -> None:
    signals = signals_of("<article>a</article>" * count)
    assert (signals.one_article, signals.many_articles) == (one, many)


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
    signals = signals_of(html + "<p>a")
    assert (signals.declares_article, signals.declares_date) == (article, date)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<body class='archive category'>", {"listing_class"}),
        ("<body class='blog'>", {"listing_class"}),
        ("<body class='page page-id-7'>", {"page_class"}),
        ("<body class='single'>", set()),
        ("<body class='pages'>", set()),
        ("<body><div class='archive'>", set()),
        ('<script type="application/ld+json">{"@type":"CollectionPage"}</script>',
         {"declares_list"}),
        ("<title>A boat - Site</title><h1>A Boat</h1>", {"title_is_heading", "one_heading"}),
        ("<title>A boat</title><h1></h1>", {"one_heading"}),
    ],
)  # fmt: skip
def test_what_markup_says(html: str, expected: set[str]) -> None:
    assert flags_of(signals_of(html)) - {"url_root"} == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", {"url_root"}),
        ("/index.html", {"url_root"}),
        ("/2024/06/a-story/", {"url_date"}),
        ("/20240604/a-story.html", {"url_date"}),
        ("/2024/", {"url_number"}),
        ("/page/2/", {"url_listing", "url_number"}),
        ("/category/boats/", {"url_listing"}),
        ("/tags.html", {"url_listing"}),
        ("/kategorie/", {"url_listing"}),
        ("/archives/index.html", {"url_listing"}),
        ("/stage/a-story", set()),
        ("/stories/123", {"url_number"}),
    ],
)
def test_what_the_url_says(path: str, expected: set[str]) -> None:
    assert flags_of(signals_of("<p>a", f"http://a.example{path}")) == expected


def flags_of(signals: Signals) -> set[str]:
    numbers = ("share", "log_", "url_words")
    return {n for n, v in signals.to_dict().items() if v and not any(one in n for one in numbers)}


@pytest.mark.parametrize(
    ("part", "words", "length"),
    [("a-long-story.html", 2, 12), ("a_b", 1, 3), ("-" * 9, 6, 9), ("", 0, 0)],
)
def test_the_last_part_of_the_url(part: str, words: int, length: int) -> None:
    signals = signals_of("<p>a", f"http://a.example/x/{part}" if part else "http://a.example/")
    assert signals.url_words == words / 6
    assert signals.log_url_length == log1p(length)


@pytest.mark.parametrize(
    "part",
    "sobre sobre-nosotros sobre_mim acerca-de-mi politica-de-privacidad politica-de-cookies"
    " informativa-sulla-privacy privacy-policy terms terms-of-use terms_and_conditions legal-notice"
    " cookies-policy datenschutzerklaerung about-us.html team".split(),
)
def test_urls_of_pages_about_the_site(part: str) -> None:
    assert is_service_url(f"http://a.example/en/{part}/")


@pytest.mark.parametrize(
    "part",
    "sobre-la-guerra politica-exterior politica-de-vivienda informativa-sulla-crisi privacy-matters"
    " terms-of-endearment legal-battle cookies-recipe datenschutzreform team-spirit".split(),
)
def test_urls_of_articles_that_begin_like_them(part: str) -> None:
    assert not is_service_url(f"http://a.example/en/{part}/")


@pytest.mark.parametrize("start", ["terms", "sobre", "privacy", "politica"])
@pytest.mark.parametrize("step", ["_a", "_", "-de", "_of"])
def test_a_long_url_that_begins_like_them_takes_no_time(start: str, step: str) -> None:
    assert not is_service_url(f"http://a.example/{start}{900 * step}~")


def test_json_round_trip() -> None:
    signals = signals_of("<h1>a</h1><article>b")
    assert Signals.from_dict(json.loads(json.dumps(signals.to_dict()))) == signals
    older: dict[str, Any] = {"plain_words": 12, "plain_share": 0.5}
    assert Signals.from_dict(older) == Signals(plain_share=0.5)


@given(html_texts())
def test_signals_of_any_page_are_finite_numbers(html: str) -> None:
    signals = signals_of(html)
    assert all(0 <= value < 100 for value in signals.to_dict().values())
    assert signals.plain_share <= 1 >= signals.largest_share
