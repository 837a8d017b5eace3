"""Text segments: the text between two line breaks (Luo et al. 2009, section 3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page

# The models are trained with these constants, which are not tuned: a change needs new ones.
#: Elements with the same parent, tag and class from which they are a list.
_LEAST_ITEMS = 3
HEADINGS = ("h1", "h2", "h3", "h4")
#: Tags that repeat in running text.
_RUNNING = frozenset("p br a b i em strong span font h1 h2 h3 h4 h5 h6 img picture body".split())


@dataclass(frozen=True, slots=True)
class Segment:
    """Successive text leaves with the same nearest block element and no line break between them.

    ``leaves[first:last]`` of the outline; ``block`` is the index of the block element;
    ``linked`` the number of characters in links.
    """

    text: str
    block: int
    first: int
    last: int
    linked: int


@dataclass(frozen=True)
class SegmentedPage:
    """A page and its segments; ``texts`` are their texts in lower case, as they are compared
    with those of other pages.  ``notes``: what others derive from the page and keep with it."""

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
        return [split_words(segment.text) for segment in self.segments]

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The words of the titles that the page and its feed entry declare."""
        entry = self.page.entry
        return frozenset(split_words(f"{self.page.declared.title} {entry.title if entry else ''}"))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """The number of characters of each segment."""
        return np.array([len(segment.text) for segment in self.segments], dtype=np.float64)

    @cached_property
    def length_sums(self) -> NDArray[np.float64]:
        """The running sums of ``lengths``."""
        return running_sums(self.lengths)

    @cached_property
    def linked(self) -> NDArray[np.float64]:
        """The number of characters in links of each segment."""
        return np.array([segment.linked for segment in self.segments], dtype=np.float64)

    @cached_property
    def blocks(self) -> NDArray[np.intp]:
        """The block of each segment."""
        return np.array([segment.block for segment in self.segments], dtype=np.intp)

    @cached_property
    def spans(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each node the first segment below it, and the one after the last; an inline element
        has only the segments that are all inside it."""
        starts = [segment.first for segment in self.segments]
        ends = [segment.last for segment in self.segments]
        nodes = self.outline.nodes
        firsts = np.searchsorted(starts, [node.first for node in nodes])
        lasts = np.searchsorted(ends, [node.last for node in nodes], side="right")
        return firsts, np.maximum(firsts, lasts)

    @cached_property
    def in_heading(self) -> NDArray[np.bool_]:
        """For each segment whether it is in a heading."""
        return self.inside(HEADINGS)

    def inside(self, tags: tuple[str, ...]) -> NDArray[np.bool_]:
        """For each segment whether it is in an element with one of the tags."""
        inside = self.outline.inside(tags)
        return np.array([inside[segment.block] for segment in self.segments], dtype=bool)

    @cached_property
    def lists(self) -> list[list[int]]:
        """The lists of the page: three elements or more, as nodes with text, that have the same
        parent, tag and class."""
        members: dict[tuple[int, str, str | None], list[int]] = {}
        for i, node in enumerate(self.outline.nodes):
            if node.last > node.first and node.tag not in _RUNNING:
                key = (node.parent, node.tag, node.names[0])
                members.setdefault(key, []).append(i)
        return [own for own in members.values() if len(own) >= _LEAST_ITEMS]


def segment_page(page: Page) -> SegmentedPage:
    """Cut a page into segments."""
    segments = cut_segments(page.outline)
    return SegmentedPage(page, segments, tuple(segment.text.lower() for segment in segments))


def cut_segments(
    outline: Outline, breaks_line: Sequence[bool] | None = None
) -> tuple[Segment, ...]:
    """The segments of a page, in document order.  Cost: linear in the size of the page.

    ``breaks_line``: for each node whether a browser breaks the line there; None: by its tag.
    """
    blocks = outline.blocks if breaks_line is None else outline.nearest(breaks_line)
    in_link = outline.inside(("a",))
    breaks = {
        node.first
        for i, node in enumerate(outline.nodes)
        if node.first == node.last and (node.is_block if breaks_line is None else breaks_line[i])
    }
    block_of = [blocks[leaf.node] for leaf in outline.leaves]
    starts = [
        i for i, block in enumerate(block_of) if not i or block != block_of[i - 1] or i in breaks
    ]
    segments = (
        _make_segment(outline, first, last, block_of[first], in_link)
        for first, last in pairwise([*starts, len(block_of)])
    )
    return tuple(segment for segment in segments if segment.text)


def _make_segment(
    outline: Outline, first: int, last: int, block: int, in_link: Sequence[bool]
) -> Segment:
    leaves = outline.leaves[first:last]
    text = " ".join("".join(leaf.text for leaf in leaves).split())
    linked = sum(len(" ".join(leaf.text.split())) for leaf in leaves if in_link[leaf.node])
    return Segment(text, block, first, last, min(linked, len(text)))


def running_sums(
    values: NDArray[Any] | Sequence[float], dtype: DTypeLike = np.float64
) -> NDArray[Any]:
    """For each position the sum of the values before it, and at the end the sum of all.

    >>> running_sums([1, 0, 2]).tolist()
    [0.0, 1.0, 1.0, 3.0]
    """
    sums = np.zeros(len(values) + 1, dtype=dtype)
    np.asarray(values).cumsum(dtype=dtype, out=sums[1:])
    return sums


class KeptSums:
    """Sums over the segments of blocks that are kept, with one row for each way to keep segments,
    and a column for each block: ``(ways, blocks)``.

    ``kept``: for each way and each segment of the page whether it is kept; ``firsts`` and
    ``lasts``: the segments of each block.
    """

    def __init__(
        self, kept: NDArray[np.bool_], firsts: NDArray[np.intp], lasts: NDArray[np.intp]
    ) -> None:
        self.kept, self.firsts, self.lasts = kept, firsts, lasts

    def before(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The running sums of the values of kept segments: ``(ways, segments + 1)``.

        >>> KeptSums(np.array([[True, False, True]]), *np.array([[1], [3]])).before(np.ones(3))
        array([[0., 1., 1., 2.]])
        """
        sums = np.zeros((self.kept.shape[0], self.kept.shape[1] + 1))
        np.cumsum(values * self.kept, axis=1, dtype=np.float64, out=sums[:, 1:])
        return sums

    def inside(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The sums of the values of the kept segments of each block.

        >>> KeptSums(np.array([[True, False, True]]), *np.array([[1], [3]])).inside(np.ones(3))
        array([[1.]])
        """
        before = self.before(values)
        return np.asarray(before[:, self.lasts] - before[:, self.firsts])

    def rows(self, values: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Each value, which has or is broadcast to ``(ways, blocks)``, as a column; all blocks of
        the first way come first."""
        shape = (len(self.kept), len(self.firsts))
        table = np.empty((*shape, len(values)))
        for i, value in enumerate(values):
            table[:, :, i] = value
        return table.reshape(-1, len(values))


def best_run(values: Sequence[float]) -> tuple[int, int]:
    """The contiguous run with the largest sum, as ``(first, last)`` of ``values[first:last]``;
    (0, 0) if no value is positive.  Ties: the run that ends first, then the shortest.  Cost:
    linear.

    >>> best_run([-1, 2, -1, 3, -5, 1])
    (1, 4)
    """
    best, run = 0.0, (0, 0)
    total, start = 0.0, 0
    for i, value in enumerate(values):
        if total <= 0:
            total, start = 0.0, i
        total += value
        if total > best:
            best, run = total, (start, i + 1)
    return run
