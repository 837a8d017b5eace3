"""VSSE: leaves rich in text and punctuation, the area that their tag paths share, and in that
area the leaves with punctuation and those that resemble title and description.

Zhang et al. 2018, sections 4.2, 4.3.1 and 4.4 (text content).
"""

from __future__ import annotations

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

__all__ = ["learn_vsse"]

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
