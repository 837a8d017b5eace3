"""The records of search results, by the terms of the query (thesis, chapter 3, section 3.2).

The thesis locates the records with FOREST, whose signifiers are the query terms here: they are in
every record.  What it leaves open:

- The most relevant pattern may hold all of the records, or a part of each.  Parts are the ends of
  significant paths in it: of the patterns that several of them on a page have, the most relevant
  if all of its elements count (equation 2.5 sums over the paths).
- The records are the parts or ancestors of them, below the element that holds all parts of a page:
  on the level whose n elements with parts, together with their like, cover the most of its text,
  times n / (n + 1).
- If the terms of the query are not in several elements of any page, terms by tf-idf are used.
- Elements without attributes have their anchored path as pattern, not their dfs number, which only
  one element of a page has.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate
from statistics import fmean

from forest_scrapy.core.methods.forest import find_measure, rank_template
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.records.regions.groups import Group, write_key
from forest_scrapy.core.records.regions.prose import ProsePage
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, write_anchored_path
from forest_scrapy.core.xpaths.structural import Measure, Pattern, Significant, find_occurrences

#: For each page the indices of elements.
_Nodes = list[set[int]]


def find_responses(
    pages: Sequence[ProsePage], groups: Sequence[Group], params: Params
) -> Group | None:
    """The one of the candidates whose elements are the records of the pages; None if nothing with a
    term of the query is repeated on a page, or by tf-idf if so.  Cost: linear in the size of the
    pages, as FOREST."""
    measure, outlines = find_measure(params.measure), [page.outline for page in pages]
    for source in ("query", "tf-idf"):
        read = [page.page for page in pages]
        marked, ranked = rank_template(read, params, measure, source)
        parts = _find_parts(marked, ranked[0].pattern, measure) if ranked else None
        if parts:
            return _choose_group(groups, _find_boundary(outlines, parts))
    return None


def _find_parts(pages: Sequence[Significant], best: Pattern, measure: Measure) -> _Nodes | None:
    """The ends of significant paths inside of the best pattern that have the most relevant pattern
    of those that are repeated on a page.  Ties: the deeper one, then the path's text."""
    found: dict[AnchoredPath, _Nodes] = defaultdict(lambda: [set() for _ in pages])
    information: dict[AnchoredPath, float] = defaultdict(float)
    significant: dict[AnchoredPath, int] = defaultdict(int)
    for k, page in enumerate(pages):
        outline = page.page.outline
        paths, end = anchored_paths(outline), 0
        ends = {outline.leaves[leaf].node for leaf in page.leaves}
        for one in find_occurrences(page):
            if one.pattern == best:
                end = max(end, outline.ends[one.index])
            if one.index < end and one.index in ends:
                path = paths[one.index]
                found[path][k].add(one.index)
                information[path] += measure(page, one.node)
                significant[path] += one.paths
    repeated = [path for path, nodes in found.items() if max(map(len, nodes)) > 1]
    scores = {p: round(information[p] * significant[p] * p.level, 6) for p in repeated}
    order = sorted(repeated, key=lambda p: (-scores[p], -p.level, write_anchored_path(p)))
    return found[order[0]] if order else None


def _find_boundary(outlines: Sequence[Outline], parts: _Nodes) -> _Nodes:
    """The elements on the level that divides the pages best, the outermost of several; none on
    pages with less than two parts."""
    pages = [
        _Levels(outline, own) if len(own) > 1 else None
        for outline, own in zip(outlines, parts, strict=True)
    ]
    several = [page for page in pages if page]
    steps = range(min(len(page.nodes) for page in several))
    best = max(steps, key=lambda step: (round(fmean(p.value(step) for p in several), 4), step))
    return [page.nodes[best] if page else set() for page in pages]


class _Levels:
    """The parts of a page and, level by level, the elements above them, up to those below the
    element that holds them all.

    ``nodes``: the elements of each level, from the parts upwards, with those that have the same
    path as one of them.
    """

    def __init__(self, outline: Outline, parts: Collection[int]) -> None:
        paths, above = anchored_paths(outline), set(parts)
        levels: list[set[AnchoredPath]] = []
        self._counts: list[int] = []
        while len(above) > 1:
            levels.append({paths[i] for i in above})
            self._counts.append(len(above))
            above = {outline.nodes[i].parent for i in above}
        (top,) = above
        by_path: dict[AnchoredPath, list[int]] = defaultdict(list)
        for i in range(top + 1, outline.ends[top]):
            by_path[paths[i]].append(i)
        self.nodes = [{i for path in own for i in by_path[path]} for own in levels]
        self._outline, self._total = outline, outline.nodes[top]
        self._ends = list(accumulate((len(leaf.text) for leaf in outline.leaves), initial=0))

    def value(self, step: int) -> float:
        """How well the elements on a level divide the text, 0 to 1."""
        nodes = (self._outline.nodes[i] for i in self.nodes[step])
        covered = sum(map(self._size, nodes)) / self._size(self._total)
        return covered * self._counts[step] / (self._counts[step] + 1)

    def _size(self, node: Node) -> int:
        return self._ends[node.last] - self._ends[node.first]


def _choose_group(groups: Sequence[Group], wanted: _Nodes) -> Group | None:
    """The candidate that has most in common with the wanted elements (Jaccard), at least one of
    them.  Ties: the shorter key."""
    scored = []
    for group in groups:
        pairs = [(a, set(b)) for a, b in zip(wanted, group.nodes, strict=True) if a]
        same, either = sum(len(a & b) for a, b in pairs), sum(len(a | b) for a, b in pairs)
        key = write_key(group.key)
        if same:
            scored.append((-round(same / either, 4), len(key), key, group))
    return min(scored, key=lambda one: one[:3])[3] if scored else None
