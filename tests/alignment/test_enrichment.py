"""What records add to an ontology."""

from __future__ import annotations

import pytest

from forest_scrapy.alignment import Ontology, align, build_ontology
from forest_scrapy.alignment.enrichment import Enrichment, enrich, to_triples
from forest_scrapy.alignment.siblings import map_relations
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.vocabulary import HYDRA, LABEL
from tests.alignment.graphs import TYPE, library


def enriched(records: list[Triple], ontology: list[Triple]) -> tuple[Enrichment, Ontology]:
    index = build_ontology(ontology)
    return enrich(records, index, align(build_ontology(records), index)), index


def test_records_that_are_not_known_become_entities() -> None:
    found, _ = enriched(*library())
    new = [f"urn:record:{n}" for n in range(0, 40, 3)]
    typed = [fact for fact in found.facts if fact.reason == "type"]
    assert sorted(fact.triple.subject for fact in typed) == sorted(new)
    assert {fact.triple[1:] for fact in typed} == {(TYPE, "urn:Book")}
    assert all(fact.source == fact.triple.subject for fact in typed)
    # Their authors are known persons, who have created them.
    created = {f.triple for f in found.facts if f.triple.predicate == "urn:created"}
    assert created == {
        Triple(f"urn:person:{n % 8}", "urn:created", f"urn:record:{n}") for n in range(0, 40, 3)
    }
    titles = [fact for fact in found.facts if fact.triple.predicate == "urn:title"]
    assert len(titles) == len(new)
    assert (found.unmapped, found.conflicts) == ((("urn:td3", 40),), ())


def test_a_new_author_becomes_a_new_entity() -> None:
    records, ontology = library()
    records += [
        Triple("urn:record:99", TYPE, "urn:Record"),
        Triple("urn:record:99", "urn:td1", Literal("Middlemarch")),
        Triple("urn:record:99", "urn:td2", Literal("George Eliot")),
        Triple("urn:record:98", TYPE, "urn:Record"),
        Triple("urn:record:98", "urn:td1", Literal("Adam Bede")),
        Triple("urn:record:98", "urn:td2", Literal("GEORGE ELIOT")),
    ]
    found, _ = enriched(records, ontology)
    persons = {f.triple.subject for f in found.facts if f.triple.object == "urn:Person"}
    (person,) = persons
    assert person.startswith("_:new")
    triples = {fact.triple for fact in found.facts}
    assert Triple(person, "urn:name", Literal("George Eliot")) in triples
    assert Triple(person, "urn:created", "urn:record:98") in triples
    assert Triple(person, "urn:created", "urn:record:99") in triples


def test_facts_that_known_entities_do_not_have() -> None:
    records, ontology = library()
    missing = Triple("urn:book:1", "urn:title", Literal("MACBETH VOLUME 0", language="en"))
    ontology.remove(missing)
    ontology.append(Triple("urn:book:1", "urn:isbn", Literal("isbn one")))
    records.append(Triple("urn:record:1", "urn:td4", Literal("isbn one")))
    found, _ = enriched(records, ontology)
    facts = [fact for fact in found.facts if fact.reason == "fact"]
    title = Triple("urn:book:1", "urn:title", Literal("Macbeth volume 0"))
    assert [(fact.triple, fact.source) for fact in facts] == [(title, "urn:record:1")]
    assert 0.5 < facts[0].confidence <= 1


def test_a_second_value_of_a_functional_relation_is_a_doubt() -> None:
    records, ontology = library()
    for number in range(40):
        records.append(Triple(f"urn:record:{number}", "urn:td5", Literal(f"code {number} a")))
        if number % 3:
            value = "another code" if number == 1 else f"code {number} a"
            ontology.append(Triple(f"urn:book:{number}", "urn:code", Literal(value)))
    found, _ = enriched(records, ontology)
    (conflict,) = found.conflicts
    assert (conflict.entity, conflict.value, conflict.reason) == (
        "urn:book:1",
        Literal("code 1 a"),
        "another value",
    )
    assert "urn:book:1" not in {fact.triple.subject for fact in found.facts}


def test_a_name_of_several_is_a_doubt() -> None:
    records, ontology = library()
    ontology += [
        Triple("urn:person:99", TYPE, "urn:Person"),
        Triple("urn:person:99", "urn:name", Literal("Writer AAAson")),
    ]
    found, _ = enriched(records, ontology)
    reasons = {(conflict.value, conflict.reason) for conflict in found.conflicts}
    assert reasons == {(Literal("Writer AAAson"), "name of several")}
    assert not {"urn:person:0", "urn:person:99"} & {f.triple.subject for f in found.facts}


