"""Feeds: texts that look like HTML, teasers, files that are appended to, and their validity."""

from __future__ import annotations

import json
import os
import re
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import feedparser
import pytest

from forest_scrapy.exporters.feeds import (
    AtomItemExporter,
    FeedHead,
    RssItemExporter,
    write_json_feed,
)
from forest_scrapy.items import Article
from forest_scrapy.output_files import BadOutput, InUse

from .helpers import feed_problems
from .test_text_formats import write

EXPORTERS = [RssItemExporter, AtomItemExporter]
SUITE = Path(__file__).parents[3] / "shared/suites/feedvalidator/testcases"
#: Folders of the suite whose rules matter to what is written here, and these rules.
FOLDERS = ("atom/*", *(f"rss20/element-channel{end}" for end in ("", "-item", "-item-guid")))
KINDS = (
    *(
        "DangerousStyleAttr",
        "InvalidURN",
        "DuplicateAtomLink",
        "DuplicateElement",
        "DuplicateEntries",
        "InvalidHttpGUID",
    ),
    *("InvalidRFC2822Date", "InvalidRFC3339Date", "MissingAttribute", "MissingContentOrAlternate"),
    *("MissingDescription", "MissingElement", "MissingLink", "MissingTitle"),
)
HEAD = FeedHead("A title", "urn:uuid:0", "http://a.example/", "2026-01-02T03:04:05+00:00", "", "")

ATTACK = "<img src=x onerror=alert(1)> & <b>boats</b>"


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_texts_are_no_html(exporter: type) -> None:
    """A reader that takes the elements for HTML shows them as texts."""
    item = Article(
        url="http://a.example/", title=ATTACK, text=ATTACK, summary=ATTACK, authors=[ATTACK],
        tags=[ATTACK], site_name=ATTACK, published="2026-01-02T03:04:05Z",
    )  # fmt: skip
    written = write(exporter, item)
    feed = feedparser.parse(written, sanitize_html=False)
    assert not feed.bozo
    entry = feed.entries[0]
    values = [entry.title_detail, entry.summary_detail, entry.content[0], feed.feed.title_detail]
    for one in values:
        is_html = one["type"] == "text/html" or exporter is RssItemExporter
        assert ("<img" in one["value"]) != is_html, one
    if exporter is RssItemExporter:
        assert "<img" not in entry.author and "<img" not in entry.tags[0].term


@pytest.mark.skipif(not SUITE.is_dir(), reason="needs the suite of the W3C's validator")
def test_the_check_of_feeds_agrees_with_the_validator() -> None:
    """On the errors that these tests look for."""
    checked = 0
    for path in sorted(path for folder in FOLDERS for path in SUITE.glob(f"{folder}/*.xml")):
        document = path.read_bytes()
        if b'"xhtml"' in document:
            continue  # no feed of ours has such texts
        expected = re.search(rb"Expect:\s+(\w+)", document)
        if expected and expected[1].decode() in KINDS:
            checked += 1
            assert expected[1].decode() in feed_problems(document), path
    assert checked > 100


def write_all(exporter: Any, *articles: Article) -> bytes:
    from forest_scrapy.commands.feed import _with_exporter

    return _with_exporter(exporter)(HEAD, articles)


ODD = [
    Article("http://a.example/1", title="No date, no author", text="A text.", fetched_at="x"),
    Article(
        "http://a.example/2", title="\x00\ud800\x0b", text="\x1f & <b>", published="2026-01-02"
    ),
    Article("http://a.example/3?a=1&b=2", text="No title", published="0001-01-01T00:00:00+14:00"),
    Article("http://a.example/4", title="A", html="<p>]]></p>", categories=["", " ", "a", "a"]),
    Article("http://a.example/5", title="A", text="b", authors=["", "A. Author"], modified="soon"),
]


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("articles", [[], ODD, ODD[:1], ODD[1:2]])
def test_feeds_are_valid(exporter: Any, articles: list[Article]) -> None:
    assert feed_problems(write_all(exporter, *articles)) == set()
    assert len(feedparser.parse(write_all(exporter, *articles)).entries) == len(articles)


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_an_export_of_any_items_is_valid(exporter: Any) -> None:
    for article in ODD:
        assert feed_problems(write(exporter, article).encode()) == set()


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_links_are_iris(exporter: Any) -> None:
    """Characters that URLs must not have are escaped, others stay."""
    document = write_all(exporter, Article('http://a.example/\xfc b|{"c"}?d=[1]&e=%20', title="A"))
    assert feed_problems(document) == set()
    (entry,) = feedparser.parse(document).entries
    assert entry.link == "http://a.example/\xfc%20b%7C%7B%22c%22%7D?d=[1]&e=%20"


