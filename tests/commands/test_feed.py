"""``forest-scrapy feed``: a rolling feed that is written again and again."""

from __future__ import annotations

import json
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs

import feedparser
import pytest
from crawls.helpers import slow
from exporters.helpers import feed_problems
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from forest_scrapy.commands.feed import Feed, HubFailed, NoArticles
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.output_files import InUse, locked
from forest_scrapy.stores import HistoryStore, LatestArticle, PageRecord

NOW = 1_700_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with closing(HistoryStore(str(tmp_path / "history.db"), feed_items=5)) as store:
        yield store


def save(store: HistoryStore, number: int, host: str = "a.example", **values: Any) -> None:
    url, updated = f"http://{host}/{number}", values.pop("updated", None)
    feed = values.pop("feed", "")
    fields = {"url": url, "title": f"Title {number}", "html": f"<p>Text {number}.</p>", **values}
    page = PageRecord(page_key(url), host, url, NOW, NOW, outcome="article", feed=feed)
    store.save(page, latest=LatestArticle(page.key, feed or host, NOW + number, updated, fields))


def write(path: Path, *arguments: str) -> Any:
    parser = ArgumentParser()
    Feed.add_options(parser.add_argument)
    place = str(path.with_name("history.db"))
    settings = Settings({"FOREST_HISTORY": place, "FOREST_FEED_ITEMS": 5})
    Feed(settings).run(parser.parse_args(["-o", str(path), *arguments]))
    return feedparser.parse(path.read_bytes())


@pytest.mark.parametrize("name", ["full.xml", slow("full.rss")])
def test_a_feed_is_valid_after_each_run(tmp_path: Path, store: HistoryStore, name: str) -> None:
    """The latest articles are in it, a corrected one in its place."""
    path = tmp_path / name
    for number in range(50):
        save(store, number, f"{number % 2}.example")
        if number > 4:
            save(store, number - 2, f"{number % 2}.example", title="Better", updated=NOW + 100)
        feed = write(path)
        assert feed_problems(path.read_bytes()) == set()
        links = [one.link for one in feed.entries]
        wanted = range(number, max(number - 10, -1), -1)
        assert links == [f"http://{one % 2}.example/{one}" for one in wanted]
    assert {one.title for one in feed.entries[2:]} == {"Better"}
    assert feed.entries[-1].updated.startswith("2023-11-14T22:15:00")
    assert {one.name for one in tmp_path.iterdir() if "history" not in one.name} == {name}


def test_a_feed_that_has_not_changed_is_not_written(tmp_path: Path, store: HistoryStore) -> None:
    path = tmp_path / "full.xml"
    save(store, 1)
    write(path)
    before = path.stat()
    write(path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_json_feed(tmp_path: Path, store: HistoryStore) -> None:
    save(store, 1, authors=["A. Author"], language="en")
    save(store, 2, html="", text="", summary="A teaser.")
    path = tmp_path / "full.json"
    write(path, "--url", "https://b.example/full.json", "--title", "All")
    feed = json.loads(path.read_text("utf-8"))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert (feed["title"], feed["feed_url"]) == ("All", "https://b.example/full.json")
    teaser, full = feed["items"]
    assert (teaser["summary"], teaser["content_text"]) == ("A teaser.", "")
    assert (full["content_html"], full["authors"]) == ("<p>Text 1.</p>", [{"name": "A. Author"}])


def test_sources_and_items(tmp_path: Path, store: HistoryStore) -> None:
    for number in range(4):
        save(store, number)
        save(store, number, "b.example", feed="http://c.example/feed")
    path = tmp_path / "full.xml"
    assert len(write(path).entries) == 8
    assert len(write(path, "--items", "1").entries) == 2
    for source in ("b.example", "http://c.example/feed"):
        links = {one.link for one in write(path, source).entries}
        assert links == {f"http://b.example/{number}" for number in range(4)}
    with pytest.raises(NoArticles, match=r"no article of d\.example for a feed yet"):
        write(path, "d.example")
    assert len(feedparser.parse(path.read_bytes()).entries) == 4


def test_an_article_with_two_urls_is_there_once(tmp_path: Path, store: HistoryStore) -> None:
    save(store, 1)
    save(store, 2, url="http://a.example/1")
    save(store, 3, url="https://www.a.example/1?utm_source=rss")
    assert [one.title for one in write(tmp_path / "full.xml").entries] == ["Title 3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hub", "https://hub.example/"], "--hub needs --url"),
        (["--url", "full.xml"], "--url must be an http or https URL"),
        (["--items", "0"], "--items must be 1 or more"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        write(tmp_path / "full.xml", *arguments)
    with pytest.raises(UsageError, match="name a file that ends in"):
        write(tmp_path / "full.txt")


def test_runs_wait_for_each_other(
    tmp_path: Path, store: HistoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, 1)
    path = tmp_path / "full.xml"
    waiting = threading.Thread(target=write, args=(path,))
    with locked(path):
        with monkeypatch.context() as patch, pytest.raises(InUse):
            patch.setattr("forest_scrapy.commands.feed.MAX_LOCK_SECONDS", 0.0)
            write(path)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive() and not path.exists()
    waiting.join(30)
    assert len(feedparser.parse(path.read_bytes()).entries) == 1


class Hub(BaseHTTPRequestHandler):
    status = 204
    told: ClassVar[list[dict[str, list[str]]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Hub.told.append(parse_qs(body.decode()))
        self.send_response(Hub.status)
        self.end_headers()

    def log_message(self, *values: object) -> None:
        """Nothing."""


def test_a_hub_is_told_of_changes(
    tmp_path: Path, store: HistoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of one that it could not be told of by the run before."""
    monkeypatch.setattr(Hub, "told", [])
    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        save(store, 1)
        hub = f"http://127.0.0.1:{server.server_port}/"
        path, own = tmp_path / "full.xml", "https://b.example/full.xml"
        arguments = ("--hub", hub, "--url", own)
        monkeypatch.setattr(Hub, "status", 503)
        with pytest.raises(HubFailed, match="the next run tells it"):
            write(path, *arguments)
        monkeypatch.setattr(Hub, "status", 204)
        for _ in range(3):
            links = {one.rel: one.href for one in write(path, *arguments).feed.links}
        assert (links["hub"], links["self"]) == (hub, own)
        assert feed_problems(path.read_bytes()) == set()
        assert [one["hub.mode"] + one["hub.url"] for one in Hub.told] == [["publish", own]] * 2
        server.shutdown()
        thread.join()
    assert {one.name for one in tmp_path.iterdir() if "history" not in one.name} == {path.name}
