"""The pq-gram distance (Augsten et al. 2005), which approximates the tree edit distance.

A pq-gram is a node with p - 1 of its ancestors and q of its children in a row, where ancestors and
children that are missing are written as ``*``.
"""

from __future__ import annotations

from collections import Counter

from benchmarks.papers.changes.documents import Node

#: The lengths that the authors use.
P = 2
Q = 3
_MISSING = "*"

PqGrams = Counter[tuple[str, ...]]


def read_pq_grams(root: Node, p: int = P, q: int = Q) -> PqGrams:
    """The pq-grams of a tree, each as often as it occurs.

    >>> from benchmarks.papers.changes.documents import element
    >>> sorted(read_pq_grams(element("a", element("b")), 2, 1))
    [('*', 'a', 'b'), ('a', 'b', '*')]
    """
    grams: PqGrams = Counter()
    waiting = [(root, (_MISSING,) * (p - 1))]
    while waiting:
        node, above = waiting.pop()
        stem = (*above, node.label)
        labels = [child.label for child in node.children]
        row = [_MISSING] * q
        if labels:
            edge = [_MISSING] * (q - 1)
            row = edge + labels + edge
        for start in range(len(row) - q + 1):
            grams[(*stem, *row[start : start + q])] += 1
        for child in node.children:
            waiting.append((child, stem[1:]))
    return grams


def pq_gram_distance(old: Node, new: Node) -> float:
    """1 less twice the pq-grams that both trees have by those of both together."""
    old_grams = read_pq_grams(old)
    new_grams = read_pq_grams(new)
    common = (old_grams & new_grams).total()
    return 1 - 2 * common / (old_grams.total() + new_grams.total())
