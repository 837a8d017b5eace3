"""The blocks of a page that may be its article, and their features.

A candidate is a block with a threshold: the article would be the segments below the block whose
probability reaches the threshold.  The features of a block tell an article from teasers, lists and
notices: its likely content, its markup, how much prose it has, and how far from the title it is in
the tree.  No feature is specific to a site.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.evidence import AGREEMENT, EVIDENCE, Evidence
from forest_scrapy.core.segments.segmentation import KeptSums, SegmentedPage, running_sums
from forest_scrapy.core.segments.structure import BodySums, find_title
from forest_scrapy.core.xpaths.anchored import attribute_words

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: The probabilities from which segments would be kept.
_THRESHOLDS = (0.5, 0.3, 0.1)
#: The share of the page's likely content that a block must have, and the most blocks of a page.
_LEAST_SHARE, _MOST_BLOCKS = 0.1, 16
#: The densest elements that are candidates however little of the likely content they have.
_DENSEST = 2
#: The share of a block's likely content from which an ending makes a candidate of its own.
_LEAST_CUT = 0.02
#: Segments below the first are almost surely boilerplate, above the second content.
_UNLIKELY, _LIKELY = 0.1, 0.9

#: Characters outside links from which a segment is prose.
_PROSE = 80
_END = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026][\"'\u201d\u2019\u00bb)\]]*$")
_TAGS = ("article", "main", "body", "section", "td", "li", "ul", "p", "blockquote")
_TAGS_ABOVE = ("article", "main", "body", "section", "td")
#: Words of class and id attributes that tell the role of a block.
_ROLES = {
    "article": "article story post entry news",
    "content": "body content text main",
    "comments": "comment comments reply disqus",
    "related": "related more recommend recommended popular latest most",
    "sidebar": "sidebar aside widget footer nav menu",
    "popup": "popup modal overlay cookie newsletter subscribe promo",
    "list": "teaser card item list feed river grid excerpt summary",
    "gallery": "gallery slideshow carousel slide caption figure",
}
_ROLE_WORDS = [frozenset(words.split()) for words in _ROLES.values()]

_OF_BLOCK = (
    "share", "share_of_largest", "length", "segments", "link_density", "share_likely",
    "unlikely", "value", "headings", "linked_headings", "h1", "page_h1", "likely_before",
    "likely_after", "page_length", "page_segments", "has_title", "title_inside",
)  # fmt: skip
_OF_CANDIDATE = (
    "threshold", "kept_share", "kept_density", "kept_probability", "left_out_probability",
    "kept_length", "kept_segments", "run_density", "gap_of_kept", "gap_of_block",
    "kept_before", "kept_after", "first", "last", "first_by_text", "last_by_text",
    "linked_headings_before_end", "headings_in_run", "run_probability", "first_probability",
    "last_probability", "title_distance", "title_characters", "title_segments",
    "linked_headings_since_title", "kept_in_body", "kept_of_body",
)  # fmt: skip
_CONTEXT = (
    "levels_to_title", "levels_from_title", "prose_share", "prose_of_page", "mean_length",
    "sentences",
)  # fmt: skip
_MARKUP = (
    "level", "level_of_innermost", "same_text", "siblings", "siblings_above", "articles_inside",
    "page_articles", "article_body", "in_article_body", "role_main",
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"in_{tag}" for tag in _TAGS_ABOVE),
    *(f"named_{role}" for role in _ROLES),
    *(f"in_named_{role}" for role in _ROLES),
)  # fmt: skip
#: Names of the features, in their order.
BLOCK_FEATURES = (*_OF_BLOCK, *_MARKUP, *_OF_CANDIDATE, *_CONTEXT, *EVIDENCE, *AGREEMENT)

Values = NDArray[np.float64]


class _Block(NamedTuple):
    """Nodes with the same segments, the outermost first: ``segments[first:last]``; fewer if the
    block ends before its ending of the kind ``ending``, -1 if it does not."""

    first: int
    last: int
    nodes: tuple[int, ...]
    ending: int = -1


@dataclass(frozen=True)
class Candidates:
    """The candidates of a page: the segments ``first`` to before ``last`` with at least the
    probability ``threshold``, and the outermost node that has no other segments.  ``table`` has a
    row of ``BLOCK_FEATURES`` for each."""

    outermost: NDArray[np.intp]
    firsts: NDArray[np.intp]
    lasts: NDArray[np.intp]
    thresholds: Values
    endings: NDArray[np.intp]
    table: NDArray[np.float32]

    def kept(self, index: int, probabilities: Values) -> NDArray[np.bool_]:
        """For each segment of the page whether the candidate has it."""
        kept: NDArray[np.bool_] = probabilities >= self.thresholds[index]
        kept[: self.firsts[index]] = False
        kept[self.lasts[index] :] = False
        return kept


def find_candidates(page: SegmentedPage, probabilities: Values) -> Candidates:
    """The candidates of a page, by the probabilities of its segments; those without any kept
    segment are left out.  Cost: some 2 ms."""
    sums = _PageSums(page, probabilities)
    whole = _find_blocks(page, sums)
    blocks = [own for block in whole for own in (block, *_cut(block, sums))]
    markup = _describe_blocks(page.outline, [block.nodes for block in whole])
    row_of = {block.nodes: row for row, block in enumerate(whole)}
    rows = np.array([row_of[block.nodes] for block in blocks], dtype=np.intp)
    of_blocks = np.hstack((_block_values(blocks, sums), markup[rows]))
    firsts = np.array([block.first for block in blocks], dtype=np.intp)
    lasts = np.array([block.last for block in blocks], dtype=np.intp)
    levels = sums.context.levels([block.nodes[-1] for block in whole])[rows]
    again = len(_THRESHOLDS)
    kept = KeptSums(probabilities >= np.array(_THRESHOLDS)[:, None], firsts, lasts)
    has_text, kept_values = _kept_values(kept, levels, sums)
    endings = np.array([block.ending for block in blocks], dtype=np.intp)
    nodes = [block.nodes for block in blocks]
    evidence = sums.evidence.values(kept, nodes, endings)
    values = np.hstack((np.tile(of_blocks, (again, 1)), kept_values, evidence))
    columns = (np.array([own[0] for own in nodes], dtype=np.intp), firsts, lasts, endings)
    outermost, firsts, lasts, endings = (np.tile(own, again)[has_text] for own in columns)
    thresholds = np.repeat(_THRESHOLDS, len(blocks))[has_text]
    agreement = sums.evidence.agreement(firsts, lasts, thresholds)
    table = np.hstack((values[has_text], agreement)).astype(np.float32)
    return Candidates(outermost, firsts, lasts, thresholds, endings, table)


def _cut(block: _Block, sums: "_PageSums") -> list[_Block]:
    """The block as it is before each of the page's endings in it."""
    own = sums.content[block.last] - sums.content[block.first]
    return [
        _Block(block.first, at, block.nodes, kind)
        for at, kind in sums.evidence.endings
        if block.first < at < block.last
        and sums.content[block.last] - sums.content[at] >= _LEAST_CUT * own
    ]


