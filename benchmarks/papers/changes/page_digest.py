"""Page Digest (Rocco et al. 2003): structure, tags, attributes and content of a page apart.

The structure is the number of children of each node in depth-first order, from which the tree can
be built again.  Two digests are compared feature by feature, in linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.papers.changes.documents import Node, walk


class PageDigest(NamedTuple):
    """The features of a page, with one value for each node in depth-first order; ``content``: of
    each text its node's number and itself."""

    structure: tuple[int, ...]
    tags: tuple[str, ...]
    attributes: tuple[tuple[tuple[str, str], ...], ...]
    content: tuple[tuple[int, str], ...]


def encode(root: Node) -> PageDigest:
    """The digest of a page.

    >>> from benchmarks.papers.changes.documents import element
    >>> encode(element("p", "An", element("b", "owl")))[:2]
    ((2, 0, 1, 0), ('p', '#text', 'b', '#text'))
    """
    nodes = list(walk(root))
    return PageDigest(
        structure=tuple(len(node.children) for node in nodes),
        tags=tuple(node.tag for node in nodes),
        attributes=tuple(node.attributes for node in nodes),
        content=tuple((number, node.text) for number, node in enumerate(nodes) if node.text),
    )


def decode(digest: PageDigest) -> Node:
    """The page of a digest."""
    texts = dict(digest.content)
    #: The nodes whose parent is not built yet, the first one last.
    waiting: list[Node] = []
    for number in reversed(range(len(digest.structure))):
        children = []
        for _ in range(digest.structure[number]):
            children.append(waiting.pop())
        size = 1 + sum(child.size for child in children)
        text = texts.get(number, "")
        attributes = digest.attributes[number]
        waiting.append(Node(digest.tags[number], text, attributes, tuple(children), size))
    return waiting.pop()


def changed_features(old: Node, new: Node) -> list[str]:
    """The names of the features that differ: which types of change there are.  Texts are compared
    without their places, which the structure has."""
    old_digest = encode(old)
    new_digest = encode(new)
    names = []
    for name, old_values, new_values in _features(old_digest, new_digest):
        if old_values != new_values:
            names.append(name)
    return names


def digest_difference(old: Node, new: Node) -> float:
    """The share of values from the first difference to the last one, as the mean over features."""
    old_digest = encode(old)
    new_digest = encode(new)
    shares = []
    for _, old_values, new_values in _features(old_digest, new_digest):
        shares.append(_share_between(old_values, new_values))
    return sum(shares) / len(shares)


def _features(
    old: PageDigest,
    new: PageDigest,
) -> list[tuple[str, Sequence[object], Sequence[object]]]:
    old_texts = [text for _, text in old.content]
    new_texts = [text for _, text in new.content]
    return [
        ("structure", old.structure, new.structure),
        ("tags", old.tags, new.tags),
        ("attributes", old.attributes, new.attributes),
        ("content", old_texts, new_texts),
    ]


def _share_between(old: Sequence[object], new: Sequence[object]) -> float:
    """The values of the longer sequence without what both begin and end with."""
    shorter = min(len(old), len(new))
    longer = max(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return (longer - start - end) / (longer or 1)
