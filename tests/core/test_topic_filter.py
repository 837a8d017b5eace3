"""Which articles are wanted, by their language and their words."""

from __future__ import annotations

import pytest

from forest_scrapy.core.topic_filter import ANY_TOPIC, TopicFilter, read_languages, read_topic


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
    topic_filter = TopicFilter((), read_topic(topic))
    reason = topic_filter.check("en", "Two harbours of old", ["Town"], "The council: C++ 3.5 新港")
    assert reason == ("" if is_found else "no_match")


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
    assert TopicFilter(read_languages(languages)).check(language, "", [], "") == reason


def test_nothing_is_asked_for() -> None:
    assert TopicFilter(read_languages(" ,"), read_topic(" ")) == ANY_TOPIC
    assert ANY_TOPIC.check("fr", "", [], "") == ""
