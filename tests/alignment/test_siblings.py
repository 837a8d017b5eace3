"""Types of siblings."""

from __future__ import annotations

import pytest

from forest_scrapy.alignment import Alignment, EntityLink, SubLink, align, build_ontology
from forest_scrapy.alignment.siblings import map_relations, type_siblings
from forest_scrapy.core.graph import Triple
from tests.alignment.graphs import TYPE, library


def group_type(classes: list[list[str]], size: int = 10) -> tuple[str, str]:
    """The type of ``size`` records, of which the first are aligned with entities of the classes,
    and why there is none."""
    records = [Triple(f"urn:r{i}", TYPE, "urn:Record") for i in range(size)]
    ontology = [
        Triple(f"urn:e{i}", TYPE, name) for i, names in enumerate(classes) for name in names
    ]
    ontology += [Triple(f"urn:z{i}", TYPE, "urn:Thing") for i in range(9)]
    links = tuple(EntityLink(f"urn:r{i}", f"urn:e{i}", 0.9) for i in range(len(classes)))
    found = Alignment(links, (), (), 1, 0.0, 0)
    (group,) = type_siblings(records, build_ontology(ontology), found)
    assert (group.group, group.size) == ("urn:Record", size)
    return group.class_, group.reason


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([["urn:Book"]] * 2, ("urn:Book", "")),
        ([["urn:Book", "urn:Thing"]] * 3, ("urn:Book", "")),
        ([["urn:Book"]], ("", "one instance of urn:Book")),
        ([["urn:Book"]] * 4 + [["urn:Film"]], ("urn:Book", "")),
        ([["urn:Book"]] * 3 + [["urn:Film"]], ("", "only 3 of 4 are of urn:Book")),
        ([["urn:Book", "urn:Thing"], ["urn:Film", "urn:Thing"]], ("urn:Thing", "")),
        ([[], []], ("", "what is aligned has no type")),
    ],
    ids=[
        "two are enough",
        "the most special class",
        "one is not enough",
        "four of five agree",
        "drift: three of four agree",
        "the common superclass",
        "no types",
    ],
)
def test_types_of_records(classes: list[list[str]], expected: tuple[str, str]) -> None:
    assert group_type(classes) == expected


def test_values_are_names_of_entities_in_two_steps() -> None:
    records, ontology = library()
    index = build_ontology(ontology)
    found = type_siblings(records, index, align(build_ontology(records), index))
    assert [(one.group, one.class_, one.instances, one.size) for one in found] == [
        ("urn:Record", "urn:Book", 26, 40),
        ("urn:td2", "urn:Person", 8, 8),
    ]


def test_the_best_path_of_a_relation() -> None:
    relations = (
        SubLink("<urn:a>", "<urn:x>", 0.7, True, 9),
        SubLink("<urn:a>", "<urn:y>", 0.9, True, 9),
        SubLink("<urn:b>", "<urn:x>", 0.9, True, 1),  # from one fact
        SubLink("<urn:c>", "<urn:x>", 0.4, True, 9),  # not probable
        SubLink("<urn:x>", "<urn:d>", 0.9, False, 9),  # of the other side
        SubLink("<urn:e>", "<urn:x>/<urn:y>", 0.9, True, 9),
        SubLink("<urn:e>", "<urn:z>", 0.9, True, 9),  # the same in fewer steps
    )
    found = map_relations(Alignment((), relations, (), 1, 0.0, 0))
    assert {name: one.path[0].predicate for name, one in found.items()} == {
        "urn:a": "urn:y",
        "urn:e": "urn:z",
    }
