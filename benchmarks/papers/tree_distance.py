"""The tree edit distance RTDM: restricted top-down mapping (Reis et al. 2004, *Automatic Web News
Extraction Using Tree Edit Distance*), which Gottron 2008 compares with.

A mapping is top-down if the parents of two mapped elements are mapped, too; it is restricted if
elements with other tags are mapped as leaves only, so that all below them is deleted and inserted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from forest_scrapy.core import Page
from forest_scrapy.core.templates.fingerprints import TagRow, read_tags


class Tree(NamedTuple):
    """An element: its tag, its child elements, and the number of elements from it downward."""

    tag: str
    children: tuple[Tree, ...]
    size: int


#: The costs of two elements with their subtrees, by the ids of both.
Costs = dict[tuple[int, int], int]


def read_tree(page: Page) -> Tree:
    """The elements of the whole document."""
    return build_tree(read_tags(page, "document"))


def build_tree(rows: Iterable[TagRow]) -> Tree:
    """The tree of elements in document order; equal subtrees are one object.

    >>> build_tree([TagRow("ul", -1), TagRow("li", 0), TagRow("li", 0)]).size
    3
    """
    rows = list(rows)
    children: list[list[Tree]] = [[] for row in rows]
    trees: dict[tuple[str, tuple[int, ...]], Tree] = {}
    tree = Tree("", (), 0)
    for number in reversed(range(len(rows))):
        below = tuple(reversed(children[number]))
        key = (rows[number].tag, tuple(map(id, below)))
        if key not in trees:
            size = 1 + sum(child.size for child in below)
            trees[key] = Tree(rows[number].tag, below, size)
        tree = trees[key]
        if rows[number].parent >= 0:
            children[rows[number].parent].append(tree)
    return tree


def tree_distance(a: Tree, b: Tree) -> float:
    """The cost of the restricted top-down mapping over the number of elements in both trees, from
    0 to 1.  Deleting, inserting and replacing an element cost 1 each.

    >>> row = Tree("tr", (Tree("td", (), 1),), 2)
    >>> tree_distance(row, Tree("tr", (), 1))
    0.3333333333333333
    """
    return mapping_cost(a, b, {}) / (a.size + b.size)


def mapping_cost(a: Tree, b: Tree, costs: Costs) -> int:
    """The least cost of turning one tree into the other.  Quadratic in the number of elements at
    worst; ``costs`` are those that are known already."""
    if a is b:
        return 0
    if a.tag != b.tag:
        return 1 + (a.size - 1) + (b.size - 1)
    key = (id(a), id(b))
    if key not in costs:
        costs[key] = children_cost(a.children, b.children, costs)
    return costs[key]


def children_cost(a: tuple[Tree, ...], b: tuple[Tree, ...], costs: Costs) -> int:
    """The least cost of turning one row of children into the other."""
    above = [0]
    for child in b:
        above.append(above[-1] + child.size)

    for deleted in a:
        current = [above[0] + deleted.size]
        for column, inserted in enumerate(b):
            choices = (
                above[column + 1] + deleted.size,
                current[column] + inserted.size,
                above[column] + mapping_cost(deleted, inserted, costs),
            )
            current.append(min(choices))
        above = current
    return above[-1]
