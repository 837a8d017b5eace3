"""The schema of the records behind a form."""

from __future__ import annotations

from dataclasses import replace

from forest_scrapy.core.graph import Literal
from forest_scrapy.core.graph.vocabulary import COMMENT, HYDRA, LABEL, PROPERTY, SCHEMA, TERMS, TYPE
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.record_wrapper import RecordRules, RecordWrapper
from forest_scrapy.forms.answers import AnswerWrapper
from forest_scrapy.forms.engine import Engine
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.form_graph import FormGraph, read_graph, write_graph, write_template
from forest_scrapy.forms.probing import Prober
from forest_scrapy.forms.search import FormSearch, ProbeResult

BASE = "https://a.example/find"
CONTROLS = (Control("q", "text", "Title"), Control("w", "text", "Writer"), Control("z", "check"))
FORM = Form(2, BASE, "GET", "search", CONTROLS, title="Books")
ATTRIBUTES = (
    Attribute("title", "title", "h3"),
    Attribute("span", "text", "span"),
    Attribute("Shelf", "text", "td2", label="Shelf"),
)


def make_search(form: Form = FORM) -> FormSearch:
    search = FormSearch(form, Prober(form), sent=9)
    records = RecordWrapper((RecordRules("//li", attributes=ATTRIBUTES),))
    search.reader.wrapper = AnswerWrapper(records)
    search._values = {
        str(i): {"title": f"Owl o{word}", "span": f"{word} Elk", "span 2": str(i)}
        for i, word in enumerate(("red", "grey", "tawny", "white"))
    }
    for control, at in (("q", "title"), ("w", "span")):
        search.results += [
            ProbeResult(control, values[at].split()[at == "title"], [values])
            for values in search._values.values()
        ]
    return search


def statements(graph: FormGraph) -> set[tuple[str, str, object]]:
    return {tuple(one) for one in write_graph(graph)}


def test_predicates_are_named_by_the_page_or_the_form() -> None:
    graph = read_graph(make_search())
    assert [(one.name, one.label, one.path, one.records) for one in graph.predicates] == [
        ("title", "title", "h3", 4),
        ("span", "Writer", "span", 4),
        ("span 2", "", "span 2", 4),
    ]
    assert graph.predicates[1].examples == ("red Elk", "grey Elk", "tawny Elk")
    assert (graph.records, graph.probes) == (4, 9)


def test_what_is_stated() -> None:
    found = statements(read_graph(make_search()))
    form, span = f"{BASE}#form-2", f"{BASE}#span"
    assert found >= {
        (f"{BASE}#Record", LABEL, Literal("Record: Books")),
        (f"{BASE}#Record", f"{HYDRA}search", form),
        (span, TYPE, PROPERTY),
        (span, LABEL, Literal("Writer")),
        (span, f"{TERMS}identifier", Literal("span")),
        (form, f"{HYDRA}template", Literal(f"{BASE}{{?q,w,z}}")),
        (form, f"{HYDRA}mapping", f"{form}/z"),
        (f"{form}/q", f"{HYDRA}property", f"{SCHEMA}name"),
        (f"{form}/w", f"{HYDRA}property", span),
        (f"{form}/w", f"{HYDRA}variable", Literal("w")),
    }
    assert (f"{form}/z", f"{HYDRA}property", span) not in found
    evidence = [o for s, p, o in found if (s, p) == (f"{form}/w", COMMENT)]
    assert evidence == [Literal("contains: 4 probes, 4 records, share 1.0, by chance 0.25")]


def test_a_form_that_is_posted_has_no_template() -> None:
    found = statements(read_graph(make_search(Form(1, BASE, "POST", "search", CONTROLS))))
    assert f"{HYDRA}template" not in {predicate for _, predicate, _ in found}


def test_hidden_fields_are_part_of_the_template() -> None:
    form = Form(1, f"{BASE}?x=1", "GET", "search", CONTROLS[:1], (("lang", "a b"),))
    assert write_template(form) == f"{BASE}?lang=a+b{{&q}}"


def test_nothing_is_found_yet() -> None:
    graph = read_graph(FormSearch(FORM, Prober(FORM)))
    assert (graph.predicates, graph.records) == ((), 0)
    assert (f"{BASE}#Record", f"{HYDRA}search", f"{BASE}#form-2") in statements(graph)


def test_how_the_form_searches_is_a_comment_of_its_template() -> None:
    engine = Engine("q", "or", ignores_case=True, largest=10)
    graph = replace(read_graph(make_search()), engine=engine)
    comments = {value.value for _, _, value in write_graph(graph) if isinstance(value, Literal)}
    assert "q: one of the words is enough; ignores case; answers have up to 10 records" in comments
