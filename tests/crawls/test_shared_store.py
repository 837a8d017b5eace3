"""Crawls whose wrappers and history are in PostgreSQL, which is away at times."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from benchmarks.support.postgres import PostgresServer
from demo import DemoServer
from forest_scrapy.stores import RulesStore

from .helpers import Project, Run, repeated, wait_until


@pytest.fixture
def stores(postgres: PostgresServer) -> Iterator[dict[str, Any]]:
    """The settings of an empty shared store."""
    yield {"FOREST_STORE": postgres.uri, "FOREST_HISTORY": postgres.uri}
    with closing(RulesStore(postgres.uri, "typed")) as store:
        store.database.execute("DROP SCHEMA forest CASCADE")


def assert_all_is_stored(project: Project, argument: str, stores: dict[str, Any]) -> None:
    """By a crawl from another machine: nothing is new, and nothing is learned."""
    other = Project(project.folder / "other")
    run = other.crawl("feeds", argument, "only_new=yes", **stores)
    assert (run.status, run.items) == (0, [])
    assert run.stat("history/feeds_not_modified") == 1
    run = other.crawl("feeds", argument, **stores)
    assert (run.status, len(run.items)) == (0, 30)
    assert (run.stat("templates/learned"), run.stat("templates/loaded")) == (0, 2)


def assert_is_complete(run: Run) -> None:
    assert (run.status, len(run.items)) == (0, 30)
    assert not repeated(run.paths)
    assert "Traceback" not in run.log
    assert run.stat("store/lost") == 0


@pytest.mark.slow
def test_a_crawl_that_the_store_is_away_from_for_a_moment(
    project: Project, demo: DemoServer, stores: dict[str, Any], postgres: PostgresServer
) -> None:
    """Pages wait, so nothing is learned or requested twice."""
    argument = f"feeds={demo.feed_url}"
    crawling = project.start("feeds", argument, DOWNLOAD_DELAY=0.2, **stores)
    wait_until(lambda: crawling.log().count("Crawled (200)") > 8)
    postgres.stop()
    try:
        wait_until(lambda: "is away (" in crawling.log())
    finally:
        postgres.start()
    run = crawling.finish()
    assert_is_complete(run)
    assert run.stat("store/outages") >= 1
    assert re.search("kept writes? done", run.log)
    assert_all_is_stored(project, argument, stores)


@pytest.mark.slow
def test_a_crawl_whose_store_stays_away_ends_and_goes_on(
    project: Project,
    demo: DemoServer,
    stores: dict[str, Any],
    postgres: PostgresServer,
) -> None:
    """It waits once for both stores, also at its end."""
    argument, seconds = f"feeds={demo.feed_url}", 4
    job = {**stores, "JOBDIR": "job", "out": "all.jsonl", "FOREST_STORE_SECONDS": seconds}
    crawling = project.start("feeds", argument, DOWNLOAD_DELAY=0.2, **job)
    wait_until(lambda: "Scraped from" in crawling.log())  # all others follow within a second
    postgres.stop()
    start = time.monotonic()
    try:
        run = crawling.finish()
    finally:
        postgres.start()
    assert time.monotonic() - start < 2 * seconds + 8  # a server that is gone is seen at once
    assert run.status == 1
    assert "Traceback" not in run.log
    assert "cannot be reached for 4 s, FOREST_STORE_SECONDS" in run.log
    again = project.crawl("feeds", argument, **job)
    assert_is_complete(again)
    assert_all_is_stored(project, argument, stores)


@pytest.mark.slow
def test_a_crawl_that_ends_without_the_store_waits_for_it(
    project: Project, demo: DemoServer, stores: dict[str, Any], postgres: PostgresServer
) -> None:
    argument = f"feeds={demo.feed_url}"
    crawling = project.start("feeds", argument, DOWNLOAD_DELAY=0.2, **stores)
    wait_until(lambda: "Scraped from" in crawling.log())  # all others follow within a second
    postgres.stop()
    try:
        wait_until(lambda: "is away (" in crawling.log() or crawling.is_over())
        time.sleep(3)
        assert not crawling.is_over()
    finally:
        postgres.start()
    run = crawling.finish()
    assert_is_complete(run)
    assert run.stat("store/kept") > 0
    assert_all_is_stored(project, argument, stores)


@pytest.mark.slow
def test_a_store_that_cannot_be_used_ends_the_crawl(
    project: Project, demo: DemoServer, stores: dict[str, Any]
) -> None:
    crawling = project.start("feeds", f"feeds={demo.feed_url}", DOWNLOAD_DELAY=0.2, **stores)
    wait_until(lambda: crawling.log().count("Crawled (200)") > 8)
    with closing(RulesStore(stores["FOREST_STORE"], "typed")) as store:
        store.database.execute("ALTER TABLE forest.pages RENAME TO other")
    run = crawling.finish()
    assert run.status == 1
    assert run.stats["finish_reason"] == "forest_store_failure"
    assert run.stat("store/failed") >= 1
    (complaint,) = (line for line in run.complaints if "ERROR" in line)
    assert "The shared store cannot be used, so the crawl ends (postgresql" in complaint
    assert "Traceback" not in run.log


def test_a_store_that_is_not_there(project: Project, demo: DemoServer) -> None:
    run = project.crawl(
        "feeds", f"feeds={demo.feed_url}", FOREST_STORE="postgresql://me:secret@127.0.0.1:1/a"
    )
    assert run.status == 1
    assert "Traceback" not in run.log
    assert "secret" not in run.log
    assert any("postgresql+psycopg://me:***@127.0.0.1:1/a" in line for line in run.complaints)
