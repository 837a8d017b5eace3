"""VSSE for structured records: the path from ``body`` down to the area with most delimiters and
attribute names, found by the Viterbi algorithm, and the pairs of attribute and value there.

Zhang et al. 2018, section 4.3.2.  Where the paper leaves something open:

- The characteristics container is data, ``DELIMITERS`` and ``ATTRIBUTES``; the paper gives two
  examples of each.
- pi is 1 for all nodes, and a node is reached with the same probability as the other children with
  text of its parent: the weight of a node is its WVC divided by their number.  (The product of
  these weights along the path, as in other uses of the Viterbi algorithm, leads down into single
  records: on harvest-forum F1 is 0.155 with it, and 0.705 without.)
- The paper terminates where psi(m) >= psi(m + 1).  Since psi is the number of a node, the weights
  of the heaviest nodes of the two levels are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log

from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_vsse_records", "read_pairs"]

#: Marks between an attribute and its value.
DELIMITERS = (":", "\uff1a", "=", "|")
#: Popular names of attributes.
ATTRIBUTES = tuple(
    "name price brand model color size weight material author date category title isbn publisher"
    " language format quantity stock sku rating reviews posted joined posts location member"
    " reply quote".split()
)
#: Characters of the longest name of an attribute.  Not tuned.
_LONGEST_NAME = 40
_WORD = re.compile(r"[^\W\d_]+")
_PAIR = re.compile(rf"\s*([^:\uff1a]{{1,{_LONGEST_NAME}}}?)\s*[:\uff1a]\s*(.*)", re.DOTALL)


def learn_vsse_records(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper for a single page (the first of several) that keeps the area of its records."""
    outline = pages[0].outline
    area, weight = find_area(outline)
    top = outline.nodes[area] if outline.nodes else None
    kept = [
        top is not None and top.first <= i < top.last and weight > 0
        for i in range(len(outline.leaves))
    ]
    nodes = [leaf.node for leaf in outline.leaves]
    return write_page_wrapper("vsse-records", pages[0], nodes, kept, weight)


def weigh_nodes(outline: Outline) -> list[float]:
    """WVC of each node (equation 3): the sum of n * ln(N / n) over the characteristics, where n of
    the N leaves of the page that are below the node have the characteristic.

    Cost: linear in the size of the page, times the number of characteristics.
    """
    total = len(outline.leaves)
    weights = [0.0] * len(outline.nodes)
    found = [_characteristics(leaf.text) for leaf in outline.leaves]
    for one in sorted(set().union(*found)):
        counts = [0]
        for own in found:
            counts.append(counts[-1] + (one in own))
        for i, node in enumerate(outline.nodes):
            n = counts[node.last] - counts[node.first]
            weights[i] += n * log(total / n) if n else 0.0
    return weights


def _characteristics(text: str) -> frozenset[str]:
    words = {word.lower() for word in _WORD.findall(text)}
    marks = {mark for mark in DELIMITERS if mark in text}
    return frozenset(marks | words.intersection(ATTRIBUTES))


def find_area(outline: Outline) -> tuple[int, float]:
    """The node at which the most probable path ends, by index, and its WVC; ``(0, 0.0)`` if the
    page has no characteristic.  Ties: the first node."""
    weights = weigh_nodes(outline)
    if not any(weights):
        return 0, 0.0
    children = [0] * len(outline.nodes)
    for node in outline.nodes[1:]:
        children[node.parent] += node.first < node.last
    deltas, best = [1.0], {outline.nodes[0].level: 0}
    for i, node in enumerate(outline.nodes[1:], 1):
        deltas.append(weights[i] / children[node.parent] if weights[i] else 0.0)
        if node.level not in best or deltas[i] > deltas[best[node.level]]:
            best[node.level] = i
    level = outline.nodes[0].level
    while level + 1 in best and deltas[best[level]] < deltas[best[level + 1]]:
        level += 1
    return best[level], weights[best[level]]


def read_pairs(page: Page) -> list[tuple[str, str]]:
    """The pairs of attribute and value in the area of the records, in the order of the page: of
    leaves with a colon, and of leaves that are a name of the dictionary or end with a colon, with
    the leaf after them.

    >>> read_pairs(Page.from_html("<ul><li>Price: 3 EUR<li><b>Brand:</b> Owl<li>Size: 9</ul>"))
    [('Price', '3 EUR'), ('Brand', 'Owl'), ('Size', '9')]
    """
    outline = page.outline
    area, weight = find_area(outline)
    if not weight:
        return []
    top = outline.nodes[area]
    pairs, name = [], ""
    for leaf in outline.leaves[top.first : top.last]:
        text = " ".join(leaf.text.split())
        match = _PAIR.fullmatch(text)
        if match and match[2]:
            pairs.append((match[1], match[2]))
        elif name:
            pairs.append((name, text))
        is_name = match[1] if match and not match[2] else text
        known = bool(match and not match[2]) or text.lower() in ATTRIBUTES
        name = is_name if known and not name else ""
    return pairs
