"""The worked example of the docs: from a form to an ontology."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from lxml import html

from benchmarks.forms.example import write_ontology
from benchmarks.forms.sites import TableSite, layouts, make_rows, serve_table
from forest_scrapy.core.graph.ntriples import write_line

from .helpers import ROOT, Project

rdflib = pytest.importorskip("rdflib")
pytest.importorskip("form2request")
pytest.importorskip("pyoxigraph")


def commands_of_the_docs() -> list[list[str]]:
    """The commands of the page on graphs that begin with ``scrapy``, but for the first one."""
    text = (ROOT / "docs/graph.md").read_text(encoding="utf-8")
    example = text[text.index("## A worked example") :]
    lines = [line.strip() for line in example.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("scrapy ")]


@pytest.mark.slow
def test_the_commands_of_the_docs(project: Project) -> None:
    rows = make_rows(120)
    ontology = "".join(map(write_line, write_ontology(rows)))
    project.write("yago.nt", ontology)
    crawl, *actions = commands_of_the_docs()[:3]  # the last one does all of it
    assert crawl[:2] == ["crawl", "form"] and [one[1] for one in actions] == ["align", "form"]
    with serve_table(TableSite(rows, layouts(rows)["table"])) as url:
        feeds = json.dumps({name: {"format": Path(name).suffix[1:]} for name in crawl[7::2]})
        run = project.crawl("form", f"url={url}", "probes=40", FEEDS=feeds, out="-")
        assert (run.status, run.complaints) == (0, [])
        printed = [
            project.forest(*(one.replace("URL", url) for one in action[1:])) for action in actions
        ]
    yago = "<http://yago.example/{}>".format
    author = f"#Author> ⊆ ^{yago('created')}/{yago('hasPreferredName')}"
    title = f"#Title> ⊆ {yago('hasPreferredName')}"
    assert author in printed[0] and title in printed[0]
    assert "#Record: http://yago.example/Book" in printed[0]
    assert "is below" in printed[1] and " hasPreferredName 1.00" in printed[1]
    (page,) = (project.folder / "report").glob("form-*.html")
    picture = html.fromstring(page.read_text("utf-8")).find(".//svg")
    texts = list(picture.itertext())
    assert any("^created/hasPreferredName" in text for text in texts)
    assert any(text.startswith("⊆ Book ") for text in texts)
    new = rdflib.Graph().parse(project.folder / "new.ttl")
    books = set(new.subjects(rdflib.RDF.type, rdflib.URIRef("http://yago.example/Book")))
    assert len(books) == len(rows) * 2 / 5  # those that the ontology does not have


@pytest.mark.parametrize("text", ["", "[]", '{"relations": [{}], "classes": []}'])
def test_a_file_that_has_no_links(project: Project, text: str) -> None:
    project.write("links.json", text)
    project.write("page.html", "<form action=/find><input name=q></form>")
    printed = project.forest("form", "page.html", "--aligned", "links.json")
    assert "links.json has no links of an alignment; name what scrapy forest align" in printed
    assert "Traceback" not in printed


def test_a_form_that_was_not_probed_has_no_report(project: Project) -> None:
    project.write("page.html", "<form action=/find><input name=q></form>")
    printed = project.forest("form", "page.html", "-o", "report")
    assert "no form of the page was probed: first scrapy crawl form" in printed
    assert not (project.folder / "report").exists()


@pytest.mark.slow
def test_probing_and_aligning_in_turn(project: Project) -> None:
    """The alignment is sure before all probes are sent; values of the ontology are tried."""
    rows = make_rows(1500)
    project.write("yago.nt", "".join(map(write_line, write_ontology(rows))))
    site = TableSite(rows, layouts(rows)["table"])
    with serve_table(site) as url:
        options = ("--step", "50", "--probes", "300", "-o", "out", "-s", "LOG_LEVEL=INFO")
        printed = project.forest("probe", url, "yago.nt", *options)
    first, *_, last = printed.splitlines()
    assert first.startswith("50 probes, ") and "Author 1.00, Title 1.00" in last
    assert 100 <= len(site.queries) < 250
    out = project.folder / "out"
    assert "values of out/values.json are tried in q" in (out / "log.txt").read_text("utf-8")
    links = json.loads((out / "links.json").read_text("utf-8"))
    assert links["entities"]
    new = (out / "new.ttl").read_text("utf-8")
    assert '"Subject"' in new


@pytest.mark.slow
def test_a_form_that_cannot_be_probed(project: Project) -> None:
    project.write("yago.nt", "<urn:a> <urn:b> <urn:c> .\n")
    printed = project.forest("probe", "http://127.0.0.1:1/", "yago.nt", "-s", "RETRY_ENABLED=False")
    assert "cannot be probed: probed/log.txt says why" in printed
