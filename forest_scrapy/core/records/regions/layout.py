"""What the boxes of a rendered page tell about its records: whether they are visible, and aligned.

Luo et al. 2009, section 4.2, use the alignment of text segments; records are aligned as well: those
of a list on the left, those of a grid have the same width, and replies that are indented end on the
same right edge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.rendered import Style, read_styles

__all__ = ["find_visible", "measure_alignment"]

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
    return (
        round(style.left / _PIXELS),
        round(style.right / _PIXELS),
        round(style.width / _PIXELS),
    )
