"""The examples of docs/sync.md, run twice: an index follows what is new, changed and gone."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.exporters.text_formats import BulkItemExporter
from forest_scrapy.items import Article
from tests.exporters.test_text_formats import write

ROOT = Path(__file__).parents[2]
OWLS = Article(url="https://a.example/owls", title="Owls", text="An owl.", change={"kind": "new"})
BOATS = Article(
    url="https://a.example/boats", title="Boats", text="A boat.", change={"kind": "new"}
)
CRAWLS = (
    (OWLS, BOATS),
    (
        replace(OWLS, text="Two owls.", change={"kind": "changed"}),
        Article(url=BOATS.url, status=404, change={"kind": "gone"}),
    ),
)


def run_example(number: int) -> None:
    """Run an example of the page in the working directory, for each crawl."""
    examples = re.findall(
        "```python\n(.*?)```", (ROOT / "docs/sync.md").read_text("utf-8"), re.DOTALL
    )
    for items in CRAWLS:
        lines = [json.dumps(asdict(item)) + "\n" for item in items]
        Path("changes.jsonl").write_text("".join(lines), "utf-8")
        space: dict[str, Any] = {}
        exec(examples[number], space)
        space["database"].close()


def test_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_example(0)
    database = sqlite3.connect("search.db")
    rows = database.execute("select url, text from articles where articles match 'owls'").fetchall()
    assert rows == [(OWLS.url, "Two owls.")]
    assert database.execute("select count(*) from articles").fetchone() == (1,)
    database.close()


def test_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    run_example(1)
    with duckdb.connect("articles.duckdb") as database:
        assert database.execute("select url, text from articles").fetchall() == [
            (OWLS.url, "Two owls.")
        ]


def test_what_is_false_or_zero_is_no_empty_value_of_bulk_lines() -> None:
    free = replace(OWLS, is_free=False, comments_count=0, summary="", tags=[], entry=None)
    values = json.loads(write(BulkItemExporter, free).splitlines()[1])
    assert (values["is_free"], values["comments_count"]) == (False, 0)
    assert {"summary", "tags", "entry"}.isdisjoint(values)


def test_lines_of_the_bulk_interface() -> None:
    first, second = (
        [json.loads(line) for line in write(BulkItemExporter, *items).splitlines()]
        for items in CRAWLS
    )
    assert [next(iter(line)) for line in (first[0], first[2], second[0], second[2])] == [
        "index",
        "index",
        "index",
        "delete",
    ]
    assert first[2]["index"]["_id"] == second[2]["delete"]["_id"]
    assert (first[1]["title"], second[1]["text"]) == ("Owls", "Two owls.")
    assert "published" not in first[1] and len(second) == 3
