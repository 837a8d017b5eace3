"""Spider arguments, and what is said of invalid ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core.items import Article
from forest_scrapy.spiders.arguments import (
    BadArgument,
    ListedFeeds,
    argument_names,
    read_date_range,
    read_feeds_file,
    read_number,
    read_pattern,
    read_topic_filter,
    read_url,
    read_urls,
)
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.form_spider import FormSpider
from forest_scrapy.spiders.records_spider import RecordsSpider
from forest_scrapy.spiders.site_spider import SiteSpider

OPML = """<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
<outline text="News"><outline text="Local"><outline type="rss" text="A"
 xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/></outline>
<outline text="no URL" type="rss" xmlUrl=""/><outline text="B & b" xmlurl="b.example/rss?a=1&b=2"/>
<outline xmlUrl="https://a.example/feed"/><outline xmlUrl="ftp://d.example/feed"/>
<outline type="rss" XMLURL="https://c.example/atom"><outline text="cut"""


def test_lines_of_a_feeds_file_that_are_no_urls_are_named(tmp_path: Path) -> None:
    path = tmp_path / "feeds.txt"
    path.write_text("# mine\nhttps://a.example/feed\n\nnot a url\n  # more\nftp://b.example/\n")
    feeds = read_feeds_file(str(path))
    assert feeds.urls == ("https://a.example/feed",)
    first, second = feeds.problems
    assert first.startswith(f"{path}, line 4: 'not a url' is not an http or https URL")
    assert second.startswith(f"{path}, line 6: 'ftp://b.example/' is not")
    assert first.endswith("; correct it, or remove it from the file")


def test_a_feeds_file_without_any_url_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "feeds.txt"
    path.write_text("# mine\nnot a url\n" + "x" * 999)
    with pytest.raises(
        BadArgument, match=r"no feed to crawl: .*feeds\.txt, line 2: 'not a url' is"
    ):
        read_feeds_file(str(path))
    path.write_text("x" * 999)
    with pytest.raises(BadArgument) as caught:
        read_feeds_file(str(path))
    assert len(str(caught.value)) < 500


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
    "text",
    [
        *("ftp://a.example/", "http://", "http://me:secret@a.example/", "http://[", "file:///a"),
        *("notaurl", "a.example:port", "https://a.example:99999/", "."),
    ],
)
def test_invalid_urls(text: str) -> None:
    with pytest.raises(BadArgument, match="is not an http or https URL"):
        read_url(text)


@pytest.mark.parametrize("value", ["far", "-1", "", "1.5"])
def test_invalid_numbers(value: str) -> None:
    assert read_number("follow", "0") == 0
    with pytest.raises(BadArgument, match=f"-a follow={value}: must be an integer from 0"):
        read_number("follow", value)


def test_lists_of_urls() -> None:
    assert read_urls(" a.example , http://intranet/f,,a.example") == [
        "https://a.example",
        "http://intranet/f",
    ]
    assert read_urls("localhost:80/feed") == ["http://localhost:80/feed"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("https://a.example/0,1518,7.html", ["https://a.example/0,1518,7.html"]),
        ("a.example/news,owls b.example", ["https://a.example/news,owls", "https://b.example"]),
        ("a.example/1,b.example/2", ["https://a.example/1", "https://b.example/2"]),
        ("http://a.example/1,http://b/2", ["http://a.example/1", "http://b/2"]),
        ("a.example/1,127.0.0.1/2", ["https://a.example/1", "https://127.0.0.1/2"]),
        ("a.example/Talk,Category:2020", ["https://a.example/Talk,Category:2020"]),
        ("a.example/1,localhost:80/2", ["https://a.example/1", "http://localhost:80/2"]),
    ],
)
def test_a_comma_in_a_path_belongs_to_the_url(text: str, urls: list[str]) -> None:
    assert read_urls(text) == urls


def test_patterns() -> None:
    assert read_pattern("deny", "") is None
    with pytest.raises(BadArgument, match=r"-a deny=\(a: not a regular expression: "):
        read_pattern("deny", "(a")


def test_topics() -> None:
    assert read_topic_filter(None, "") is None
    for empty in ("", " ", "//"):
        with pytest.raises(BadArgument, match="-a match= has no words; to get all items, leave"):
            read_topic_filter(empty, "")
    topic = read_topic_filter("harbour 港", "en,pt-BR")
    assert topic is not None
    url = "https://a.example/"
    assert topic.check(Article(url, "The Harbours", tags=["新港"], language="pt-BR")) == ""
    other = Article(url, "The harbour", tags=["新港"], language="pt")
    assert topic.check(other) == "other_language"
    assert topic.check(Article(url, "A sharbour", "港")) == "no_match"
    with pytest.raises(BadArgument, match=r"-a match=/\(/: not a regular expression: "):
        read_topic_filter("/(/", "")
    with pytest.raises(BadArgument, match="-a language=english: 'english' is not the code"):
        read_topic_filter(None, "english")


@pytest.mark.parametrize(
    ("since", "until", "published", "reason"),
    [
        ("", "", "1999-01-01", ""),
        ("2024-05-02", "", "2024-05-01T23:59:59+00:00", "too_old"),
        ("2024-05-02", "", "2024-05-02", ""),
        ("2024-05-02T12:00", "", "2024-05-02", ""),
        ("2024-05-02T12:00", "", "2024-05-02T11:00:00Z", "too_old"),
        ("2024-05-02T12:00+02:00", "", "2024-05-02T10:00:00Z", ""),
        ("", "2024-05-02", "2024-05-02T23:59:59Z", ""),
        ("", "2024-05-02", "2024-05-03", "too_new"),
        ("2024-05-02", "2024-05-02", "2024-05-02T08:00:00+02:00", ""),
        ("2024-05-02", "", "last week", ""),
        ("2024-05-02", "", "", ""),
    ],
)
def test_dates(since: str, until: str, published: str, reason: str) -> None:
    assert read_date_range(since, until).check(published) == reason


