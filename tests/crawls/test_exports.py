"""Formats of exports: Parquet, SQLite, RSS, Atom, CSV, XML, and one file per site."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import feedparser
import pytest
from lxml import etree

from benchmarks.support import starter
from demo import DemoServer

from .helpers import Project, Run, environment, slow, thorough

CONTENTS = (
    "{http://purl.org/rss/1.0/modules/content/}encoded",
    "{http://www.w3.org/2005/Atom}content",
)
FORMATS = ("csv", "xml", "rss", "atom", "sqlite", "parquet")


def crawl(project: Project, demo: DemoServer, feeds: dict[str, Any], **settings: Any) -> Run:
    """A crawl of the demo with these exports, and one to the file that the items are read from."""
    everything = {**feeds, "./-": {"format": "jsonlines"}}
    options = {**settings, "FEEDS": json.dumps(everything)}
    return project.crawl("feeds", f"feeds={demo.feed_url}", out="-", **options)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> tuple[Run, Path]:
    """One crawl that writes all formats; its JSON lines say what is in them."""
    project = Project(tmp_path_factory.mktemp("exports"))
    feeds: dict[str, Any] = {f"all.{name}": {"format": name} for name in FORMATS}
    feeds["sites/%(site)s-%(name)s.jsonl"] = {"format": "jsonlines"}
    run = crawl(project, demo, feeds, FOREST_FORMATS="text,html,markdown")
    assert (run.status, len(run.items)) == (0, 30)
    assert "Traceback" not in run.log
    return run, project.folder


def test_csv_has_json_for_objects_and_nothing_for_none(exported: tuple[Run, Path]) -> None:
    run, folder = exported
    csv.field_size_limit(1 << 30)
    with (folder / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["url"]: row for row in csv.DictReader(file)}
    assert len(rows) == 30
    for item in run.items:
        row = rows[item["url"]]
        assert row["text"] == item["text"]
        assert row["authors"] == ",".join(item["authors"])
        assert json.loads(row["entry"]) == item["entry"]
        assert json.loads(row["links"] or "[]") == item["links"]
        assert row["comments_count"] == str(item["comments_count"] or "")
        assert not {"None", "True", "False"} & set(row.values())


def test_xml_has_no_none(exported: tuple[Run, Path]) -> None:
    run, folder = exported
    root = etree.parse(folder / "all.xml").getroot()
    found = {item.findtext("url"): item for item in root}
    assert found.keys() == {item["url"] for item in run.items}
    assert "None" not in [element.text for element in root.iter(etree.Element)]
    assert all(found[item["url"]].findtext("title") == item["title"] for item in run.items)


@pytest.mark.parametrize("name", ["rss", "atom"])
def test_feeds_have_the_whole_articles(exported: tuple[Run, Path], name: str) -> None:
    run, folder = exported
    path = folder / f"all.{name}"
    feed = feedparser.parse(path.read_bytes())
    texts = {element.text for element in etree.parse(path).iter(*CONTENTS)}
    assert texts == {item["html"] for item in run.items}
    assert not feed.bozo
    assert feed.version == {"rss": "rss20", "atom": "atom10"}[name]
    assert feed.feed.title
    entries = {entry.link: entry for entry in feed.entries}
    assert len(entries) == 30
    for item in run.items:
        entry = entries[item["url"]]
        assert entry.title == item["title"]
        assert item["authors"] == [author.name for author in entry.get("authors", []) if author]
        assert bool(entry.get("published_parsed")) == bool(item["published"])


def test_sqlite(exported: tuple[Run, Path]) -> None:
    run, folder = exported
    with closing(sqlite3.connect(folder / "all.sqlite")) as database:
        database.row_factory = sqlite3.Row
        rows = {row["url"]: dict(row) for row in database.execute("SELECT * FROM articles")}
    assert len(rows) == 30
    for item in run.items:
        row = rows[item["url"]]
        assert row["text"] == item["text"]
        assert json.loads(row["entry"]) == item["entry"]
        assert json.loads(row["authors"]) == item["authors"]
        assert row["score"] == item["score"]


def test_parquet(exported: tuple[Run, Path]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run, folder = exported
    rows = {row["url"]: row for row in parquet.read_table(folder / "all.parquet").to_pylist()}
    assert len(rows) == 30
    for item in run.items:
        row = rows[item["url"]]
        assert (row["text"], row["score"]) == (item["text"], item["score"])
        assert (row["authors"], row["comments_count"]) == (item["authors"], item["comments_count"])
        assert json.loads(row["entry"]) == item["entry"]


def test_one_file_per_site(exported: tuple[Run, Path]) -> None:
    run, folder = exported
    [file] = (folder / "sites").iterdir()
    assert file.name.startswith("127.0.0.1") and file.name.endswith("-feeds.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["url"] for line in lines) == sorted(
        item["url"] for item in run.items
    )


def test_markdown(exported: tuple[Run, Path]) -> None:
    run, _ = exported
    for item in run.items:
        assert item["markdown"] and "<p>" not in item["markdown"]
    assert any("](http" in item["markdown"] for item in run.items if item["links"])


@pytest.mark.slow
def test_sqlite_is_brought_up_to_date(project: Project, demo: DemoServer) -> None:
    """A second crawl replaces the rows of the same URLs, and adds columns that are missing."""
    path = project.folder / "all.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE articles (url UNIQUE, title, old)")
        database.execute("INSERT INTO articles VALUES ('http://a.example/', 'Old', 'kept')")
    for _ in range(2):
        run = crawl(project, demo, {"all.db": {"format": "db"}})
        assert (run.status, run.complaints) == (0, [])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*), count(text) FROM articles").fetchone() == (31, 30)


@pytest.mark.parametrize(
    "name",
    [
        "full.db",
        slow("full.rss"),
        thorough("%(site)s.atom"),
    ],
)
@pytest.mark.parametrize("program", ["forest-scrapy", "scrapy"])
def test_formats_on_the_command_line(
    demo: DemoServer, program: str, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    command = ["-c", "from forest_scrapy.commands.main import main; main()"]
    if program == "scrapy":
        folder, command = Project(folder).folder, ["-m", "scrapy"]
    before = set(folder.iterdir())
    arguments = ["crawl", "feeds", "-a", f"feeds={demo.feed_url}", "-O", name]
    done = starter.run([*command, *arguments], folder, environment())
    assert done.returncode == 0, done.stderr
    [file] = (path for path in {*folder.iterdir()} - before if path.is_file())
    assert file.suffix == Path(name).suffix
    assert file.stat().st_size > 50_000
