"""VSSE: Zhang et al. 2018.

``vsse``, for text (sections 4.2, 4.3.1 and 4.4): leaves rich in text and punctuation, the area that
their tag paths share, and in that area the leaves with punctuation and those that resemble title
and description.

``vsse-records``, for structured records (section 4.3.2): the path from ``body`` down to the area
with most delimiters and attribute names, found by the Viterbi algorithm, and the pairs of attribute
and value there.  Where the paper leaves something open:

- The characteristics container is data, ``DELIMITERS`` and ``ATTRIBUTES``; the paper gives two
  examples of each.
- pi is 1 for all nodes, and a node is reached with the same probability as the other children with
  text of its parent: the weight of a node is its WVC divided by their number.  The product of
  these weights along the path leads down into single records (``core.methods``).
- The paper terminates where psi(m) >= psi(m + 1).  Since psi is the number of a node, the weights
  of the heaviest nodes of the two levels are meant.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from math import log

from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.language import find_terms, hamming_distance, simhash
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

#: The paper's T1 (section 5.2): leaves with this share of the page's largest vvtc are kept.
STARTS_FROM = 0.8
#: The paper's T2: the number of bits in which a leaf may differ from title and description.
MOST_BITS = 3
#: L in equation 4, "an empirical constant" that the paper does not give; small, so that a term in
#: all paragraphs has almost no weight.  Not tuned.
IDF_FLOOR = 0.01

_PUNCTUATION = re.compile(r"[^\w\s]")

TagPath = tuple[str, ...]


def learn_vsse(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper for a single page (the first of several) that keeps some of its leaves."""
    page = pages[0]
    weights = weigh_leaves([leaf.text.strip() for leaf in page.outline.leaves])
    starts = starting_leaves(weights)
    area = _area_leaves(page.outline, starts)
    kept = starts | {i for i in area if weights[i]}
    kept |= _similar_leaves(page, [i for i in area if i not in kept], area)
    nodes = [leaf.node for leaf in page.outline.leaves]
    is_kept = [i in kept for i in range(len(nodes))]
    return write_page_wrapper("vsse", page, nodes, is_kept, score=max(weights, default=0.0))


def weigh_leaves(texts: Sequence[str]) -> list[float]:
    """vvtc of each leaf (equation 1): length / leaves * punctuation marks / leaves.

    >>> weigh_leaves(["Owls, here.", "menu"])
    [5.5, 0.0]
    """
    n = len(texts)
    return [len(text) / n * len(_PUNCTUATION.findall(text)) / n for text in texts]


def starting_leaves(weights: Sequence[float]) -> set[int]:
    """The leaves with almost the largest weight; none if all weights are 0."""
    largest = max(weights, default=0.0)
    return {i for i, weight in enumerate(weights) if largest and weight >= STARTS_FROM * largest}


def aggregate_paths(one: TagPath, other: TagPath) -> TagPath:
    """The first tags of a path, as many as the longest common subsequence with another path has
    (equation 2).

    >>> aggregate_paths(("body", "div", "p"), ("body", "div", "ul", "li"))
    ('body', 'div')
    >>> aggregate_paths(("body", "div", "p"), ("body", "td", "p"))
    ('body', 'div')
    """
    same = 0  # a common start is part of the longest common subsequence
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[: same + _common_length(one[same:], other[same:])]


def _common_length(one: TagPath, other: TagPath) -> int:
    """pcs of equation 2, the length of the longest common subsequence.  Cost: the product of the
    lengths."""
    row = [0] * (len(other) + 1)
    for tag in one if other else ():
        before, row = row, [0]
        for j, theirs in enumerate(other):
            row.append(before[j] + 1 if tag == theirs else max(row[j], before[j + 1]))
    return row[-1]


def _area_leaves(outline: Outline, starts: Collection[int]) -> list[int]:
    """The leaves below the elements whose tag path is what the starting leaves' paths share."""
    if not starts:
        return []
    paths = dict.fromkeys(_tag_path(outline, outline.leaves[i].node) for i in sorted(starts))
    shared = reduce(aggregate_paths, paths)
    roots = {
        i
        for i, node in enumerate(outline.nodes)
        if node.level == len(shared) and _tag_path(outline, i) == shared
    }
    inside = outline.subtree(roots)
    return [i for i, leaf in enumerate(outline.leaves) if leaf.node in inside]


def _tag_path(outline: Outline, index: int) -> TagPath:
    return tuple(str(outline.nodes[i].element.tag) for i in outline.path(index))[::-1]


def _similar_leaves(page: Page, leaves: Sequence[int], area: Sequence[int]) -> set[int]:
    """The leaves whose SimHash is near that of title and description (section 4.4).  Terms are
    weighted by all leaves of the area."""
    summary = find_terms(page.declared_entry.text, page.language)
    if not summary or not leaves:
        return set()
    terms = {i: find_terms(page.outline.leaves[i].text, page.language) for i in area}
    found_in = Counter(term for own in terms.values() for term in set(own))
    wanted = simhash(_weigh_terms(summary, found_in, len(area)))
    return {
        i
        for i in leaves
        if (own := terms[i])
        and hamming_distance(simhash(_weigh_terms(own, found_in, len(area))), wanted) <= MOST_BITS
    }


def _weigh_terms(
    terms: Iterable[str], found_in: Mapping[str, int], paragraphs: int
) -> dict[str, float]:
    """tf * (ln(paragraphs / paragraphs with the term) + L) of each term (equation 4)."""
    return {
        term: n * (log(paragraphs / (found_in.get(term) or 1)) + IDF_FLOOR)
        for term, n in Counter(terms).items()
    }


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
