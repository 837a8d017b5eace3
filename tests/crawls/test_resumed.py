"""Crawls that are resumed after starts that failed, kills and stops in sequence."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from demo import DemoServer

from .helpers import RSS, Item, Project, Server, repeated, rss, slow, story, story_title, wait_until

KILL = """
import os
import signal

from scrapy import signals


class Kill:
    @classmethod
    def from_crawler(cls, crawler):
        kill = cls()
        kill.seen, kill.at = 0, crawler.settings.getint("KILL_AT")
        signal = signals.item_scraped
        if page := crawler.settings.getint("KILL_AT_PAGE"):
            kill.at, signal = page, signals.response_received
        crawler.signals.connect(kill.count, signal=signal)
        return kill

    def count(self):
        self.seen += 1
        if self.seen == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
"""
JOB: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", "CONCURRENT_REQUESTS": 2}


def serve_stories(server: Server, count: int, path: str = "/story", padding: str = "") -> str:
    """The feed of these stories."""
    for number in range(count):
        server.add(f"/story/{number}", story(number) + padding)
    items = [Item(f"{path}/{number}", story_title(number)) for number in range(count)]
    server.add("/feed.xml", rss(items), RSS)
    return f"feeds={server.url}/feed.xml"


def story_paths(count: int) -> list[str]:
    return sorted(f"/story/{number}" for number in range(count))


@pytest.mark.parametrize("at", ["open_spider", slow("from_crawler")])
def test_a_start_that_fails_does_not_forget_the_queue(
    tmp_path: Path, server: Server, at: str
) -> None:
    code = """
class Breaks:
    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        pipeline.at = crawler.settings["BREAKS_AT"]
        if pipeline.at == "from_crawler":
            raise RuntimeError("no")
        return pipeline

    def open_spider(self):
        if self.at == "open_spider":
            raise RuntimeError("no")

    def process_item(self, item):
        return item