class _PageSums:
    """Running sums over the segments of a page: the value at i is the sum before segment i."""

    def __init__(self, page: SegmentedPage, probabilities: Values) -> None:
        is_heading = page.in_heading
        self.page, self.probabilities = page, probabilities
        self.lengths, linked = page.lengths, page.linked
        self.content = running_sums(probabilities * self.lengths)
        self.length, self.linked = page.length_sums, running_sums(linked)
        self.probability = running_sums(probabilities)
        self.likely = running_sums(self.lengths * (probabilities > _LIKELY))
        self.unlikely = running_sums(self.lengths * (probabilities < _UNLIKELY))
        self.h1 = running_sums(page.inside(("h1",)))
        self.headings = running_sums(is_heading)
        self.linked_headings = running_sums(is_heading & (linked > 0.5 * self.lengths))
        self.title = find_title(page, is_heading)
        self.body = BodySums(page, self.lengths)
        self.context = _ContextSums(page, self.lengths, linked, self.title)
        self.evidence = Evidence(
            page, self.lengths, probabilities, self.title, is_heading, self.body.characters
        )


def _find_blocks(page: SegmentedPage, sums: _PageSums) -> list[_Block]:
    """The blocks with the most likely content, and the densest, in document order, outer ones
    first."""
    nodes, (firsts, lasts), content = page.outline.nodes, page.spans, sums.content
    inside = content[lasts] - content[firsts]
    densest = set(np.argsort(-sums.evidence.density, kind="stable")[:_DENSEST].tolist())
    same: dict[tuple[int, int], list[int]] = {}
    for i in sorted({*np.flatnonzero(inside >= _LEAST_SHARE * content[-1]).tolist(), *densest}):
        if (nodes[i].is_block or not i) and lasts[i] > firsts[i]:
            same.setdefault((int(firsts[i]), int(lasts[i])), []).append(i)
    ranked = sorted(same, key=lambda span: (-round(content[span[1]] - content[span[0]], 3), span))
    always = [span for span in ranked[_MOST_BLOCKS:] if not densest.isdisjoint(same[span])]
    chosen = sorted(ranked[:_MOST_BLOCKS] + always, key=lambda span: (span[0], -span[1]))
    return [_Block(*span, tuple(same[span])) for span in chosen]


