"""Records that are several siblings: a row with the author and one with the text, say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.records.inside import write_step_of

__all__ = ["find_reach"]

#: The share of the gaps between records that must hold the same siblings, and their largest
#: number.  Set by hand while looking at harvest-forum.
_LEAST_SAME, _MOST_SIBLINGS = 0.6, 4

_Steps = tuple[str, ...]


def find_reach(outlines: Sequence[Outline], nodes: Sequence[Sequence[int]]) -> tuple[int, int]:
    """How many siblings before and after its element belong to a record.

    Between two records there are always the same siblings, if there are any.  They belong to the
    record after them if they also stand before the first one, else to the record before them.
    ``nodes[k]``: the elements of the records of page k.
    """
    gaps: Counter[_Steps] = Counter()
    befores: list[_Steps] = []
    for outline, own in zip(outlines, nodes, strict=True):
        for first, between in _gaps(outline, own):
            gaps.update(between)
            befores.append(first)
    if not gaps:
        return 0, 0
    steps, count = min(gaps.items(), key=lambda item: (-item[1], item[0]))
    if not 0 < len(steps) <= _MOST_SIBLINGS or count < _LEAST_SAME * gaps.total():
        return 0, 0
    is_before = sum(first[-len(steps) :] == steps for first in befores)
    return (len(steps), 0) if 2 * is_before > len(befores) else (0, len(steps))


def _gaps(outline: Outline, nodes: Sequence[int]) -> list[tuple[_Steps, list[_Steps]]]:
    """For each parent of records, the siblings with text before the first record, and those
    between each two."""
    known, parents = set(nodes), {outline.nodes[node].parent for node in nodes}
    runs: dict[int, list[list[str]]] = {parent: [[]] for parent in sorted(parents)}
    for i, node in enumerate(outline.nodes):
        if node.parent in runs and i in known:
            runs[node.parent].append([])
        elif node.parent in runs and node.first < node.last:
            runs[node.parent][-1].append(write_step_of(outline, i))
    found = [[tuple(run) for run in own] for own in runs.values()]
    return [(own[0], own[1:-1]) for own in found]
