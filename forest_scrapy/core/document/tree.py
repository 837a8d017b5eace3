"""From HTML to a tree, and from the tree to its outline: nodes and text leaves in document order.

Trees are walked iteratively: pages nested thousands of levels deep are met on the web.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from parsel import Selector

__all__ = [
    "IGNORED",
    "Leaf",
    "Node",
    "Outline",
    "is_block",
    "is_ignored",
    "outline_tree",
    "parse_html",
]

#: Elements whose text is no text of the page: FOREST's pre-processing drops scripts and
#: ``noscript`` (section 3.1); form fields and embedded documents are added.
IGNORED = frozenset(
    (
        "head script style noscript template iframe object embed svg math canvas select textarea "
        "datalist audio video map"
    ).split()
)


#: Elements that do not break a line (HTML's phrasing content); all others do.
_INLINE = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
        "picture q rp rt ruby s samp small source span strike strong sub sup time track tt u var "
        "wbr button input output meter progress script style noscript template"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Node:
    """An element of the outline.

    ``dfs`` is its place among all elements of the document, from 1, so that the XPath
    ``(//*)[dfs]`` finds it; ``level`` the number of its ancestors (body = 1); ``parent``
    its parent's index in ``Outline.nodes`` (-1 for the first); ``first`` and ``last``
    bound the leaves below it: ``leaves[first:last]``.
    """

    element: Any
    dfs: int
    level: int
    parent: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text node with more than white space; ``node`` is the index of its parent element."""

    text: str
    node: int


@dataclass(frozen=True)
class Outline:
    """The visible part of a page, below and including ``body``."""

    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]

    def path(self, index: int) -> Iterator[int]:
        """Indices of the node and its ancestors, from the node up to the body."""
        while index >= 0:
            yield index
            index = self.nodes[index].parent

    def nearest_block(self, index: int) -> int:
        """The lowest block element that is or contains the node; 0, the body, if there is none."""
        return next((i for i in self.path(index) if is_block(self.nodes[i].element)), 0)

    def subtree(self, roots: Collection[int], without: Collection[int] = ()) -> set[int]:
        """The roots and all nodes below them, except the subtrees of ``without``.  One pass over
        the nodes.

        >>> outline = outline_tree(parse_html("<div><ul><li>a</ul><p>b</div>"))
        >>> sorted(outline.subtree([1], without=[2]))  # div, and p; ul and li are left out
        [1, 4]
        """
        inside: set[int] = set()
        for i, node in enumerate(self.nodes):  # parents come before their children
            if (i in roots or node.parent in inside) and i not in without:
                inside.add(i)
        return inside

    def outermost(self, nodes: Collection[int]) -> list[int]:
        """Those of the nodes that no other of them contains, in document order."""
        inside = self.subtree(nodes)
        return sorted(i for i in nodes if self.nodes[i].parent not in inside)

    def text(self, node: Node) -> str:
        """The texts of the leaves below the node, joined by spaces."""
        return " ".join(leaf.text for leaf in self.leaves[node.first : node.last])


def parse_html(html: str) -> Any:
    """The root element of ``html``, as parsel reads it; an empty document gives ``<html/>``.

    >>> parse_html("<p>a").tag, parse_html("").tag
    ('html', 'html')
    """
    whole = html.encode("utf-8", "replace").decode("utf-8")  # without halves of characters
    return Selector(text=whole, type="html").root


def is_ignored(element: Any) -> bool:
    """Whether the text below the element is no text of the page (comments too).

    >>> is_ignored(parse_html("<script>a</script>")[0][0])
    True
    """
    return not isinstance(element.tag, str) or element.tag in IGNORED


def is_block(element: Any) -> bool:
    """Whether the element starts a new line."""
    return isinstance(element.tag, str) and element.tag not in _INLINE


def outline_tree(root: Any) -> Outline:
    """The outline of the tree, in one iterative walk; the tree is not changed.

    Cost: linear in the number of elements.
    """
    body = root if root.tag == "body" else next(root.iterchildren("body"), root)
    nodes: list[Node] = []
    leaves: list[Leaf] = []
    dfs_of = {element: i for i, element in enumerate(root.iter("*"), start=1)}
    level = 0 if body is root else 1
    stack: list[tuple[Any, int, int]] = [(body, level, -1)]
    while stack:
        element, level, parent = stack.pop()
        if level < 0:  # the end of an element: its leaves are all known, its tail follows
            index = parent
            started = nodes[index]
            nodes[index] = Node(
                element, started.dfs, started.level, started.parent, started.first, len(leaves)
            )
            _add_leaf(leaves, element.tail if element is not body else None, started.parent)
            continue
        if is_ignored(element):
            _add_leaf(leaves, element.tail if element is not body else None, parent)
            continue
        index = len(nodes)
        nodes.append(Node(element, dfs_of[element], level, parent, len(leaves), len(leaves)))
        _add_leaf(leaves, element.text, index)
        stack.append((element, -1, index))
        stack.extend((child, level + 1, index) for child in reversed(element))
    return Outline(tuple(nodes), tuple(leaves))


def _add_leaf(leaves: list[Leaf], text: str | None, node: int) -> None:
    if text and node >= 0 and not text.isspace():
        leaves.append(Leaf(text, node))
