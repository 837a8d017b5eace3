"""Subclasses, and siblings that are aligned with other classes."""

from __future__ import annotations

import numpy as np
import pytest

from forest_scrapy.alignment import build_ontology
from forest_scrapy.alignment.classes import ClassesOf, are_siblings, score_classes
from forest_scrapy.alignment.facts import Ints
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import Pairs
from forest_scrapy.core.graph import Triple
from tests.alignment.graphs import TYPE


def typed(classes: list[list[str]], name: str) -> tuple[Ontology, Ints]:
    """Entities of the classes, and their numbers."""
    graph = [Triple(f"urn:{name}{i}", "urn:next", "urn:z") for i in range(len(classes))]
    graph += [Triple(f"urn:{name}{i}", TYPE, c) for i, names in enumerate(classes) for c in names]
    ontology = build_ontology(graph)
    numbers = [ontology.terms.number(f"urn:{name}{i}") for i in range(len(classes))]
    return ontology, np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([["Book"]] * 4 + [["Film"]], [True] * 4 + [False]),
        ([["Book"]] * 3 + [["Film"]], [True] * 4),
        ([["Book"]] * 4 + [[]], [True] * 5),
        ([["Book", "Novel"]] * 4 + [["Book"]], [True] * 5),
        ([["Thing", "Book"]] * 4 + [["Thing", "Film"]], [True] * 4 + [False]),
    ],
    ids=[
        "four of five are books",
        "three of four are",
        "one has no class",
        "one is of the superclass",
        "what all are tells nothing",
    ],
)
def test_siblings(classes: list[list[str]], expected: list[bool]) -> None:
    left, lefts = typed([["Record"]] * len(classes), "r")
    others = [["Thing", "Person"] if "Thing" in classes[0] else ["Person"]] * 9
    right, rights = typed([*classes, *others], "e")
    pairs = lefts, rights[: len(classes)]
    found = are_siblings(*pairs, ClassesOf(left), ClassesOf(right))
    assert found.tolist() == expected


def test_an_entity_agrees_with_the_siblings_of_one_of_its_classes() -> None:
    left, lefts = typed([["Thing", "Record"]] * 9 + [["Thing", "Place"]] * 2, "r")
    right, rights = typed([["Book"]] * 9 + [["Town"]] * 2, "e")
    assert are_siblings(lefts, rights, ClassesOf(left), ClassesOf(right)).all()


def test_subclasses_are_those_of_equation_17() -> None:
    left, lefts = typed([["Novel"], ["Novel"], ["Novel"], ["Play"]], "r")
    right, rights = typed([["Book"], ["Book", "Old"], ["Book"], ["Book"]], "e")
    pairs = Pairs.of(lefts[[0, 1, 3]], rights[[0, 1, 3]], np.array([1.0, 0.5, 0.9]))
    scores = score_classes(left, right, pairs, 0.1)
    found = {
        (left.classes[narrow], right.classes[wide]): (round(probability, 6), instances)
        for narrow, wide, probability, instances in zip(
            scores.narrow.tolist(),
            scores.wide.tolist(),
            scores.probabilities.tolist(),
            scores.instances.tolist(),
            strict=True,
        )
    }
    assert found == {
        ("Novel", "Book"): (0.5, 2),  # (1 + 0.5) / 3
        ("Novel", "Old"): (round(0.5 / 3, 6), 1),
        ("Play", "Book"): (0.9, 1),
    }
