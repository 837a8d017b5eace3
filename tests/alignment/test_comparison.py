"""What speaks against a pair of entities."""

from __future__ import annotations

import numpy as np
import pytest

from forest_scrapy.alignment import AlignmentOptions, align, build_ontology
from forest_scrapy.alignment.comparison import agreement, weigh_against
from forest_scrapy.alignment.entities import AlignmentState, EntityPairs
from forest_scrapy.alignment.relations import Scores
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import library
from tests.alignment.test_entities import candidates, evidence_of


def compared(left: dict[str, str], right: dict[str, str]) -> tuple[EntityPairs, AlignmentState]:
    """An entity of each side with values of relations, which are the same on both sides."""
    graphs = [
        [
            Triple(name, f"urn:{relation}", Literal(value))
            for name, values in (("urn:a", entity), ("urn:other", dict.fromkeys("tyn", "none")))
            for relation, value in values.items()
        ]
        for entity in (left, right)
    ]
    one, other = map(build_ontology, graphs)
    first = evidence_of(one, other)
    same = np.arange(6) * ((1 << 32) + 1)
    certain = Scores(same, np.ones(6), np.ones(6))
    evidence = AlignmentState(
        first.left, first.right, first.literals, first.entities, certain, certain
    )
    a, b = one.terms.number("urn:a"), other.terms.number("urn:a")
    assert a is not None
    assert b is not None
    return candidates((a, b, 0.99)), evidence


CASES = pytest.mark.parametrize(
    ("left", "right", "negative", "share"),
    [
        ({"t": "Emma", "y": "1815"}, {"t": "Emma", "y": "1815"}, 0.99, 1.0),
        ({"t": "Emma", "y": "1815"}, {"t": "Emma", "y": "1816"}, 0.0, 0.5),
        ({"t": "Emma", "y": "1815"}, {"t": "Emma"}, 0.99, 1.0),
        ({"t": "Emma", "y": "1815"}, {"t": "Persuasion", "y": "1817"}, 0.0, 0.0),
        ({"t": "Emma"}, {"y": "1817"}, 0.99, 1.0),
    ],
    ids=["equal", "a value differs", "a value is missing", "all differ", "nothing to compare"],
)


@CASES
def test_negative_evidence(
    left: dict[str, str], right: dict[str, str], negative: float, share: float
) -> None:
    pair, evidence = compared(left, right)
    (weighed,) = weigh_against(pair, evidence, 0.0).evidence
    assert 1 - np.exp(-weighed) == pytest.approx(negative, abs=1e-6)


@CASES
def test_agreement(
    left: dict[str, str], right: dict[str, str], negative: float, share: float
) -> None:
    assert agreement(*compared(left, right)).tolist() == pytest.approx([share], abs=1e-6)


def test_another_book_of_the_author_is_not_the_same() -> None:
    """The ontology has a book by an author of one book, of whom the records have another one."""
    records, ontology = library()
    records += [Triple(f"urn:record:{n}", "urn:td4", Literal(f"{n + 1800}")) for n in range(40)]
    ontology += [
        Triple(f"urn:book:{n}", "urn:year", Literal(f"{n + 1800}")) for n in range(40) if n % 3
    ]
    values = {"urn:td1": "Middlemarch", "urn:td2": "George Eliot", "urn:td4": "1871"}
    records += [Triple("urn:record:99", name, Literal(value)) for name, value in values.items()]
    ontology += [
        Triple("urn:book:99", "urn:title", Literal("Adam Bede")),
        Triple("urn:book:99", "urn:year", Literal("1859")),
        Triple("urn:person:99", "urn:created", "urn:book:99"),
        Triple("urn:person:99", "urn:name", Literal("George Eliot")),
    ]
    sides = build_ontology(records), build_ontology(ontology)
    linked = [
        {link[:2] for link in align(*sides, options).entities}
        for options in (
            AlignmentOptions(agreement=0, min_probability=0.1),
            AlignmentOptions(min_probability=0.1),
        )
    ]
    assert linked[0] - linked[1] == {("urn:record:99", "urn:book:99")}


def test_joins_agree() -> None:
    """Records whose title differs are the same if the author, a join, and more are equal."""
    records, ontology = library()
    options = AlignmentOptions(agreement=0.9)
    found = align(build_ontology(records), build_ontology(ontology), options)
    assert len(found.entities) == 26
