"""Crawls whose stores are locked by another program: a backup, a database browser."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from stores.helpers import locked

from demo import DemoServer

from .helpers import Crawling, Project, Run, repeated, wait_until

#: Adds the longest step of the event loop to the stats, in seconds by the clock.
WATCH = """
import time

from benchmarks.hostile.crawl import Watch


class ClockWatch(Watch):
    clock = staticmethod(time.monotonic)

    @classmethod
    def from_crawler(cls, crawler):
        watch = super().from_crawler(crawler)
        watch.stats = crawler.stats
        return watch

    def closed(self):
        super().closed()
        self.stats.set_value("longest", self.longest)
"""
#: A busy machine, too, keeps the event loop waiting.
LONGEST = 2.0


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> Path:
    """A store with the wrappers of the demo site, so that its pages become items at once."""
    project = Project(tmp_path_factory.mktemp("learned"))
    assert project.crawl("feeds", f"feeds={demo.feed_url}").status == 0
    return project.folder / ".scrapy/forest/wrappers.db"


@pytest.fixture
def watched(tmp_path: Path, learned: Path) -> Project:
    project = Project(tmp_path / "p", {"own.py": WATCH}, EXTENSIONS={"own.ClockWatch": 0})
    store = project.folder / ".scrapy/forest/wrappers.db"
    store.parent.mkdir(parents=True)
    shutil.copy(learned, store)
    return project


def start(project: Project, demo: DemoServer, pages: int, *arguments: str, **more: Any) -> Crawling:
    """A crawl of the demo site that has emitted some articles."""
    argument = f"feeds={demo.feed_url}"
    crawling = project.start("feeds", argument, *arguments, DOWNLOAD_DELAY=0.3, **more)
    wait_until(lambda: crawling.log().count("Scraped from") >= pages)
    return crawling


def assert_is_complete(*runs: Run) -> None:
    paths = runs[-1].paths
    assert (runs[-1].status, len(paths)) == (0, 30), runs[-1].log[-3000:]
    assert not repeated(paths)
    assert all("Traceback" not in run.log for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize(("store", "pages"), [("history", 9), ("wrappers", 20)])
def test_a_store_that_is_locked_for_five_seconds(
    watched: Project, demo: DemoServer, store: str, pages: int
) -> None:
    crawling = start(watched, demo, pages)
    with locked(watched.folder / f".scrapy/forest/{store}.db"):
        time.sleep(5)
        assert not crawling.is_over()
    run = crawling.finish()
    assert_is_complete(run)
    assert run.stats["longest"] < LONGEST
    assert (run.stat("store/outages"), run.stat("store/lost")) == (1, 0)
    assert run.stat("store/kept") > 0
    again = watched.crawl("feeds", f"feeds={demo.feed_url}", "only_new=yes")
    assert (again.status, again.items) == (0, [])
    assert len(watched.wrappers()) == 2


@pytest.mark.slow
def test_a_history_that_stays_locked_ends_the_crawl_which_goes_on_exactly(
    watched: Project, demo: DemoServer
) -> None:
    """Without JOBDIR: the history alone tells what was emitted."""
    options: dict[str, Any] = {"out": "all.jsonl", "FOREST_STORE_SECONDS": 1}
    crawling = start(watched, demo, 9, "only_new=yes", **options)
    path = watched.folder / ".scrapy/forest/history.db"
    with locked(path):
        run = crawling.finish()
    assert run.status == 1
    assert run.stats["finish_reason"] == "forest_store_failure"
    (error,) = (line for line in run.complaints if "ERROR" in line)
    assert "history.db is locked or cannot be reached for 1 s, FOREST_STORE_SECONDS" in error
    assert run.stats["longest"] < LONGEST
    again = watched.crawl("feeds", f"feeds={demo.feed_url}", "only_new=yes", **options)
    assert_is_complete(run, again)
    assert len(run.items) < 30
    assert not path.with_name("history.db.unwritten").exists()


@pytest.mark.slow
def test_a_file_that_is_locked_at_the_start(watched: Project, demo: DemoServer) -> None:
    """As a spool is for the whole crawl."""
    spool = watched.folder / "job/forest/spool.db"
    spool.parent.mkdir(parents=True)
    sqlite3.connect(spool).close()
    options: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl"}
    with locked(spool):
        run = watched.crawl("feeds", f"feeds={demo.feed_url}", **options)
    assert (run.status, run.items) == (1, [])
    (complaint,) = (line for line in run.complaints if "CRITICAL" in line or "ERROR" in line)
    assert "spool.db is in use by another" in complaint
