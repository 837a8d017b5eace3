"""The candidates for the records of a template: elements with the same key, ranked."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from math import sqrt

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.rendered import read_styles
from forest_scrapy.core.patterns.anchored import anchored_paths
from forest_scrapy.core.records.inside import write_step_of
from forest_scrapy.core.records.regions.keys import RecordKey, token_keys, write_key
from forest_scrapy.core.records.regions.layout import find_visible, measure_alignment
from forest_scrapy.core.records.regions.prose import ProsePage

__all__ = ["Group", "Span", "measure_groups", "own_spans", "rank_groups"]

# These constants were set by hand while looking at harvest-forum, without a search.
#: Characters beyond which the text of a record does not add to its weight: a long post and a
#: short one are two posts.
_MOST_CHARACTERS = 120
#: How much more a candidate is worth if all of its records have a date.
_DATED = 0.5
#: Candidates whose records are compared inside, and the depth to which.
_COMPARED, _DEPTH = 40, 3
#: The least prose of a lead that has a date, in that of a record; the share of pages that must
#: have a lead, and of those on which it must have a date.
_SHORT_LEAD, _MOSTLY = 0.3, 0.5
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


def _measure(pages: Sequence[ProsePage], key: RecordKey, nodes: list[list[int]]) -> Group:
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
            for i in span.segments:
                steps = _steps_below(page.outline, span.node, page.segments[i].block)
                value = (page.prose[i + 1] - page.prose[i]) / (len(steps) + 1)
                for depth in range(len(steps) + 1):
                    prose[steps[:depth]] += value
            inside.append(prose)
    found_in = Counter(steps for prose in inside for steps in prose)
    total = sum(sum(prose.values()) for prose in inside)
    same = sum(found_in[steps] * value for prose in inside for steps, value in prose.items())
    alike = same / (total * len(inside)) if total else 0.0
    return replace(group, alike=round(alike, 6))


def _steps_below(outline: Outline, top: int, node: int) -> tuple[str, ...]:
    """The first ``_DEPTH`` steps from a node (not counted) down to one below it."""
    inner = deque(takewhile(lambda index: index != top, outline.path(node)), _DEPTH)
    return tuple(write_step_of(outline, index) for index in reversed(inner))
