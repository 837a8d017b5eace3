"""Stored wrappers that cannot be evaluated: they are named, and learned again."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from demo import DemoServer

from .helpers import Project

BAD = "//p[re:test(., 'a')]"


def spoil(store: Path) -> list[str]:
    """Put an XPath that compiles into each stored wrapper; the ids of their templates."""
    with closing(sqlite3.connect(store)) as database, database:
        rows = database.execute("SELECT template, rules FROM template_rules").fetchall()
        for id, text in rows:
            rules = json.loads(text)
            rules["article"]["keep"] = [BAD]
            database.execute(
                "UPDATE template_rules SET rules = ? WHERE template = ?", (json.dumps(rules), id)
            )
    return sorted(id for id, _ in rows)


@pytest.mark.slow
def test_wrappers_that_cannot_be_evaluated_lose_no_page(tmp_path: Path, demo: DemoServer) -> None:
    project = Project(tmp_path / "project")
    first = project.crawl("feeds", f"feeds={demo.feed_url}")
    wrappers = project.wrappers()
    ids = spoil(project.folder / ".scrapy/forest/wrappers.db")
    run = project.crawl("feeds", f"feeds={demo.feed_url}")
    assert (run.status, run.paths) == (0, first.paths)
    assert {path: one["text"] for path, one in run.by_path.items()} == {
        path: one["text"] for path, one in first.by_path.items()
    }
    assert sorted(line.partition("Stored wrapper ")[2].split()[0] for line in run.complaints) == ids
    assert all(f'keep: "{BAD}" is not an XPath that can be evaluated' in x for x in run.complaints)
    assert run.stat("templates/learned") == 2
    assert project.wrappers() == wrappers