def _block_values(blocks: Sequence[_Block], sums: _PageSums) -> Values:
    """The features of ``_OF_BLOCK``, one row for each block."""
    a = np.array([block.first for block in blocks], dtype=np.intp)
    b = np.array([block.last for block in blocks], dtype=np.intp)
    n, total = len(blocks), sums.content[-1] or 1.0
    content, length = sums.content[b] - sums.content[a], sums.length[b] - sums.length[a]
    is_inside = (a <= sums.title) & (sums.title < b)
    return np.column_stack(
        (
            content / total,
            content / max(content.max(initial=0.0), 1e-9),
            np.log1p(length),
            np.log1p(b - a),
            (sums.linked[b] - sums.linked[a]) / length,
            (sums.likely[b] - sums.likely[a]) / (sums.likely[-1] or 1.0),
            (sums.unlikely[b] - sums.unlikely[a]) / length,
            (2 * content - length) / total,
            sums.headings[b] - sums.headings[a],
            sums.linked_headings[b] - sums.linked_headings[a],
            sums.h1[b] - sums.h1[a],
            np.full(n, sums.h1[-1]),
            sums.content[a] / total,
            (sums.content[-1] - sums.content[b]) / total,
            np.full(n, np.log1p(sums.length[-1])),
            np.full(n, len(sums.lengths)),
            np.full(n, sums.title >= 0),
            is_inside if sums.title >= 0 else np.full(n, -1),
        )
    )


