"""VSSE: Zhang et al. 2018.

``vsse``, for text (sections 4.2, 4.3.1 and 4.4): leaves rich in text and punctuation, the area that
their tag paths share, and in that area the leaves with punctuation and those that resemble title
and description.

``vsse-records``, for structured records (section 4.3.2): the path from ``body`` down to the area
with most delimiters and attribute names, found by the Viterbi algorithm, and the pairs of attribute
and value there.  Where the paper leaves something open:

- The characteristics container (``core.methods.characteristics``) begins with delimiters and names
  of attributes; the paper gives two examples of each.
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

from forest_scrapy.core.methods.characteristics import (
    ATTRIBUTES,
    CHARACTERISTICS,
    Container,
    is_name,
    make_container,
    read_leaves,
)
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
    content = choose_leaves(page, weights)

    nodes = [leaf.node for leaf in leaves]
    is_content = [i in content for i in range(len(leaves))]
    score = max(weights, default=0.0)
    return write_page_wrapper("vsse", page, nodes, is_content, score)


def choose_leaves(
    page: Page,
    weights: Sequence[float],
    min_share: float = MIN_WEIGHT_SHARE,
    max_bits: int = MAX_BITS,
) -> set[int]:
    """The leaves of the text, by the vvtc of each leaf; ``min_share`` and ``max_bits`` are the
    paper's T1 and T2."""
    starts = starting_leaves(weights, min_share)
    area = _area_leaves(page.outline, starts)

    content = set(starts)
    without_punctuation = []
    for i in area:
        if weights[i]:
            content.add(i)
        elif i not in starts:
            without_punctuation.append(i)
    content |= _similar_leaves(page, without_punctuation, area, max_bits)
    return content


def weigh_leaves(texts: Sequence[str]) -> list[float]:
    """vvtc_a of each leaf a (equation 1): text_length_a / nodes_num * punc_num_a / nodes_num, the
    length and the punctuation marks of its text by the number of leaves.

    >>> weigh_leaves(["Owls, here.", "menu"])
    [5.5, 0.0]
    """
    leaves = len(texts)
    weights = []
    for text in texts:
        marks = len(_PUNCTUATION.findall(text))
        weights.append(len(text) / leaves * marks / leaves)
    return weights


def starting_leaves(
    weights: Sequence[float],
    min_share: float = MIN_WEIGHT_SHARE,
) -> set[int]:
    """The leaves with almost the largest weight; none if all weights are 0."""
    largest = max(weights, default=0.0)
    if not largest:
        return set()
    min_weight = min_share * largest
    starts = set()
    for i, weight in enumerate(weights):
        if weight >= min_weight:
            starts.add(i)
    return starts


def aggregate_paths(first: TagPath, second: TagPath) -> TagPath:
    """The first tags of a path X, as many as the longest common subsequence with a second path Y
    has: pcs(X, i, Y, j) of equation 2.

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
    """pcs(X, i, Y, j) of equation 2, the length of the longest common subsequence.  Cost: the
    product of the lengths."""
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
    max_bits: int,
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
        if hamming_distance(leaf_hash, summary_hash) <= max_bits:
            similar.add(i)
    return similar


def _weigh_terms(
    terms: Iterable[str],
    leaf_counts: Mapping[str, int],
    leaves: int,
) -> dict[str, float]:
    """weight(k) = TF_k * (ln(N / N_k) + L) of each term k (equation 4), for N leaves of which N_k
    have it."""
    weights = {}
    for term, frequency in Counter(terms).items():
        rareness = leaves / (leaf_counts.get(term) or 1)
        weights[term] = frequency * (log(rareness) + IDF_FLOOR)
    return weights


#: Characters of the longest name of an attribute.  Not tuned.
_LONGEST_NAME = 40
#: Of texts without white space but single spaces.
_PAIR = re.compile(rf"([^:\uff1a]{{1,{_LONGEST_NAME}}}?) ?[:\uff1a] ?(.*)", re.DOTALL)


def learn_vsse_records(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper for a single page (the first of several) that keeps the area of its records.

    Raises ``BadCharacteristic``.
    """
    outline = pages[0].outline
    area, weight = find_area(outline, make_container(params.characteristics))
    is_content = [False] * len(outline.leaves)
    if weight > 0:
        root = outline.nodes[area]
        for i in range(root.first, root.last):
            is_content[i] = True

    nodes = [leaf.node for leaf in outline.leaves]
    return write_page_wrapper("vsse-records", pages[0], nodes, is_content, weight)


def weigh_nodes(outline: Outline, container: Container = CHARACTERISTICS) -> list[float]:
    """WVC(i) of each node i (equation 3): the sum of n_k * ln(N / n_k) over the m characteristics k
    of the container, where n_k of the N leaves of the page are below the node and have k.

    Cost: linear in the size of the page, times the number of characteristics.
    """
    leaves = len(outline.leaves)
    weights = [0.0] * len(outline.nodes)
    all_facts = read_leaves(outline)
    for _, has_it in sorted(container.items()):
        # counts_before[i]: the leaves before leaf i that have the characteristic.
        counts_before = [0]
        for facts in all_facts:
            counts_before.append(counts_before[-1] + has_it(facts))
        if not counts_before[-1]:
            continue

        for i, node in enumerate(outline.nodes):
            count = counts_before[node.last] - counts_before[node.first]
            if count:
                weights[i] += count * log(leaves / count)
    return weights


def find_area(outline: Outline, container: Container = CHARACTERISTICS) -> tuple[int, float]:
    """The node at which the most probable path ends, by index, and its WVC; ``(0, 0.0)`` if the
    page has no characteristic.  Ties: the first node.

    The Viterbi algorithm for the model (pi, A, B): delta of a node is its observation weight b, the
    WVC, times the transition probability a from its parent; psi of a level is its heaviest node.
    """
    weights = weigh_nodes(outline, container)
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


def read_pairs(page: Page, characteristics: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The pairs of attribute and value in the area of the records, in the order of the page: of
    leaves with a colon, and of leaves that are a name of the dictionary or end with a colon, with
    the leaf after them.

    ``characteristics``: those of ``Params``; words among them are names, too.  Raises
    ``BadCharacteristic``.

    >>> read_pairs(Page.from_html("<ul><li>Price: 3 EUR<li><b>Brand:</b> Owl<li>Size: 9</ul>"))
    [('Price', '3 EUR'), ('Brand', 'Owl'), ('Size', '9')]
    """
    outline = page.outline
    area, weight = find_area(outline, make_container(characteristics))
    if not weight:
        return []

    names = set(ATTRIBUTES)
    for characteristic in characteristics:
        if is_name(characteristic):
            names.add(" ".join(characteristic.lower().split()))

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
        elif text.lower() in names:
            name = text
    return pairs
