"""Signatures of nodes from those of their children (Khandagale and Halkarnikar 2010).

The signature of a leaf is the digest of its content, that of another node the sum of those of its
children.  Only nodes with other signatures than in the reference version are compared.  Children in
another order have the same sum, and so have other tags around the same leaves: these changes are
not seen.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

from benchmarks.papers.changes.documents import Node

_MODULUS = 2**64

#: The signatures of nodes by their ids.
Signatures = dict[int, int]


def sign(root: Node) -> Signatures:
    """The signatures of a node and of all below it.

    >>> from benchmarks.papers.changes.documents import element
    >>> page = element("p", "An owl", element("b", "flew"))
    >>> signatures = sign(page)
    >>> first, second = page.children
    >>> signatures[id(page)] == (signatures[id(first)] + signatures[id(second)]) % 2**64
    True
    """
    in_order = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        in_order.append(node)
        waiting += node.children
    signatures: Signatures = {}
    for node in reversed(in_order):  # children come before their parents
        if node.children:
            total = sum(signatures[id(child)] for child in node.children)
            signatures[id(node)] = total % _MODULUS
        else:
            digest = blake2b(node.label.encode(), digest_size=8).digest()
            signatures[id(node)] = int.from_bytes(digest, "big")
    return signatures


def changed_leaves(old: Node, new: Node) -> tuple[list[str], list[str]]:
    """The labels of the leaves that only the old and only the new version have, by signatures.

    Children with equal signatures are partners; of the others those in the same order are compared,
    and those that are left over have changed with all below them.
    """
    old_signatures = sign(old)
    new_signatures = sign(new)
    old_leaves: list[str] = []
    new_leaves: list[str] = []
    pairs = [(old, new)]
    while pairs:
        old_node, new_node = pairs.pop()
        if old_signatures[id(old_node)] == new_signatures[id(new_node)]:
            continue
        if not old_node.children or not new_node.children:
            old_leaves += _leaves(old_node)
            new_leaves += _leaves(new_node)
            continue
        old_children = _without(old_node, old_signatures, new_node, new_signatures)
        new_children = _without(new_node, new_signatures, old_node, old_signatures)
        pairs += zip(old_children, new_children, strict=False)
        for child in old_children[len(new_children) :]:
            old_leaves += _leaves(child)
        for child in new_children[len(old_children) :]:
            new_leaves += _leaves(child)
    return old_leaves, new_leaves


def signature_difference(old: Node, new: Node) -> float:
    """The share of the leaves of both versions that have changed."""
    old_leaves, new_leaves = changed_leaves(old, new)
    leaves = len(_leaves(old)) + len(_leaves(new))
    return (len(old_leaves) + len(new_leaves)) / leaves


def _without(
    node: Node,
    signatures: Signatures,
    other: Node,
    other_signatures: Signatures,
) -> list[Node]:
    """The children that have no partner with the same signature among those of the other node."""
    partners = Counter(other_signatures[id(child)] for child in other.children)
    left = []
    for child in node.children:
        signature = signatures[id(child)]
        if partners[signature]:
            partners[signature] -= 1
        else:
            left.append(child)
    return left


def _leaves(root: Node) -> list[str]:
    labels = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.children:
            labels.append(node.label)
        waiting += node.children
    return labels