def _kept_values(
    kept: KeptSums, levels: Values, sums: _PageSums
) -> tuple[NDArray[np.bool_], Values]:
    """Which blocks have a segment with the probability of each threshold, and the features of
    ``_OF_CANDIDATE`` and ``_CONTEXT``; a row for each threshold and block, without meaning if it
    has no such segment.  ``levels``: those of ``_ContextSums``."""
    firsts, lasts = kept.firsts, kept.lasts
    runs = [_find_runs(own, firsts, lasts, sums.length) for own in kept.kept]
    count, first, last, gap = (np.array(parts) for parts in zip(*runs, strict=True))
    characters = kept.before(sums.lengths)
    all_characters = characters[:, -1:]
    own = np.maximum(characters[:, lasts] - characters[:, firsts], 1)
    own_content = kept.inside(sums.lengths * sums.probabilities)
    length = sums.length[lasts] - sums.length[firsts]
    left_out = sums.content[lasts] - sums.content[firsts] - own_content
    run = np.maximum(sums.length[last] - sums.length[first], 1)
    rows = np.arange(len(kept.kept))[:, None]
    values = (
        np.array(_THRESHOLDS)[:, None],
        own / np.where(all_characters > 0, all_characters, 1.0),
        own / length,
        own_content / own,
        left_out / np.maximum(length - own, 1),
        np.log1p(own),
        np.log1p(count),
        own / run,
        gap / own,
        gap / length,
        characters[rows, first] / own,
        (all_characters - characters[rows, last]) / own,
        *_run_values(firsts, first, last, sums),
        *_title_values(first, last, own, sums),
        *sums.body.values(kept, own),
        *sums.context.values(kept, levels),
    )
    return (count > 0).ravel(), kept.rows(values)


def _find_runs(
    kept: NDArray[np.bool_], firsts: NDArray[np.intp], lasts: NDArray[np.intp], length: Values
) -> tuple[NDArray[Any], ...]:
    """For each block the number of its kept segments, the first one, the one after the last, and
    the most characters between two of them; without meaning if it has none.  ``length``: the
    characters before each segment."""
    at, before = np.flatnonzero(kept), np.concatenate(([0], np.cumsum(kept)))
    starts, ends = before[firsts], before[lasts]
    if not len(at):
        return (ends - starts, *(np.zeros(len(firsts), dtype=np.intp) for _ in range(3)))
    gaps = np.concatenate(([0.0], length[at[1:]] - length[at[:-1] + 1], [0.0]))
    bounds = np.column_stack((np.minimum(starts + 1, len(at)), ends)).ravel()
    gap = np.maximum.reduceat(gaps, bounds)[::2]
    gap[ends <= starts + 1] = 0  # of an empty range reduceat gives its first value
    return ends - starts, at[np.minimum(starts, len(at) - 1)], at[np.maximum(ends, 1) - 1] + 1, gap


def _run_values(
    firsts: NDArray[np.intp], first: NDArray[np.intp], last: NDArray[np.intp], sums: _PageSums
) -> tuple[Values, ...]:
    """Where the run from the first to before the last kept segment is on the page, its headings,
    and its probabilities."""
    n = len(sums.lengths)
    return (
        first / n,
        (last - 1) / n,
        sums.length[first] / sums.length[-1],
        sums.length[last] / sums.length[-1],
        sums.linked_headings[last] - sums.linked_headings[firsts],
        sums.headings[last] - sums.headings[first],
        (sums.probability[last] - sums.probability[first]) / np.maximum(last - first, 1),
        sums.probabilities[first],
        sums.probabilities[last - 1],
    )


def _title_values(
    first: NDArray[np.intp], last: NDArray[np.intp], own: Values, sums: _PageSums
) -> tuple[Values, ...]:
    """Distances from the title to the kept text, and the linked headings from it to the end."""
    title, n = sums.title, first.shape
    if title < 0:
        return np.full(n, -2.0), np.full(n, -2.0), np.full(n, -1.0), np.full(n, -1.0)
    distance = first - title
    return (
        distance / len(sums.lengths),
        (sums.length[first] - sums.length[title]) / own,
        np.log1p(np.abs(distance)),
        sums.linked_headings[last] - sums.linked_headings[title],
    )


