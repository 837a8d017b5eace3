"""Crawls whose spool cannot be read or written any more, whatever they are doing at that moment."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from demo import DemoServer

from .helpers import Project, repeated, slow, thorough, wait_until

#: Every statement of the spool, or of the store ``STORE``, fails once a signal has been sent
#: ``FAIL_AT`` times, and then ``FAIL_AFTER`` instructions of SQLite's were executed.
FAIL = """
from scrapy import signals

from forest_scrapy.crawl.context import context_of


class Fail:
    @classmethod
    def from_crawler(cls, crawler):
        fail = cls()
        fail.crawler = crawler
        fail.left = crawler.settings.getint("FAIL_AT")
        fail.instructions = crawler.settings.getint("FAIL_AFTER")
        crawler.signals.connect(fail.count, signal=getattr(signals, crawler.settings["SIGNAL"]))
        return fail

    def count(self):
        self.left -= 1
        if self.left == 0:
            context = context_of(self.crawler)
            connections = {
                "spool": context.spool._database,
                "history": context.history.store.database.connection,
                "wrappers": context.rules.database.connection,
            }
            failing = connections[self.crawler.settings.get("STORE", "spool")]
            failing.set_progress_handler(self.interrupts, 1)

    def interrupts(self):
        self.instructions -= 1
        return self.instructions < 0
"""
#: The last number is ``FOREST_PAGES``: with 4 some pages are released before the spider is idle.
MOMENTS = [
    slow("spider_opened", 1, 0, 4),
    ("response_received", 4, 0, 4),
    thorough("item_scraped", 1, 300, 4),
    slow("spider_idle", 1, 0, 4),
    thorough("spider_idle", 1, 1500, 40),
]
JOB: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl"}


@pytest.fixture
def failing(tmp_path: Path) -> Project:
    return Project(tmp_path / "p", {"own.py": FAIL}, EXTENSIONS={"own.Fail": 900})


@pytest.mark.slow
@pytest.mark.parametrize(("signal", "at", "after", "pages"), MOMENTS)
def test_a_job_whose_spool_fails_is_resumed(
    failing: Project, demo: DemoServer, signal: str, at: int, after: int, pages: int
) -> None:
    argument = f"feeds={demo.feed_url}"
    failure: dict[str, Any] = {"SIGNAL": signal, "FAIL_AT": at, "FAIL_AFTER": after}
    failure["FOREST_PAGES"] = pages
    run = failing.crawl("feeds", argument, **JOB, **failure)
    assert run.status == 1
    (complaint,) = run.complaints
    assert "ERROR: The disk cannot be written, so the crawl ends" in complaint
    run = failing.crawl("feeds", argument, SIGNAL=signal, **JOB)
    assert (run.status, len(run.items)) == (0, 30)
    assert not repeated(run.paths)


@pytest.mark.parametrize(("store", "at"), [("history", 9), slow("wrappers", 1)])
def test_a_store_that_cannot_be_read_loses_no_page(
    failing: Project, demo: DemoServer, store: str, at: int
) -> None:
    argument = f"feeds={demo.feed_url}"
    failure: dict[str, Any] = {"STORE": store, "SIGNAL": "response_received", "FAIL_AT": at}
    run = failing.crawl("feeds", argument, **JOB, **failure)
    assert run.status == 1
    assert "Traceback" not in run.log
    run = failing.crawl("feeds", argument, SIGNAL="spider_idle", **JOB)
    assert (run.status, len(run.items)) == (0, 30)
    assert not repeated(run.paths)


@pytest.mark.slow
def test_a_spider_that_cannot_read_the_spool_ends_the_crawl(
    failing: Project, demo: DemoServer
) -> None:
    """After a kill, spiders look there for the pages that were fetched."""
    argument = f"feeds={demo.feed_url}"
    crawling = failing.start("feeds", argument, SIGNAL="spider_idle", DOWNLOAD_DELAY=0.2, **JOB)
    wait_until(lambda: crawling.log().count("Crawled (200)") > 8)
    crawling.send(signal.SIGKILL)
    crawling.finish()
    failure: dict[str, Any] = {"SIGNAL": "response_received", "FAIL_AT": 1}
    run = failing.crawl("feeds", argument, **JOB, **failure)
    assert (run.status, len(run.complaints)) == (1, 1)
    run = failing.crawl("feeds", argument, SIGNAL="spider_idle", **JOB)
    assert (run.status, len(run.items)) == (0, 30)
    assert not repeated(run.paths)


@pytest.mark.slow
@pytest.mark.parametrize(("signal", "at"), [slow("spider_opened", 1), ("spider_idle", 2)])
def test_a_watch_that_cannot_read_the_history_ends(
    failing: Project, demo: DemoServer, signal: str, at: int
) -> None:
    """When it starts, or when it looks which feeds are due."""
    failure: dict[str, Any] = {"STORE": "history", "SIGNAL": signal, "FAIL_AT": at}
    run = failing.crawl("feeds", f"feeds={demo.feed_url}", "watch=yes", **JOB, **failure)
    assert run.status == 1
    assert "Traceback" not in run.log
    assert run.stats["finish_reason"] == "forest_disk_failure"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "is_refused"),
    [
        ("UPDATE pages SET fetched = 'x', failures = -3, text = 7, published = 9e99", False),
        ("UPDATE feeds SET hints = '{\"ttl\": \"x\"}', dates = x'00', due = 'never'", False),
        ("ALTER TABLE pages RENAME COLUMN status TO got", True),
    ],
)
def test_a_history_that_was_changed_by_hand(
    project: Project, demo: DemoServer, change: str, is_refused: bool
) -> None:
    """Odd values cost no more than a request; without a column nothing could be told as new."""
    argument, path = f"feeds={demo.feed_url}", project.folder / ".scrapy/forest/history.db"
    assert len(project.crawl("feeds", argument, "only_new=yes").items) == 30
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(change)
    run = project.crawl("feeds", argument, "only_new=yes")
    assert (run.status, run.items) == (int(is_refused), [])
    assert "Traceback" not in run.log
    named = [line for line in run.complaints if "its table pages has no column status" in line]
    assert len(named) == is_refused
    assert not is_refused or "FOREST_HISTORY" in named[0]
