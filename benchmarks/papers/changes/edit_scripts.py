"""Edit scripts of ordered trees: the operations that turn one page into the other at least cost.

Top-down, after Selkow 1977: a node can get another label, and whole subtrees are deleted and
inserted, at a cost of 1 for each node.  General edit scripts take too long for pages.  Subtrees
that are equal at the start and the end of two rows of children are matched first.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.papers.changes.documents import Node


class Edit(NamedTuple):
    """An operation: ``relabel``, ``delete`` or ``insert``; the labels of the node before and after,
    ``""`` where there is none; and its cost."""

    name: str
    old: str
    new: str
    cost: int


#: The least cost for two nodes by their ids, and the operations.
_Known = dict[tuple[int, int], list[Edit]]


def edit_script(old: Node, new: Node) -> list[Edit]:
    """The operations of the least cost, in document order.

    >>> from benchmarks.papers.changes.documents import element
    >>> script = edit_script(element("p", "An owl"), element("div", "An owl", element("br")))
    >>> [tuple(edit) for edit in script]
    [('relabel', 'p', 'div', 1), ('insert', '', 'br', 1)]
    """
    return _edit(old, new, {})


def edit_distance(old: Node, new: Node) -> float:
    """The cost of the script by the number of nodes of both trees."""
    return _cost(edit_script(old, new)) / (old.size + new.size)


def _cost(script: list[Edit]) -> int:
    return sum(edit.cost for edit in script)


def _edit(old: Node, new: Node, known: _Known) -> list[Edit]:
    if old == new:
        return []
    key = (id(old), id(new))
    if key not in known:
        script = []
        if (old.label, old.attributes) != (new.label, new.attributes):
            script.append(Edit("relabel", old.label, new.label, 1))
        known[key] = script + _edit_rows(old.children, new.children, known)
    return known[key]


def _edit_rows(old: tuple[Node, ...], new: tuple[Node, ...], known: _Known) -> list[Edit]:
    """The operations for two rows of children."""
    while old and new and old[0] == new[0]:
        old = old[1:]
        new = new[1:]
    while old and new and old[-1] == new[-1]:
        old = old[:-1]
        new = new[:-1]
    if not old or not new:
        return [_delete(node) for node in old] + [_insert(node) for node in new]

    #: above[j]: the operations for the nodes of the old row so far, and the first j of the new one.
    above: list[list[Edit]] = [[]]
    for node in new:
        above.append([*above[-1], _insert(node)])
    for old_node in old:
        current = [[*above[0], _delete(old_node)]]
        for column, new_node in enumerate(new):
            choices = (
                above[column] + _edit(old_node, new_node, known),
                [*above[column + 1], _delete(old_node)],
                [*current[column], _insert(new_node)],
            )
            current.append(min(choices, key=_cost))
        above = current
    return above[-1]


def _delete(node: Node) -> Edit:
    return Edit("delete", node.label, "", node.size)


def _insert(node: Node) -> Edit:
    return Edit("insert", "", node.label, node.size)
