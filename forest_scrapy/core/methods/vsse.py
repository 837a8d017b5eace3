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
- psi is one node of a level.  Of several records that are alike, the path ends in one; the paper
  speaks of "the area covered by the output tag path", so the elements with the same tags from the
  body down are areas, too, if they have a characteristic.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import log

from forest_scrapy.core.errors import UnknownChoice
from forest_scrapy.core.methods.characteristics import (
    ATTRIBUTES,
    CHARACTERISTICS,
    Container,
    filter_container,
    is_name,
    make_container,
    read_leaves,
)
from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.options import COMPARED_NAMES, MAX_BITS, MIN_WEIGHT_SHARE, Params
from forest_scrapy.core.page.language import find_terms, hamming_distance, simhash
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

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
    """A wrapper for a single page (the first of several) that keeps some of its leaves.

    Raises ``UnknownChoice``.
    """
    if params.compared not in COMPARED_NAMES:
        raise UnknownChoice("compared", params.compared, COMPARED_NAMES)
    page = pages[0]
    leaves = page.outline.leaves
    texts = [leaf.text.strip() for leaf in leaves]
    weights = weigh_leaves(texts)
    compares_all = params.compared == "all"
    content = choose_leaves(page, weights, params.t1, params.t2, compares_all)

    nodes = [leaf.node for leaf in leaves]
    is_content = [i in content for i in range(len(leaves))]
    score = max(weights, default=0.0)
    return write_page_wrapper("vsse", page, nodes, is_content, score)


def choose_leaves(
    page: Page,
    weights: Sequence[float],
    min_share: float = MIN_WEIGHT_SHARE,
    max_bits: int = MAX_BITS,
    compares_all: bool = False,
) -> set[int]:
    """The leaves of the text, by the vvtc of each leaf; ``min_share`` and ``max_bits`` are the
    paper's T1 and T2.  ``compares_all``: whether the leaves with punctuation must resemble title
    and description, too, but for the starting ones."""
    starts = starting_leaves(weights, min_share)
    area = _area_leaves(page.outline, starts)

    content = set(starts)
    compared = []
    for i in area:
        if weights[i] and not compares_all:
            content.add(i)
        elif i not in starts:
            compared.append(i)
    content |= _similar_leaves(page, compared, area, max_bits)
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

    roots = _nodes_at(outline, shared)
    inside = outline.subtree(roots)
    area = []
    for i, leaf in enumerate(outline.leaves):
        if leaf.node in inside:
            area.append(i)
    return area


def _nodes_at(outline: Outline, path: TagPath) -> list[int]:
    """The nodes with this tag path, in document order."""
    nodes = []
    for i, node in enumerate(outline.nodes):
        is_at_level = node.level == len(path)
        if is_at_level and _tag_path(outline, i) == path:
            nodes.append(i)
    return nodes


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
    """A wrapper for a single page (the first of several) that keeps the areas of its records.

    Raises ``BadCharacteristic``.
    """
    outline = pages[0].outline
    container = make_container(params.characteristics)
    areas, weight = find_areas(outline, container, params.filter_characteristics)
    is_content = [False] * len(outline.leaves)
    for i in _leaves_in(outline, areas):
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
    return _end_of_path(outline, weights)


def find_areas(
    outline: Outline,
    container: Container = CHARACTERISTICS,
    is_filtered: bool = False,
) -> tuple[list[int], float]:
    """The elements with the tag path of the node at which the most probable path ends, and with a
    characteristic, in document order, and the WVC of that node; none if the page has no
    characteristic.

    ``is_filtered``: whether the areas are found again with the characteristics that tell the first
    ones apart, see ``filter_container`` (section 6 of the paper, future work).
    """
    weights = weigh_nodes(outline, container)
    end, weight = _end_of_path(outline, weights)
    if not weight:
        return [], 0.0
    areas = [i for i in _nodes_at(outline, _tag_path(outline, end)) if weights[i]]
    if not is_filtered:
        return areas, weight

    inside = set(_leaves_in(outline, areas))
    container = filter_container(container, outline, inside)
    return find_areas(outline, container)


def _leaves_in(outline: Outline, nodes: Iterable[int]) -> Iterator[int]:
    """The leaves below nodes of which none is inside of another one."""
    for i in nodes:
        node = outline.nodes[i]
        yield from range(node.first, node.last)


def _end_of_path(outline: Outline, weights: Sequence[float]) -> tuple[int, float]:
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


def read_pairs(
    page: Page,
    characteristics: Sequence[str] = (),
    is_filtered: bool = False,
) -> list[tuple[str, str]]:
    """The pairs of attribute and value in the areas of the records, in the order of the page: of
    leaves with a colon, and of leaves that are a name of the dictionary or end with a colon, with
    the leaf after them.

    ``characteristics``: those of ``Params``; words among them are names, too.  ``is_filtered``: as
    in ``find_areas``.  Raises ``BadCharacteristic``.

    >>> read_pairs(Page.from_html("<ul><li>Price: 3 EUR<li><b>Brand:</b> Owl<li>Size: 9</ul>"))
    [('Price', '3 EUR'), ('Brand', 'Owl'), ('Size', '9')]
    """
    outline = page.outline
    container = make_container(characteristics)
    areas, _ = find_areas(outline, container, is_filtered)

    names = set(ATTRIBUTES)
    for characteristic in characteristics:
        if is_name(characteristic):
            names.add(" ".join(characteristic.lower().split()))

    pairs = []
    name = ""  # of the leaf before, if it is one that the leaf has the value of
    for i in _leaves_in(outline, areas):
        text = " ".join(outline.leaves[i].text.split())
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
