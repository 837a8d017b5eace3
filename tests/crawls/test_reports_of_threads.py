"""What reports and the commands say of threads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .helpers import Project, Server, story
from .test_records_spider import make_forum

_NOTE = "is one of threads, which a report does not show"


def overview(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_threads_are_no_articles_that_fit_badly(project: Project, server: Server) -> None:
    make_forum(server)
    urls = [f"{server.url}/t/{topic}" for topic in ("lantern", "quarry", "meadow")]
    run = project.crawl("records", f"url={','.join(urls)}", FOREST_REPORT="crawled")
    assert (run.status, len(run.items)) == (0, 3)
    id = run.items[0]["template_id"]

    project.forest("report", "127.0.0.1", "--output", "stored")
    for name in ("crawled", "stored"):
        written = overview(project.folder / name)
        assert f"{server.url.removeprefix('http://')}: template {id} {_NOTE}" in written
        assert "<b>0</b> of them fit badly" in written
        assert "crawls store no pages" not in written

    history = project.forest("history", "127.0.0.1")
    assert re.findall(r"  (\w+)  http", history) == ["thread"] * 3
    pages = json.loads(project.forest("history", "127.0.0.1", "--json"))
    assert [page["method"] for page in pages] == ["thread"] * 3

    assert "these pages are of kind thread" in project.forest("explain", *urls)
    stored = project.forest("explain", *urls, "--stored", "-sFOREST_KINDS=thread")
    assert f"template {id} is one of threads" in stored


def test_articles_are_not_named_as_another_kind(project: Project, server: Server) -> None:
    for number in range(3):
        server.add(f"/story/{number}", story(number))
    urls = [f"{server.url}/story/{number}" for number in range(3)]
    assert "of kind" not in project.forest("explain", *urls)
