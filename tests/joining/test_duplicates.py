"""Articles with the same text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.items import Article
from forest_scrapy.joining.duplicates import Duplicates, describe_article
from tests.crawl.helpers import article_page, open_crawl, url_of


@pytest.mark.parametrize(
    ("title", "is_duplicate"),
    [("Part 1", True), ("part 1!", True), ("Part 1 - print version", True), ("", True),
     ("Part 10", False), ("Part 2", False)],
)  # fmt: skip
def test_articles_with_the_same_text_are_told_by_their_titles(
    tmp_path: Path, title: str, is_duplicate: bool
) -> None:
    with open_crawl(tmp_path) as crawl:
        duplicates = Duplicates(crawl.spool.articles, crawl.stats.inc_value)
        for number, name in enumerate(("Part 1", title)):
            article = Article(url_of(number), title=name, text="The same text.", method="trained")
            found = asyncio.run(duplicates.check(article_page(number), article))
            assert found == (is_duplicate and number == 1)


TEXT = "Owls hunt at night. " * 20


@pytest.mark.parametrize(
    ("first", "canonical", "second", "second_canonical", "is_duplicate"),
    [
        ("http://copy.example/1", "http://a.example/1", "http://a.example/1", "", False),
        ("http://example.org:81/1", "http://example.org/1", "http://example.org/1", "", True),
        ("http://127.0.0.1:81/1", "http://127.0.0.1/1", "http://127.0.0.1/1", "", False),
        ("http://a.example/amp/1", "http://a.example/1", "http://a.example/1", "", True),
        ("http://amp.example.org/1", "http://example.org/1", "http://example.org/1", "", True),
        # Both name each other: neither is known to be the original.
        ("http://copy.example/1", "http://a.example/1", "http://a.example/1",
         "http://copy.example/1", True),
        ("http://a.example/1", "", "http://copy.example/1", "http://a.example/1", True),
        ("http://copy.example/1", "http://a.example/1", "http://more.example/1",
         "http://a.example/1", True),
    ],
)  # fmt: skip
def test_the_page_that_a_copy_names_as_canonical_wins(
    tmp_path: Path,
    first: str,
    canonical: str,
    second: str,
    second_canonical: str,
    is_duplicate: bool,
) -> None:
    with open_crawl(tmp_path) as crawl:
        duplicates = Duplicates(crawl.spool.articles, crawl.stats.inc_value)
        pages = ((first, canonical), (second, second_canonical))
        results = []
        for url, target in pages:
            article = Article(url, title="Owls", text=TEXT, canonical_url=target, method="trained")
            key = page_key(url)
            results.append(duplicates.is_known(describe_article(key, article), article, (url,)))
    assert results == [False, is_duplicate]
