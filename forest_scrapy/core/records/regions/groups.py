"""The candidates for the records of a template: elements with the same key, ranked.

Luo et al. 2009, section 4.2, use the alignment of text segments; records are aligned as well: those
of a list on the left, those of a grid have the same width, and replies that are indented end on the
same right edge.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import sqrt
from operator import eq
from typing import NamedTuple

from cssselect.xpath import GenericTranslator

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.rendered import Style, read_styles
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.record import write_step_of
from forest_scrapy.core.records.regions.prose import ProsePage
from forest_scrapy.core.xpaths.anchored import (
    AnchoredPath,
    anchored_paths,
    anchored_xpath,
    write_anchored_path,
)
from forest_scrapy.core.xpaths.structural import CONTROL
from forest_scrapy.core.xpaths.writing import write_step

_DIGIT_RUN = re.compile(r"[0-9]+")
#: Attributes whose tokens tell what an element is.
_NAMES = ("class", "id", "itemprop", "itemtype")
#: Tokens that are read of an attribute, and characters of one that is read; elements of hostile
#: pages may have thousands.
MAX_TOKENS = 8
MAX_VALUE_LENGTH = 400
#: Elements that are records without any attribute.
_RECORD_TAGS = frozenset(("article", "li"))

_literal = GenericTranslator.xpath_literal


class TokenKey(NamedTuple):
    """A tag, and one token of an attribute, without digits (``""``: any element with the tag).

    >>> TokenKey("div", "class", "post")
    TokenKey(tag='div', name='class', token='post')
    """

    tag: str
    name: str
    token: str


#: What the elements of a candidate have in common.
RecordKey = TokenKey | AnchoredPath


def token_keys(element: Element) -> Iterator[TokenKey]:
    """The keys of an element, from its attributes.

    >>> from lxml.html import fromstring
    >>> [key.token for key in token_keys(fromstring('<div class="post odd" id="p-12">'))]
    ['post', 'odd', 'p-']
    """
    tag = str(element.tag)
    if tag in _RECORD_TAGS or "-" in tag:
        yield TokenKey(tag, "", "")
    if not element.attrib:
        return
    for name in _NAMES:
        value = element.get(name)
        if not value or len(value) > MAX_VALUE_LENGTH:
            continue
        for token in _tokens(value):
            yield TokenKey(tag, name, token)


@lru_cache(maxsize=20_000)
def _tokens(value: str) -> tuple[str, ...]:
    if CONTROL.search(value):
        return ()
    tokens = []
    for token_with_digits in value.split()[:MAX_TOKENS]:
        token = _DIGIT_RUN.sub("", token_with_digits)
        if len(token) > 1 and token not in tokens:
            tokens.append(token)
    return tuple(tokens)


def write_key(key: RecordKey) -> str:
    """The key in a short form, unique to it.

    >>> write_key(TokenKey("div", "class", "post"))
    'div[class~=post]'
    """
    if not isinstance(key, TokenKey):
        return write_anchored_path(key)
    if not key.name:
        return key.tag
    return f"{key.tag}[{key.name}~={key.token}]"


def write_key_xpath(key: RecordKey, elements: Sequence[Element]) -> str:
    """The expression that finds the elements with the key; ``elements``: those it was found on.

    >>> from lxml.html import fromstring
    >>> write_key_xpath(TokenKey("div", "class", "post"), [fromstring('<div class="post">')])
    "//div[contains(concat(' ',normalize-space(@class),' '),' post ')]"
    """
    if not isinstance(key, TokenKey):
        return anchored_xpath(key, elements)
    if not key.name:
        return f"//{write_step(key.tag)}"
    values = [element.get(key.name) or "" for element in elements]
    is_exact = all(key.token in value.split() for value in values)
    value = f"@{key.name}"
    if not is_exact:
        value = f"translate({value},'0123456789','')"
    token = _literal(f" {key.token} ")
    return f"//{write_step(key.tag)}[contains(concat(' ',normalize-space({value}),' '),{token})]"


#: Edges and widths, in pixels, are the same if they are after a division by this.
_PIXELS = 4

#: The styles of the nodes of a page; None if it was not rendered.
Styles = Sequence[Style] | None


def find_visible(outline: Outline) -> list[bool]:
    """For each node whether it, or anything in it, has an area on the rendered page; the box of an
    element with floating children may have no height.  All True if the page was not rendered."""
    styles = read_styles(outline)
    if styles is None:
        return [True] * len(outline.nodes)
    is_visible = []
    for style in styles:
        has_area = style.width > 0 and style.height > 0
        is_visible.append(has_area)
    indices = range(1, len(is_visible))
    for index in reversed(indices):
        if is_visible[index]:
            parent = outline.nodes[index].parent
            is_visible[parent] = True
    return is_visible


def measure_alignment(
    styles: Sequence[Styles],
    nodes: Sequence[Sequence[int]],
) -> float:
    """The share of the elements whose left edge, right edge or width is the most common one on
    their page; 1 for pages that were not rendered, and for a single element.

    ``styles[k]`` and ``nodes[k]``: the styles of page k, and the elements on it.
    """
    total = 0
    aligned = 0
    for page_styles, page_nodes in zip(styles, nodes, strict=True):
        total += len(page_nodes)
        if page_styles is None or len(page_nodes) < 2:
            aligned += len(page_nodes)
        else:
            styles_of_nodes = [page_styles[node] for node in page_nodes]
            aligned += _count_aligned(styles_of_nodes)
    return aligned / total if total else 1.0


def _count_aligned(styles: Sequence[Style]) -> int:
    boxes = [_measure_box(style) for style in styles]
    common_sides = []
    for sides in zip(*boxes, strict=True):
        counts = Counter(sides)
        side, _ = counts.most_common(1)[0]
        common_sides.append(side)
    aligned = 0
    for box in boxes:
        aligned += any(map(eq, box, common_sides))
    return aligned


def _measure_box(style: Style) -> tuple[int, int, int]:
    """The left edge, the right edge and the width."""
    left_edge = round(style.left / _PIXELS)
    right_edge = round(style.right / _PIXELS)
    width = round(style.width / _PIXELS)
    return left_edge, right_edge, width


# These constants were set by hand while looking at harvest-forum, without a search.
#: Characters beyond which the text of a record does not add to its weight: a long post and a
#: short one are two posts.
MAX_CHARACTERS = 120
#: How much more a candidate is worth if all of its records have a date.
DATED_BONUS = 0.5
#: Candidates whose records are compared inside, and the depth to which.
MAX_COMPARED = 40
COMPARED_DEPTH = 3
#: Elements with more keys in all are of a hostile page.
MAX_KEYS = 100_000
_DIGITS = 4

_Steps = tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """A record of a page: its element, and the segments that belong to it and to no record inside
    it."""

    node: int
    segments: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """A candidate: elements with the same key, on the pages of the template.

    ``nodes[k]``: those of page k, in document order.  ``coverage``: the mean share of a page's
    prose that is in them.  ``records``: the number of records on a page among which their text is
    divided, in the mean.  ``telling``: the share of the elements that have prose.  ``dated``: the
    share of the records with a date.  ``alike``: how alike the records are inside, 0 to 1.
    ``aligned``: the share of the elements that are aligned, on rendered pages; 1 on others.
    """

    key: RecordKey
    nodes: tuple[tuple[int, ...], ...]
    coverage: float
    records: float
    telling: float
    dated: float
    alike: float = 1.0
    aligned: float = 1.0

    @property
    def score(self) -> float:
        """What the candidates are ranked by."""
        repeated = self.records / (self.records + 1)
        beyond_first = max(0.0, 1 - 1 / self.records)
        dated = 1 + DATED_BONUS * self.dated * beyond_first
        prose = self.coverage * repeated * dated
        likeness = self.alike * self.aligned
        return prose * likeness * sqrt(self.telling)

    @property
    def is_repeated(self) -> bool:
        """Whether at least one page has more than one record."""
        return any(len(nodes) > 1 for nodes in self.nodes)


def measure_groups(pages: Sequence[ProsePage]) -> list[Group]:
    """All candidates with prose.  Cost: linear in the number of elements of the pages, times the
    tokens of their attributes."""
    nodes_by_key: dict[RecordKey, list[list[int]]] = {}
    for number, page in enumerate(pages):
        keys = islice(_visible_keys(page), MAX_KEYS)
        for node, key in keys:
            if key not in nodes_by_key:
                nodes_by_key[key] = [[] for _ in pages]
            nodes_by_key[key][number].append(node)

    groups = []
    for key, nodes in nodes_by_key.items():
        group = _measure_group(pages, key, nodes)
        if group.coverage > 0 and group.records > 0:
            groups.append(group)
    return groups


def rank_groups(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
) -> list[Group]:
    """The candidates that promise most, compared inside, best first.

    Ties: the one with more records, then the outer elements, then the key.
    """
    styles = [read_styles(page.outline) for page in pages]
    compared = []
    promising = sorted(groups, key=_order)[:MAX_COMPARED]
    for group in promising:
        alike = _measure_likeness(pages, group)
        aligned = measure_alignment(styles, group.nodes)
        compared.append(replace(group, alike=alike, aligned=aligned))
    return sorted(compared, key=_order)


def _order(group: Group) -> tuple[float, float, int, int, str]:
    score = round(group.score, _DIGITS)
    records = round(group.records, 2)
    first = next(nodes[0] for nodes in group.nodes if nodes)
    name = write_key(group.key)
    return -score, -records, first, len(name), name


def _visible_keys(page: ProsePage) -> Iterator[tuple[int, RecordKey]]:
    """The nodes with text that are visible, and their keys."""
    paths = anchored_paths(page.outline)
    is_visible = find_visible(page.outline)
    for index, node in enumerate(page.outline.nodes):
        has_text = node.first < node.last
        if not has_text or not is_visible[index]:
            continue
        has_token = False
        for key in token_keys(node.element):
            has_token = True
            yield index, key
        if not has_token:
            yield index, paths[index]


def find_spans(page: ProsePage, nodes: Sequence[int]) -> list[Span]:
    """The records with these elements, in document order.  A segment below several of them
    belongs to the innermost one: replies can be inside what they reply to."""
    node_of_segment: dict[int, int] = {}
    for node in nodes:  # inner nodes come after the outer ones
        segments = page.segments_below(node)
        node_of_segment.update(dict.fromkeys(segments, node))

    segments_of_node: dict[int, list[int]] = {node: [] for node in nodes}
    for segment, node in sorted(node_of_segment.items()):
        segments_of_node[node].append(segment)
    spans = []
    for node, node_segments in segments_of_node.items():
        span = Span(node, tuple(node_segments))
        spans.append(span)
    return spans


def _measure_group(
    pages: Sequence[ProsePage],
    key: RecordKey,
    nodes: list[list[int]],
) -> Group:
    coverage = 0.0
    elements = 0
    elements_with_prose = 0
    dated = 0
    weights = []
    for page, page_nodes in zip(pages, nodes, strict=True):
        total = page.prose[-1]
        outermost = page.outline.outermost(page_nodes)
        if total:
            covered = sum(map(page.prose_below, outermost))
            coverage += covered / total
        elements += len(page_nodes)
        for node in page_nodes:
            elements_with_prose += page.prose_below(node) > 0

        is_nested = len(outermost) < len(page_nodes)
        read_spans = find_spans if is_nested else _plain_spans
        for span in read_spans(page, page_nodes):
            characters = 0
            for segment in span.segments[:MAX_CHARACTERS]:
                characters += len(page.segments[segment].text)
            if not characters:
                continue
            weights.append(min(characters, MAX_CHARACTERS))
            first = span.segments[0]
            end = span.segments[-1] + 1
            dated += page.dates[end] > page.dates[first]

    records = 0.0
    if weights:
        squares = sum(weight * weight for weight in weights)
        records = sum(weights) ** 2 / squares
    return Group(
        key=key,
        nodes=tuple(map(tuple, nodes)),
        coverage=round(coverage / len(pages), 6),
        records=round(records / len(pages), 6),
        telling=elements_with_prose / elements,
        dated=dated / len(weights) if weights else 0.0,
    )


def _plain_spans(page: ProsePage, nodes: Sequence[int]) -> list[Span]:
    """The records with elements that are not inside each other."""
    spans = []
    for node in nodes:
        segments = tuple(page.segments_below(node))
        spans.append(Span(node, segments))
    return spans


def _measure_likeness(pages: Sequence[ProsePage], group: Group) -> float:
    """How alike the records of a candidate are: the share of records that have the same steps below
    them as a character of prose has, averaged over the steps and all prose."""
    records: list[dict[_Steps, float]] = []
    for page, nodes in zip(pages, group.nodes, strict=True):
        spans = find_spans(page, nodes)
        for span in spans:
            records.append(_prose_by_steps(page, span))

    record_counts: Counter[_Steps] = Counter()
    for prose in records:
        record_counts.update(prose.keys())
    totals = [sum(prose.values()) for prose in records]
    total = sum(totals)
    if not total:
        return 0.0
    same = 0.0
    for prose in records:
        for steps, value in prose.items():
            same += record_counts[steps] * value
    return round(same / (total * len(records)), 6)


def _prose_by_steps(page: ProsePage, span: Span) -> dict[_Steps, float]:
    """The prose of a record below each path of up to ``COMPARED_DEPTH`` steps."""
    prose: dict[_Steps, float] = defaultdict(float)
    steps_to: dict[int, _Steps] = {span.node: (), -1: ()}
    for segment in span.segments:
        block = page.segments[segment].block
        steps = _find_steps(page.outline, block, steps_to)
        segment_prose = page.prose[segment + 1] - page.prose[segment]
        value = segment_prose / (len(steps) + 1)
        for depth in range(len(steps) + 1):
            prose[steps[:depth]] += value
    return prose


def _find_steps(
    outline: Outline,
    node: int,
    steps_to: dict[int, _Steps],
) -> _Steps:
    """The first ``COMPARED_DEPTH`` steps down to a node from the one above it that is in
    ``steps_to``, which grows: each node is looked at once, also in deep trees."""
    path = []
    while node not in steps_to:
        path.append(node)
        node = outline.nodes[node].parent
    steps = steps_to[node]
    for index in reversed(path):
        if len(steps) < COMPARED_DEPTH:
            steps = (*steps, write_step_of(outline, index))
        steps_to[index] = steps
    return steps
