"""Pairs of equal nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.ontology import Ontology, build_ontology
from forest_scrapy.alignment.pairs import (
    Pairs,
    is_best,
    match_literals,
    match_similar,
    rank,
)
from forest_scrapy.core.graph import Literal, Triple

TEXTS = st.sets(st.text("abc", max_size=3))
SCORES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.1, 0.5, 0.9])), max_size=12)


def index(texts: set[str]) -> Ontology:
    return build_ontology(Triple("urn:x", "urn:p", Literal(text)) for text in texts)


def texts_of(pairs: Pairs, left: Ontology, right: Ontology) -> list[tuple[str, str]]:
    names = left.terms.names(pairs.keys >> 32), right.terms.names(pairs.keys & 0xFFFFFFFF)
    return [(one[2:], other[2:]) for one, other in zip(*names, strict=True)]


@given(TEXTS, TEXTS)
def test_equal_literals(left: set[str], right: set[str]) -> None:
    one, other = index(left), index(right)
    expected = [(text, text) for text in sorted(left & right)]
    assert texts_of(match_literals(one, other), one, other) == expected


def test_only_what_has_no_equal_one_is_similar_to_others() -> None:
    left = index({"the tragedy of hamlet", "tragedy of macbeth", "emma woodhouse"})
    right = index({"tragedy of hamlet", "tragedy of hamlets", "the tragedy of hamlet"})
    equal = match_literals(left, right)
    similar = match_similar(left, right, equal, 0.8, 100)
    assert similar is not None
    assert texts_of(equal, left, right) == [("thetragedyofhamlet", "thetragedyofhamlet")]
    hamlets = [
        ("thetragedyofhamlet", "tragedyofhamlet"),
        ("thetragedyofhamlet", "tragedyofhamlets"),
    ]
    assert texts_of(similar, left, right) == hamlets
    swapped = match_similar(right, left, equal.swap(), 0.8, 100)
    assert swapped is not None
    assert np.array_equal(swapped.swap().keys, similar.keys)


def test_too_many_texts_are_not_compared() -> None:
    left, right = index({"hamlet", "emma"}), index({"othello"})
    assert match_similar(left, right, match_literals(left, right), 0.8, 1) is None


@given(SCORES)
def test_ranks(scores: list[tuple[int, float]]) -> None:
    nodes = np.array([node for node, _ in scores], dtype=np.int64)
    values = np.array([score for _, score in scores], dtype=float)
    expected = [sum(n == node and s >= score for n, s in scores) for node, score in scores]
    assert rank(nodes, values).tolist() == expected
    best = [all(s <= score for n, s in scores if n == node) for node, score in scores]
    assert is_best(nodes, values).tolist() == best


def test_probabilities_of_pairs() -> None:
    pairs = Pairs.of(np.array([3, 1]), np.array([0, 7]), np.array([0.5, 1.0]))
    asked = np.array([1, 3, 3]), np.array([7, 0, 7])
    assert pairs.find(*asked).tolist() == [1.0, 0.5, 0.0]
    assert pairs.swap().find(*asked[::-1]).tolist() == [1.0, 0.5, 0.0]
    assert pairs.find(np.array([2**20]), np.array([1])).tolist() == pytest.approx([0])
