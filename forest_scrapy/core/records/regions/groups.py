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
#: Tokens read of an attribute; elements of hostile pages may have thousands.
_MOST_TOKENS, _LONGEST_VALUE = 8, 400
#: Elements that are records without any attribute.
_TELLING = frozenset(("article", "li"))

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
    if tag in _TELLING or "-" in tag:
        yield TokenKey(tag, "", "")
    for name in _NAMES if element.attrib else ():
        value = element.get(name)
        if value and len(value) <= _LONGEST_VALUE:
            for token in _tokens(value):
                yield TokenKey(tag, name, token)


@lru_cache(maxsize=20_000)
def _tokens(value: str) -> tuple[str, ...]:
    if CONTROL.search(value):
        return ()
    tokens = (_DIGIT_RUN.sub("", token) for token in value.split()[:_MOST_TOKENS])
    return tuple(dict.fromkeys(token for token in tokens if len(token) > 1))


def write_key(key: RecordKey) -> str:
    """The key in a short form, unique to it.

    >>> write_key(TokenKey("div", "class", "post"))
    'div[class~=post]'
    """
    if isinstance(key, TokenKey):
        return f"{key.tag}[{key.name}~={key.token}]" if key.name else key.tag
    return write_anchored_path(key)


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
    values = [(element.get(key.name) or "").split() for element in elements]
    is_exact = all(key.token in tokens for tokens in values)
    value = f"@{key.name}" if is_exact else f"translate(@{key.name},'0123456789','')"
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
    found = [style.width > 0 and style.height > 0 for style in styles]
    for i in range(len(found) - 1, 0, -1):
        parent = outline.nodes[i].parent
        found[parent] = found[parent] or found[i]
    return found


def measure_alignment(styles: Sequence[Styles], nodes: Sequence[Sequence[int]]) -> float:
    """The share of the elements whose left edge, right edge or width is the most common one on
    their page; 1 for pages that were not rendered, and for a single element.

    ``styles[k]`` and ``nodes[k]``: the styles of page k, and the elements on it.
    """
    same = total = 0
    for own, indices in zip(styles, nodes, strict=True):
        total += len(indices)
        if own is None or len(indices) < 2:
            same += len(indices)
            continue
        boxes = [_sides(own[i]) for i in indices]
        usual = [Counter(side).most_common(1)[0][0] for side in zip(*boxes, strict=True)]
        same += sum(any(a == b for a, b in zip(box, usual, strict=True)) for box in boxes)
    return same / total if total else 1.0


def _sides(style: Style) -> tuple[int, int, int]:
    return (round(style.left / _PIXELS), round(style.right / _PIXELS), round(style.width / _PIXELS))


# These constants were set by hand while looking at harvest-forum, without a search.
#: Characters beyond which the text of a record does not add to its weight: a long post and a
#: short one are two posts.
_MOST_CHARACTERS = 120
#: How much more a candidate is worth if all of its records have a date.
_DATED = 0.5
#: Candidates whose records are compared inside, and the depth to which.
_COMPARED, _DEPTH = 40, 3
#: Elements with more keys in all are of a hostile page.
_MOST_NODES = 100_000
_DIGITS = 4


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
        dated = 1 + _DATED * self.dated * max(0.0, 1 - 1 / self.records)
        return self.coverage * repeated * dated * self.alike * self.aligned * sqrt(self.telling)

    @property
    def is_repeated(self) -> bool:
        """Whether at least one page has more than one record."""
        return any(len(nodes) > 1 for nodes in self.nodes)


def measure_groups(pages: Sequence[ProsePage]) -> list[Group]:
    """All candidates with prose.  Cost: linear in the number of elements of the pages, times the
    tokens of their attributes."""
    found: dict[RecordKey, list[list[int]]] = defaultdict(lambda: [[] for _ in pages])
    for k, page in enumerate(pages):
        for node, key in islice(_keys(page), _MOST_NODES):
            found[key][k].append(node)
    measured = (_measure(pages, key, nodes) for key, nodes in found.items())
    return [group for group in measured if group.coverage > 0 and group.records > 0]


def rank_groups(pages: Sequence[ProsePage], groups: Sequence[Group]) -> list[Group]:
    """The candidates that promise most, compared inside, best first.

    Ties: the one with more records, then the outer elements, then the key.
    """
    compared = [_compare(pages, group) for group in sorted(groups, key=_order)[:_COMPARED]]
    styles = [read_styles(page.outline) for page in pages]
    aligned = [replace(one, aligned=measure_alignment(styles, one.nodes)) for one in compared]
    return sorted(aligned, key=_order)


