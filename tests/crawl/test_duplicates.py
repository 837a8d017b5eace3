"""Articles with the same text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from forest_scrapy.crawl.duplicates import Duplicates
from forest_scrapy.items import Article

from .helpers import article_page, open_crawl, url_of


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
