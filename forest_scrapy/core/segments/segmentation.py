"""Text segments: the text between two line breaks (Luo et al. 2009, section 3)."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from forest_scrapy.core.page.characters import CharacterCounts, count_characters
from forest_scrapy.core.page.columns import IS_NATIVE
from forest_scrapy.core.page.language import split_lower_words, split_words
from forest_scrapy.core.page.outline import Bits, Outline, bits_of_tags
from forest_scrapy.core.page.page import Page

if IS_NATIVE:
    from forest_scrapy.core.page import _native

# The models are trained with these constants, which are not tuned: a change needs new ones.
#: Elements with the same parent, tag and class are a list from this number on.
_MIN_ITEMS = 3
HEADINGS = ("h1", "h2", "h3", "h4")
#: Characters after the end of a sentence.
_CLOSING = "\"'\u201d\u2019\u00bb)]"
_LINK_BIT = bits_of_tags(("a",))
#: Tags that repeat in running text, so that their repetition does not make a list.
_TEXT_TAGS = frozenset("p br a b i em strong span font h1 h2 h3 h4 h5 h6 img picture body".split())

#: Numbers, positions (of segments, nodes or rows) and answers, one for each element.
Values = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


#: The parent, the tag and the class of an item of a list.
_ItemKey = tuple[int, str, str | None]


class Segment(NamedTuple):
    """Successive text leaves with the same nearest block element and no line break between them.

    ``leaves[first:last]`` of the outline; ``block`` is the index of the block element;
    ``linked`` the number of characters in links.
    """

    text: str
    block: int
    first: int
    last: int
    linked: int


#: ``_make`` without its check of the length, which takes longer than all else.
_make_segment: Callable[[tuple[Any, ...]], Segment] = partial(tuple.__new__, Segment)


@dataclass(frozen=True)
class SegmentedPage:
    """A page and its segments.

    ``texts``: the texts of the segments in lower case, as they are compared with those of other
    pages.  ``notes``: what other modules compute from the page and store with it.
    """

    page: Page
    segments: tuple[Segment, ...]
    texts: tuple[str, ...]
    notes: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def outline(self) -> Outline:
        """The outline of the page."""
        return self.page.outline

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each segment."""
        return list(map(split_lower_words, self.texts))

    @cached_property
    def word_sets(self) -> list[set[str]]:
        """The different words of each segment."""
        return list(map(set, self.words))

    @cached_property
    def characters(self) -> CharacterCounts:
        """The number of characters of each kind, for each segment."""
        return count_characters([segment.text for segment in self.segments])

    def ends_with(self, marks: Set[str]) -> Flags:
        """For each segment whether its last character, before closing quotation marks and brackets,
        is one of the marks."""
        return np.array([mark in marks for mark in self._last_characters], dtype=bool)

    @cached_property
    def _last_characters(self) -> list[str]:
        return [segment.text.rstrip(_CLOSING)[-1:] for segment in self.segments]

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The words of the titles that the page and its feed entry declare."""
        entry = self.page.entry
        entry_title = entry.title if entry else ""
        titles = f"{self.page.declared.title} {entry_title}"
        return frozenset(split_words(titles))

    @cached_property
    def lengths(self) -> Values:
        """The number of characters of each segment."""
        lengths = [len(segment.text) for segment in self.segments]
        return np.array(lengths, dtype=np.float64)

    @cached_property
    def length_sums(self) -> Values:
        """The running sums of ``lengths``."""
        return running_sums(self.lengths)

    @cached_property
    def linked(self) -> Values:
        """The number of characters in links of each segment."""
        linked = [segment.linked for segment in self.segments]
        return np.array(linked, dtype=np.float64)

    @cached_property
    def blocks(self) -> Indices:
        """The block of each segment."""
        return as_indices([segment.block for segment in self.segments])

    @cached_property
    def spans(self) -> tuple[Indices, Indices]:
        """For each node the first segment below it, and the one after the last; an inline element
        has only the segments that are all inside it."""
        starts = as_indices([segment.first for segment in self.segments])
        ends = as_indices([segment.last for segment in self.segments])
        nodes = self.outline.arrays
        firsts = np.searchsorted(starts, nodes.firsts)
        lasts = np.searchsorted(ends, nodes.lasts, side="right")
        return firsts, np.maximum(firsts, lasts)

    @cached_property
    def in_heading(self) -> Flags:
        """For each segment whether it is in a heading."""
        return self.inside(HEADINGS)

    def inside(self, tags: tuple[str, ...]) -> Flags:
        """For each segment whether it is in an element with one of the tags, which have bits."""
        has_tag: Flags = self.tags_around & bits_of_tags(tags) != 0
        return has_tag

    @cached_property
    def tags_around(self) -> Bits:
        """For each segment the bits of the tags of its block and of all elements around it."""
        return self.outline.arrays.tags_around[self.blocks]

    @cached_property
    def lists(self) -> list[list[int]]:
        """The lists of the page: three elements or more, as nodes with text, that have the same
        parent, tag and class."""
        nodes = self.outline.arrays
        parents = nodes.parents
        has_text = nodes.lasts > nodes.firsts
        # The parent of the root is -1, so it is counted as its own child.
        counts_with_text = np.bincount(parents[has_text] + 1, minlength=len(parents) + 1)
        may_be_item = has_text & (counts_with_text[parents + 1] >= _MIN_ITEMS)

        columns = self.outline.columns
        alike_nodes: dict[_ItemKey, list[int]] = {}
        for index in np.flatnonzero(may_be_item).tolist():
            tag = columns.tags[index]
            if tag not in _TEXT_TAGS:
                css_class = columns.names[index][0]
                key = (columns.parents[index], tag, css_class)
                alike_nodes.setdefault(key, []).append(index)

        lists = []
        for items in alike_nodes.values():
            if len(items) >= _MIN_ITEMS:
                lists.append(items)
        return lists


def segment_page(page: Page) -> SegmentedPage:
    """Cut a page into segments."""
    segments = cut_segments(page.outline)
    texts = tuple([segment.text.lower() for segment in segments])
    return SegmentedPage(page, segments, texts)


def cut_segments(
    outline: Outline,
    breaks_line: Sequence[bool] | None = None,
) -> tuple[Segment, ...]:
    """The segments of a page, in document order.  Cost: linear in the size of the page.

    ``breaks_line``: for each node whether a browser breaks the line there; None: by its tag.
    """
    nodes = outline.arrays
    if breaks_line is None:
        breaks = outline.is_block
        blocks = outline.block_array
    else:
        breaks = np.array(breaks_line, dtype=bool)
        blocks = np.maximum(outline.inherit_nearest(breaks), 0)

    leaf_blocks = blocks[nodes.leaf_nodes]
    starts_segment = np.ones(len(leaf_blocks) + 1, dtype=bool)
    starts_segment[1:-1] = leaf_blocks[1:] != leaf_blocks[:-1]
    # Empty elements, such as br, also end a segment: at the leaf before which they are.
    is_empty = nodes.firsts == nodes.lasts
    starts_segment[nodes.firsts[is_empty & breaks]] = True

    leaf_tags = nodes.tags_around[nodes.leaf_nodes]
    in_link = leaf_tags & _LINK_BIT != 0
    if not IS_NATIVE:
        return cut_in_python(outline, leaf_blocks, starts_segment, in_link)
    segments = _native.cut_lines(
        outline.lines,
        outline.columns.texts,
        leaf_blocks,
        starts_segment.view(np.uint8),
        in_link.view(np.uint8),
    )
    return tuple(map(_make_segment, segments))


def cut_in_python(
    outline: Outline,
    leaf_blocks: Indices,
    starts_segment: Flags,
    is_in_link: Flags,
) -> tuple[Segment, ...]:
    """The segments, of leaves that are in these blocks and in links or not; one starts at each
    leaf for which ``starts_segment`` says so, and after the last one."""
    bounds = np.flatnonzero(starts_segment).tolist()
    block_of_leaf = leaf_blocks.tolist()
    in_link = is_in_link.tolist()
    texts = outline.columns.texts
    lines = outline.lines
    segments = []
    for first, last in pairwise(bounds):
        linked = 0
        for leaf in range(first, last):
            if in_link[leaf]:
                linked += len(lines[leaf])
        text = lines[first]
        if last - first > 1:
            text = " ".join("".join(texts[first:last]).split())
        if text:
            segment = Segment(
                text,
                block=block_of_leaf[first],
                first=first,
                last=last,
                linked=min(linked, len(text)),
            )
            segments.append(segment)
    return tuple(segments)


def as_indices(numbers: Sequence[int]) -> Indices:
    """The numbers as an array that can index others, also if there are none."""
    return np.array(numbers, dtype=np.intp)


def running_sums(
    values: NDArray[Any] | Sequence[float],
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """For each position the sum of the values before it, and at the end the sum of all.

    >>> running_sums([1, 0, 2]).tolist()
    [0.0, 1.0, 1.0, 3.0]
    """
    sums = np.zeros(len(values) + 1, dtype=dtype)
    array = np.asarray(values)
    array.cumsum(dtype=dtype, out=sums[1:])
    return sums


def difference(
    sums: NDArray[Any],
    firsts: Indices,
    lasts: Indices,
) -> NDArray[Any]:
    """The sums of the values from ``firsts`` to before ``lasts``, from their running sums.

    >>> difference(running_sums([1, 0, 2]), np.array([0, 2]), np.array([2, 3])).tolist()
    [1.0, 2.0]
    """
    return np.asarray(sums[lasts] - sums[firsts])


class KeptSums:
    """Sums over the segments of blocks that are kept: ``(ways, blocks)``, a row for each way to
    keep segments, and a column for each block.

    ``is_kept``: for each way and each segment of the page whether it is kept; ``firsts`` and
    ``lasts``: the segments of each block.
    """

    def __init__(
        self,
        is_kept: Flags,
        firsts: Indices,
        lasts: Indices,
    ) -> None:
        self.is_kept = is_kept
        self.firsts = firsts
        self.lasts = lasts

    def before(self, values: NDArray[Any]) -> Values:
        """The running sums of the values of kept segments: ``(ways, segments + 1)``.

        >>> KeptSums(np.array([[True, False, True]]), *np.array([[1], [3]])).before(np.ones(3))
        array([[0., 1., 1., 2.]])
        """
        ways, segments = self.is_kept.shape
        sums = np.zeros((ways, segments + 1))
        kept_values = values * self.is_kept
        np.cumsum(kept_values, axis=1, dtype=np.float64, out=sums[:, 1:])
        return sums

    def inside(self, values: NDArray[Any]) -> Values:
        """The sums of the values of the kept segments of each block.

        >>> KeptSums(np.array([[True, False, True]]), *np.array([[1], [3]])).inside(np.ones(3))
        array([[1.]])
        """
        return self.between(self.before(values))

    def between(self, before: Values) -> Values:
        """For each block the difference of running sums, such as those of ``before``, at its end
        and at its start."""
        before_start = before[:, self.firsts]
        before_end = before[:, self.lasts]
        return np.asarray(before_end - before_start)

    def rows(self, values: Sequence[NDArray[Any]]) -> Values:
        """Each value, which has or is broadcast to ``(ways, blocks)``, as a column; all blocks of
        the first way come first."""
        ways = len(self.is_kept)
        blocks = len(self.firsts)
        shape = (ways, blocks, len(values))
        table = np.empty(shape)
        for column, value in enumerate(values):
            table[:, :, column] = value
        return table.reshape(-1, len(values))


def best_run(values: Sequence[float]) -> tuple[int, int]:
    """The contiguous run v_a, ..., v_b with the largest sum (Luo et al. 2009, equation 1), as
    ``(first, last)`` of ``values[first:last]``; (0, 0) if no value is positive.  Ties: the run that
    ends first, then the shortest.  Cost: linear.

    >>> best_run([-1, 2, -1, 3, -5, 1])
    (1, 4)
    """
    best_total = 0.0
    best = (0, 0)
    total = 0.0
    start = 0
    for i, value in enumerate(values):
        if total <= 0:
            total = 0.0
            start = i
        total += value
        if total > best_total:
            best_total = total
            best = (start, i + 1)
    return best