"""
    feed = serve_stories(server, 30)
    project = Project(tmp_path / "p", {"own.py": code}, ITEM_PIPELINES={"own.Breaks": 300})
    first = project.crawl("feeds", feed, CLOSESPIDER_PAGECOUNT=8, **JOB)
    server.answers.pop("/feed.xml")  # what is left is in the queue only
    failed = project.crawl("feeds", feed, BREAKS_AT=at, **JOB)
    assert (first.status, failed.status) == (0, 1)
    run = project.crawl("feeds", feed, **JOB)
    assert run.paths == story_paths(30)


@pytest.mark.slow
def test_a_kill_then_a_stop_then_a_resume(tmp_path: Path, server: Server) -> None:
    """The stopped run has not requested again all that the killed run had requested."""
    lists, each = 20, 20
    for number in range(lists * each):
        server.add(f"/story/{number}", story(number))
    for number in range(lists):
        stories = range(number * each, number * each + each)
        links = [*(f"/story/{one}" for one in stories), f"/list/{number + 1}"]
        rows = "".join(f"<p><a href='{url}'>more</a></p>" for url in links)
        server.add(f"/list/{number}", f"<html><body>{rows}</body></html>")
    server.add("/start", story(999).replace("</body>", "<a href='/list/0'>more</a></body>"))
    project = Project(tmp_path / "p", {"own.py": KILL}, EXTENSIONS={"own.Kill": 900})
    arguments = f"url={server.url}/start", "follow=30"
    first = project.crawl("site", *arguments, KILL_AT_PAGE=60, **JOB)
    assert first.status == -signal.SIGKILL
    assert (project.folder / "job" / "requests.seen").stat().st_size > 0
    second = project.crawl("site", *arguments, CLOSESPIDER_PAGECOUNT=5, **JOB)
    assert second.status == 0
    third = project.crawl("site", *arguments, **{**JOB, "CONCURRENT_REQUESTS": 8})
    assert third.paths == ["/start", *story_paths(lists * each)]


@pytest.mark.slow
@pytest.mark.thorough
def test_large_pages_behind_redirects_after_a_kill(tmp_path: Path, server: Server) -> None:
    count = 24
    feed = serve_stories(server, count, "/old", "<!-- long -->" * 30_000)
    for number in range(count):
        server.add(f"/old/{number}", b"", status=301, headers={"Location": f"/story/{number}"})
    project = Project(tmp_path / "p", {"own.py": KILL}, EXTENSIONS={"own.Kill": 900})
    first = project.crawl("feeds", feed, KILL_AT=14, **{**JOB, "CONCURRENT_REQUESTS": 8})
    assert first.status == -signal.SIGKILL
    run = project.crawl("feeds", feed, **{**JOB, "CONCURRENT_REQUESTS": 8})
    assert run.paths == story_paths(count)


@pytest.mark.slow
def test_csv_after_a_kill(tmp_path: Path, server: Server) -> None:
    feed = serve_stories(server, 40)
    project = Project(tmp_path / "p", {"own.py": KILL}, EXTENSIONS={"own.Kill": 900})
    options = {**JOB, "out": "-", "FEEDS": '{"all.csv": {"format": "csv"}}'}
    first = project.crawl("feeds", feed, KILL_AT=25, **options)
    assert first.status == -signal.SIGKILL
    run = project.crawl("feeds", feed, **options)
    assert (run.status, run.complaints) == (0, [])
    with (project.folder / "all.csv").open(encoding="utf-8", newline="") as file:
        urls = [row["url"] for row in csv.DictReader(file) if row["url"] != "url"]
    assert sorted(url.removeprefix(server.url) for url in urls) == story_paths(40)


@pytest.mark.slow
def test_a_kill_before_the_first_commit(tmp_path: Path, server: Server) -> None:
    """Articles are in the export, and nothing but its size at the start is in the spool."""
    code = KILL.replace("class Kill", "from forest_scrapy.crawl import recovery\n\n"
                        "recovery.DELAY = 1000\n\n\nclass Kill")  # fmt: skip
    project = Project(tmp_path / "p", {"own.py": code}, EXTENSIONS={"own.Kill": 900})
    feed = serve_stories(server, 30)
    run = project.crawl("feeds", feed, KILL_AT=5, **JOB)
    assert run.status == -signal.SIGKILL
    assert len(run.items) >= 5
    project.write("own.py", KILL)
    again = project.crawl("feeds", feed, **JOB)
    assert (again.status, again.paths) == (0, story_paths(30))


@pytest.mark.slow
def test_what_a_killed_crawl_has_exported_is_not_new(tmp_path: Path, server: Server) -> None:
    """It is killed when an article is exported, and recorded nowhere."""
    project = Project(tmp_path / "p", {"own.py": KILL}, EXTENSIONS={"own.Kill": 900})
    arguments = serve_stories(server, 24), "only_new=yes"
    first = project.crawl("feeds", *arguments, KILL_AT=9, **JOB)
    assert first.status == -signal.SIGKILL
    again = project.crawl("feeds", *arguments, KILL_AT=0, **JOB)
    assert (again.status, again.paths) == (0, story_paths(24))
    for number in range(24):  # their entries have changed, so that all are requested
        server.add(f"/story/{number}", story(number) + "<!-- new -->")
    server.add("/feed.xml", server.answers["/feed.xml"].body.replace(b"from the", b"of"), RSS)
    server.requests.clear()
    last = project.crawl("feeds", *arguments, KILL_AT=0)
    assert (last.status, last.items, len(server.requests)) == (0, [], 25)


def test_a_value_that_the_history_cannot_take_does_not_end_a_crawl(
    project: Project, server: Server
) -> None:
    serve_stories(server, 12)
    items = [{"id": f"\ud800{n}", "url": f"{server.url}/story/{n}"} for n in range(12)]
    server.add("/feed.json", json.dumps({"items": items}), "application/feed+json")
    run = project.crawl("feeds", f"feeds={server.url}/feed.json", "only_new=yes")
    assert (run.status, run.complaints, run.paths) == (0, [], story_paths(12))


@pytest.mark.slow
def test_unsafe_exports_are_named(project: Project, demo: DemoServer) -> None:
    feeds = '{"a.json": {"format": "json"}, "b.csv": {"format": "csv"}}'
    run = project.crawl("feeds", f"feeds={demo.feed_url}", JOBDIR="job", FEEDS=feeds, out="-")
    (line,) = run.complaints
    assert (
        "WARNING: a.json is written as json: if the crawl is killed and resumed, items may" in line
    )


@pytest.mark.slow
def test_two_crawls_on_one_jobdir(project: Project, server: Server) -> None:
    feed = serve_stories(server, 40)
    crawling = project.start("feeds", feed, DOWNLOAD_DELAY=1, **JOB)
    wait_until(lambda: len(server.requests) > 3)
    second = project.crawl("feeds", feed, **{**JOB, "out": "other.jsonl"})
    crawling.send(signal.SIGINT)
    first = crawling.finish()
    assert (first.status, first.complaints) == (0, [])
    assert second.status == 1
    (line,) = second.complaints
    assert "spool.db is in use by another crawl; wait for its end, or name another JOBDIR" in line


def test_pages_of_two_runs_are_summed_up(project: Project, server: Server) -> None:
    """A page that redirects to one that was requested is a duplicate."""
    feed = serve_stories(server, 12)
    server.add("/moved", b"", status=301, headers={"Location": "/story/3"})
    items = [*(f"{server.url}/story/{number}" for number in range(12)), f"{server.url}/moved"]
    server.add("/feed.xml", rss(items), RSS)
    run = project.crawl("feeds", feed)
    assert (run.status, run.complaints) == (0, [])
    assert run.counted("dropped") == {"duplicate": 1}
    assert "12 articles (trained 12) of 13 pages; 1 dropped (duplicate 1);" in run.log


@pytest.mark.parametrize("output", ["SHARED", slow("None")])
def test_pipelines_that_return_one_object_for_all_pages(
    tmp_path: Path, server: Server, output: str
) -> None:
    code = f"""
