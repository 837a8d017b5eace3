"""Crawls that write graphs."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from benchmarks.forms.sites import TableSite, layouts, make_rows, serve_table
from benchmarks.support import starter
from demo import DemoServer

from .helpers import Project, environment, read_items, slow, wait_until

rdflib = pytest.importorskip("rdflib")
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")

SCHEMA = "https://schema.org/"
HYDRA = "http://www.w3.org/ns/hydra/core#"
NAMES = {"nt": "nt", "ttl": "turtle", "jsonld": "json-ld"}


def read(path: Path) -> Any:
    graph = rdflib.Graph()
    graph.parse(path, format=NAMES[path.suffix[1:]])
    return graph


def instances(graph: Any, kind: str) -> set[str]:
    return {str(one) for one in graph.subjects(rdflib.RDF.type, rdflib.URIRef(kind))}


@pytest.mark.parametrize("program", ["forest-scrapy", slow("scrapy")])
def test_articles_of_the_demo(demo: DemoServer, program: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    folder, command = project.folder, ["-m", "scrapy"]
    if program == "forest-scrapy":
        (folder := tmp_path / "folder").mkdir()
        command = ["-c", "from forest_scrapy.commands.main import main; main()"]
    arguments = ["crawl", "feeds", "-a", f"feeds={demo.feed_url}"]
    for name in ("articles.jsonl", *(f"graph.{ending}" for ending in NAMES)):
        arguments += ["-O", name]
    done = starter.run([*command, *arguments], folder, environment())
    assert done.returncode == 0, done.stderr
    graphs = [read(folder / f"graph.{ending}") for ending in NAMES]
    assert set(graphs[0]) == set(graphs[1]) == set(graphs[2])
    assert len(instances(graphs[0], f"{SCHEMA}Article")) == 30
    has_title = graphs[0].subject_objects(rdflib.URIRef(f"{SCHEMA}headline"))
    items = read_items(folder / "articles.jsonl")
    assert {(str(one), str(title)) for one, title in has_title} == {
        (item["url"], item["title"]) for item in items if item["title"]
    }


@pytest.mark.slow
def test_records_of_a_form(project: Project) -> None:
    pytest.importorskip("form2request")
    rows = make_rows(60)
    with serve_table(TableSite(rows, layouts(rows)["table"])) as url:
        feeds = {f"graph.{ending}": {"format": ending} for ending in NAMES}
        options = {"FEEDS": json.dumps(feeds), "FOREST_REPORT": "report"}
        run = project.crawl("form", f"url={url}", "probes=40", **options)
    assert (run.status, run.complaints) == (0, [])
    graphs = [read(project.folder / f"graph.{ending}") for ending in NAMES]
    assert set(graphs[0]) == set(graphs[1]) == set(graphs[2])
    graph, base = graphs[0], f"{url}find#"
    records = instances(graph, f"{base}Record")
    assert len(records) == len(run.items) > 50
    found = {
        tuple(str(graph.value(rdflib.URIRef(one), rdflib.URIRef(f"{base}{name}"))) for name in row)
        for one in records
        for row in rows[:1]
    }
    assert found <= {tuple(row.values()) for row in rows}
    mappings = graph.subject_objects(rdflib.URIRef(f"{HYDRA}property"))
    mapped = {(str(graph.value(m, rdflib.URIRef(f"{HYDRA}variable"))), str(p)) for m, p in mappings}
    assert {("q", f"{base}Title"), ("c", f"{base}Subject")} <= mapped
    (template,) = graph.objects(None, rdflib.URIRef(f"{HYDRA}template"))
    assert str(template) == f"{url}find{{?q,b,c}}"
    years = graph.objects(None, rdflib.URIRef(f"{base}Year"))
    assert {one.datatype for one in years} == {rdflib.XSD.integer}

    report = project.folder / "report"
    (page,) = report.glob("form-*.html")
    assert page.name in (report / "index.html").read_text("utf-8")
    picture = html.fromstring(page.read_text("utf-8")).find(".//svg")
    assert {"Record", *rows[0]} <= set(picture.itertext())
    assert any(run.items[0]["values"][0]["value"] in text for text in picture.itertext())


@pytest.mark.slow
def test_a_killed_crawl_goes_on_in_the_same_graph(project: Project, demo: DemoServer) -> None:
    """What was written when it was killed stays, and nothing warns of what may be lost."""
    feeds = {f"graph.{ending}": {"format": ending} for ending in NAMES}
    options = {"JOBDIR": "job", "FEEDS": json.dumps(feeds), "CONCURRENT_REQUESTS": 1, "out": "-"}
    crawl = project.start("feeds", f"feeds={demo.feed_url}", **options)
    wait_until(lambda: _articles(project.folder / "graph.nt") > 2)
    crawl.send(signal.SIGKILL)
    killed = crawl.finish()
    assert killed.status != 0 and _articles(project.folder / "graph.nt") < 30
    run = project.crawl("feeds", f"feeds={demo.feed_url}", **options)
    assert run.status == 0
    assert "may be missing" not in killed.log + run.log
    graphs = [read(project.folder / f"graph.{ending}") for ending in NAMES]
    for graph in graphs:
        assert len(instances(graph, f"{SCHEMA}Article")) == 30


def _articles(path: Path) -> int:
    return path.read_text().count(f"<{SCHEMA}Article>") if path.exists() else 0
