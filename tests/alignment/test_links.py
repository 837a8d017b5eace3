"""An alignment as text."""

from __future__ import annotations

import pytest

from forest_scrapy.alignment import Alignment, EntityLink, SubLink
from forest_scrapy.alignment.links import to_dict, write_table, write_turtle

PREFIXES = 2


def alignment(*relations: SubLink, classes: tuple[SubLink, ...] = ()) -> Alignment:
    return Alignment((), relations, classes, 3, 0.0, 0)


@pytest.mark.parametrize(
    ("narrow", "wide", "probability", "line"),
    [
        ("<a:t>", "<b:t>", 0.9, "<a:t> rdfs:subPropertyOf <b:t> .  # 0.900 of 7"),
        ("<a:t>", "<b:t>", 0.4, "# <a:t> rdfs:subPropertyOf <b:t> .  # 0.400 of 7"),
        (
            "<a:by>",
            "^<b:wrote>",
            0.9,
            "<a:by> rdfs:subPropertyOf [ owl:inverseOf <b:wrote> ] .  # 0.900 of 7",
        ),
        (
            "<a:by>",
            "<b:by>/<b:name>",
            0.9,
            "# <a:by> rdfs:subPropertyOf <b:by>/<b:name> .  # 0.900 of 7",
        ),
        (
            "^<b:wrote>/<b:name>",
            "<a:by>",
            0.9,
            "<a:by> owl:propertyChainAxiom ( [ owl:inverseOf <b:wrote> ] <b:name> ) ."
            "  # 0.900 of 7",
        ),
        (
            "<b:r>/<b:s>",
            "^<a:t>",
            0.9,
            "<a:t> owl:propertyChainAxiom ( [ owl:inverseOf <b:s> ] [ owl:inverseOf <b:r> ] ) ."
            "  # 0.900 of 7",
        ),
    ],
)
def test_relations_in_turtle(narrow: str, wide: str, probability: float, line: str) -> None:
    link = SubLink(narrow, wide, probability, True, 7.0)
    assert list(write_turtle(alignment(link)))[1:] == [f"{line}\n"]


def test_blank_nodes_and_classes_in_turtle() -> None:
    entities = (EntityLink("_:b1", "urn:x", 0.9), EntityLink("urn:a", "urn:b", 0.7512))
    classes = (SubLink("urn:C", "urn:D", 0.6, True, 3),)
    lines = list(write_turtle(Alignment(entities, (), classes, 1, 0.0, None)))
    assert lines[1:] == [
        "# <_:b1> owl:sameAs <urn:x> .  # 0.900\n",
        "<urn:a> owl:sameAs <urn:b> .  # 0.751\n",
        "<urn:C> rdfs:subClassOf <urn:D> .  # 0.600 of 3\n",
    ]


def test_the_table_has_the_most_probable_entities() -> None:
    entities = tuple(EntityLink(f"urn:{i}", f"urn:x{i}", 0.5 + i / 100) for i in range(30))
    found = Alignment(entities, (), (), 4, 0.005, None)
    lines = list(write_table(found, 2))
    assert lines[0] == "4 rounds, 0.5% changed in the last; too many texts to compare\n"
    assert lines[2:] == [
        "  0.790  urn:29 = urn:x29\n",
        "  0.780  urn:28 = urn:x28\n",
        "  and 28 more\n",
    ]
    assert to_dict(found)["entities"] == [one._asdict() for one in entities]
