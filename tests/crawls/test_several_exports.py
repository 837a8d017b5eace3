"""Crawls with several exports that are killed between two writes of one item, and resumed."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from .helpers import Project, Server
from .test_resumed import serve_stories, story_paths

KILL = """
import os
import signal

from forest_scrapy.exporters.text_formats import FlushedJsonLinesItemExporter

left = int(os.environ.get("KILL_BEFORE", 0))


class Exporter(FlushedJsonLinesItemExporter):
    def write_item(self, item):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        super().write_item(item)
"""
JOB: dict[str, Any] = {"JOBDIR": "job", "out": "-", "CONCURRENT_REQUESTS": 2}


def exported_paths(project: Project, server: Server, name: str) -> list[str]:
    path = project.folder / name
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            urls = [row["url"] for row in csv.DictReader(file) if row["url"] != "url"]
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        urls = [json.loads(line)["url"] for line in lines]
    return sorted(url.removeprefix(server.url) for url in urls)


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_export_has_each_article_once_after_a_kill_between_two_writes(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """The kill comes before an article is written to the export at this place; and the next day
    nothing is new, and the rolling feed has all."""
    feed = serve_stories(server, 24)
    project = Project(tmp_path / "p", {"own.py": KILL}, FEED_EXPORTERS={"jl": "own.Exporter"})
    feeds = [("a.csv", "csv"), ("b.jsonl", "jsonlines")]
    feeds.insert(place, ("c.jl", "jl"))
    options = {**JOB, "FEEDS": json.dumps({name: {"format": kind} for name, kind in feeds})}
    arguments = (feed, "only_new=yes")
    for count in ("3", "9"):
        monkeypatch.setenv("KILL_BEFORE", count)
        assert project.crawl("feeds", *arguments, **options).status == -signal.SIGKILL
    monkeypatch.delenv("KILL_BEFORE")
    run = project.crawl("feeds", *arguments, **options)
    assert (run.status, run.complaints) == (0, [])
    for name, _ in feeds:
        assert exported_paths(project, server, name) == story_paths(24)
    next_day = project.crawl("feeds", *arguments)
    assert (next_day.status, next_day.items) == (0, [])
    rolling = project.forest("feed", "--format", "json", "-o", "rolling.json")
    document = json.loads((project.folder / "rolling.json").read_text(encoding="utf-8")), rolling
    assert len(document[0]["items"]) == 24


@pytest.mark.slow
def test_a_graph_lacks_nothing_after_a_kill_before_it_is_written(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The article is in the JSON lines, which is no reason not to write it to the graph."""
    code = KILL.replace("text_formats", "graphs").replace("FlushedJsonLines", "NTriples")
    feed = serve_stories(server, 24)
    project = Project(tmp_path / "p", {"own.py": code}, FEED_EXPORTERS={"nt": "own.Exporter"})
    feeds = {"a.jsonl": {"format": "jsonlines"}, "b.nt": {"format": "nt"}}
    options = {**JOB, "FEEDS": json.dumps(feeds)}
    monkeypatch.setenv("KILL_BEFORE", "9")
    assert project.crawl("feeds", feed, **options).status == -signal.SIGKILL
    monkeypatch.delenv("KILL_BEFORE")
    run = project.crawl("feeds", feed, **options)
    assert (run.status, run.complaints) == (0, [])
    assert exported_paths(project, server, "a.jsonl") == story_paths(24)
    graph = (project.folder / "b.nt").read_text(encoding="utf-8")
    assert all(f"{server.url}/story/{number}>" in graph for number in range(24))
