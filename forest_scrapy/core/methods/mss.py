"""MSS: the body is the maximum scoring subsequence of a page's text segments.

Luo et al. 2009, section 4.1, with the paper's hand-written local classifier F.  On a rendered page
the method is complete: lines end where the browser ends them (3.1), F looks at font sizes and
colours (equation 3), and segments that are not aligned with the body are left out (4.2).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.rendered import Style, read_styles
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.segmentation import Segment, best_run, cut_segments
from forest_scrapy.core.wrapper import Wrapper

#: The paper's c1, c2 and c3: the least shares of a body segment's text that have the page's font
#: size and colour, and the largest share that is in links.
SIZED_SHARE, COLORED_SHARE, LINKED_SHARE = 0.7, 0.2, 0.5
#: The share of the body's width that a segment of the body covers at least.  The paper has no
#: figure ("only cover a small part").
_COVERED_SHARE = 0.5
#: How far, as a share of the body's width, the centre of a centred segment may be from its centre.
_OFF_CENTRE = 0.02

_Value = TypeVar("_Value", bound=Hashable)


@dataclass(frozen=True)
class RenderedSegments:
    """The segments of a rendered page, and the style of each node of its outline."""

    outline: Outline
    styles: tuple[Style, ...]
    segments: tuple[Segment, ...]

    @classmethod
    def cut(cls, outline: Outline, styles: tuple[Style, ...]) -> Self:
        """The segments between the line breaks that the browser makes (section 3.1)."""
        breaks = [
            style.breaks_line or node.tag in ("br", "hr")
            for node, style in zip(outline.nodes, styles, strict=True)
        ]
        return cls(outline, styles, cut_segments(outline, breaks))

    def values(self) -> list[float]:
        """v = F * length for each segment (equations 2 and 3): its number of characters, negative
        unless enough of it has the page's most common font size and colour, and is not in links.
        Cost: linear."""
        leaves = range(len(self.outline.leaves))
        size = _most_common((self._style(leaf).font_size, self._length(leaf)) for leaf in leaves)
        color = _most_common((self._style(leaf).color, self._length(leaf)) for leaf in leaves)
        return [self._value(segment, size, color) for segment in self.segments]

    def aligned(self, values: Sequence[float], first: int, last: int) -> list[bool]:
        """Which segments of the run ``segments[first:last]`` are aligned with the body, whose edges
        are those that most of the run's text has; False outside of the run."""
        boxes = [self.styles[segment.block] for segment in self.segments]
        run = range(first, last)
        edges = _most_common(
            ((round(boxes[i].left), round(boxes[i].right)), len(self.segments[i].text)) for i in run
        )
        return [
            i in run
            and edges is not None
            and (is_aligned(box, *edges) or (values[i] > 0 and is_centred(box, *edges)))
            for i, box in enumerate(boxes)
        ]

    def _value(self, segment: Segment, size: float | None, color: str | None) -> float:
        leaves = range(segment.first, segment.last)
        total = sum(map(self._length, leaves)) or 1
        sized = sum(self._length(i) for i in leaves if self._style(i).font_size == size)
        colored = sum(self._length(i) for i in leaves if self._style(i).color == color)
        length = len(segment.text)
        is_body = sized >= SIZED_SHARE * total and colored >= COLORED_SHARE * total
        return float(length if is_body and segment.linked <= LINKED_SHARE * length else -length)

    def _style(self, leaf: int) -> Style:
        return self.styles[self.outline.leaves[leaf].node]

    def _length(self, leaf: int) -> int:
        return len(self.outline.leaves[leaf].text.strip())


def is_aligned(box: Style, left: float, right: float) -> bool:
    """Whether the box covers a large part of the horizontal range from ``left`` to ``right``.

    >>> box = Style(100, 0, 600, 20, 16, "black", "block")
    >>> is_aligned(box, 100, 700), is_aligned(box, 0, 2000)
    (True, False)
    """
    return min(box.right, right) - max(box.left, left) >= _COVERED_SHARE * (right - left)


def is_centred(box: Style, left: float, right: float) -> bool:
    """Whether the box has the centre of the range, as a short centred heading has.

    >>> is_centred(Style(350, 0, 100, 20, 16, "black", "block"), 100, 700)
    True
    """
    return abs(box.left + box.right - left - right) <= 2 * _OFF_CENTRE * (right - left)


def _most_common(weighted: Iterable[tuple[_Value, int]]) -> _Value | None:
    """The value with the largest sum of weights; of equal ones the smallest.  None if there is
    none."""
    total: Counter[_Value] = Counter()
    for value, weight in weighted:
        total[value] += weight
    return min(total, key=lambda value: (-total[value], value)) if total else None


def learn_mss(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper for a single page (the first of several): it keeps the run of segments with the
    largest sum of values, including those with a negative value; of a rendered page, those of the
    run that are aligned."""
    page = pages[0]
    styles = read_styles(page.outline)
    if styles:
        rendered = RenderedSegments.cut(page.outline, styles)
        segments, values = rendered.segments, rendered.values()
        first, last = best_run(values)
        kept = rendered.aligned(values, first, last)
    else:
        segments = cut_segments(page.outline)
        values = [value_segment(segment) for segment in segments]
        first, last = best_run(values)
        kept = [first <= i < last for i in range(len(segments))]
    blocks = [segment.block for segment in segments]
    return write_page_wrapper("mss", page, blocks, kept, sum(values[first:last]))


def value_segment(segment: Segment) -> float:
    """v = F * length (equations 2 and 3): the number of characters, negative if most are in links.
    The rules for fonts need a rendered page.

    >>> value_segment(Segment("seven..", 0, 0, 1, 3)), value_segment(Segment("seven..", 0, 0, 1, 4))
    (7.0, -7.0)
    """
    length = len(segment.text)
    return float(-length if segment.linked > LINKED_SHARE * length else length)
