"""``benchmarks.papers.changes``: the methods of change detection by hand."""

from __future__ import annotations

from itertools import permutations
from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.history.edits import change_page, no_change
from benchmarks.papers.changes.assignment import assign
from benchmarks.papers.changes.documents import Node, element, read_document, text_of
from benchmarks.papers.changes.edit_scripts import edit_distance, edit_script
from benchmarks.papers.changes.flat_files import rms_difference
from benchmarks.papers.changes.page_digest import (
    changed_features,
    decode,
    digest_difference,
    encode,
)
from benchmarks.papers.changes.pq_grams import pq_gram_distance, read_pq_grams
from benchmarks.papers.changes.scd import branch_difference, scd_difference
from benchmarks.papers.changes.signatures import changed_leaves, signature_difference
from benchmarks.papers.changes.unordered_trees import (
    cut_subtrees,
    similarity,
    unordered_difference,
)
from benchmarks.papers.changes.versions import CHANGES
from benchmarks.sets.bench_set import BenchPage

LINE = "An owl flew over the old harbour at night, and the boats were all asleep by then, too."
PAGE = (
    "<html><head></head><body class=a><!-- top --><nav><a href=/>Home</a></nav><div class=story>"
    f"<h1>Owls</h1><p>{LINE}</p><p>{LINE.replace('owl', 'elk')}</p></div></body></html>"
)
DIFFERENCES = (
    scd_difference,
    unordered_difference,
    digest_difference,
    signature_difference,
    pq_gram_distance,
    edit_distance,
)
#: The branch of the thesis: book.author.name.Dante.
BOOK = element("book", element("author", element("name", "Dante")), element("title", "Comedy"))

trees = st.recursive(
    st.sampled_from(["owl", "sea", "rain"]),
    lambda children: st.builds(
        lambda tag, nodes: element(tag, *nodes),
        st.sampled_from(["p", "div", "ul"]),
        st.lists(children, max_size=3),
    ),
    max_leaves=8,
).map(lambda tree: element("body", tree))


def versions_of(kind: str) -> tuple[Node, Node]:
    """Two versions of the page, before and after a change of this kind."""
    page = BenchPage("1", "http://a.example/1", "article", PAGE.encode(), f"{LINE}")
    old = read_document(change_page(page, no_change, 1))
    return old, read_document(change_page(page, CHANGES[kind], 1))


@given(old=trees, new=trees)
def test_differences_are_shares_and_0_for_equal_trees(old: Node, new: Node) -> None:
    for difference in DIFFERENCES:
        assert difference(old, old) == 0
        assert -1e-9 <= difference(old, new) <= 1 + 1e-9


def test_scd_by_hand() -> None:
    """The fourth nodes of two branches have 1/16 each, or the second ones 1/4 each; a branch of
    four weighs 15/16, the other one 7/8."""
    dante = ("book", "author", "name", "Dante")
    assert branch_difference(dante, (*dante[:3], "Homer")) == 1 / 16 + 1 / 16
    assert branch_difference(dante, ("book", "editor", *dante[2:])) == 1 / 4 + 1 / 4
    assert branch_difference(dante, dante[:3]) == 1 / 16
    homer = element("book", element("author", element("name", "Homer")), BOOK.children[1])
    assert scd_difference(BOOK, homer) == (2 / 16) / (2 * (15 / 16 + 7 / 8))
    without_title = element("book", BOOK.children[0])
    assert scd_difference(BOOK, without_title) == (7 / 8) / (2 * 15 / 16 + 7 / 8)


@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.lists(
            st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=rows, max_size=rows
        )
    )
)
def test_the_hungarian_algorithm_finds_the_least_cost(costs: list[list[int]]) -> None:
    matrix = np.array(costs, dtype=np.float64)
    columns = assign(matrix)
    assert len(set(columns)) == len(costs)
    found = sum(row[column] for row, column in zip(costs, columns, strict=True))
    all_costs = []
    for choice in permutations(range(4), len(costs)):
        all_costs.append(sum(row[column] for row, column in zip(costs, choice, strict=True)))
    assert found == min(all_costs)