SHARED = {{"url": "the same for all"}}


class Returns:
    def process_item(self, item):
        return {output}
"""
    feed = serve_stories(server, 12)
    project = Project(tmp_path / "p", {"own.py": code}, ITEM_PIPELINES={"own.Returns": 300})
    run = project.crawl("feeds", feed, out="-", CONCURRENT_REQUESTS=8)
    assert run.counted("articles") == {"trained": 12}
    assert run.counted("dropped") == {}
    assert run.stats["item_scraped_count"] == 12


def test_an_error_at_close_does_not_skip_the_pipelines_of_the_project(
    tmp_path: Path, server: Server
) -> None:
    code = """
from pathlib import Path

from forest_scrapy.crawl.context import context_of


class Spoils:
    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        pipeline.crawler = crawler
        return pipeline

    def process_item(self, item):
        database = context_of(self.crawler).spool._database
        database.execute("UPDATE contents SET body = x'00', is_compressed = 1")
        return item

    def close_spider(self):
        Path("closed").touch()
"""
    feed = serve_stories(server, 12)
    project = Project(tmp_path / "p", {"own.py": code}, ITEM_PIPELINES={"own.Spoils": 300})
    run = project.crawl("feeds", feed, CLOSESPIDER_PAGECOUNT=4)
    assert run.status == 0
    assert (project.folder / "closed").exists()
    assert not repeated(run.paths)
    assert run.stat("release/failed") >= 1  # at close, and before if a release came first


def test_feeds_left_of_a_resumed_crawl(tmp_path: Path, server: Server) -> None:
    """Sitemaps that the first run has found and not read are left when the second one starts."""
    code = """
from scrapy import signals

from forest_scrapy.crawl.context import context_of


class Looks:
    @classmethod
    def from_crawler(cls, crawler):
        looks = cls()
        looks.crawler, looks.left = crawler, []
        crawler.signals.connect(looks.look, signal=signals.request_reached_downloader)
        crawler.signals.connect(looks.look, signal=signals.spider_closed)
        return looks

    def look(self):
        self.left.append(context_of(self.crawler).outstanding.feeds_left)
        self.crawler.stats.set_value("feeds_left", self.left)
"""
    serve_stories(server, 8)
    for number in range(8):
        url = f"<url><loc>{server.url}/story/{number}</loc></url>"
        server.add(f"/map/{number}", f"<urlset>{url}</urlset>", "text/xml")
    maps = "".join(f"<sitemap><loc>{server.url}/map/{n}</loc></sitemap>" for n in range(8))
    server.add("/sitemap.xml", f"<sitemapindex>{maps}</sitemapindex>", "text/xml")
    project = Project(tmp_path / "p", {"own.py": code}, EXTENSIONS={"own.Looks": 900})
    options, job = (f"sitemap={server.url}/sitemap.xml",), {**JOB, "CONCURRENT_REQUESTS": 1}
    first = project.crawl("feeds", *options, CLOSESPIDER_PAGECOUNT=3, **job)
    read = first.stat("sitemaps/read") - 1  # one is the index
    assert first.stats["feeds_left"][0] == 1
    assert 0 < first.stats["feeds_left"][-1] == 8 - read < 8
    second = project.crawl("feeds", *options, **job)
    assert second.stats["feeds_left"][0] == 8 - read + 1
    assert min(second.stats["feeds_left"]) == second.stats["feeds_left"][-1] == 0
    assert second.paths == story_paths(8)


@pytest.mark.parametrize(
    "store",
    ["job/forest/spool.db", slow(".scrapy/forest/wrappers.db")],
)
def test_a_damaged_store_is_set_aside(project: Project, server: Server, store: str) -> None:
    feed = serve_stories(server, 24)
    first = project.crawl("feeds", feed, CLOSESPIDER_PAGECOUNT=14, **JOB)
    assert first.status == 0
    (project.folder / store).write_bytes(b"damaged" * 1000)
    run = project.crawl("feeds", feed, **JOB)
    assert run.status == 0
    (line,) = run.complaints
    assert f"{store}: it is damaged (file is not a database); it is now named " in line
    assert run.paths == story_paths(24)
