"""Which items are wanted, by their language and their words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core.items import Article, Item, Listing, Product, Thread, WebPage
from forest_scrapy.core.topic_filter import TopicFilter, read_languages, read_topic

URL = "https://a.example/"


@pytest.mark.parametrize(
    ("topic", "is_found"),
    [
        ("harbour", True),
        ("HARBOUR town", True),
        ("harbour zeppelin", False),
        ("arbour", False),
        ("council", True),
        ("港", True),
        ("c++", True),
        ("3.5", True),
        ("/harbou?rs? of/", True),
        ("/^Two/", True),
        ("/zeppelins?/", False),
        ("/", False),
    ],
)
def test_words_and_expressions(topic: str, is_found: bool) -> None:
    """In the title, the tags and the text."""
    article = Article(URL, "Two harbours of old", tags=["Town"], text="The council: C++ 3.5 新港")
    reason = TopicFilter((), read_topic(topic)).check(article)
    assert reason == ("" if is_found else "no_match")


@pytest.mark.parametrize(
    "item",
    [
        Article(URL, "Two harbours", categories=["Council"]),
        Thread(URL, "The harbour", "Has the council decided?"),
        Product(URL, "Harbour light", brand="Council & Sons"),
        Product(URL, "Light", description="For the harbour.", text="Used by the council."),
        Listing(URL, "The council", "1. Harbour fees"),
        WebPage(URL, "Council", text="Harbour office"),
    ],
)
def test_items_of_each_kind(item: Item) -> None:
    assert TopicFilter(("en",), read_topic("harbour council")).check(item) == ""
    assert TopicFilter((), read_topic("harbour zeppelin")).check(item) == "no_match"
    assert TopicFilter(("fr",)).check(replace(item, language="en")) == "other_language"


@pytest.mark.parametrize(
    ("languages", "language", "reason"),
    [
        ("", "fr", ""),
        ("en,fr", "fr", ""),
        ("en", "en-GB", ""),
        ("en-gb", "en", "other_language"),
        ("en", "enm", "other_language"),
        ("en", "", ""),
    ],
)
def test_languages(languages: str, language: str, reason: str) -> None:
    assert TopicFilter(read_languages(languages)).check(Article(URL, language=language)) == reason


def test_nothing_is_asked_for() -> None:
    assert TopicFilter(read_languages(" ,"), read_topic(" ")) == TopicFilter()
    assert TopicFilter().check(Article(URL, language="fr")) == ""
