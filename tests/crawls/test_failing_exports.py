"""Exports that do not work: refused before anything is fetched, and no page counts as exported."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy import Spider

from benchmarks.support.starter import run
from demo import DemoServer
from forest_scrapy.exporters.guarded import GuardedFeedExporter
from forest_scrapy.settings import BadSetting
from tests.crawlers import make_crawler

from .helpers import RSS, Item, Project, Server, environment, read_items, rss, story

OWN = """
from tempfile import TemporaryFile

from scrapy.exporters import JsonLinesItemExporter


class RefusesNews(JsonLinesItemExporter):
    def export_item(self, item):
        if "/news/" in item.url:
            raise TypeError("news")
        super().export_item(item)


class CannotStart(JsonLinesItemExporter):
    def start_exporting(self):
        raise TypeError("a bug")


class Away:
    def __init__(self, uri, *, feed_options=None):
        self.uri = uri

    def open(self, spider):
        return TemporaryFile()

    def store(self, file):
        raise OSError("the server is away")
"""
OWN_SETTINGS: dict[str, Any] = {
    "FEED_EXPORTERS": {"news": "own.RefusesNews", "start": "own.CannotStart"},
    "FEED_STORAGES": {"away": "own.Away"},
}
JOB: dict[str, Any] = {"JOBDIR": "job", "out": "-"}
LINES = {"format": "jsonlines"}


def project_with(folder: Path, feeds: dict[str, Any]) -> Project:
    return Project(folder / "project", {"own.py": OWN}, FEEDS=feeds, **OWN_SETTINGS)


REFUSED = [
    (
        "a.unknown",
        {},
        "in a known format, not 'unknown'; known are csv, jl, "
        "json, jsonl, jsonlines, marshal, pickle, xml",
    ),
    (
        "what://a/b.jsonl",
        LINES,
        "a path, or a URI of a known scheme: away, file, ftp, ftps, gs, s3, stdout",
    ),
    ("%(nope)s.jsonl", LINES, "a URI with known parameters ('nope')"),
    ("taken/a.jsonl", LINES, "a file, and taken is in its place"),
    ("folder", LINES, "a file, and folder is in its place"),
    (
        "/proc/nodir/a.jsonl",
        LINES,
        "a file that may be written, and none can be in /proc (No such file or directory)",
    ),
    ("a.jsonl", {**LINES, "batch_item_count": 3}, "what Scrapy can export to, see above"),
]


@pytest.mark.parametrize(("uri", "options", "why"), REFUSED)
def test_an_export_that_cannot_work_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: str, options: dict[str, Any], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    (tmp_path / "folder").mkdir()
    storages = {"away": "tests.crawls.test_failing_exports.Away"}
    crawler = make_crawler(Spider, {"FEEDS": {uri: options}, "FEED_STORAGES": storages})
    crawler.spider = Spider("a")
    with pytest.raises(BadSetting) as raised:
        GuardedFeedExporter(crawler)
    message = str(raised.value).replace(f"{tmp_path}/", "")
    assert message == f"FEEDS = {uri!r} cannot be used: it must be {why}"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "taken"]


def test_an_export_that_may_not_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked as a user who is not root, if root runs the tests."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    monkeypatch.chdir(tmp_path)
    crawler = make_crawler(Spider, {"FEEDS": {"closed/new/a.jsonl": LINES}})
    crawler.spider = Spider("a")
    users = os.getresuid()
    os.setresuid(users[0] or 65534, *users[1:])  # for the real user, whom access(2) asks about
    try:
        with pytest.raises(BadSetting, match=f"may be written, and {folder} may not$"):
            GuardedFeedExporter(crawler)
    finally:
        os.setresuid(*users)


def test_an_export_in_a_folder_that_may_not_be_searched_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked as a user who is not root, if root runs the tests."""
    (tmp_path / "closed" / "folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    crawler = make_crawler(Spider, {"FEEDS": {"closed/folder/a.jsonl": LINES}})
    crawler.spider = Spider("a")
    (tmp_path / "closed").chmod(0)
    users = os.getresuid()
    os.setresuid(-1, users[1] or 65534, -1)
    try:
        with pytest.raises(BadSetting, match=r"a file that may be written .*Permission denied"):
            GuardedFeedExporter(crawler)
    finally:
        os.setresuid(*users)
        (tmp_path / "closed").chmod(0o755)


class Away:
    """A storage that is never opened."""

    def __init__(self, uri: str, *, feed_options: object = None) -> None:
        """As Scrapy creates it."""


@pytest.mark.slow
def test_an_export_in_an_unknown_format_changes_nothing(tmp_path: Path, demo: DemoServer) -> None:
    """Also not the job of an earlier run, whose pages wait in the spool."""
    project, argument = project_with(tmp_path, {"a.jsonl": LINES}), f"feeds={demo.feed_url}"
    project.crawl("feeds", argument, CLOSESPIDER_PAGECOUNT=9, FOREST_PAGES=40, **JOB)
    feeds = json.dumps({"a.jsonl": {"format": "jsonlins"}})
    refused = project.crawl("feeds", argument, FEEDS=feeds, **JOB)
    assert (refused.status, refused.stats, len(refused.complaints)) == (1, {}, 1)
    assert "ERROR: FEEDS = 'a.jsonl' cannot be used: it must be in a known" in refused.complaints[0]
    assert project.crawl("feeds", argument, **JOB).status == 0
    assert len({item["url"] for item in read_items(project.folder / "a.jsonl")}) == 30


@pytest.mark.slow
def test_an_export_that_fails_for_some_items(tmp_path: Path, demo: DemoServer) -> None:
    """Their pages are errors; the other export has all items."""
    project = project_with(tmp_path, {"a.news": {"format": "news"}, "b.jsonl": LINES})
    run = project.crawl("feeds", f"feeds={demo.feed_url}", out="-")
    some, every = (read_items(project.folder / name) for name in ("a.news", "b.jsonl"))
    assert run.status == 1
    assert 0 < len(some) < len(every) == 30
    assert sum(run.counted("articles").values()) == len(some)
    assert run.stat("dropped/error") == 30 - len(some)
    assert all("An item cannot be exported to a.news: TypeError: news" in x for x in run.complaints)


@pytest.mark.slow
def test_what_was_not_written_is_not_seen(tmp_path: Path, demo: DemoServer) -> None:
    """Items in the buffer of an export whose disk is full are new for the next crawl."""
    pytest.importorskip("pyarrow")
    project, argument = project_with(tmp_path, {}), f"feeds={demo.feed_url}"
    full = json.dumps({"/dev/full": {"format": "parquet"}})
    run = project.crawl("feeds", argument, "only_new=yes", out="-", FEEDS=full)
    assert run.status == 1
    assert "Traceback" not in run.log
    again = project.crawl("feeds", argument, "only_new=yes")
    assert (again.status, len(again.items)) == (0, 30)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a place of Linux")
@pytest.mark.parametrize("name", ["/sys/a.jsonl", "%(site)s.jsonl"])
def test_what_may_not_be_written_is_not_seen(tmp_path: Path, demo: DemoServer, name: str) -> None:
    """Not by root either; the next crawl has all articles.  A file with a known name is refused
    before the crawl, one that is named by an item ends it."""
    project, argument = project_with(tmp_path, {}), f"feeds={demo.feed_url}"
    port = urlsplit(demo.feed_url).port
    (project.folder / f"127.0.0.1_{port}.jsonl").symlink_to("/sys/a.jsonl")
    feeds = json.dumps({name: LINES})
    run = project.crawl("feeds", argument, "only_new=yes", out="-", FEEDS=feeds)
    assert (run.status, run.counted("articles")) == (1, {})
    assert "Traceback" not in run.log and len(run.complaints) == 1
    if name == "/sys/a.jsonl":
        assert "a file that may be written, and none can be in /sys" in run.complaints[0]
    else:
        digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
        assert digest["status"] == 1 and "denied" in digest["failure"]
    again = project.crawl("feeds", argument, "only_new=yes")
    assert (again.status, len(again.items)) == (0, 30)


@pytest.mark.slow
def test_an_export_that_cannot_be_opened_leaves_the_pages(tmp_path: Path, demo: DemoServer) -> None:
    project, argument = project_with(tmp_path, {}), f"feeds={demo.feed_url}"
    failed = json.dumps({"a.start": {"format": "start"}})
    run = project.crawl("feeds", argument, FEEDS=failed, **JOB)
    assert (run.status, run.stats["finish_reason"]) == (1, "forest_export_failure")
    assert run.counted("articles") == {}
    (complaint,) = [one for one in run.complaints if "ERROR" in one]
    assert "Items cannot be exported, so the crawl ends (a.start: TypeError: a bug)" in complaint
    project.crawl("feeds", argument, FEEDS=json.dumps({"b.jsonl": LINES}), **JOB)
    assert len({item["url"] for item in read_items(project.folder / "b.jsonl")}) == 30


@pytest.mark.slow
@pytest.mark.parametrize("is_packed", [False, True])
def test_what_a_server_does_not_store_is_kept(
    tmp_path: Path, demo: DemoServer, is_packed: bool
) -> None:
    plugins = ["scrapy.extensions.postprocessing.GzipPlugin"] if is_packed else []
    feed = {**LINES, "postprocessing": plugins}
    project = project_with(tmp_path, {"away://server/all.jsonl": feed})
    run = project.crawl("feeds", f"feeds={demo.feed_url}", out="-")
    assert run.status == 1
    (kept,) = (project.folder / ".scrapy/forest/unstored").iterdir()
    assert f"it is kept in {kept}" in run.log
    if is_packed:
        kept.write_bytes(gzip.decompress(kept.read_bytes()))
    assert len({item["url"] for item in read_items(kept)}) == 30


@pytest.mark.parametrize("name", ["old.jsonl", "old.csv", "old.rss"])
def test_a_file_is_not_overwritten_with_nothing(
    project: Project, server: Server, name: str
) -> None:
    """The status says that nothing could be fetched, also that of Scrapy's own command."""
    path = project.write(name, "yesterday")
    command = ["-m", "scrapy", "crawl", "feeds", "-a", f"feeds={server.url}/wrong", "-O", name]
    done = run(command, project.folder, environment())
    assert done.returncode == 1
    assert f"{name} stays as it was, and is not overwritten" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text(encoding="utf-8") == "yesterday"


def test_a_file_is_not_overwritten_without_the_form_of_a_crawl(
    project: Project, server: Server
) -> None:
    path = project.write("old.jsonl", "yesterday")
    command = ["-m", "scrapy", "crawl", "form", "-a", f"url={server.url}/wrong", "-O", "old.jsonl"]
    done = run(command, project.folder, environment())
    assert done.returncode == 1
    assert "'forest/failed/status_404': 1" in done.stderr
    assert "old.jsonl stays as it was" in done.stderr
    assert path.read_text(encoding="utf-8") == "yesterday"


def test_a_file_is_overwritten_with_nothing_if_the_crawl_has_read_its_feed(
    project: Project, server: Server
) -> None:
    server.add(
        "/feed", rss([Item(f"{server.url}/1", published="Mon, 01 Jan 2024 10:00:00 GMT")]), RSS
    )
    server.add("/1", story(1))
    path = project.write("old.jsonl", "yesterday")
    address = f"feeds={server.url}/feed"
    command = ["-m", "scrapy", "crawl", "feeds", "-a", address, "-a", "since=2090-01-01"]
    done = run([*command, "-O", "old.jsonl"], project.folder, environment())
    assert done.returncode == 0
    assert path.read_text(encoding="utf-8") == ""


def test_what_an_overwritten_file_will_have_is_told(project: Project, server: Server) -> None:
    """With ``only_new``: what was new in an earlier crawl is not."""
    server.add("/feed", rss([f"{server.url}/1"]), RSS)
    server.add("/1", story(1))
    command = ["-m", "scrapy", "crawl", "feeds", "-a", f"feeds={server.url}/feed", "-O", "a.jsonl"]
    first = run(command, project.folder, environment())
    assert "is overwritten" not in first.stderr
    again = run([*command, "-a", "only_new=yes"], project.folder, environment())
    assert "is overwritten with those that are new in this crawl; -o adds them" in again.stderr
    assert (project.folder / "a.jsonl").read_text(encoding="utf-8") == ""


@pytest.mark.slow
def test_a_second_crawl_says_what_becomes_of_its_file(project: Project, server: Server) -> None:
    """Items are added, and with ``only_new`` none are."""
    server.add("/feed", rss([f"{server.url}/1"]), RSS)
    server.add("/1", story(1))
    feeds = f"feeds={server.url}/feed"
    first = project.crawl("feeds", feeds, out="a.jsonl")
    assert "is there twice" not in first.log
    again = project.crawl("feeds", feeds, out="a.jsonl")
    assert "a.jsonl has items already, and this crawl's are added" in again.log
    assert len(again.items) == 2
    only_new = project.crawl("feeds", feeds, out="a.jsonl", FOREST_ONLY_NEW="TRUE")
    assert "is there twice" not in only_new.log
    assert "; nothing is new or has changed since the last crawl" in only_new.log
    assert len(only_new.items) == 2
