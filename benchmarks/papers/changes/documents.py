"""A page as a tree of elements and texts, which all methods but those of flat files compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from forest_scrapy.core.encoding import decode_html
from forest_scrapy.core.page.tree import parse_html

TEXT = "#text"
#: Elements whose text nobody reads.
_SKIPPED = frozenset(("script", "style", "noscript", "template"))


class Node(NamedTuple):
    """An element, or a text (``tag`` is ``TEXT``) with white space as single spaces.

    ``attributes``: names and values, sorted.  ``size``: the number of nodes from it downward.
    """

    tag: str
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Node, ...] = ()
    size: int = 1

    @property
    def label(self) -> str:
        """The tag of an element, or the text of a text."""
        return self.text or self.tag


def element(tag: str, *children: Node | str, **attributes: str) -> Node:
    """An element, for short.

    >>> element("p", "An owl", id="a").size
    2
    """
    nodes = []
    for child in children:
        nodes.append(Node(TEXT, child) if isinstance(child, str) else child)
    size = 1 + sum(node.size for node in nodes)
    return Node(tag, "", tuple(sorted(attributes.items())), tuple(nodes), size)


def read_document(html: str | bytes) -> Node:
    """The body of a page, repaired by the parser, without scripts and comments.

    >>> read_document("<p>An  owl<br>flew") == element("body", element("p", "An owl",
    ...     element("br"), "flew"))
    True
    """
    text = html if isinstance(html, str) else decode_html(html)
    root = parse_html(text)
    body = next(root.iter("body"), root)
    # In reverse document order all below an element is there before it.
    built: dict[Any, Node] = {}
    for tree_element in reversed(list(body.iter("*"))):
        if tree_element.tag in _SKIPPED:
            continue
        nodes = list(_texts(tree_element.text))
        for child in tree_element:
            if child in built:
                nodes.append(built.pop(child))
            nodes += _texts(child.tail)
        attributes = {str(name): str(value) for name, value in tree_element.attrib.items()}
        size = 1 + sum(node.size for node in nodes)
        tag = str(tree_element.tag)
        sorted_attributes = tuple(sorted(attributes.items()))
        built[tree_element] = Node(tag, "", sorted_attributes, tuple(nodes), size)
    return built[body]


def _texts(text: str | None) -> Iterator[Node]:
    squeezed = " ".join((text or "").split())
    if squeezed:
        yield Node(TEXT, squeezed)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in document order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.children)


def text_of(node: Node) -> str:
    """The texts below a node, one a line."""
    return "\n".join(below.text for below in walk(node) if below.text)
