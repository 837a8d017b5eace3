"""Unordered trees (CMW, Flesca and Masciari 2007; Artail and Fawaz 2008): the subtrees of two pages
are assigned to each other by the Hungarian algorithm.

Subtrees are cut as Artail and Fawaz do: the nodes of three levels, below a root on level 1, 4, 7
and so on.  Equal subtrees are pruned first.  The similarity of two subtrees has three parts: the
words of the texts (intersect), the attributes with equal values (attdist), and the tags on the way
up to the root of the page (typedist).  The thesis gives no weights: a third each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.papers.changes.assignment import assign
from benchmarks.papers.changes.documents import Node

#: Levels of a subtree.
LEVELS = 3


class Subtree(NamedTuple):
    """The nodes of three levels below a local root: the words of their texts, the attributes with
    their values, and the tags from the local root up to the root of the page."""

    words: frozenset[str]
    attributes: frozenset[tuple[str, str, str]]
    tags_upward: tuple[str, ...]


def cut_subtrees(root: Node) -> list[Subtree]:
    """The subtrees of a page.

    >>> from benchmarks.papers.changes.documents import element
    >>> page = element("body", element("div", element("p", element("b", "An owl"), id="a")))
    >>> [(subtree.tags_upward, sorted(subtree.words)) for subtree in cut_subtrees(page)]
    [(('body',), []), (('b', 'p', 'div', 'body'), ['An', 'owl'])]
    """
    subtrees = []
    local_roots: list[tuple[Node, tuple[str, ...]]] = [(root, (root.tag,))]
    while local_roots:
        local_root, tags_upward = local_roots.pop()
        words: set[str] = set()
        attributes: set[tuple[str, str, str]] = set()
        waiting = [(local_root, tags_upward, 1)]
        while waiting:
            node, path, level = waiting.pop()
            words.update(node.text.split())
            attributes.update((node.tag, name, value) for name, value in node.attributes)
            for child in node.children:
                child_path = (child.tag, *path)
                # A text belongs to its element.
                if level == LEVELS and not child.text:
                    local_roots.append((child, child_path))
                else:
                    waiting.append((child, child_path, level + 1))
        subtrees.append(Subtree(frozenset(words), frozenset(attributes), tags_upward))
    return subtrees


def intersect(old: Subtree, new: Subtree) -> float:
    """The share of the words that both have."""
    return _share(old.words, new.words)


def attdist(old: Subtree, new: Subtree) -> float:
    """The share of the attributes that have equal values."""
    return _share(old.attributes, new.attributes)


def _share(first: frozenset[object], second: frozenset[object]) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def typedist(old: Subtree, new: Subtree) -> float:
    """The weight of the tags from the local root upward that are common before the first
    difference: the weights are halved from one tag to the next.

    >>> page = Subtree(frozenset(), frozenset(), ("p", "div", "body"))
    >>> typedist(page, page._replace(tags_upward=("p", "td", "body")))  # 4 of 4 + 2 + 1
    0.5714285714285714
    """
    length = max(len(old.tags_upward), len(new.tags_upward))
    weight = 0.0
    for place, (tag, other) in enumerate(zip(old.tags_upward, new.tags_upward, strict=False)):
        if tag != other:
            break
        weight += 0.5 ** (place + 1)
    return weight / (1 - 0.5**length)


def similarity(old: Subtree, new: Subtree) -> float:
    """The mean of the three parts."""
    return (intersect(old, new) + attdist(old, new) + typedist(old, new)) / 3


def unordered_difference(old: Node, new: Node) -> float:
    """The sum of 1 - similarity over the assigned subtrees, and 1 for each without a partner, by
    the number of subtrees of the larger page."""
    old_counts = Counter(cut_subtrees(old))
    new_counts = Counter(cut_subtrees(new))
    larger = max(old_counts.total(), new_counts.total())
    old_left = list((old_counts - new_counts).elements())
    new_left = list((new_counts - old_counts).elements())
    return assignment_cost(old_left, new_left) / larger


def assignment_cost(old: Sequence[Subtree], new: Sequence[Subtree]) -> float:
    """The least cost of an assignment of subtrees."""
    if len(old) > len(new):
        old, new = new, old
    without_partner = len(new) - len(old)
    if not old:
        return float(without_partner)
    costs = np.array([[1 - similarity(first, second) for second in new] for first in old])
    columns = assign(costs)
    matched = sum(costs[row, column] for row, column in enumerate(columns))
    return float(matched) + without_partner