def test_unordered_trees_by_hand() -> None:
    """Level 4 begins a subtree.  Of the upper one two of four words are common, one of two
    attributes, and all tags; the lower one is pruned."""
    lower = element("ul", element("li", element("b", "An elk")))
    old = element("body", element("div", element("p", "An owl flew", lower), id="a"))
    new = element("body", element("div", element("p", "An owl sat", lower), id="b"))
    upper, _ = sorted(cut_subtrees(old), key=lambda subtree: len(subtree.tags_upward))
    new_upper, _ = sorted(cut_subtrees(new), key=lambda subtree: len(subtree.tags_upward))
    assert [len(cut_subtrees(page)) for page in (old, new)] == [2, 2]
    assert isclose(similarity(upper, new_upper), (2 / 4 + 0 + 1) / 3)
    assert isclose(unordered_difference(old, new), (1 - (2 / 4 + 0 + 1) / 3) / 2)
    assert unordered_difference(old, element("body", *reversed(old.children))) == 0


def test_a_page_digest_is_reversible() -> None:
    document = read_document(PAGE)
    assert decode(encode(document)) == document
    assert encode(BOOK).structure == (2, 1, 1, 0, 1, 0)


@given(trees)
def test_page_digests_are_reversible(tree: Node) -> None:
    assert decode(encode(tree)) == tree


@pytest.mark.parametrize(
    ("kind", "features"),
    [
        ("none", []),
        ("edited", ["content"]),
        ("colour", ["attributes"]),
        ("tags", ["tags"]),
        ("layout", ["structure", "tags", "attributes"]),
        ("added", ["structure", "tags", "attributes", "content"]),
    ],
)
def test_page_digest_tells_the_type_of_change(kind: str, features: list[str]) -> None:
    old, new = versions_of(kind)
    assert changed_features(old, new) == features


def test_signatures_lead_to_the_leaves_that_differ_and_miss_moves() -> None:
    old = element("ul", element("li", "owl"), element("li", "sea"), element("li", "rain"))
    new = element("ul", element("li", "owl"), element("li", "lake"), element("li", "rain"))
    assert changed_leaves(old, new) == (["sea"], ["lake"])
    assert signature_difference(old, new) == 2 / 6
    assert signature_difference(old, element("ul", *reversed(old.children))) == 0
    assert signature_difference(old, element("ol", *old.children)) == 0


def test_pq_grams_of_the_example_of_augsten() -> None:
    """Figure 4: 13 pq-grams of each tree with p = 2 and q = 3, of which 9 are common."""
    left = element("a", element("e"), element("b"))
    old = element("a", left, element("b"), element("c"))
    new = element("a", left, element("b"), element("x"))
    assert read_pq_grams(old).total() == read_pq_grams(new).total() == 13
    assert isclose(pq_gram_distance(old, new), 1 - 2 * 9 / 26)


def test_an_edit_script_by_hand() -> None:
    """A text gets another label, and a paragraph of two nodes is deleted or inserted: to turn the
    first paragraph into the second and delete that costs three."""
    old = element("body", element("h1", "Owls"), element("p", "sea"), element("p", "x"))
    new = element("body", element("h1", "Elks"), element("p", "x"))
    relabel = ("relabel", "Owls", "Elks", 1)
    assert [tuple(edit) for edit in edit_script(old, new)] == [relabel, ("delete", "p", "", 2)]
    backwards = [tuple(edit) for edit in edit_script(new, old)]
    assert backwards == [("relabel", "Elks", "Owls", 1), ("insert", "", "p", 2)]
    assert edit_distance(old, new) == 3 / (7 + 5)


@pytest.mark.parametrize("kind", CHANGES)
def test_what_differs_in_made_versions(kind: str) -> None:
    """The text differs unless the change is one of the markup; the tree unless there is none."""
    old, new = versions_of(kind)
    is_of_markup = kind in ("none", "layout", "colour", "tags")
    assert (text_of(old) == text_of(new)) == is_of_markup
    assert (old == new) == (kind == "none")
    if kind in ("typo", "moved"):  # characters in another order
        assert rms_difference(text_of(old), text_of(new)) == 0
