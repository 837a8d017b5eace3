"""Threads of several pages in crawls that are stopped or killed, and resumed."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from .helpers import Project, Server, read_items, slow
from .test_records_spider import feed_of_threads, make_forum, wanted_of
from .test_resumed import JOB, KILL

SETTINGS: dict[str, Any] = {**JOB, "CONCURRENT_REQUESTS": 1}
PROJECT: dict[str, Any] = {"EXTENSIONS": {"kill.Kill": 0}}


def topics_of(items: list[dict[str, Any]]) -> list[str]:
    return sorted(item["url"].rpartition("/")[2].partition("?")[0] for item in items)


def check(items: list[dict[str, Any]]) -> None:
    """Each thread is there once, with all its posts."""
    wanted = wanted_of()
    assert topics_of(items) == sorted(wanted)
    for item in items:
        topic = item["url"].rpartition("/")[2]
        assert [post["text"] for post in item["posts"]] == wanted[topic]


def run_until_killed(project: Project, server: Server, **kill_at: int) -> None:
    make_forum(server)
    killed = project.crawl("records", f"url={server.url}/list", **kill_at, **SETTINGS)
    assert killed.status != 0


@pytest.mark.parametrize("page", [slow(5), 9])
def test_a_kill_while_pages_are_fetched(tmp_path: Path, server: Server, page: int) -> None:
    project = Project(tmp_path / "p", {"kill.py": KILL}, **PROJECT)
    run_until_killed(project, server, KILL_AT_PAGE=page)
    resumed = project.crawl("records", f"url={server.url}/list", **SETTINGS)
    assert resumed.status == 0
    check(resumed.items)


@pytest.mark.parametrize(("page", "delay"), [(8, 0), slow(9, 1)])
def test_a_kill_while_next_pages_of_a_feed_are_fetched(
    tmp_path: Path, server: Server, page: int, delay: float
) -> None:
    """With a delay, what the spool has of the pages before is committed."""
    project = Project(tmp_path / "p", {"kill.py": KILL}, **PROJECT)
    feed, settings = feed_of_threads(server), {**SETTINGS, "FOREST_KINDS": "thread"}
    last = next(path for path in server.answers if path.endswith("page=3"))
    server.add(last, server.answers[last].body, delay=delay)
    assert project.crawl("feeds", feed, KILL_AT_PAGE=page, **settings).status != 0
    resumed = project.crawl("feeds", feed, **settings)
    assert resumed.status == 0
    check(resumed.items)


@pytest.mark.slow
@pytest.mark.parametrize("at", [4])
def test_a_kill_after_a_thread_was_written(tmp_path: Path, server: Server, at: int) -> None:
    """The kill comes before the outcomes of the item's pages are recorded."""
    project = Project(tmp_path / "p", {"kill.py": KILL}, **PROJECT)
    run_until_killed(project, server, KILL_AT=at)
    resumed = project.crawl("records", f"url={server.url}/list", **SETTINGS)
    assert resumed.status == 0
    check(resumed.items)
    again = project.crawl("records", f"url={server.url}/list", **SETTINGS)
    check(again.items)


@pytest.mark.slow
def test_csv_after_a_kill(tmp_path: Path, server: Server) -> None:
    project = Project(tmp_path / "p", {"kill.py": KILL}, **PROJECT)
    settings = {**SETTINGS, "out": "all.csv"}
    make_forum(server)
    url = f"url={server.url}/list"
    assert project.start("records", url, KILL_AT=6, **settings)._process.wait() != 0
    assert project.start("records", url, **settings)._process.wait() == 0
    csv.field_size_limit(1 << 30)
    with (project.folder / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["url"] != "url"]
    check([{**row, "posts": json.loads(row["posts"])} for row in rows])


@pytest.mark.parametrize("pages", [7])
def test_a_stop_keeps_incomplete_threads_for_the_next_run(
    project: Project, server: Server, pages: int
) -> None:
    make_forum(server)
    url = f"url={server.url}/list"
    stopped = project.crawl("records", url, CLOSESPIDER_PAGECOUNT=pages, **SETTINGS)
    assert all(len(item["pages"]) in (1, 3) for item in stopped.items)
    resumed = project.crawl("records", url, **SETTINGS)
    check(resumed.items)
    assert stopped.stat("pages/left") <= 2
    assert read_items(project.folder / "all.jsonl") == resumed.items


def test_a_stop_without_a_job_emits_what_is_there(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl(
        "records", f"url={server.url}/list", CLOSESPIDER_PAGECOUNT=8, CONCURRENT_REQUESTS=1
    )
    assert set(topics_of(run.items)) == set(wanted_of())
    assert len(run.items) == 6
