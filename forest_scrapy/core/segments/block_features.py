"""The blocks of a page that may be its article, and their features.

A candidate is a block with a threshold: the article would be the segments below the block whose
probability reaches the threshold.  The features of a block tell an article from teasers, lists and
notices: its likely content, its markup, how much prose it has, and how far from the title it is in
the tree.  No feature is specific to a site.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.columns import count_alike
from forest_scrapy.core.page.outline import Outline, bits_of_tags
from forest_scrapy.core.segments.evidence import AGREEMENT, EVIDENCE, Evidence
from forest_scrapy.core.segments.segmentation import (
    Flags,
    Indices,
    KeptSums,
    SegmentedPage,
    Values,
    as_indices,
    difference,
    running_sums,
)
from forest_scrapy.core.segments.structure import BodySums, find_title
from forest_scrapy.core.segments.table import Table, number_names
from forest_scrapy.core.xpaths.anchored import tree_paths

try:
    from forest_scrapy.core.models import _native
except ImportError:  # the package was installed without a compiler
    _native = None  # type: ignore[assignment]

#: Whether there is compiled code; a module that was compiled earlier may not have it.
IS_NATIVE = hasattr(_native, "describe_candidates")

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: The probabilities from which segments would be kept.
_THRESHOLDS = (0.5, 0.3, 0.1)
#: The share of the page's likely content that a block must have.
_MIN_SHARE = 0.1
#: The number of blocks of a page, besides the densest elements.
_MAX_BLOCKS = 16
#: The number of densest elements that are candidates, whatever their share of the likely content.
_DENSEST_COUNT = 2
#: The share of a block's likely content after an ending from which the block before it is a
#: candidate of its own.
_MIN_CUT_SHARE = 0.02
#: Segments with a lower probability are almost surely boilerplate.
_MAX_UNLIKELY = 0.1
#: Segments with a higher probability are almost surely content.
_MIN_LIKELY = 0.9

#: Characters outside links from which a segment is prose.
_MIN_PROSE_LENGTH = 80
_SENTENCE_ENDS = frozenset(".!?\u3002\uff1f\uff01\u0964\u2026")
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
_OF_ONE_CANDIDATE = (*_OF_BLOCK, *_MARKUP, *_OF_CANDIDATE, *_CONTEXT, *EVIDENCE)
#: Names of the features, in their order.
BLOCK_FEATURES = (*_OF_ONE_CANDIDATE, *AGREEMENT)


class _Block(NamedTuple):
    """Nodes that contain the same segments, ``segments[first:last]``, the outermost node first.

    ``ending``: the kind of the ending before which the block is cut off, -1 if it is whole.  A
    block that is cut off has fewer segments than its nodes.
    """

    first: int
    last: int
    nodes: tuple[int, ...]
    ending: int = -1


@dataclass(frozen=True)
class Candidates:
    """The candidates of a page.

    Each has the segments from ``firsts`` to before ``lasts`` whose probability is at least the one
    in ``thresholds``; ``outermost``: its outermost node that contains no other segments.
    ``endings``: the kind of the ending that it is cut off at, -1 if it is not.  ``table`` has a row
    of ``BLOCK_FEATURES`` for each.
    """

    outermost: Indices
    firsts: Indices
    lasts: Indices
    thresholds: Values
    endings: Indices
    table: NDArray[np.float32]

    def kept_segments(self, index: int, probabilities: Values) -> Flags:
        """For each segment of the page whether the candidate has it."""
        is_kept: Flags = probabilities >= self.thresholds[index]
        is_kept[: self.firsts[index]] = False
        is_kept[self.lasts[index] :] = False
        return is_kept


def find_candidates(page: SegmentedPage, probabilities: Values) -> Candidates:
    """The candidates of a page, by the probabilities of its segments.

    Those without any kept segment are left out.  Cost: some 1 ms; 2 without compiled code.
    """
    sums = _PageSums(page, probabilities)
    whole_blocks = _find_blocks(page, sums)
    blocks: list[_Block] = []
    rows_of_whole: list[int] = []
    for row, block in enumerate(whole_blocks):
        cut_blocks = _cut_at_endings(block, sums)
        blocks += [block, *cut_blocks]
        count = 1 + len(cut_blocks)
        rows_of_whole += [row] * count

    spans = _Spans.of(blocks)
    endings = as_indices([block.ending for block in blocks])
    nodes_of_blocks = _NodeValues(
        markup=_describe_blocks(page.outline, whole_blocks),
        levels=_levels_to_title(page, sums.title, whole_blocks),
        density=sums.evidence.density_of([block.nodes for block in whole_blocks]),
    )
    describe = _describe_compiled if IS_NATIVE else describe_in_numpy
    described = describe(sums, spans, endings, nodes_of_blocks.of(rows_of_whole))

    outermost = as_indices([block.nodes[0] for block in blocks])
    numbers = described.blocks
    firsts = spans.firsts[numbers]
    lasts = spans.lasts[numbers]
    thresholds = np.array(_THRESHOLDS)[described.thresholds]
    agreement = sums.evidence.agreement(firsts, lasts, thresholds)
    table = np.hstack((described.values, agreement))
    return Candidates(
        outermost=outermost[numbers],
        firsts=firsts,
        lasts=lasts,
        thresholds=thresholds,
        endings=endings[numbers],
        table=table.astype(np.float32),
    )


def _cut_at_endings(block: _Block, sums: "_PageSums") -> list[_Block]:
    """The block as it is before each of the page's endings in it."""
    content = sums.content
    content_to_end = content[block.last]
    block_content = content_to_end - content[block.first]
    cut_blocks = []
    for segment, kind in sums.evidence.endings:
        if not block.first < segment < block.last:
            continue
        content_after = content_to_end - content[segment]
        if content_after >= _MIN_CUT_SHARE * block_content:
            cut_block = block._replace(last=segment, ending=kind)
            cut_blocks.append(cut_block)
    return cut_blocks


