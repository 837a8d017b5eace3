"""The picture of a form's graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lxml import html

from forest_scrapy.core.graph.vocabulary import SCHEMA
from forest_scrapy.forms.constraints import Constraint
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.form_graph import FormGraph, Predicate
from forest_scrapy.forms.meanings import Meaning
from forest_scrapy.report.contents import Report
from forest_scrapy.report.form_view import ROW, AlignedTerm, FormReport, draw_graph
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

BASE = "https://a.example/find"
CONTROLS = tuple(Control(name, "text", name.upper()) for name in "abcd")
GRAPH = FormGraph(
    Form(1, BASE, "GET", "search", CONTROLS),
    (
        Predicate("title", f"{SCHEMA}name", "title", "h3", "title", 9, ("Owls", "Elks")),
        Predicate("td2", f"{BASE}#td2", "", "td2", "number", 8, ("1", "2")),
        Predicate("By", f"{BASE}#By", "By", "td3", "text", 9, ("Ana", "Ben")),
    ),
    (
        Meaning("a", ("By",), "equal", 5, 9, 1.0, 0.1),
        Meaning("c", ("By", "title"), "contains", 5, 9, 1.0, 0.1),
        Meaning("d", ("title",), "contains", 5, 9, 1.0, 0.1),
    ),
    9,
    20,
)
ALIGNED = {
    f"{BASE}#By": (AlignedTerm("<http://o.example/made>/<http://o.example/hasName>", 0.93),),
    f"{BASE}#Record": (AlignedTerm("http://o.example/class#Book", 0.8),),
}


def test_predicates_are_rows_and_controls_are_beside_them() -> None:
    picture = draw_graph(FormReport(GRAPH))
    assert [row.name for row in picture.rows] == ["title", "td2", "By"]
    assert [row.term for row in picture.rows] == ["schema:name", "", ""]
    assert picture.rows[1].type == "number, 8 of 9 records"
    first, _, third = (row.y for row in picture.rows)
    assert [(link.label, link.rows) for link in picture.links] == [
        ("D", (first,)),
        ("A", (third,)),
        ("C", (third, first)),
        ("B", ()),
    ]
    places = [link.y for link in picture.links]
    assert places == sorted(places) and places[0] == first and places[1] == third
    assert picture.height >= places[-1] + ROW // 2


def test_terms_of_an_ontology() -> None:
    picture = draw_graph(FormReport(GRAPH, ALIGNED))
    assert picture.rows[2].term == "⊆ made/hasName 0.93"
    assert picture.class_term == "⊆ Book 0.80"


def test_nothing_is_known() -> None:
    picture = draw_graph(FormReport(replace(GRAPH, predicates=(), meanings=())))
    assert (picture.rows, [one.relation for one in picture.links]) == ((), ["not known"] * 4)


def test_the_page_runs_nothing_of_the_site(tmp_path: Path) -> None:
    attack = "</text><script>alert(1)</script>\ud800"
    bad = Predicate(attack, BASE, attack, attack, attack, 1, (attack,))
    form = replace(GRAPH.form, title=attack, controls=(Control(attack, attack, attack),))
    report = FormReport(replace(GRAPH, form=form, predicates=(bad,), meanings=()), ALIGNED)
    written = write_report(Report("Crawl", (), forms=(report,)), tmp_path, ForestSettings())
    root = html.fromstring((tmp_path / report.file).read_text("utf-8"))
    assert len(root.findall(".//script")) == 1 and "alert(1)" in "".join(root.itertext())
    assert report.file in written.index.read_text("utf-8")


def test_controls_that_give_records_only_together(tmp_path: Path) -> None:
    report = FormReport(replace(GRAPH, constraints=(Constraint("a", "b", 12, 30, 21),)))
    write_report(Report("Crawl", (), forms=(report,)), tmp_path, ForestSettings())
    text = html.fromstring((tmp_path / report.file).read_text("utf-8")).text_content()
    assert "a has records only with b: 12 probes without it had none, 21 of 30 with both" in text


def test_the_page_of_an_earlier_report_is_removed(tmp_path: Path) -> None:
    report = FormReport(GRAPH)
    write_report(Report("Crawl", (), forms=(report,)), tmp_path, ForestSettings())
    write_report(Report("Crawl", ()), tmp_path, ForestSettings())
    assert not (tmp_path / report.file).exists()