def _order(group: Group) -> tuple[float, float, int, int, str]:
    first = next(nodes[0] for nodes in group.nodes if nodes)
    name = write_key(group.key)
    return (-round(group.score, _DIGITS), -round(group.records, 2), first, len(name), name)


def _keys(page: ProsePage) -> Iterator[tuple[int, RecordKey]]:
    """The nodes with text that are visible, and their keys."""
    paths, visible = anchored_paths(page.outline), find_visible(page.outline)
    for i, node in enumerate(page.outline.nodes):
        if node.first < node.last and visible[i]:
            keys: list[RecordKey] = list(token_keys(node.element))
            yield from ((i, key) for key in keys or [paths[i]])


def own_spans(page: ProsePage, nodes: Sequence[int]) -> list[Span]:
    """The records with these elements, in document order.  A segment below several of them
    belongs to the innermost one: replies can be inside what they reply to."""
    owner: dict[int, int] = {}
    for node in nodes:  # inner nodes come after the outer ones
        owner.update(dict.fromkeys(range(page.firsts[node], page.lasts[node]), node))
    own: dict[int, list[int]] = {node: [] for node in nodes}
    for segment, node in sorted(owner.items()):
        own[node].append(segment)
    return [Span(node, tuple(segments)) for node, segments in own.items()]


def _measure(
    pages: Sequence[ProsePage],
    key: RecordKey,
    nodes: list[list[int]],
) -> Group:
    shares, weights, dated, records, telling, count = 0.0, [], 0, 0, 0, 0
    for page, own in zip(pages, nodes, strict=True):
        total = page.prose[-1]
        outermost = page.outline.outermost(own)
        shares += sum(page.prose_below(node) for node in outermost) / total if total else 0.0
        telling += sum(page.prose_below(node) > 0 for node in own)
        count += len(own)
        is_nested = len(outermost) < len(own)
        for span in own_spans(page, own) if is_nested else _plain_spans(page, own):
            characters = sum(len(page.segments[i].text) for i in span.segments[:_MOST_CHARACTERS])
            if characters:
                weights.append(min(characters, _MOST_CHARACTERS))
                records += 1
                first, last = span.segments[0], span.segments[-1] + 1
                dated += page.dates[last] > page.dates[first]
    even = sum(weights) ** 2 / sum(w * w for w in weights) if weights else 0.0
    return Group(
        key,
        tuple(map(tuple, nodes)),
        round(shares / len(pages), 6),
        round(even / len(pages), 6),
        telling / count,
        dated / records if records else 0.0,
    )


def _plain_spans(page: ProsePage, nodes: Sequence[int]) -> Iterator[Span]:
    for node in nodes:
        yield Span(node, tuple(range(page.firsts[node], page.lasts[node])))


def _compare(pages: Sequence[ProsePage], group: Group) -> Group:
    """The candidate, with how alike its records are: the share of records that have the same
    steps below them as a character of prose has, averaged over the steps and all prose."""
    inside: list[dict[tuple[str, ...], float]] = []
    for page, nodes in zip(pages, group.nodes, strict=True):
        for span in own_spans(page, nodes):
            prose: dict[tuple[str, ...], float] = defaultdict(float)
            known: dict[int, tuple[str, ...]] = {span.node: (), -1: ()}
            for i in span.segments:
                steps = _steps_to(page.outline, page.segments[i].block, known)
                value = (page.prose[i + 1] - page.prose[i]) / (len(steps) + 1)
                for depth in range(len(steps) + 1):
                    prose[steps[:depth]] += value
            inside.append(prose)
    found_in = Counter(steps for prose in inside for steps in prose)
    total = sum(sum(prose.values()) for prose in inside)
    same = sum(found_in[steps] * value for prose in inside for steps, value in prose.items())
    alike = same / (total * len(inside)) if total else 0.0
    return replace(group, alike=round(alike, 6))


def _steps_to(
    outline: Outline,
    node: int,
    known: dict[int, tuple[str, ...]],
) -> tuple[str, ...]:
    """The first ``_DEPTH`` steps down to a node from the one above it that is ``known``, which
    grows: each node is looked at once, also in deep trees."""
    path = []
    while node not in known:
        path.append(node)
        node = outline.nodes[node].parent
    steps = known[node]
    for index in reversed(path):
        if len(steps) < _DEPTH:
            steps = (*steps, write_step_of(outline, index))
        known[index] = steps
    return steps