class _NodeValues(NamedTuple):
    """The values of blocks that are those of their nodes, a row for each block, so that all cuts of
    a block have the same.

    ``markup``: those of ``_MARKUP``; ``levels``: those of ``_levels_to_title``; ``density``: the
    highest score of the nodes.
    """

    markup: Values
    levels: Values
    density: Values

    def of(self, rows: Sequence[int]) -> "_NodeValues":
        """Some of the rows, which can be repeated."""
        return _NodeValues(self.markup[rows], self.levels[rows], self.density[rows])


class Described(NamedTuple):
    """The candidates of a page: the numbers of the threshold and of the block of each, and a row of
    its features, without those of ``AGREEMENT``.  All of a threshold stand together."""

    thresholds: Indices
    blocks: Indices
    values: Values


class _Spans(NamedTuple):
    """The segments of each block: from ``firsts`` to before ``lasts``."""

    firsts: Indices
    lasts: Indices

    @classmethod
    def of(cls, blocks: Sequence[_Block]) -> "_Spans":
        firsts = [block.first for block in blocks]
        lasts = [block.last for block in blocks]
        return cls(as_indices(firsts), as_indices(lasts))

    def total(self, sums: Values) -> Values:
        """For each block the sum of its segments, from the running sums of the page."""
        return difference(sums, self.firsts, self.lasts)


class _PageSums:
    """Running sums over the segments of a page: the value at i is the sum before segment i.

    Those that compiled code adds up by itself are computed on first use.
    """

    def __init__(self, page: SegmentedPage, probabilities: Values) -> None:
        lengths = page.lengths
        self.page = page
        self.probabilities = probabilities
        self.lengths = lengths
        self.content = running_sums(probabilities * lengths)
        self.length = page.length_sums
        self.title = find_title(page, page.in_heading)
        self.body = BodySums(page, lengths)
        self.evidence = Evidence(
            page,
            probabilities=probabilities,
            title=self.title,
            is_heading=page.in_heading,
            declared=self.body.characters,
        )

    @cached_property
    def linked(self) -> Values:
        return running_sums(self.page.linked)

    @cached_property
    def probability(self) -> Values:
        return running_sums(self.probabilities)

    @cached_property
    def likely(self) -> Values:
        is_likely = self.probabilities > _MIN_LIKELY
        return running_sums(self.lengths * is_likely)

    @cached_property
    def unlikely(self) -> Values:
        is_unlikely = self.probabilities < _MAX_UNLIKELY
        return running_sums(self.lengths * is_unlikely)

    @cached_property
    def h1(self) -> Values:
        return running_sums(self.page.inside(("h1",)))

    @cached_property
    def headings(self) -> Values:
        return running_sums(self.page.in_heading)

    @cached_property
    def linked_headings(self) -> Values:
        is_linked = self.page.linked > 0.5 * self.lengths
        return running_sums(self.page.in_heading & is_linked)


