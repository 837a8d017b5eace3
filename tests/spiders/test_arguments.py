"""Spider arguments, and what is said of invalid ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.spiders.arguments import BadArgument, read_lines, read_steps, read_url
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.site_spider import SiteSpider


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (" https://a.example/feed ", "https://a.example/feed"),
        ("http://127.0.0.1:80/", "http://127.0.0.1:80/"),
        ("a.example", "https://a.example"),
    ],
)
def test_urls(text: str, url: str) -> None:
    assert read_url(text) == url


@pytest.mark.parametrize(
    "text", ["ftp://a.example/", "http://", "http://me:secret@a.example/", "http://[", "file:///a"]
)
def test_invalid_urls(text: str) -> None:
    with pytest.raises(BadArgument, match="is not an http or https URL"):
        read_url(text)


@pytest.mark.parametrize("value", ["far", "-1", "", "1.5"])
def test_invalid_steps(value: str) -> None:
    assert read_steps("follow", "0") == 0
    with pytest.raises(BadArgument, match=f"-a follow={value}: must be an integer from 0"):
        read_steps("follow", value)


def test_lines_without_comments(tmp_path: Path) -> None:
    file = tmp_path / "feeds.txt"
    file.write_text("# feeds\n\n a.example/feed \nb.example\n", encoding="utf-8")
    assert read_lines(str(file)) == ["a.example/feed", "b.example"]
    with pytest.raises(BadArgument, match="name a file with one URL a line"):
        read_lines(str(tmp_path / "nowhere.txt"))


@pytest.mark.parametrize(
    "arguments", [{}, {"feeds": ""}, {"feeds": " , "}, {"site": ""}, {"follow": "2"}]
)
def test_the_feeds_spider_needs_a_feed_or_a_site(arguments: dict[str, Any]) -> None:
    remedy = "-a feeds=URL, a file with -a feeds_file=PATH, or a site with -a site=URL"
    with pytest.raises(BadArgument, match=remedy):
        FeedsSpider(**arguments)


def test_an_empty_file_of_feeds_is_no_feed(tmp_path: Path) -> None:
    file = tmp_path / "feeds.txt"
    file.write_text("# none\n", encoding="utf-8")
    with pytest.raises(BadArgument, match="nothing to crawl"):
        FeedsSpider(feeds_file=str(file))


def test_the_site_spider_needs_a_url() -> None:
    with pytest.raises(BadArgument, match="scrapy crawl site -a url=URL"):
        SiteSpider()
