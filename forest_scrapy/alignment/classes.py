"""Subclasses: P(c ⊆ c'), equation 17 of PARIS; and siblings that are aligned with other classes."""

from __future__ import annotations

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

#: Siblings are of a class if such a share of those that are aligned are.
LEAST_SHARE = 0.8
#: A class with such a share of all entities is no kind of them.
LEAST_UNIVERSAL = 0.9


def score_classes(
    narrow: Ontology, wide: Ontology, pairs: Pairs, least: float
) -> tuple[Ints, Ints, Floats, Ints]:
    """P(c ⊆ c') of at least ``least``: the numbers of both classes, the probability, and the number
    of instances of c that it comes from; ``pairs``: equal entities, at most one for each.

    Instances of c that have no equal one count against it, as in the paper.
    """
    classes, instances = split_keys(np.asarray(narrow.types))
    sizes = np.bincount(classes, minlength=len(narrow.classes))
    member, others, p = pairs.expand(instances)
    by_instance = ClassesOf(wide)
    positions, wider = by_instance.expand(others)
    found = join_keys(classes[member[positions]], wider)
    keys, sums = add_up(found, p[positions])
    _, matched = add_up(found, np.ones(len(found)))
    c, other = split_keys(keys)
    shares = sums / sizes[c]
    keep = shares >= least
    return c[keep], other[keep], np.minimum(shares[keep], 1.0), matched[keep].astype(np.int64)


class ClassesOf:
    """The classes of each instance of an ontology.  Holds 8 bytes for each type."""

    def __init__(self, ontology: Ontology) -> None:
        classes, instances = split_keys(np.asarray(ontology.types))
        self._keys = np.sort(join_keys(instances, classes))
        self.extents = np.bincount(classes, minlength=len(ontology.classes))
        self.instances = len(np.unique(instances))

    def expand(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The position of the node, and the class, for all classes of the nodes."""
        starts = np.searchsorted(self._keys, nodes << 32)
        counts = np.searchsorted(self._keys, (nodes + 1) << 32) - starts
        positions, rows = spread(starts, counts)
        return positions, split_keys(self._keys[rows])[1]


def are_siblings(left: Ints, right: Ints, left_types: ClassesOf, right_types: ClassesOf) -> Bools:
    """Whether the pairs of entities agree with most of their siblings.

    If ``LEAST_SHARE`` of the entities of a class are aligned with entities of a class of the
    other side, the others of them are errors: books of which the other side has only the film, or
    the author.  A class of nearly all entities tells nothing.
    """
    agrees = np.ones(len(left), dtype=bool)
    if not len(left):
        return agrees
    pair, class_ = left_types.expand(left)
    again, other = right_types.expand(right[pair])
    pair, class_ = pair[again], class_[again]
    # Each pair of which the right one has a class counts once for each class of the left one.
    members = np.unique(join_keys(class_, pair)) >> 32
    sizes = np.bincount(members, minlength=len(left_types.extents))
    keys, rows, counts = np.unique(
        join_keys(class_, other), return_inverse=True, return_counts=True
    )
    c, wide = split_keys(keys)
    is_most = counts >= LEAST_SHARE * sizes[c]
    is_most &= right_types.extents[wide] < LEAST_UNIVERSAL * right_types.instances
    has_most = np.bincount(c, weights=is_most, minlength=len(sizes)) > 0
    agrees[pair[has_most[class_]]] = False
    agrees[pair[is_most[rows.ravel()]]] = True
    return agrees
