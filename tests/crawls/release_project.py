"""Write the project of a release, as ``test_releases`` reads it.

    python -m crawls.release_project releases/VERSION      (in the folder tests)

It crawls ``paper.example`` and keeps its pages, stops a job on ``magazine.example``, and kills one
on ``journal.example``.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from .helpers import RSS, Item, Project, Server, rss, story, wait_until

PAPER = "http://paper.example"
MAGAZINE = "http://magazine.example"
JOURNAL = "http://journal.example"
#: Articles of each host.
PAPER_ITEMS = 12
ITEMS = 24
#: Requests after which a job ends.
_REQUESTS = 6
#: What a project writes beside the files of the release.
_LEFT_OUT = ("*.log", "[0-9].json", "*.py", "*.cfg", "health.*", "*-wal", "*-shm", "__pycache__")


def serve(server: Server, delay: float = 0.0) -> None:
    """Serve the hosts; the pages of the jobs after some seconds."""
    for number in range(PAPER_ITEMS):
        server.add(f"/plain/{number}", story(number), headers={"ETag": f'"{number}"'})
    for number in range(ITEMS):
        server.add(f"/fancy/{number}", story(number, "fancy"), delay=delay)
        server.add(f"/plain/{100 + number}", story(100 + number), delay=delay)
    server.add("/paper.xml", rss(items_of(f"{PAPER}/plain", range(PAPER_ITEMS))), RSS)
    server.add("/magazine.xml", rss(items_of(f"{MAGAZINE}/fancy", range(ITEMS))), RSS)
    server.add("/journal.xml", rss(items_of(f"{JOURNAL}/plain", range(100, 100 + ITEMS))), RSS)


def items_of(base: str, numbers: range) -> list[Item]:
    return [Item(f"{base}/{number}", f"Entry {number}") for number in numbers]


def write_project(folder: Path) -> None:
    """Write the project to a folder, which must not be there yet."""
    with Server() as server:
        os.environ["http_proxy"] = server.url
        serve(server, delay=0.3)
        # The spool has the paths of its exports.
        with tempfile.TemporaryDirectory() as temporary:
            project = Project(Path(temporary) / "project")
            feed = f"feeds={PAPER}/paper.xml"
            project.crawl("feeds", feed, out="paper.jsonl", FOREST_WARC="pages")
            _end_job(project, server, "magazine", signal.SIGINT)
            _end_job(project, server, "journal", signal.SIGKILL)
            for path in project.folder.rglob("*.db"):
                with closing(sqlite3.connect(path)) as database:
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    (folder / ".scrapy").rename(folder / "scrapy")


def _end_job(project: Project, server: Server, name: str, number: signal.Signals) -> None:
    """Begin a job, and send it a signal after some requests."""
    server.requests.clear()
    feed = f"feeds=http://{name}.example/{name}.xml"
    job = project.start(
        "feeds", feed, out=f"{name}.jsonl", JOBDIR=name, CONCURRENT_REQUESTS_PER_DOMAIN=2
    )
    wait_until(lambda: len(server.requests) > _REQUESTS)
    job.send(number)
    job.finish()


def restore_project(folder: Path, project: Project) -> None:
    """Copy the files of a release into a project, and name its exports."""
    shutil.copytree(folder, project.folder, dirs_exist_ok=True)
    (project.folder / "scrapy").rename(project.folder / ".scrapy")
    for spool in project.folder.glob("*/forest/spool.db"):
        with closing(sqlite3.connect(spool)) as database, database:
            rows = database.execute("SELECT path FROM exports").fetchall()
            for (path,) in rows:
                moved = str(project.folder / Path(path).name)
                database.execute("UPDATE exports SET path = ? WHERE path = ?", (moved, path))


def pending_urls(project: Project, job: str) -> Iterator[str]:
    """The URLs of the pages that a job has fetched and not finished."""
    with closing(sqlite3.connect(project.folder / job / "forest/spool.db")) as database:
        for (url,) in database.execute("SELECT url FROM contents").fetchall():
            yield url


def changed_items(number: int) -> list[Item]:
    """The items of the paper; one has another description."""
    items = items_of(f"{PAPER}/plain", range(PAPER_ITEMS))
    items[number] = replace(items[number], description="Another description")
    return items


if __name__ == "__main__":
    write_project(Path(sys.argv[1]))
