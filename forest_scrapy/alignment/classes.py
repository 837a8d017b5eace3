"""Subclasses: P(c ⊆ c'), equation 17 of PARIS; and siblings that are aligned with other classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import (
    Bools,
    Floats,
    Ints,
    add_up,
    join_keys,
    split_keys,
    spread,
)
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import Pairs

#: Siblings are of a class if at least this share of those that are aligned are.
MIN_SHARE = 0.8
#: A class with at least this share of all entities says nothing about their kind.
MIN_UNIVERSAL_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class ClassScores:
    """P(c ⊆ c') for pairs of classes.

    ``narrow`` and ``wide``: the numbers of both classes.  ``instances``: the number of instances
    of c that the probability comes from.
    """

    narrow: Ints
    wide: Ints
    probabilities: Floats
    instances: Ints


def score_classes(
    narrow: Ontology,
    wide: Ontology,
    pairs: Pairs,
    min_probability: float,
) -> ClassScores:
    """P(c ⊆ c') of at least ``min_probability``; ``pairs``: equal entities, at most one for each.

    Instances of c that have no equal one count against it, as in the paper.
    """
    classes, instances = split_keys(np.asarray(narrow.types))
    sizes = np.bincount(classes, minlength=len(narrow.classes))
    rows, equal_instances, probabilities = pairs.expand(instances)
    wide_types = ClassesOf(wide)
    positions, wide_classes = wide_types.expand(equal_instances)

    narrow_classes = classes[rows[positions]]
    class_pairs = join_keys(narrow_classes, wide_classes)
    keys, sums = add_up(class_pairs, probabilities[positions])
    ones = np.ones(len(class_pairs))
    _, instance_counts = add_up(class_pairs, ones)

    narrow_numbers, wide_numbers = split_keys(keys)
    shares = sums / sizes[narrow_numbers]
    is_probable = shares >= min_probability
    return ClassScores(
        narrow=narrow_numbers[is_probable],
        wide=wide_numbers[is_probable],
        probabilities=np.minimum(shares[is_probable], 1.0),
        instances=instance_counts[is_probable].astype(np.int64),
    )


class ClassesOf:
    """The classes of each instance of an ontology.  Holds 8 bytes for each type."""

    def __init__(self, ontology: Ontology) -> None:
        classes, instances = split_keys(np.asarray(ontology.types))
        keys = join_keys(instances, classes)
        distinct_instances = np.unique(instances)
        self._keys = np.sort(keys)
        self._extents = np.bincount(classes, minlength=len(ontology.classes))
        self._instance_count = len(distinct_instances)

    def __len__(self) -> int:
        return len(self._extents)

    def expand(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The position of the node, and the class, for all classes of the nodes."""
        no_class = np.zeros(len(nodes), dtype=np.int64)
        first_keys = join_keys(nodes, no_class)
        next_keys = join_keys(nodes + 1, no_class)
        starts = np.searchsorted(self._keys, first_keys)
        stops = np.searchsorted(self._keys, next_keys)
        counts = stops - starts
        positions, rows = spread(starts, counts)
        keys = self._keys[rows]
        _, classes = split_keys(keys)
        return positions, classes

    def are_universal(self, classes: Ints) -> Bools:
        """Whether nearly all entities are of the class."""
        min_extent = MIN_UNIVERSAL_SHARE * self._instance_count
        extents = self._extents[classes]
        return extents >= min_extent


def are_siblings(
    left: Ints,
    right: Ints,
    left_types: ClassesOf,
    right_types: ClassesOf,
) -> Bools:
    """Whether the pairs of entities agree with most of their siblings.

    If ``MIN_SHARE`` of the entities of a class are aligned with entities of a class of the other
    side, the others of them are errors: books of which the other side has only the film, or the
    author.  A class of nearly all entities says nothing.
    """
    agrees = np.ones(len(left), dtype=bool)
    if not len(left):
        return agrees
    left_pairs, all_left_classes = left_types.expand(left)
    positions, right_classes = right_types.expand(right[left_pairs])
    pairs = left_pairs[positions]
    left_classes = all_left_classes[positions]

    # Each pair of which the right one has a class counts once for each class of the left one.
    memberships = np.unique(join_keys(left_classes, pairs))
    members, _ = split_keys(memberships)
    sizes = np.bincount(members, minlength=len(left_types))

    class_pairs = join_keys(left_classes, right_classes)
    keys, rows, counts = np.unique(class_pairs, return_inverse=True, return_counts=True)
    narrow, wide = split_keys(keys)
    min_counts = MIN_SHARE * sizes[narrow]
    is_universal = right_types.are_universal(wide)
    is_usual = counts >= min_counts
    is_usual &= ~is_universal

    usual_counts = np.bincount(narrow, weights=is_usual, minlength=len(sizes))
    has_usual_class = usual_counts > 0
    judged_pairs = pairs[has_usual_class[left_classes]]
    usual_pairs = pairs[is_usual[rows.ravel()]]
    agrees[judged_pairs] = False
    agrees[usual_pairs] = True
    return agrees
