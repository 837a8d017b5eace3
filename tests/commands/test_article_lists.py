"""``--list``: rules for a page without a feed, and a feed of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import feedparser
import pytest
from exporters.helpers import feed_problems

from demo import DemoServer
from forest_scrapy.commands.article_lists import read_earlier, roll_articles
from forest_scrapy.commands.feed import _with_exporter
from forest_scrapy.core.records.article_list import ArticleListRules, ListedArticle
from forest_scrapy.exporters.feeds import (
    AtomItemExporter,
    FeedHead,
    RssItemExporter,
    write_json_feed,
)
from tests.core.records.article_list.pages import HOME, STORIES, blog, plain

from .conftest import Run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved home page that names its address."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "home.html"
    save(path, 0)
    return path


def save(path: Path, day: int, write: Any = blog) -> None:
    html = f"<link rel=canonical href={HOME}>{write(STORIES[day : day + 8])}"
    path.write_text(html, "utf-8")


def links_of(path: Path) -> list[str]:
    return [entry.link for entry in feedparser.parse(path.read_bytes()).entries]


def test_export(run: Run, home: Path) -> None:
    done = run("export", "--list", "home.html")
    assert (done.status, done.err) == (0, "")
    assert 'type="HTML+XPath"' in done.out and 'frss:xPathItem="//article"' in done.out
    done = run("export", "--list", "home.html", "--format", "json", "-o", "rules.json")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert ArticleListRules.loads(Path("rules.json").read_text("utf-8")).items == "//article"
    for name in ("rss-bridge", "changedetection"):
        assert "//article" in run("export", "--list", "home.html", "--format", name).out.replace(
            "%2F", "/"
        )


def test_two_pages_of_one_address_and_a_title_that_xml_cannot_have(run: Run, home: Path) -> None:
    Path("old.html").write_text(f"<link rel=canonical href={HOME}><p>Nothing yet", "utf-8")
    save(Path("odd.html"), 0, lambda stories: f"<title>Owls&#8;\x0b</title>{blog(stories)}")
    done = run("feed", "--list", "old.html", "home.html", "-o", "home.atom")
    assert done.status == 1 and len(links_of(Path("home.atom"))) == 8
    done = run("export", "--list", "odd.html")
    assert done.status == 0 and 'xmlUrl="' in done.out and "\x0b" not in done.out


def _write_xml(suffix: str) -> Any:
    return _with_exporter(RssItemExporter if suffix == ".rss" else AtomItemExporter)


@pytest.mark.parametrize("name", ["home.atom", "home.rss", "home.json"])
def test_articles_that_have_left_the_list_stay_as_they_were(tmp_path: Path, name: str) -> None:
    listed = ListedArticle(
        url="https://a.example/1",
        title="Owls",
        published="2026-11-01T00:00:00+00:00",
        summary="They sleep at noon.",
        image="https://a.example/1.jpg",
        authors=("Ann", "Bob"),
    )
    (article,) = roll_articles([listed], {}, 10, "2026-11-28T00:00:00+00:00")
    head = FeedHead("Owls", "urn:1", "https://a.example/", article.published)
    path = tmp_path / name
    write = write_json_feed if path.suffix == ".json" else _write_xml(path.suffix)
    path.write_bytes(write(head, [article]))
    (kept,) = roll_articles([], read_earlier(path), 10, "2026-11-29T00:00:00+00:00")
    assert write(head, [kept]) == path.read_bytes()


def test_pages_without_a_list_and_without_an_address(run: Run, home: Path) -> None:
    Path("about.html").write_text("<link rel=canonical href=http://b.example/><p>About us", "utf-8")
    Path("copy.html").write_text(blog(STORIES), "utf-8")
    done = run("export", "--list", "about.html", "home.html", "copy.html")
    assert done.status == 1 and "//article" in done.out
    assert "http://b.example/: no list of articles is found; name a page that" in done.err
    assert (
        "copy.html: its address is not known; --url URL, for this page alone, tells it" in done.err
    )
    done = run("export", "--list", "copy.html", "--url", "https://c.example/")
    assert (done.status, done.err) == (0, "") and 'xmlUrl="https://c.example/"' in done.out


def test_a_feed_of_a_page_without_an_address(run: Run, home: Path) -> None:
    Path("copy.html").write_text(blog(STORIES), "utf-8")
    arguments = ("feed", "--list", "copy.html", "-o", "copy.atom", "--url", "https://f.example/")
    done = run(*arguments)
    assert done.status == 1
    assert "copy.html: its address is not known; --page-url URL tells it" in done.err
    done = run(*arguments, "--page-url", "https://c.example/")
    assert (done.status, done.err) == (0, "")
    feed = feedparser.parse(Path("copy.atom").read_bytes()).feed
    assert (feed.link, feed.id) == ("https://c.example/", "https://f.example/")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "a.example", "--list", "a.html"], "--list is of pages"),
        (["export", "--list", "a.html", "--format", "ftr"], "one of freshrss, rss-bridge"),
        (["export", "--list", "a.html", "b.html", "--url", "http://a/"], "address of one page"),
        (["export", "a.example", "--format", "rss-bridge"], "is for --list PAGE"),
        (["feed", "a.example", "--list", "a.html", "-o", "a.xml"], "--list is of pages"),
        (["feed", "--rules", "r.json", "-o", "a.xml"], "--rules is for --list with one page"),
        (["feed", "--page-url", "http://a/", "-o", "a.xml"], "--page-url is for --list"),
        (["feed", "--list", "a.html", "--page-url", "a", "-o", "a.xml"], "--page-url must be"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.status == 2 and message in done.err


@pytest.mark.parametrize("name", ["paper.xml", "paper.rss", "paper.json"])
def test_a_rolling_feed(run: Run, home: Path, name: str) -> None:
    """What is listed no more stays behind what is new, up to ``--items``."""
    path = home.with_name(name)
    arguments = ("feed", "--list", "home.html", "-o", name, "--items", "10")
    assert run(*arguments).err == ""
    first = path.read_bytes()
    assert run(*arguments).err == "" and path.read_bytes() == first
    save(home, 4)
    assert run(*arguments).err == ""
    numbers = [*range(4, 12), 0, 1]
    urls = [STORIES[number].url for number in numbers]
    if name.endswith("json"):
        feed = json.loads(path.read_text("utf-8"))
        assert [item["url"] for item in feed["items"]] == urls
        assert feed["items"][0]["date_published"] == "2026-11-05T08:00:00+00:00"
        return
    assert feed_problems(path.read_bytes()) == set()
    assert links_of(path) == urls
    entry = feedparser.parse(path.read_bytes()).entries[-1]
    assert entry.title == STORIES[1].title and entry.summary.startswith("The council has looked")


def test_rules_that_are_kept(run: Run, home: Path) -> None:
    """They are learned once; if the site is another one, the feed stays as it is."""
    arguments = ("feed", "--list", "home.html", "--rules", "rules.json", "-o", "paper.xml")
    assert run(*arguments).err == ""
    before = Path("rules.json").read_text("utf-8")
    feed = Path("paper.xml").read_bytes()
    save(home, 5, plain)
    done = run(*arguments)
    assert done.status == 1
    assert f"{HOME}: the rules of rules.json find nothing on it; delete the file" in done.err
    assert "no article is listed; the feed is left as it is" in done.err
    assert (Path("rules.json").read_text("utf-8"), Path("paper.xml").read_bytes()) == (before, feed)
    Path("rules.json").write_text('{"items": "//p["}', "utf-8")
    assert "rules.json: " in run(*arguments).err
    Path("rules.json").unlink()
    assert run(*arguments).err == ""
    assert links_of(Path("paper.xml"))[0] == STORIES[5].url


def test_a_file_that_is_no_feed(run: Run, home: Path) -> None:
    Path("notes.xml").write_text("<notes/>", "utf-8")
    done = run("feed", "--list", "home.html", "-o", "notes.xml")
    assert done.status == 1 and "is no feed that articles can be added to" in done.err
    assert Path("notes.xml").read_text("utf-8") == "<notes/>"


def test_a_page_of_a_site(scrapy: Run, demo: DemoServer, tmp_path: Path) -> None:
    """It is fetched, and its articles are those that it links."""
    path = tmp_path / "demo.atom"
    done = scrapy("feed", "--list", demo.url + "/", "-o", str(path))
    assert (done.status, done.err) == (0, "")
    paths = {article.path for article in demo.site.articles}
    links = {link.removeprefix(demo.url) for link in links_of(path)}
    assert len(links) > 3 and links <= paths
