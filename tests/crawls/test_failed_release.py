"""A release that fails is logged with its traceback and counted, and loses no page."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, story, story_title

#: Spoils the bodies in the spool when the spider is idle, and restores them when it is idle again.
EXTENSION = """
from scrapy import signals

from forest_scrapy.crawl.context import context_of


class Spoil:
    @classmethod
    def from_crawler(cls, crawler):
        spoil = cls()
        spoil.crawler = crawler
        crawler.signals.connect(spoil.idle, signal=signals.spider_idle)
        return spoil

    bodies = None

    def idle(self):
        database = context_of(self.crawler).spool._database
        if self.bodies is None:
            self.bodies = database.execute("SELECT body, key FROM contents").fetchall()
            database.execute("UPDATE contents SET body = x'00'")
        else:
            database.executemany("UPDATE contents SET body = ? WHERE key = ?", self.bodies)
"""
STORIES = 5


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("spoil")
    project = Project(folder, {"own.py": EXTENSION}, EXTENSIONS={"own.Spoil": 1})
    with Server() as server:
        for number in range(STORIES):
            server.add(f"/story/{number}", story(number))
        items = [Item(f"/story/{number}", story_title(number)) for number in range(STORIES)]
        server.add("/feed.xml", rss(items), RSS)
        return project.crawl("feeds", f"feeds={server.url}/feed.xml")


def test_it_is_logged_with_the_traceback_and_counted(run: Run) -> None:
    assert run.stat("release/failed") == 1
    error, traceback = run.complaints
    assert "[forest_scrapy.crawl.release] ERROR: Releasing pages failed" in error
    assert traceback == "Traceback (most recent call last):"
    assert "zlib.error" in run.log


def test_the_pages_are_released_at_close(run: Run) -> None:
    assert run.status == 0
    assert run.paths == [f"/story/{number}" for number in range(STORIES)]
    assert run.counted("dropped") == {}
