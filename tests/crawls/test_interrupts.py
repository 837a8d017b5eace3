"""Crawls that end early: no article is lost or exported twice."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo import DemoServer

from .helpers import Project, Run, Server, repeated, slow, wait_until

#: Slow enough that a signal reaches the crawl at the intended moment, also on a busy machine.
SLOW: dict[str, Any] = {"CONCURRENT_REQUESTS": 2}
DELAY = 0.15


@pytest.fixture
def slow_demo() -> Iterator[DemoServer]:
    with DemoServer(delay=DELAY) as server:
        yield server


def article_paths(server: DemoServer) -> list[str]:
    return sorted(article.path for article in server.site.articles)


def requested(server: DemoServer) -> list[str]:
    """The article pages that were requested, in order, with repetitions."""
    articles = set(article_paths(server))
    return [path for path in server.requests if path in articles]


def assert_all_have_outcomes(run: Run, server: DemoServer) -> None:
    """Every page that was requested by a crawl that was closed has an outcome."""
    assert not repeated(run.paths)
    done = sum(run.counted("articles").values())
    assert done == len(run.items)
    assert done + sum(run.counted("dropped").values()) == len(requested(server))
    assert "Traceback" not in run.log


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        slow("CLOSESPIDER_ITEMCOUNT", 3, "closespider_itemcount"),
        ("CLOSESPIDER_PAGECOUNT", 8, "closespider_pagecount"),
    ],
)
def test_closespider(
    project: Project, slow_demo: DemoServer, setting: str, value: float, reason: str
) -> None:
    run = project.crawl("feeds", f"feeds={slow_demo.feed_url}", **{**SLOW, setting: value})
    assert (run.status, run.complaints) == (0, [])
    assert run.stats["finish_reason"] == reason
    assert run.paths == sorted(requested(slow_demo))
    if setting == "CLOSESPIDER_PAGECOUNT":  # no article is emitted while more pages are expected
        assert 0 < len(requested(slow_demo)) < 30
    assert_all_have_outcomes(run, slow_demo)


@pytest.mark.slow
def test_closespider_pagecount_and_a_pipeline_that_fails(
    tmp_path: Path, slow_demo: DemoServer
) -> None:
    """Articles on which a pipeline of the project fails are counted."""
    code = "class Fails:\n    def process_item(self, item):\n        raise RuntimeError('no')\n"
    project = Project(tmp_path / "p", {"own.py": code}, ITEM_PIPELINES={"own.Fails": 300})
    run = project.crawl("feeds", f"feeds={slow_demo.feed_url}", CLOSESPIDER_PAGECOUNT=8, **SLOW)
    assert run.items == []
    assert run.counted("dropped") == {"error": len(requested(slow_demo))}


def test_sigint(project: Project, slow_demo: DemoServer) -> None:
    crawling = project.start("feeds", f"feeds={slow_demo.feed_url}", **SLOW)
    wait_until(lambda: len(requested(slow_demo)) >= 9)
    crawling.send(signal.SIGINT)
    run = crawling.finish()
    assert (run.status, run.complaints) == (0, [])
    assert run.stats["finish_reason"] == "shutdown"
    assert len(requested(slow_demo)) < 30
    assert run.paths == sorted(requested(slow_demo))
    assert_all_have_outcomes(run, slow_demo)


@pytest.mark.slow
def test_two_sigints_lose_no_page_with_a_jobdir(project: Project, slow_demo: DemoServer) -> None:
    """The second Ctrl-C ends the process without closing the crawl."""
    arguments: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", **SLOW}
    crawling = project.start("feeds", f"feeds={slow_demo.feed_url}", **arguments)
    wait_until(lambda: len(requested(slow_demo)) >= 9)
    crawling.send(signal.SIGINT)
    wait_until(lambda: "Received SIGINT" in crawling.log())
    crawling.send(signal.SIGINT)
    crawling.finish()
    run = project.crawl("feeds", f"feeds={slow_demo.feed_url}", **arguments)
    assert sorted(set(run.paths)) == article_paths(slow_demo)
    assert len(run.paths) <= 31


@pytest.mark.slow
def test_two_sigints_do_not_wait_for_what_is_read(project: Project) -> None:
    """The threads in which sitemaps are read, and templates learned, were waited for at exit."""
    urls = b"".join(b"<url><loc>http://127.0.0.1/../%d b</loc></url>" % i for i in range(50_000))
    with Server() as server:
        names = [f"/sitemap-{i}.xml" for i in range(8)]
        for name in names:
            server.add(name, b"<urlset>" + urls + b"</urlset>", "text/xml")
        sitemaps = ",".join(server.url + name for name in names)
        crawling = project.start("site", f"sitemap={sitemaps}")
        wait_until(lambda: set(names) <= set(server.requests), 60)
        time.sleep(1)
        crawling.send(signal.SIGINT)
        # Two signals that come before the first is handled are one.
        wait_until(lambda: "Received SIGINT" in crawling.log(), 30)
        crawling.send(signal.SIGINT)
        start = time.monotonic()
        crawling.finish(60)
        assert time.monotonic() - start < 12


@pytest.mark.slow
def test_sigint_and_resume(project: Project, slow_demo: DemoServer) -> None:
    arguments: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", **SLOW}
    crawling = project.start("feeds", f"feeds={slow_demo.feed_url}", **arguments)
    wait_until(lambda: len(requested(slow_demo)) >= 14)
    crawling.send(signal.SIGINT)
    first = crawling.finish()
    assert (first.status, first.complaints) == (0, [])
    assert first.paths == sorted(requested(slow_demo))
    second = project.crawl("feeds", f"feeds={slow_demo.feed_url}", **arguments)
    assert (second.status, second.complaints) == (0, [])
    assert second.paths == article_paths(slow_demo)
    assert not repeated(requested(slow_demo))
    third = project.crawl("feeds", f"feeds={slow_demo.feed_url}", **arguments)
    assert (third.status, third.complaints) == (0, [])
    assert third.paths == second.paths
    assert third.stat("pages/spooled") == 0


def kill_and_resume(folder: Path, moments: list[int]) -> tuple[Run, list[str], list[str]]:
    """Kill a crawl each time the number of requested article pages reaches one of ``moments``,
    then let it finish; the last run, the paths of all articles, and the requested pages."""
    project = Project(folder)
    arguments: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", **SLOW}
    with DemoServer(delay=DELAY) as server:
        for moment in moments:
            crawling = project.start("feeds", f"feeds={server.feed_url}", **arguments)
            wait_until(lambda: crawling.is_over() or len(requested(server)) >= moment)  # noqa: B023
            assert not crawling.is_over(), crawling.log()
            crawling.send(signal.SIGKILL)
            crawling.finish()
        run = project.crawl("feeds", f"feeds={server.feed_url}", **arguments)
        return run, article_paths(server), requested(server)


KILLS = [[28], slow([6, 14, 25])]  # benchmarks.faults has more


@pytest.mark.parametrize("moments", KILLS, ids=str)
def test_sigkill_and_resume(tmp_path: Path, moments: list[int]) -> None:
    run, wanted, requests = kill_and_resume(tmp_path / "p", moments)
    assert (run.status, run.complaints) == (0, [])
    assert sorted(set(run.paths)) == wanted
    assert len(run.paths) <= 30 + len(moments)  # a line may be written, but not recorded yet
    assert len(run.partition) == 2
    if moments == [28]:  # only missing pages: those in flight at the kill, or not committed yet
        assert len(requests) <= 30 + 2 * SLOW["CONCURRENT_REQUESTS"]


@pytest.mark.slow
def test_sigkill_between_writing_a_line_and_recording_it(tmp_path: Path, demo: DemoServer) -> None:
    code = """
