"""The outline of a page: its visible elements and text leaves in document order.

The walk is iterative: pages on the web can be nested thousands of levels deep.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from forest_scrapy.core.document.hidden import find_hidden
from forest_scrapy.core.document.tree import PHRASING, Element, body_of, is_ignored

__all__ = ["Leaf", "Node", "Outline", "outline_tree"]

Value = TypeVar("Value")


class Node(NamedTuple):
    """An element of the outline.

    ``dfs`` is its number among all elements of the document, from 1, so that the XPath
    ``(//*)[dfs]`` finds it; ``level`` the number of its ancestors (body = 1); ``parent``
    its parent's index in ``Outline.nodes`` (-1 for the first); ``first`` and ``last``
    bound the leaves below it: ``leaves[first:last]``.
    """

    element: Element
    tag: str
    dfs: int
    level: int
    parent: int
    first: int
    last: int

    @property
    def is_block(self) -> bool:
        """Whether the element starts a new line."""
        return self.tag not in PHRASING


class Leaf(NamedTuple):
    """A text node that is not only white space; ``node`` is the index of its parent element."""

    text: str
    node: int


@dataclass(frozen=True, eq=False)
class Outline:
    """The visible part of a page: the body, and the elements and texts below it."""

    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]

    def path(self, index: int) -> Iterator[int]:
        """Indices of the node and its ancestors, from the node up to the body."""
        while index >= 0:
            yield index
            index = self.nodes[index].parent

    def inherit(self, start: Value, step: Callable[[Value, Node], Value]) -> list[Value]:
        """A value for each node, made from its parent's by ``step(parent's value, node)``;
        ``start`` takes the place of the parent's for the first node.  One pass over the nodes.

        >>> from forest_scrapy.core.document.tree import parse_html
        >>> outline = outline_tree(parse_html("<div><p>a"))
        >>> outline.inherit("", lambda above, node: f"{above}/{node.tag}")
        ['/body', '/body/div', '/body/div/p']
        """
        values: list[Value] = []
        for node in self.nodes:  # parents come before their children
            values.append(step(values[node.parent] if node.parent >= 0 else start, node))
        return values

    def inside(self, tags: Collection[str]) -> list[bool]:
        """For each node whether it, or an element that contains it, has one of the tags."""
        found: list[bool] = []
        for node in self.nodes:  # written out, since this is called for every page
            found.append(node.tag in tags or (node.parent >= 0 and found[node.parent]))
        return found

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """For each node the index of its nearest block element: the lowest that is or contains
        it; 0, the body, if there is none."""
        return self.nearest([node.is_block for node in self.nodes])

    def nearest(self, wanted: Sequence[bool]) -> tuple[int, ...]:
        """For each node the index of the lowest node that is or contains it and is ``wanted``; 0 if
        there is none."""
        found: list[int] = []
        for i, node in enumerate(self.nodes):
            found.append(i if wanted[i] or node.parent < 0 else found[node.parent])
        return tuple(found)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """For each node the index after the last node below it."""
        found = list(range(1, len(self.nodes) + 1))
        for i in range(len(self.nodes) - 1, 0, -1):
            parent = self.nodes[i].parent
            found[parent] = max(found[parent], found[i])
        return tuple(found)

    def subtree(self, roots: Collection[int], without: Collection[int] = ()) -> set[int]:
        """The roots and all nodes below them, except the subtrees of ``without``.

        >>> from forest_scrapy.core.document.tree import parse_html
        >>> outline = outline_tree(parse_html("<div><ul><li>a</ul><p>b</div>"))
        >>> sorted(outline.subtree([1], without=[2]))  # div, and p; ul and li are left out
        [1, 4]
        """
        if not without:
            return {i for root in self.outermost(roots) for i in range(root, self.ends[root])}
        inside: set[int] = set()
        for i, node in enumerate(self.nodes):
            if (i in roots or node.parent in inside) and i not in without:
                inside.add(i)
        return inside

    def outermost(self, nodes: Collection[int]) -> list[int]:
        """The nodes that are not inside another one of them, in document order."""
        found, end = [], 0
        for i in sorted(nodes):
            if i >= end:
                found.append(i)
                end = self.ends[i]
        return found

    def text(self, node: Node) -> str:
        """The texts of the leaves below the node, joined by spaces."""
        return " ".join(leaf.text for leaf in self.leaves[node.first : node.last])


def outline_tree(root: Element) -> Outline:
    """The outline of the tree, in one iterative walk, without hidden elements (see
    ``find_hidden``); the tree is not changed.

    Cost: linear in the number of elements.
    """
    body = body_of(root)
    walk = _OutlineWalk(find_hidden(body))
    dfs = next(i for i, element in enumerate(root.iter("*"), start=1) if element is body)
    walk.read(body, dfs, level=0 if body is root else 1)
    return walk.outline()


class _OutlineWalk:
    """The columns of the nodes, and the leaves, while a tree is read."""

    def __init__(self, without: Collection[Element]) -> None:
        self.without = without
        self.elements: list[Element] = []
        self.rows: list[tuple[int, int, int, int]] = []  # dfs, level, parent, first
        self.lasts: list[int] = []
        self.leaves: list[Leaf] = []

    def read(self, body: Element, dfs: int, level: int) -> None:
        stack = [(self._add(body, dfs, level, -1), iter(body))]
        while stack:
            index, children = stack[-1]
            for child in children:
                if is_ignored(child) or child in self.without:
                    dfs += sum(1 for _ in child.iter("*"))
                    self._add_leaf(child.tail, index)
                    continue
                dfs += 1
                inner = self._add(child, dfs, level + len(stack), index)
                if len(child):
                    stack.append((inner, iter(child)))
                    break
                self.lasts[inner] = len(self.leaves)
                self._add_leaf(child.tail, index)
            else:
                stack.pop()
                self.lasts[index] = len(self.leaves)
                if stack:
                    self._add_leaf(self.elements[index].tail, stack[-1][0])

    def outline(self) -> Outline:
        columns = zip(self.elements, self.rows, self.lasts, strict=True)
        nodes = (Node(e, str(e.tag), *row, last) for e, row, last in columns)
        return Outline(tuple(nodes), tuple(self.leaves))

    def _add(self, element: Element, dfs: int, level: int, parent: int) -> int:
        index = len(self.elements)
        self.elements.append(element)
        self.rows.append((dfs, level, parent, len(self.leaves)))
        self.lasts.append(0)
        self._add_leaf(element.text, index)
        return index

    def _add_leaf(self, text: str | None, node: int) -> None:
        if text and not text.isspace():
            self.leaves.append(Leaf(text, node))
