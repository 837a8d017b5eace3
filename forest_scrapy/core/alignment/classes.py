"""Subclasses: P(c ⊆ c'), equation 17 of PARIS."""

from __future__ import annotations

import numpy as np

from forest_scrapy.core.alignment.facts import Floats, Ints, add_up, join_keys, split_keys, spread
from forest_scrapy.core.alignment.ontology import Ontology
from forest_scrapy.core.alignment.pairs import Pairs


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
    by_instance = np.sort(join_keys(*reversed(split_keys(np.asarray(wide.types)))))
    starts = np.searchsorted(by_instance, others << 32)
    counts = np.searchsorted(by_instance, (others + 1) << 32) - starts
    positions, rows = spread(starts, counts)
    wider = split_keys(by_instance[rows])[1]
    keys, sums = add_up(join_keys(classes[member[positions]], wider), p[positions])
    _, matched = add_up(
        keys_of := join_keys(classes[member[positions]], wider), np.ones(len(keys_of))
    )
    c, other = split_keys(keys)
    shares = sums / sizes[c]
    keep = shares >= least
    return c[keep], other[keep], np.minimum(shares[keep], 1.0), matched[keep].astype(np.int64)