import os
import signal

from scrapy import signals


class Kill:
    @classmethod
    def from_crawler(cls, crawler):
        kill = cls()
        kill.seen, kill.at = 0, crawler.settings.getint("KILL_AT")
        crawler.signals.connect(kill.item_scraped, signal=signals.item_scraped)
        return kill

    def item_scraped(self):
        self.seen += 1
        if self.seen == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
"""
    project = Project(tmp_path / "p", {"own.py": code}, EXTENSIONS={"own.Kill": 900})
    arguments: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl"}
    first = project.crawl("feeds", f"feeds={demo.feed_url}", KILL_AT=5, **arguments)
    assert (first.status, len(first.items)) == (-signal.SIGKILL, 5)
    second = project.crawl("feeds", f"feeds={demo.feed_url}", **arguments)
    assert sorted(set(second.paths)) == article_paths(demo)
    assert not repeated(second.paths)


@pytest.mark.slow
def test_sigint_then_sigkill_then_resume(project: Project, slow_demo: DemoServer) -> None:
    """The queue of the first run is outdated when the third run reads it."""
    arguments: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", **SLOW}
    for moment, number in ((6, signal.SIGINT), (16, signal.SIGKILL)):
        crawling = project.start("feeds", f"feeds={slow_demo.feed_url}", **arguments)
        wait_until(lambda: len(requested(slow_demo)) >= moment)  # noqa: B023
        crawling.send(number)
        crawling.finish()
    run = project.start("feeds", f"feeds={slow_demo.feed_url}", **arguments).finish()
    assert run.status == 0
    assert run.paths == article_paths(slow_demo)
    assert "Traceback" not in run.log