class _ContextSums:
    """What the values of ``_CONTEXT`` are computed from, for each segment of a page."""

    def __init__(self, page: SegmentedPage, lengths: Values, linked: Values, title: int) -> None:
        self._page, self._lengths = page, lengths
        self._title = page.segments[title].block if title >= 0 else -1
        self._prose = np.where(lengths - linked >= _PROSE, lengths, 0.0)
        ends = [_END.search(segment.text) is not None for segment in page.segments]
        self._sentences = lengths * ends

    def values(self, kept: KeptSums, levels: Values) -> tuple[Values, ...]:
        """The values of ``_CONTEXT``; ``levels``: those of the nodes of the blocks."""
        total = np.maximum(kept.inside(self._lengths), 1.0)
        count = np.maximum(kept.inside(np.ones(len(self._lengths))), 1.0)
        prose = kept.inside(self._prose)
        return (
            *levels.T,
            prose / total,
            prose / max(self._prose.sum(), 1.0),
            np.log1p(total / count),
            kept.inside(self._sentences) / total,
        )

    def levels(self, nodes: Sequence[int]) -> Values:
        """A row for each node: the levels from it up to the nearest element that also contains the
        title, and from there down to the title; -1 without a title."""
        outline = self._page.outline
        if self._title < 0:
            return np.full((len(nodes), 2), -1.0)
        around = set(outline.path(self._title))
        bottom = outline.nodes[self._title].level
        rows = []
        for node in nodes:
            shared = outline.nodes[next(n for n in outline.path(node) if n in around)].level
            rows.append((outline.nodes[node].level - shared, bottom - shared))
        return np.array(rows, dtype=np.float64).reshape(-1, 2)


def _describe_blocks(outline: Outline, blocks: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The values of ``_MARKUP``, one row for each block, given as the nodes that contain the
    same text, the outermost first."""
    nodes = outline.nodes
    articles = np.array([i for i, node in enumerate(nodes) if node.tag == "article"])
    siblings = _SiblingCounts(outline)
    rows = []
    for block in blocks:
        own = [nodes[i] for i in block]
        above_at = list(outline.path(own[0].parent))
        above = [nodes[i] for i in above_at]
        inside = (articles >= block[0]) & (articles < outline.ends[block[0]])
        tags, tags_above = {node.tag for node in own}, {node.tag for node in above}
        words, words_above = _words(own), _words(above)
        rows.append(
            (
                own[0].level,
                own[-1].level,
                len(own),
                np.log1p(max(map(siblings.count, block))),
                np.log1p(max(map(siblings.count, above_at), default=1)),
                int(inside.sum()) - sum(node.tag == "article" for node in own),
                len(articles),
                _any(own, _is_article_body),
                _any(above, _is_article_body),
                _any(own, _is_main),
                *(tag in tags for tag in _TAGS),
                *(tag in tags_above for tag in _TAGS_ABOVE),
                *(not role.isdisjoint(words) for role in _ROLE_WORDS),
                *(not role.isdisjoint(words_above) for role in _ROLE_WORDS),
            )
        )
    return np.array(rows, dtype=np.float64).reshape(len(blocks), len(_MARKUP))


class _SiblingCounts:
    """The number of children of an element's parent with its tag and class."""

    def __init__(self, outline: Outline) -> None:
        self._nodes = outline.nodes
        self._counts: dict[int, Counter[tuple[str, str | None]]] = {}

    def count(self, index: int) -> int:
        node = self._nodes[index]
        if node.parent < 0:
            return 1
        if node.parent not in self._counts:
            parent = self._nodes[node.parent].element
            self._counts[node.parent] = Counter(map(_type_of, parent))
        return self._counts[node.parent][_type_of(node.element)]


def _type_of(element: Element) -> tuple[str, str | None]:
    return str(element.tag), element.get("class")


def _words(nodes: Sequence[Node]) -> set[str]:
    values = (value for node in nodes for value in node.names[:2])
    return {word for value in values if value for word in attribute_words(value)}


def _any(nodes: Sequence[Node], test: Callable[[Element], bool]) -> bool:
    return any(test(node.element) for node in nodes)


def _is_article_body(element: Element) -> bool:
    return element.get("itemprop") == "articleBody"


def _is_main(element: Element) -> bool:
    return element.get("role") in ("main", "article")
