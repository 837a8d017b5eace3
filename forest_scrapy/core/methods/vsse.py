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
MIN_WEIGHT_SHARE = 0.8
#: The paper's T2: the number of bits in which a leaf may differ from title and description.
MAX_BITS = 3
#: L in equation 4, "an empirical constant" that the paper does not give; small, so that a term in
#: all paragraphs has almost no weight.  Not tuned.
IDF_FLOOR = 0.01

_PUNCTUATION = re.compile(r"[^\w\s]")

TagPath = tuple[str, ...]


def learn_vsse(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper for a single page (the first of several) that keeps some of its leaves."""
    page = pages[0]
    leaves = page.outline.leaves
    texts = [leaf.text.strip() for leaf in leaves]
    weights = weigh_leaves(texts)
    starts = starting_leaves(weights)
    area = _area_leaves(page.outline, starts)

    content = set(starts)
    without_punctuation = []
    for i in area:
        if weights[i]:
            content.add(i)
        elif i not in starts:
            without_punctuation.append(i)
    content |= _similar_leaves(page, without_punctuation, area)

    nodes = [leaf.node for leaf in leaves]
    is_content = [i in content for i in range(len(leaves))]
    score = max(weights, default=0.0)
    return write_page_wrapper("vsse", page, nodes, is_content, score)


def weigh_leaves(texts: Sequence[str]) -> list[float]:
    """vvtc of each leaf (equation 1): length / leaves * punctuation marks / leaves.

    >>> weigh_leaves(["Owls, here.", "menu"])
    [5.5, 0.0]
    """
    leaves = len(texts)
    weights = []
    for text in texts:
        marks = len(_PUNCTUATION.findall(text))
        weights.append(len(text) / leaves * marks / leaves)
    return weights


def starting_leaves(weights: Sequence[float]) -> set[int]:
    """The leaves with almost the largest weight; none if all weights are 0."""
    largest = max(weights, default=0.0)
    if not largest:
        return set()
    min_weight = MIN_WEIGHT_SHARE * largest
    starts = set()
    for i, weight in enumerate(weights):
        if weight >= min_weight:
            starts.add(i)
    return starts


def aggregate_paths(first: TagPath, second: TagPath) -> TagPath:
    """The first tags of a path, as many as the longest common subsequence with a second path has
    (equation 2).

    >>> aggregate_paths(("body", "div", "p"), ("body", "div", "ul", "li"))
    ('body', 'div')
    >>> aggregate_paths(("body", "div", "p"), ("body", "td", "p"))
    ('body', 'div')
    """
    start = 0  # a common start is part of the longest common subsequence
    for tag, second_tag in zip(first, second, strict=False):
        if tag != second_tag:
            break
        start += 1
    common = start
    common += _common_length(first[start:], second[start:])
    return first[:common]


def _common_length(first: TagPath, second: TagPath) -> int:
    """pcs of equation 2, the length of the longest common subsequence.  Cost: the product of the
    lengths."""
    if not second:
        return 0

    # row[j]: of the tags so far of the first path, and the first j tags of the second path.
    row = [0] * (len(second) + 1)
    for tag in first:
        previous_row = row
        row = [0]
        for j, second_tag in enumerate(second):
            if tag == second_tag:
                row.append(previous_row[j] + 1)
            else:
                longest = max(row[j], previous_row[j + 1])
                row.append(longest)
    return row[-1]


def _area_leaves(outline: Outline, starts: Collection[int]) -> list[int]:
    """The leaves below the elements whose tag path is what the starting leaves' paths share."""
    if not starts:
        return []

    paths: dict[TagPath, None] = {}
    for i in sorted(starts):
        path = _tag_path(outline, outline.leaves[i].node)
        paths[path] = None
    shared = reduce(aggregate_paths, paths)

    roots = set()
    for i, node in enumerate(outline.nodes):
        is_at_level = node.level == len(shared)
        if is_at_level and _tag_path(outline, i) == shared:
            roots.add(i)
    inside = outline.subtree(roots)
    area = []
    for i, leaf in enumerate(outline.leaves):
        if leaf.node in inside:
            area.append(i)
    return area


def _tag_path(outline: Outline, index: int) -> TagPath:
    """The tags from the body down to a node."""
    tags = []
    for i in outline.path(index):
        element = outline.nodes[i].element
        tags.append(str(element.tag))
    return tuple(reversed(tags))


def _similar_leaves(
    page: Page,
    leaves: Sequence[int],
    area: Sequence[int],
) -> set[int]:
    """The leaves whose SimHash is near that of title and description (section 4.4).  Terms are
    weighted by all leaves of the area."""
    summary = find_terms(page.declared_entry.text, page.language)
    if not summary or not leaves:
        return set()

    terms = {}
    leaf_counts: Counter[str] = Counter()
    for i in area:
        text = page.outline.leaves[i].text
        terms[i] = find_terms(text, page.language)
        leaf_counts.update(set(terms[i]))

    summary_weights = _weigh_terms(summary, leaf_counts, len(area))
    summary_hash = simhash(summary_weights)
    similar = set()
    for i in leaves:
        if not terms[i]:
            continue
        leaf_weights = _weigh_terms(terms[i], leaf_counts, len(area))
        leaf_hash = simhash(leaf_weights)
        if hamming_distance(leaf_hash, summary_hash) <= MAX_BITS:
            similar.add(i)
    return similar


def _weigh_terms(
    terms: Iterable[str],
    leaf_counts: Mapping[str, int],
    leaves: int,
) -> dict[str, float]:
    """tf * (ln(leaves / leaves with the term) + L) of each term (equation 4)."""
    weights = {}
    for term, frequency in Counter(terms).items():
        rareness = leaves / (leaf_counts.get(term) or 1)
        weights[term] = frequency * (log(rareness) + IDF_FLOOR)
    return weights


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
#: Of texts without white space but single spaces.
_PAIR = re.compile(rf"([^:\uff1a]{{1,{_LONGEST_NAME}}}?) ?[:\uff1a] ?(.*)", re.DOTALL)


def learn_vsse_records(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper for a single page (the first of several) that keeps the area of its records."""
    outline = pages[0].outline
    area, weight = find_area(outline)
    is_content = [False] * len(outline.leaves)
    if weight > 0:
        root = outline.nodes[area]
        for i in range(root.first, root.last):
            is_content[i] = True

    nodes = [leaf.node for leaf in outline.leaves]
    return write_page_wrapper("vsse-records", pages[0], nodes, is_content, weight)


def weigh_nodes(outline: Outline) -> list[float]:
    """WVC of each node (equation 3): the sum of n * ln(N / n) over the characteristics, where n of
    the N leaves of the page that are below the node have the characteristic.

    Cost: linear in the size of the page, times the number of characteristics.
    """
    leaves = len(outline.leaves)
    weights = [0.0] * len(outline.nodes)
    characteristics = [_find_characteristics(leaf.text) for leaf in outline.leaves]
    all_characteristics = set().union(*characteristics)
    for characteristic in sorted(all_characteristics):
        # counts_before[i]: the leaves before leaf i that have the characteristic.
        counts_before = [0]
        for leaf_characteristics in characteristics:
            has_it = characteristic in leaf_characteristics
            counts_before.append(counts_before[-1] + has_it)

        for i, node in enumerate(outline.nodes):
            count = counts_before[node.last] - counts_before[node.first]
            if count:
                weights[i] += count * log(leaves / count)
    return weights


def _find_characteristics(text: str) -> frozenset[str]:
    """The delimiters and the names of attributes in a text."""
    words = set()
    for word in _WORD.findall(text):
        words.add(word.lower())
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
        if node.first < node.last:
            children[node.parent] += 1

    top = outline.nodes[0]
    deltas = [1.0]
    heaviest = {top.level: 0}  # the heaviest node of each level
    for i, node in enumerate(outline.nodes[1:], 1):
        delta = 0.0
        if weights[i]:
            delta = weights[i] / children[node.parent]
        deltas.append(delta)
        heaviest_of_level = heaviest.get(node.level)
        if heaviest_of_level is None or delta > deltas[heaviest_of_level]:
            heaviest[node.level] = i

    end = 0
    level = top.level + 1
    while level in heaviest:
        node_index = heaviest[level]
        if deltas[node_index] <= deltas[end]:
            break
        end = node_index
        level += 1
    return end, weights[end]


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

    root = outline.nodes[area]
    pairs = []
    name = ""  # of the leaf before, if it is one that the leaf has the value of
    for leaf in outline.leaves[root.first : root.last]:
        text = " ".join(leaf.text.split())
        match = _PAIR.fullmatch(text)
        if match and match[2]:
            pairs.append((match[1], match[2]))
        elif name:
            pairs.append((name, text))

        if name:
            name = ""
        elif match and not match[2]:
            name = match[1]
        elif text.lower() in ATTRIBUTES:
            name = text
    return pairs