TEASER = "A teaser that the feed has."
ENTRY = {"title": "A title", "description": TEASER}


@pytest.mark.parametrize(
    ("values", "is_teaser"),
    [
        ({"method": "entry", "status": 404, "entry": ENTRY}, True),
        ({"method": "description"}, True),
        ({"method": "description", "xpath": "//article"}, False),
        ({"method": "entry", "entry": {**ENTRY, "description": "Another"}}, False),
        ({"method": "single"}, False),
    ],
)
def test_a_teaser_is_no_full_text(values: dict[str, Any], is_teaser: bool) -> None:
    article = Article("http://a.example/", "A title", TEASER, html=f"<p>{TEASER}</p>", **values)
    for exporter in EXPORTERS:
        document = write_all(exporter, article)
        assert feed_problems(document) == set()
        (entry,) = feedparser.parse(document).entries
        assert [one.value for one in entry.get("content", ())] == [article.html] * (not is_teaser)
        assert (entry.get("summary") == TEASER) == is_teaser or not is_teaser
    (item,) = json.loads(write_json_feed(HEAD, [article]))["items"]
    assert (item.get("content_html") == article.html) == (not is_teaser)
    assert (item.get("summary") == TEASER) == is_teaser


def append(exporter: Any, path: Path, *articles: Article) -> None:
    """As a crawl with ``-o`` does."""
    with path.open("ab") as file:
        writer = exporter(file)
        writer.start_exporting()
        for article in articles:
            writer.export_item(article)
        writer.finish_exporting()


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_feed_that_is_appended_to_stays_one_document(
    tmp_path: Path, exporter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.feed"
    append(exporter, path, *ODD)
    append(exporter, path)
    assert len(feedparser.parse(path.read_bytes()).entries) == len(ODD)
    new, changed = Article("http://a.example/9", "New", "a"), Article(ODD[0].url, "Changed", "a")
    append(exporter, path, new, changed)
    assert feed_problems(path.read_bytes()) == set()
    titles = {one.link: one.title for one in feedparser.parse(path.read_bytes()).entries}
    assert list(titles)[:2] == [new.url, changed.url] and len(titles) == len(ODD) + 1
    assert titles[changed.url] == "Changed"
    monkeypatch.setattr("forest_scrapy.exporters.feeds.MAX_ENTRIES", 3)
    append(exporter, path, Article("http://a.example/10", "Newer", "a"))
    links = [one.link for one in feedparser.parse(path.read_bytes()).entries]
    assert links == ["http://a.example/10", new.url, changed.url]
    append(exporter, path, *ODD)
    links = [one.link for one in feedparser.parse(path.read_bytes()).entries]
    assert links == [one.url for one in ODD[-3:]]
    assert [one.name for one in tmp_path.iterdir()] == ["a.feed"]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_new_feed_is_written_by_one_crawl_at_a_time(tmp_path: Path, exporter: Any) -> None:
    path, new = tmp_path / "a.feed", Article("http://a.example/9", "New", "a")
    with path.open("ab") as file:
        writer = exporter(file)
        writer.start_exporting()
        writer.export_item(ODD[0])
        with pytest.raises(InUse, match="wait for its end"):  # nothing is on the disk yet
            append(exporter, path, new)
        file.flush()
        writer.export_item(ODD[1])
        writer.finish_exporting()
    append(exporter, path, new)
    links = [one.link for one in feedparser.parse(path.read_bytes()).entries]
    assert links == [new.url, ODD[0].url, ODD[1].url]
    assert [one.name for one in tmp_path.iterdir()] == ["a.feed"]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_an_article_with_another_url_stays_one_entry(tmp_path: Path, exporter: Any) -> None:
    """The feed of its site has links that track readers, or the site has moved to https."""
    path = tmp_path / "a.feed"
    starts = ("http://a.example/1?utm_id=1&b=2", "https://www.a.example/1?b=2&utm_id=2")
    ids = set()
    for url in starts:
        append(exporter, path, Article(url, title="A", text=f"From {url}"))
        (entry,) = feedparser.parse(path.read_bytes()).entries
        assert entry.link == url and url in entry.content[0].value.replace("&amp;", "&")
        ids.add(entry.id)
    assert len(ids) == 1


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_feed_that_was_cut_is_appended_to(tmp_path: Path, exporter: Any) -> None:
    """The first crawl was killed while it wrote it: its whole articles stay."""
    path, new = tmp_path / "a.feed", Article("http://a.example/9", "New", "a")
    append(exporter, path, *ODD)
    document = path.read_bytes()
    start = document.index(b"</generator>") + len(b"</generator>")
    for end in (start, start + 60, *range(start + 200, len(document), 97), len(document) - 3):
        path.write_bytes(document[:end])
        append(exporter, path, new)
        assert feed_problems(path.read_bytes()) == set()
        links = [one.link for one in feedparser.parse(path.read_bytes()).entries]
        number = document[:end].count(f"</{exporter.element}>".encode())
        assert links == [new.url, *(one.url for one in ODD[:number])]


@pytest.mark.parametrize("text", ["<html/>", "{}", "<rss", "<a/><b/>"])
def test_what_is_no_feed_is_not_appended_to(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.rss"
    path.write_text(text)
    with pytest.raises(BadOutput, match="overwrite it with -O"):
        append(RssItemExporter, path, *ODD)
    assert path.read_text() == text


DATES = ["2026-01-02T10:00:00+02:00", "2026-01-05T01:00:00+00:00", "2026-01-03T00:00:00+00:00"]


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("mode", ["wb", "ab", "bytes", "append"])
def test_a_feed_was_updated_with_its_latest_article(
    tmp_path: Path, exporter: Any, mode: str
) -> None:
    """Also in a file that can only be appended to, and in one with earlier articles."""
    articles = [
        Article(f"http://a.example/{n}", title=f"Boats {n} & owls", text="Text.", published=date)
        for n, date in enumerate(DATES)
    ]
    path = tmp_path / "feed.xml"
    if mode == "bytes":
        document = write(exporter, *articles).encode()
    else:
        if mode == "append":
            write_to(path, exporter, "wb", articles[2:])
        write_to(path, exporter, mode if mode != "append" else "ab", articles)
        document = path.read_bytes()
    assert feed_problems(document) == set()
    feed = feedparser.parse(document)
    assert len(feed.entries) == 3
    assert feed.feed.updated_parsed[:5] == (2026, 1, 5, 1, 0)


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_nothing_is_written_after_a_feed_in_the_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exporter: Any
) -> None:
    """It may be appended to a file, where all that is written comes last."""
    path = tmp_path / "feed.xml"
    with TextIOWrapper(
        os.fdopen(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY), "wb")
    ) as out:
        monkeypatch.setattr("sys.stdout", out)
        feed = exporter(out.buffer)
        feed.start_exporting()
        for n, date in enumerate(DATES):
            feed.export_item(Article(f"http://a.example/{n}", title="Boats", published=date))
        feed.finish_exporting()
    assert feed_problems(path.read_bytes()) == set()
    assert path.read_text("utf-8").rstrip().endswith(">")


def write_to(path: Path, exporter: Any, mode: str, articles: list[Article]) -> None:
    with path.open(mode) as file:
        feed = exporter(file)
        feed.start_exporting()
        for article in articles:
            feed.export_item(article)
        feed.finish_exporting()