def _find_blocks(page: SegmentedPage, sums: _PageSums) -> list[_Block]:
    """The blocks with the most likely content, and the densest, in document order, outer ones
    first."""
    is_block_element = page.outline.is_block
    spans = _Spans(*page.spans)
    content_of_nodes = spans.total(sums.content)
    by_density = np.argsort(-sums.evidence.density, kind="stable")
    densest_nodes = by_density[:_DENSEST_COUNT]
    densest = set(densest_nodes.tolist())
    min_content = _MIN_SHARE * sums.content[-1]
    has_content = content_of_nodes >= min_content

    nodes_of_span: dict[tuple[int, int], list[int]] = {}
    with_content = np.flatnonzero(has_content)
    candidates = densest.union(with_content.tolist())
    for node in sorted(candidates):
        first = int(spans.firsts[node])
        last = int(spans.lasts[node])
        is_block = is_block_element[node] or node == 0
        if is_block and last > first:
            same_nodes = nodes_of_span.setdefault((first, last), [])
            same_nodes.append(node)

    def rank(span: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        first, last = span
        content = sums.content[last] - sums.content[first]
        return -round(content, 3), span

    ranked = sorted(nodes_of_span, key=rank)
    chosen = ranked[:_MAX_BLOCKS]
    for span in ranked[_MAX_BLOCKS:]:
        if not densest.isdisjoint(nodes_of_span[span]):
            chosen.append(span)

    def place(span: tuple[int, int]) -> tuple[int, int]:
        first, last = span
        return first, -last

    chosen.sort(key=place)

    blocks = []
    for first, last in chosen:
        block_nodes = tuple(nodes_of_span[first, last])
        blocks.append(_Block(first, last, block_nodes))
    return blocks


def _describe_compiled(
    sums: _PageSums,
    spans: _Spans,
    endings: Indices,
    nodes: _NodeValues,
) -> Described:
    """``describe_in_numpy`` in compiled code."""
    page = sums.page
    lengths = page.lengths
    probabilities = sums.probabilities
    evidence = sums.evidence
    is_linked = page.linked > 0.5 * lengths
    is_prose = lengths - page.linked >= _MIN_PROSE_LENGTH
    segments = Table(_SUMMED_NUMBERS, rows=len(lengths))
    segments["length"] = lengths
    segments["linked"] = page.linked
    segments["probability"] = probabilities
    segments["content"] = probabilities * lengths
    segments["likely"] = lengths * (probabilities > _MIN_LIKELY)
    segments["unlikely"] = lengths * (probabilities < _MAX_UNLIKELY)
    segments["heading"] = page.in_heading
    segments["linked_heading"] = page.in_heading & is_linked
    segments["h1"] = page.inside(("h1",))
    segments["count"] = 1
    segments["declared"] = sums.body.characters
    segments["prose"] = lengths * is_prose
    segments["sentences"] = lengths * page.ends_with(_SENTENCE_ENDS)
    segments["dated"] = evidence.is_dated
    segments["title_words"] = evidence.title_words
    segments["long"] = evidence.is_long
    segments["in_records"] = lengths * evidence.in_records

    max_rows = len(_THRESHOLDS) * len(endings)
    values = np.empty((max_rows, len(_OF_ONE_CANDIDATE)))
    numbers = np.empty((2, max_rows), dtype=np.intp)
    rows = _native.describe_candidates(
        segments.columns(SUMMED[0], len(SUMMED)),
        np.array((*spans, endings)),
        np.column_stack((nodes.levels, nodes.density, nodes.markup)),
        np.array(_THRESHOLDS),
        evidence.segments_of_endings,
        sums.title,
        sums.body.page_characters,
        evidence.max_density,
        np.empty((2, len(SUMMED), len(lengths) + 1)),
        values,
        numbers,
    )
    described = Described(numbers[0, :rows], numbers[1, :rows], values[:rows])
    columns = _LOGARITHMS if sums.title >= 0 else _LOGARITHMS_WITHOUT_TITLE
    described.values[:, columns] = np.log1p(described.values[:, columns])
    return described


#: The values of segments that compiled code adds up, in the order in which it knows them.
SUMMED = (
    "length", "linked", "probability", "content", "likely", "unlikely", "heading",
    "linked_heading", "h1", "count", "declared", "prose", "sentences", "dated", "title_words",
    "long", "in_records",
)  # fmt: skip
_SUMMED_NUMBERS = number_names(SUMMED)
#: The columns that are logarithms; of pages without a title all of ``title_segments`` are -1.
_LOGARITHMS_WITHOUT_TITLE = [
    _OF_ONE_CANDIDATE.index(name)
    for name in (
        "length", "segments", "page_length", "kept_length", "kept_segments", "mean_length",
        "density", "dated", "title_words",
    )
]  # fmt: skip
_LOGARITHMS = [*_LOGARITHMS_WITHOUT_TITLE, _OF_ONE_CANDIDATE.index("title_segments")]


def describe_in_numpy(
    sums: _PageSums,
    spans: _Spans,
    endings: Indices,
    nodes: _NodeValues,
) -> Described:
    """The candidates of a page, without blocks of which no segment has the probability of the
    threshold."""
    # Each array below has a row for each threshold and block, all blocks of a threshold together.
    repeats = len(_THRESHOLDS)
    is_kept = sums.probabilities >= np.array(_THRESHOLDS)[:, None]
    kept_sums = KeptSums(is_kept, spans.firsts, spans.lasts)
    block_values = np.hstack((_block_values(spans, sums), nodes.markup))
    has_text, kept_values = _kept_values(kept_sums, spans, nodes.levels, sums)
    evidence = sums.evidence.values(kept_sums, nodes.density, endings)
    repeated_values = np.tile(block_values, (repeats, 1))
    values = np.hstack((repeated_values, kept_values, evidence))
    thresholds, blocks = np.divmod(np.flatnonzero(has_text), len(endings) or 1)
    return Described(thresholds, blocks, values[has_text])


def _block_values(spans: _Spans, sums: _PageSums) -> Values:
    """The features of ``_OF_BLOCK``, one row for each block."""
    firsts, lasts = spans
    count = len(firsts)
    page_content = sums.content[-1] or 1.0
    page_length = np.log1p(sums.length[-1])
    page_likely = sums.likely[-1] or 1.0
    content = spans.total(sums.content)
    content_before = sums.content[firsts]
    page_end = sums.content[-1]
    content_after = page_end - sums.content[lasts]
    largest_content = max(content.max(initial=0.0), 1e-9)
    length = spans.total(sums.length)
    has_title = sums.title >= 0
    if has_title:
        starts_before = firsts <= sums.title
        ends_after = sums.title < lasts
        is_title_inside = starts_before & ends_after
    else:
        is_title_inside = np.full(count, -1)
    return np.column_stack(
        (
            content / page_content,
            content / largest_content,
            np.log1p(length),
            np.log1p(lasts - firsts),
            spans.total(sums.linked) / length,
            spans.total(sums.likely) / page_likely,
            spans.total(sums.unlikely) / length,
            (2 * content - length) / page_content,
            spans.total(sums.headings),
            spans.total(sums.linked_headings),
            spans.total(sums.h1),
            np.full(count, sums.h1[-1]),
            content_before / page_content,
            content_after / page_content,
            np.full(count, page_length),
            np.full(count, len(sums.lengths)),
            np.full(count, has_title),
            is_title_inside,
        )
    )


@dataclass(frozen=True)
class _Runs:
    """For each threshold and block its run: from the first kept segment to before ``last``, the one
    after the last kept segment.  ``count``: the number of kept segments; ``gap``: the most
    characters between two of them.  Without meaning where no segment is kept."""

    count: Indices
    first: Indices
    last: Indices
    gap: Values

    @classmethod
    def stack(cls, runs: Sequence["_Runs"]) -> "_Runs":
        """The runs of all thresholds, a row for each."""
        return cls(
            count=np.stack([row.count for row in runs]),
            first=np.stack([row.first for row in runs]),
            last=np.stack([row.last for row in runs]),
            gap=np.stack([row.gap for row in runs]),
        )

    def total(self, sums: Values) -> Values:
        """The sum of the segments of each run, from the running sums of the page."""
        return difference(sums, self.first, self.last)


def _kept_values(
    kept_sums: KeptSums,
    spans: _Spans,
    levels: Values,
    sums: _PageSums,
) -> tuple[Flags, Values]:
    """Which blocks have a segment with the probability of each threshold, and the features of
    ``_OF_CANDIDATE`` and ``_CONTEXT``.

    Both have a row for each threshold and block, without meaning if no such segment is there.
    ``levels``: those of ``_levels_to_title``.
    """
    runs_by_threshold = []
    for is_kept in kept_sums.is_kept:
        runs_by_threshold.append(_find_runs(is_kept, spans, sums.length))
    runs = _Runs.stack(runs_by_threshold)

    length = spans.total(sums.length)
    characters = kept_sums.before(sums.lengths)
    page_characters = characters[:, -1:]
    kept_length = np.maximum(kept_sums.between(characters), 1)
    content = sums.lengths * sums.probabilities
    kept_content = kept_sums.inside(content)
    lost_content = spans.total(sums.content) - kept_content
    lost_length = np.maximum(length - kept_length, 1)
    run_length = runs.total(sums.length)
    run_length = np.maximum(run_length, 1)

    ways = len(kept_sums.is_kept)
    rows = np.arange(ways)[:, None]
    page_characters_or_one = np.where(page_characters > 0, page_characters, 1.0)
    kept_before = characters[rows, runs.first]
    kept_after = page_characters - characters[rows, runs.last]
    values = (
        np.array(_THRESHOLDS)[:, None],
        kept_length / page_characters_or_one,
        kept_length / length,
        kept_content / kept_length,
        lost_content / lost_length,
        np.log1p(kept_length),
        np.log1p(runs.count),
        kept_length / run_length,
        runs.gap / kept_length,
        runs.gap / length,
        kept_before / kept_length,
        kept_after / kept_length,
        *_run_values(spans, runs, sums),
        *_title_values(runs, kept_length, sums),
        *sums.body.values(kept_sums, kept_length),
        *_context_values(kept_sums, levels, sums.page),
    )
    has_text = runs.count > 0
    return has_text.ravel(), kept_sums.rows(values)


def _find_runs(
    is_kept: Flags,
    spans: _Spans,
    length: Values,
) -> _Runs:
    """The runs of all blocks for one threshold.

    ``is_kept``: for each segment whether it is kept; ``length``: the characters before each.
    """
    kept_at = np.flatnonzero(is_kept)
    kept_before = running_sums(is_kept, np.intp)
    starts = kept_before[spans.firsts]
    ends = kept_before[spans.lasts]
    count = ends - starts
    if not len(kept_at):
        zeros = np.zeros_like(count)
        return _Runs(
            count,
            first=zeros,
            last=zeros,
            gap=zeros.astype(np.float64),
        )

    first_kept = np.minimum(starts, len(kept_at) - 1)
    last_kept = np.maximum(ends, 1) - 1
    first = kept_at[first_kept]
    last = kept_at[last_kept] + 1
    gap_starts = kept_at[:-1] + 1
    gap_ends = kept_at[1:]
    gap_lengths = difference(length, gap_starts, gap_ends)
    gaps = np.concatenate(([0.0], gap_lengths, [0.0]))
    first_gaps = np.minimum(starts + 1, len(kept_at))
    bounds = np.column_stack((first_gaps, ends))
    bounds = bounds.ravel()
    longest = np.maximum.reduceat(gaps, bounds)
    gap = longest[::2]
    gap[ends <= starts + 1] = 0  # of an empty range reduceat gives its first value
    return _Runs(count, first, last, gap)


def _run_values(
    spans: _Spans,
    runs: _Runs,
    sums: _PageSums,
) -> tuple[Values, ...]:
    """Where the runs are on the page, their headings, and their probabilities."""
    first = runs.first
    last = runs.last
    segments = len(sums.lengths)
    run_segments = np.maximum(last - first, 1)
    page_length = sums.length[-1]
    length_before = sums.length[first]
    length_to_end = sums.length[last]
    linked_headings = sums.linked_headings
    return (
        first / segments,
        (last - 1) / segments,
        length_before / page_length,
        length_to_end / page_length,
        linked_headings[last] - linked_headings[spans.firsts],
        runs.total(sums.headings),
        runs.total(sums.probability) / run_segments,
        sums.probabilities[first],
        sums.probabilities[last - 1],
    )


def _title_values(
    runs: _Runs,
    kept_length: Values,
    sums: _PageSums,
) -> tuple[Values, ...]:
    """Distances from the title to the kept text, and the linked headings from it to the end."""
    title = sums.title
    shape = runs.first.shape
    if title < 0:
        return (
            np.full(shape, -2.0),
            np.full(shape, -2.0),
            np.full(shape, -1.0),
            np.full(shape, -1.0),
        )
    distance = runs.first - title
    length_before = sums.length[runs.first]
    length_between = length_before - sums.length[title]
    headings = sums.linked_headings
    return (
        distance / len(sums.lengths),
        length_between / kept_length,
        np.log1p(np.abs(distance)),
        headings[runs.last] - headings[title],
    )


def _context_values(
    kept_sums: KeptSums,
    levels: Values,
    page: SegmentedPage,
) -> tuple[Values, ...]:
    """The values of ``_CONTEXT``; ``levels``: those of the nodes of the blocks."""
    lengths = page.lengths
    is_prose = lengths - page.linked >= _MIN_PROSE_LENGTH
    prose_lengths = np.where(is_prose, lengths, 0.0)
    sentences = lengths * page.ends_with(_SENTENCE_ENDS)
    kept_length = kept_sums.inside(lengths)
    kept_count = kept_sums.inside(np.ones_like(lengths))
    length = np.maximum(kept_length, 1.0)
    count = np.maximum(kept_count, 1.0)
    prose = kept_sums.inside(prose_lengths)
    page_prose = max(prose_lengths.sum(), 1.0)
    return (
        *levels.T,
        prose / length,
        prose / page_prose,
        np.log1p(length / count),
        kept_sums.inside(sentences) / length,
    )


def _levels_to_title(
    page: SegmentedPage,
    title: int,
    blocks: Sequence[_Block],
) -> Values:
    """A row for each block: the levels from its innermost node up to the nearest element that also
    contains the title, and from there down to the title; -1 without a title.

    ``title``: its segment, -1 if there is none.
    """
    if title < 0:
        return np.full((len(blocks), 2), -1.0)

    outline = page.outline
    title_node = page.segments[title].block
    around_title = set(outline.path(title_node))
    node_levels = outline.columns.levels
    title_level = node_levels[title_node]
    levels = np.zeros((len(blocks), 2))
    for row, block in enumerate(blocks):
        innermost = block.nodes[-1]
        path = outline.path(innermost)
        shared = next(node for node in path if node in around_title)
        shared_level = node_levels[shared]
        levels[row, 0] = node_levels[innermost] - shared_level
        levels[row, 1] = title_level - shared_level
    return levels


_MARKUP_NUMBERS = number_names(_MARKUP)
_TAG_BITS = np.array([bits_of_tags((tag,)) for tag in _TAGS])
_TAG_BITS_ABOVE = np.array([bits_of_tags((tag,)) for tag in _TAGS_ABOVE])
_ARTICLE = bits_of_tags(("article",))
_ROLE_BITS = 1 << np.arange(len(_ROLES))


def _describe_blocks(outline: Outline, blocks: Sequence[_Block]) -> Values:
    """The values of ``_MARKUP``, one row for each block."""
    table = Table(_MARKUP_NUMBERS, rows=len(blocks))
    if not blocks:
        return table.values

    nodes = outline.arrays
    outermost = as_indices([block.nodes[0] for block in blocks])
    innermost = as_indices([block.nodes[-1] for block in blocks])
    parents = nodes.parents[outermost]
    article_sums = running_sums(nodes.tags & _ARTICLE != 0)
    articles_below = difference(article_sums, outermost, nodes.ends[outermost])
    bits_around = np.append(nodes.tags_around, 0)  # the last one: no parent
    body_nodes = _find_article_bodies(outline)
    siblings = _SiblingCounts(outline)
    roles = _Roles(outline)

    tags_of_nodes = nodes.tags.tolist()
    tag_bits = []
    block_articles = []
    has_article_body = []
    in_article_body = []
    is_main = []
    for block in blocks:
        block_bits = 0
        article_count = 0
        for node in block.nodes:
            bits = tags_of_nodes[node]
            block_bits |= bits
            if bits & _ARTICLE:
                article_count += 1
        tag_bits.append(block_bits)
        block_articles.append(article_count)
        has_article_body.append(not body_nodes.isdisjoint(block.nodes))
        in_article_body.append(_is_below(outline, block.nodes[0], body_nodes))
        is_main.append(any(map(roles.is_main, block.nodes)))
    siblings_of_blocks = [max(map(siblings.count, block.nodes)) for block in blocks]
    siblings_above = list(map(siblings.highest_count, parents.tolist()))
    table["level"] = nodes.levels[outermost]
    table["level_of_innermost"] = nodes.levels[innermost]
    table["same_text"] = [len(block.nodes) for block in blocks]
    table["siblings"] = np.log1p(siblings_of_blocks)
    table["siblings_above"] = np.log1p(siblings_above)
    table["articles_inside"] = articles_below - block_articles
    table["page_articles"] = article_sums[-1]
    table["article_body"] = has_article_body
    table["in_article_body"] = in_article_body
    table["role_main"] = is_main
    table.set_columns(f"tag_{_TAGS[0]}", np.array(tag_bits) & _TAG_BITS[:, None] != 0)
    table.set_columns(f"in_{_TAGS_ABOVE[0]}", bits_around[parents] & _TAG_BITS_ABOVE[:, None] != 0)
    block_roles = np.array([roles.of_nodes(block.nodes) for block in blocks])
    roles_above = np.array([roles.above(block.nodes[0]) for block in blocks])
    first_role, *_ = _ROLES
    table.set_columns(f"named_{first_role}", block_roles & _ROLE_BITS[:, None] != 0)
    table.set_columns(f"in_named_{first_role}", roles_above & _ROLE_BITS[:, None] != 0)
    return table.values


def _find_article_bodies(outline: Outline) -> set[int]:
    """The nodes that microdata declare as the body of an article."""
    names_of_nodes = outline.columns.names
    return {node for node, names in enumerate(names_of_nodes) if names[2] == "articleBody"}


def _is_below(
    outline: Outline,
    node: int,
    nodes: set[int],
) -> bool:
    """Whether one of the nodes contains a node."""
    path = outline.path(outline.columns.parents[node])
    return bool(nodes) and not nodes.isdisjoint(path)


class _SiblingCounts:
    """Counts the children of an element's parent that have its tag and class."""

    def __init__(self, outline: Outline) -> None:
        self._columns = outline.columns
        self._counts: dict[int, int] = {}
        self._highest: dict[int, int] = {-1: 1}

    def count(self, node: int) -> int:
        if self._columns.parents[node] < 0:
            return 1
        if node not in self._counts:
            self._counts[node] = count_alike(self._columns.elements[node])
        return self._counts[node]

    def highest_count(self, node: int) -> int:
        """The highest count of the node and those around it; 1 for -1, which stands for none."""
        path = []
        while node not in self._highest:
            path.append(node)
            node = self._columns.parents[node]
        highest = self._highest[node]
        for inner_node in reversed(path):
            highest = max(highest, self.count(inner_node))
            self._highest[inner_node] = highest
        return highest


class _Roles:
    """The roles that classes and ids name, as bits in the order of ``_ROLES``."""

    def __init__(self, outline: Outline) -> None:
        self._names = outline.columns.names
        self._paths = tree_paths(outline)

    def is_main(self, node: int) -> bool:
        return self._names[node][3] in ("main", "article")

    def of_nodes(self, nodes: Sequence[int]) -> int:
        """The roles of some nodes."""
        roles = 0
        for node in nodes:
            roles |= _find_roles(self._paths[node].own_words)
        return roles

    def above(self, node: int) -> int:
        """The roles of the nodes around a node."""
        path = self._paths[node].above
        if path is None:
            return 0
        roles: int | None = path.notes.get("roles")
        if roles is None:
            roles = _find_roles(path.words)
            path.notes["roles"] = roles
        return roles


@lru_cache(maxsize=10_000)
def _find_roles(words: frozenset[str]) -> int:
    roles = 0
    for number, role_words in enumerate(_ROLE_WORDS):
        if not role_words.isdisjoint(words):
            roles |= 1 << number
    return roles