def test_of_several_with_a_name_the_one_of_the_class_is_meant() -> None:
    records, ontology = library()
    ontology += [
        Triple("urn:ship", TYPE, "urn:Ship"),
        Triple("urn:ship", "urn:name", Literal("Writer AAAson")),
    ]
    found, _ = enriched(records, ontology)
    assert found.conflicts == ()
    assert Triple("urn:person:0", "urn:created", "urn:record:0") in {f.triple for f in found.facts}


def test_a_name_that_is_spelt_otherwise_is_not_new() -> None:
    records, ontology = library()
    name = Literal("AAAson, Writer")
    records.remove(Triple("urn:record:8", "urn:td2", Literal("Writer AAAson")))
    records += [
        Triple("urn:record:8", "urn:td2", name),
        Triple("urn:record:99", TYPE, "urn:Record"),
        Triple("urn:record:99", "urn:td1", Literal("Middlemarch")),
        Triple("urn:record:99", "urn:td2", name),
    ]
    found, _ = enriched(records, ontology)
    assert not any(fact.triple.subject.startswith("_:new") for fact in found.facts)
    triples = {fact.triple for fact in found.facts}
    assert Triple("urn:person:0", "urn:created", "urn:record:99") in triples
    assert Triple("urn:person:0", "urn:created", "urn:book:8") not in triples


def test_new_facts_have_confidence_and_origin() -> None:
    found, _ = enriched(*library())
    triples = list(to_triples(found))
    assert len(triples) == 7 * len(found.facts)
    about = {t.predicate.rpartition("#")[2]: t.object for t in triples[1:7]}
    fact = found.facts[0]
    assert (about["subject"], about["predicate"], about["object"]) == fact.triple
    assert about["wasDerivedFrom"] == fact.source
    measure = about["measure"]
    assert isinstance(measure, Literal)
    assert float(measure.value) == pytest.approx(fact.confidence)


def test_what_was_added_is_not_new_again() -> None:
    records, ontology = library()
    found, _ = enriched(records, ontology)
    again, _ = enriched(records, [*ontology, *(fact.triple for fact in found.facts)])
    assert again.facts == ()


def test_the_order_of_records_does_not_matter() -> None:
    records, ontology = library()
    assert enriched(records[::-1], ontology)[0] == enriched(records, ontology)[0]


def searched_library() -> tuple[list[Triple], list[Triple]]:
    """The library, and a form that has a control for shelves, and none for what is in stock."""
    records, ontology = library()
    for number in range(40):
        records.append(Triple(f"urn:record:{number}", "urn:td4", Literal(f"Shelf {number % 5}")))
    records += [
        Triple("urn:form", f"{HYDRA}mapping", "urn:control"),
        Triple("urn:control", f"{HYDRA}property", "urn:td4"),
        Triple("urn:control", LABEL, Literal("Place")),
    ]
    return records, ontology


def test_a_relation_that_the_form_searches_is_new() -> None:
    """It has the label of its control; what no control searches may be junk."""
    found, _ = enriched(*searched_library())
    assert found.unmapped == (("urn:td3", 40), ("urn:td4", 40))
    assert found.new_relations == (("urn:td4", "Place"),)
    facts = {fact.triple for fact in found.facts if fact.reason == "relation"}
    assert len(facts) == 41  # of each record, and the label
    assert Triple("urn:td4", LABEL, Literal("Place")) in facts
    assert Triple("urn:book:1", "urn:td4", Literal("Shelf 1")) in facts  # known books, too
    assert Triple("urn:record:0", "urn:td4", Literal("Shelf 0")) in facts
    assert not any(fact.triple.predicate == "urn:td3" for fact in found.facts)


def test_a_similar_name_breaks_ties_only() -> None:
    """All books have the same two dates; the values that differ decide, whatever the names."""
    records, ontology = library()
    for number in range(40):
        printed = Literal(str(1900 + number))
        records.append(Triple(f"urn:record:{number}", "urn:printed", printed))
        records.append(Triple(f"urn:record:{number}", "urn:created", Literal(f"City {number}")))
        for name in ("bound", "printed", "sold"):
            ontology.append(Triple(f"urn:book:{number}", f"urn:{name}", printed))
        ontology.append(Triple(f"urn:book:{number}", "urn:place", Literal(f"City {number}")))
    aligned = align(build_ontology(records), build_ontology(ontology))
    mappings = map_relations(aligned)
    assert mappings["urn:printed"].path[0].predicate == "urn:printed"
    assert mappings["urn:created"].path[0].predicate == "urn:place"
