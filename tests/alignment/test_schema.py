"""One schema of several graphs."""

from __future__ import annotations

from forest_scrapy.alignment import Alignment, SubLink, build_ontology
from forest_scrapy.alignment.ontology import RDFS
from forest_scrapy.alignment.schema import (
    Member,
    SchemaTerm,
    align_all,
    join_schemas,
    schema_triples,
)
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import TYPE, library


def register(base: str, names: tuple[str, str, str], numbers: range) -> list[Triple]:
    """Records with a title, an author and a year, under names of their own."""
    triples = []
    for number in numbers:
        record = f"{base}{number}"
        values = (
            f"Title number {number}",
            f"Author {chr(65 + number % 9) * 4}",
            str(1900 + number),
        )
        triples.append(Triple(record, TYPE, f"{base}Record"))
        for name, value in zip(names, values, strict=True):
            triples.append(Triple(record, f"{base}{name}", Literal(value)))
    return triples


def test_three_registers_with_names_of_their_own() -> None:
    graphs = [
        register("urn:a:", ("Title", "Author", "Year"), range(30)),
        register("urn:b:", ("Titel", "Autor", "Jahr"), range(5, 35)),
        register("urn:c:", ("title", "by", "year"), range(10, 40)),
    ]
    terms = join_schemas(align_all([build_ontology(triples) for triples in graphs]))
    kinds = [(term.label, term.is_class, len(term.members)) for term in terms]
    assert kinds == [
        ("Record", True, 3),
        ("Author", False, 3),
        ("Title", False, 3),
        ("Year", False, 3),
    ]
    members = {term.label: [member.name for member in term.members] for term in terms}
    assert members["Author"] == ["<urn:a:Author>", "<urn:b:Autor>", "<urn:c:by>"]
    statements = set(schema_triples(terms, "urn:schema:"))
    assert Triple("urn:b:Jahr", f"{RDFS}subPropertyOf", "urn:schema:Year") in statements
    assert Triple("urn:c:Record", f"{RDFS}subClassOf", "urn:schema:Record_f2bd87") in statements


def test_a_property_of_two_steps() -> None:
    terms = join_schemas(align_all([build_ontology(triples) for triples in library()]))
    names = {tuple(member.name for member in term.members) for term in terms if not term.is_class}
    assert names == {
        ("<urn:td1>", "<urn:title>"),
        ("<urn:td2>", "^<urn:created>/<urn:name>"),
    }


def linked(left: str, right: str, probability: float) -> tuple[SubLink, SubLink]:
    return (
        SubLink(f"<{left}>", f"<{right}>", probability, True, 9),
        SubLink(f"<{right}>", f"<{left}>", probability, False, 9),
    )


def made(*links: tuple[SubLink, SubLink]) -> Alignment:
    relations = tuple(link for pair in links for link in pair)
    return Alignment((), relations, (), 1, 0.0, 0)


def test_no_property_has_two_relations_of_one_graph() -> None:
    """The less probable pair is left out, whichever way it leads there."""
    alignments = {
        (0, 1): made(linked("urn:a", "urn:b", 0.9), linked("urn:other", "urn:b", 0.8)),
        (1, 2): made(linked("urn:b", "urn:c", 0.7)),
        (0, 2): made(linked("urn:other", "urn:c", 0.6)),
    }
    (term,) = join_schemas(alignments)
    members = (Member(0, "<urn:a>"), Member(1, "<urn:b>"), Member(2, "<urn:c>"))
    assert term == SchemaTerm("a", members, 0.7)


def test_what_is_below_in_one_direction_is_not_the_same() -> None:
    below, _ = linked("urn:a", "urn:b", 0.9)
    assert join_schemas({(0, 1): Alignment((), (below,), (), 1, 0.0, 0)}) == ()