@pytest.mark.parametrize(
    ("since", "until", "message"),
    [
        ("yesterday", "", "-a since=yesterday: must be a date such as 2024-05-31"),
        ("", "31.5.2024", r"-a until=31\.5\.2024: must be a date"),
        ("2024-06-01", "2024-05-31", "since=2024-06-01 is after -a until=2024-05-31"),
        ("", "9999-12-31", ""),
    ],
)
def test_invalid_dates(since: str, until: str, message: str) -> None:
    if not message:
        assert read_date_range(since, until).check("2024-01-01") == ""
        return
    with pytest.raises(BadArgument, match=message):
        read_date_range(since, until)


@pytest.mark.parametrize(
    ("spider", "name", "near"),
    [
        (FeedsSpider, "feed", "feeds"),
        (FeedsSpider, "max_page", "max_pages"),
        (FeedsSpider, "feed_file", "feeds_file"),
        (SiteSpider, "urls", "url"),
        (SiteSpider, "deny_url", "deny"),
    ],
)
def test_unargument_names_are_refused(spider: type, name: str, near: str) -> None:
    message = f"-a {name}: the spider {spider.name} has no such argument; did you mean {near}?"
    with pytest.raises(BadArgument) as error:
        spider(**{name: "x"})
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("spider", "name", "new"),
    [(FeedsSpider, "history", "older"), (RecordsSpider, "pages", "next_pages")],
)
def test_arguments_of_earlier_versions_are_refused(spider: type, name: str, new: str) -> None:
    with pytest.raises(BadArgument, match=f"^-a {name} is now called -a {new}$"):
        spider(**{name: "3"})
    with pytest.raises(BadArgument, match="has no such argument"):
        SiteSpider(**{name: "3"})


@pytest.mark.parametrize(
    ("name", "value", "setting"),
    [
        ("kinds", "product", "FOREST_KINDS=product"),
        ("FOREST_KINDS", "product,listing", "FOREST_KINDS=product,listing"),
        ("CLOSESPIDER_ITEMCOUNT", "3", "CLOSESPIDER_ITEMCOUNT=3"),
        ("report", "my report", "FOREST_REPORT='my report'"),
    ],
)
def test_settings_that_are_given_as_arguments(name: str, value: str, setting: str) -> None:
    for spider in (RecordsSpider, FormSpider):
        with pytest.raises(BadArgument) as error:
            spider(**{name: value})
        assert str(error.value).endswith(f"no such argument; there is a setting: -s {setting}")


def test_the_arguments_of_a_subclass_are_known() -> None:
    class Own(FeedsSpider):
        name = "own"

        def __init__(self, topic: str = "", **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.topic = topic

    assert argument_names(Own)[:2] == ["topic", "feeds"]
    assert Own(topic="x", feeds="a.example", _job="scrapyd adds this").topic == "x"
    with pytest.raises(BadArgument, match="the spider own has no such argument; did you mean top"):
        Own(topics="x", feeds="a.example")


def test_a_feeds_file_that_never_ends_is_refused(tmp_path: Path) -> None:
    """Reading a FIFO waits for whoever writes it."""
    os.mkfifo(tmp_path / "fifo")
    for name in (str(tmp_path / "fifo"), "/dev/zero", "/dev/stdin"):
        with pytest.raises(BadArgument, match="not a regular file; name a file with one URL"):
            read_feeds_file(name)


def test_lines_without_comments(tmp_path: Path) -> None:
    file = tmp_path / "feeds.txt"
    file.write_text("# feeds\n\n a.example/feed \nb.example\n", encoding="utf-8")
    urls = ("https://a.example/feed", "https://b.example")
    assert read_feeds_file(str(file)) == ListedFeeds(urls)
    with pytest.raises(BadArgument, match="name a file with one URL a line"):
        read_feeds_file(str(tmp_path / "nowhere.txt"))
    file.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(BadArgument, match=r"feeds\.txt: not a text in UTF-8"):
        read_feeds_file(str(file))


def test_feeds_of_an_opml_file(tmp_path: Path) -> None:
    file = tmp_path / "feeds.opml"
    file.write_text(OPML, encoding="utf-8")
    feeds = read_feeds_file(str(file))
    urls = ("https://a.example/feed", "https://b.example/rss?a=1&b=2", "https://c.example/atom")
    assert feeds.urls == urls
    (problem,) = feeds.problems
    assert problem.startswith(f"{file}: 'ftp://d.example/feed' is not an http or https URL")
    file.write_text("<opml><body><outline text='none'/></body></opml>", encoding="utf-8")
    with pytest.raises(BadArgument, match=r"feeds\.opml: no feed in this OPML file"):
        read_feeds_file(str(file))


@pytest.mark.parametrize(
    "arguments", [{}, {"feeds": ""}, {"feeds": " , "}, {"site": ""}, {"follow": "2"}]
)
def test_the_feeds_spider_needs_a_feed_or_a_site(arguments: dict[str, Any]) -> None:
    remedy = "-a feeds=URL, a file with -a feeds_file=PATH, a site with -a site=URL, or a site"
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


@pytest.mark.parametrize("name", ["engine", "again"])
def test_a_form_is_searched_only_by_yes_or_no(name: str) -> None:
    arguments: dict[str, Any] = {name: "maybe"}
    with pytest.raises(BadArgument, match=f"^-a {name}=maybe: must be yes or no$"):
        FormSpider(url="https://a.example/", **arguments)
