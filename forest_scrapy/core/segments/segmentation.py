"""Text segments: the text between two line breaks (Luo et al. 2009, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

from forest_scrapy.core.document.tree import Outline, is_block

__all__ = ["Segment", "cut_segments"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Successive text leaves with the same nearest block ancestor, and no break between.

    ``leaves[first:last]`` of the outline; ``block`` is the index of the block element;
    ``linked`` counts the characters that stand in links.
    """

    text: str
    block: int
    first: int
    last: int
    linked: int


def cut_segments(outline: Outline) -> tuple[Segment, ...]:
    """The segments of a page, in document order; linear in its size."""
    blocks, links = _inherit(outline)
    breaks_at = {n.first for n in outline.nodes if n.first == n.last and is_block(n.element)}
    segments: list[Segment] = []
    start = 0
    for i in range(1, len(outline.leaves) + 1 if outline.leaves else 0):
        if i < len(outline.leaves):
            same = blocks[outline.leaves[i].node] == blocks[outline.leaves[start].node]
            if same and i not in breaks_at:
                continue
        segments.append(_segment(outline, start, i, blocks, links))
        start = i
    return tuple(segment for segment in segments if segment.text)


def _inherit(outline: Outline) -> tuple[list[int], list[bool]]:
    """For each node its nearest block (itself included), and whether it stands in a link."""
    blocks: list[int] = []
    links: list[bool] = []
    for i, node in enumerate(outline.nodes):
        is_root = node.parent < 0
        blocks.append(i if is_root or is_block(node.element) else blocks[node.parent])
        links.append(node.element.tag == "a" or (not is_root and links[node.parent]))
    return blocks, links


def _segment(
    outline: Outline, first: int, last: int, blocks: list[int], links: list[bool]
) -> Segment:
    leaves = outline.leaves[first:last]
    text = " ".join("".join(leaf.text for leaf in leaves).split())
    linked = sum(len(" ".join(leaf.text.split())) for leaf in leaves if links[leaf.node])
    return Segment(text, blocks[leaves[0].node], first, last, min(linked, len(text)))
