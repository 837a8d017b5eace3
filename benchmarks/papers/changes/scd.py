"""SCD (Lim and Ng 2001): branches of the ordered tree as ordered multisets.

A branch is the path to a leaf: the tags, and at last the text.  The i-th node of a branch has the
weight 1 / 2^i.  What differs between two branches is the weight of the nodes in their symmetric
difference.  The thesis does not say which branches are compared: equal ones are matched by a
longest common subsequence, and those between two matches in their order.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from benchmarks.papers.changes.documents import Node

#: The labels from the root to a leaf.
Branch = tuple[str, ...]


def read_branches(root: Node) -> list[Branch]:
    """The branches of a tree, in document order.

    >>> from benchmarks.papers.changes.documents import element
    >>> read_branches(element("p", "An", element("b", "owl"), element("br")))
    [('p', 'An'), ('p', 'b', 'owl'), ('p', 'br')]
    """
    branches = []
    waiting: list[tuple[Node, Branch]] = [(root, ())]
    while waiting:
        node, above = waiting.pop()
        branch = (*above, node.label)
        if not node.children:
            branches.append(branch)
        for child in reversed(node.children):
            waiting.append((child, branch))
    return branches


def weigh_branch(branch: Branch) -> float:
    """The weight of all nodes: the sum of 1 / 2^i.

    >>> weigh_branch(("p", "b", "owl"))
    0.875
    """
    return sum(_weigh(place) for place in range(len(branch)))


def branch_difference(old: Branch, new: Branch) -> float:
    """The weight of the nodes in the symmetric difference: of those at a place of one branch where
    the other has another label or none.

    >>> branch_difference(("p", "b", "owl"), ("p", "b", "elk"))  # 1/8 of each
    0.25
    >>> branch_difference(("p", "owl"), ("p", "owl", "elk"))
    0.125
    """
    difference = 0.0
    for place in range(max(len(old), len(new))):
        old_label = old[place : place + 1]
        new_label = new[place : place + 1]
        if old_label != new_label:
            difference += _weigh(place) * (len(old_label) + len(new_label))
    return difference


def _weigh(place: int) -> float:
    return 0.5 ** (place + 1)


def scd_difference(old: Node, new: Node) -> float:
    """The weight that differs by the weight of all branches of both pages."""
    old_branches = read_branches(old)
    new_branches = read_branches(new)
    total = sum(map(weigh_branch, old_branches)) + sum(map(weigh_branch, new_branches))
    difference = 0.0
    matcher = SequenceMatcher(None, old_branches, new_branches, autojunk=False)
    for name, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if name == "equal":
            continue
        old_run = old_branches[old_start:old_end]
        new_run = new_branches[new_start:new_end]
        for place in range(max(len(old_run), len(new_run))):
            old_branch = old_run[place] if place < len(old_run) else ()
            new_branch = new_run[place] if place < len(new_run) else ()
            difference += branch_difference(old_branch, new_branch)
    return difference / total
