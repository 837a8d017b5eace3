"""MSS: the body is the maximum scoring subsequence of a page's text segments.

Luo et al. 2009, section 4.1, with the paper's hand-written local classifier F.  On a rendered page
the method is complete: lines end where the browser ends them (3.1), F looks at font sizes and
colours (equation 3), and segments that are not aligned with the body are left out (4.2).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
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

#: The paper's c1 and c2: the smallest shares of a body segment's text that have the page's font
#: size and colour.
MIN_SIZED_SHARE = 0.7
MIN_COLORED_SHARE = 0.2
#: The paper's c3: the largest share of a body segment's text that is in links.
MAX_LINKED_SHARE = 0.5
#: The smallest share of the body's width that a segment of the body covers.  The paper has no
#: figure ("only cover a small part").
_MIN_COVERED_SHARE = 0.5
#: How far, as a share of the body's width, the centre of a centred segment may be from its centre.
_MAX_OFF_CENTRE = 0.02

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
        breaks = []
        for node, style in zip(outline.nodes, styles, strict=True):
            is_break = node.tag in ("br", "hr")
            breaks.append(style.breaks_line or is_break)
        segments = cut_segments(outline, breaks)
        return cls(outline, styles, segments)

    def values(self) -> list[float]:
        """v_i = F(s_i) * length for each segment s_i (equations 2 and 3): its number of characters,
        negative unless enough of it has the page's most common font size (p_size >= c1) and colour
        (p_color >= c2), and is not in links (p_link <= c3).  Cost: linear."""
        sizes: Counter[float] = Counter()
        colors: Counter[str] = Counter()
        for leaf in range(len(self.outline.leaves)):
            style = self._style(leaf)
            length = self._length(leaf)
            sizes[style.font_size] += length
            colors[style.color] += length

        size = _heaviest(sizes)
        color = _heaviest(colors)
        return [self._value(segment, size, color) for segment in self.segments]

    def aligned(
        self,
        values: Sequence[float],
        first: int,
        last: int,
    ) -> list[bool]:
        """Which segments of the run ``segments[first:last]`` are aligned with the body, whose edges
        are those that most of the run's text has; False outside of the run."""
        weights: Counter[tuple[int, int]] = Counter()
        for segment in self.segments[first:last]:
            box = self.styles[segment.block]
            left = round(box.left)
            right = round(box.right)
            edges = (left, right)
            weights[edges] += len(segment.text)

        are_aligned = [False] * len(self.segments)
        body_edges = _heaviest(weights)
        if body_edges is None:
            return are_aligned

        body_left, body_right = body_edges
        for i in range(first, last):
            block = self.segments[i].block
            box = self.styles[block]
            if is_aligned(box, body_left, body_right):
                are_aligned[i] = True
            elif values[i] > 0:
                are_aligned[i] = is_centred(box, body_left, body_right)
        return are_aligned

    def _value(
        self,
        segment: Segment,
        size: float | None,
        color: str | None,
    ) -> float:
        total = 0
        sized = 0
        colored = 0
        for leaf in range(segment.first, segment.last):
            style = self._style(leaf)
            length = self._length(leaf)
            total += length
            if style.font_size == size:
                sized += length
            if style.color == color:
                colored += length

        total = total or 1
        has_size = sized >= MIN_SIZED_SHARE * total
        has_color = colored >= MIN_COLORED_SHARE * total
        if has_size and has_color:
            return value_segment(segment)
        return float(-len(segment.text))

    def _style(self, leaf: int) -> Style:
        node = self.outline.leaves[leaf].node
        return self.styles[node]

    def _length(self, leaf: int) -> int:
        text = self.outline.leaves[leaf].text
        return len(text.strip())


def is_aligned(box: Style, start: float, end: float) -> bool:
    """Whether the box covers a large part of the horizontal range from ``start`` to ``end``.

    >>> box = Style(100, 0, 600, 20, 16, "black", "block")
    >>> is_aligned(box, 100, 700), is_aligned(box, 0, 2000)
    (True, False)
    """
    covered_start = max(box.left, start)
    covered_end = min(box.right, end)
    return covered_end - covered_start >= _MIN_COVERED_SHARE * (end - start)


def is_centred(box: Style, start: float, end: float) -> bool:
    """Whether the box has the centre of the range, as a short centred heading has.

    >>> is_centred(Style(350, 0, 100, 20, 16, "black", "block"), 100, 700)
    True
    """
    off_centre = abs(box.left + box.right - start - end) / 2
    return off_centre <= _MAX_OFF_CENTRE * (end - start)


def _heaviest(weights: Counter[_Value]) -> _Value | None:
    """The value with the largest weight; of equal ones the smallest.  None if there is none."""
    return min(weights, key=lambda value: (-weights[value], value), default=None)


def learn_mss(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper for a single page (the first of several): it keeps the run of segments with the
    largest sum of values, including those with a negative value; of a rendered page, those of the
    run that are aligned."""
    page = pages[0]
    styles = read_styles(page.outline)
    if styles:
        rendered = RenderedSegments.cut(page.outline, styles)
        segments = rendered.segments
        values = rendered.values()
        first, last = best_run(values)
        is_content = rendered.aligned(values, first, last)
    else:
        segments = cut_segments(page.outline)
        values = [value_segment(segment) for segment in segments]
        first, last = best_run(values)
        is_content = [first <= i < last for i in range(len(segments))]

    blocks = [segment.block for segment in segments]
    score = sum(values[first:last])
    return write_page_wrapper("mss", page, blocks, is_content, score)


def value_segment(segment: Segment) -> float:
    """v_i = F(s_i) * length (equations 2 and 3): the number of characters, negative if most are in
    links (p_link > c3).  The rules for fonts need a rendered page.

    >>> value_segment(Segment("seven..", 0, 0, 1, 3)), value_segment(Segment("seven..", 0, 0, 1, 4))
    (7.0, -7.0)
    """
    length = len(segment.text)
    is_linked = segment.linked > MAX_LINKED_SHARE * length
    return float(-length if is_linked else length)
