"""The records of search results, by the terms of the query (thesis, chapter 3, section 3.2).

The thesis locates the records with FOREST, whose signifiers are the query terms here: they are in
every record.  What it leaves open:

- The most relevant pattern may hold all of the records, or a part of each.  Parts are the ends of
  significant paths in it: of the patterns that several of them on a page have, the most relevant
  if all of its elements count (equation 2.5 sums over the paths).
- The records are the parts or ancestors of them, below the element that holds all parts of a page:
  on the level whose n elements with parts, and the elements with the same paths, cover the most of
  its text, times n / (n + 1).
- If the terms of the query are not in several elements of any page, terms by tf-idf are used.
- Elements without attributes have their anchored path as pattern, not their dfs number, which only
  one element of a page has.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import fmean

from forest_scrapy.core.methods.forest import counts_pages, find_measure, rank_template
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.records.regions.groups import Group, write_key
from forest_scrapy.core.records.regions.prose import ProsePage
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, write_anchored_path
from forest_scrapy.core.xpaths.structural import Measure, Pattern, Significant, find_occurrences

#: For each page the indices of elements.
_Nodes = list[set[int]]


def find_responses(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
    params: Params,
) -> Group | None:
    """The candidate whose elements are the records of the pages; None if no element with a term of
    the query, or else by tf-idf, is repeated on a page.  Cost: linear in the size of the pages, as
    FOREST."""
    measure = find_measure(params.measure)
    count_pages = counts_pages("query", params.occurrences)
    read_pages = [page.page for page in pages]
    outlines = [page.outline for page in pages]
    for source in ("query", "tf-idf"):
        marked_pages, patterns = rank_template(
            read_pages,
            params,
            measure,
            source,
            count_pages,
        )
        if not patterns:
            continue
        most_relevant = patterns[0]
        best = most_relevant.pattern
        parts = _find_parts(marked_pages, best, measure)
        if parts:
            boundary = _find_boundary(outlines, parts)
            return _choose_group(groups, boundary)
    return None


@dataclass
class _PathRelevance:
    """The ends of significant paths that have the same anchored path.

    ``nodes``: their indices, by the number of the page.  ``information`` and ``paths``: the sums of
    the measure and of the significant paths.
    """

    nodes: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    information: float = 0.0
    paths: int = 0

    def score(self, path: AnchoredPath) -> float:
        """The relevance of the path as a pattern."""
        relevance = self.information * self.paths * path.level
        return round(relevance, 6)

    def is_repeated(self) -> bool:
        """Whether a page has several."""
        counts = [len(nodes) for nodes in self.nodes.values()]
        return max(counts) > 1


def _find_parts(
    pages: Sequence[Significant],
    best: Pattern,
    measure: Measure,
) -> _Nodes | None:
    """The ends of significant paths inside of the best pattern that have the most relevant pattern
    of those that are repeated on a page.  Ties: the deeper one, then the path's text."""
    relevance: dict[AnchoredPath, _PathRelevance] = defaultdict(_PathRelevance)
    for number, page in enumerate(pages):
        outline = page.page.outline
        paths = anchored_paths(outline)
        path_ends = set()
        for leaf_number in page.leaves:
            leaf = outline.leaves[leaf_number]
            path_ends.add(leaf.node)

        end_of_best = 0
        for occurrence in find_occurrences(page):
            index = occurrence.index
            if occurrence.pattern == best:
                end_of_element = outline.ends[index]
                end_of_best = max(end_of_best, end_of_element)
            is_in_best = index < end_of_best
            if is_in_best and index in path_ends:
                path = paths[index]
                path_relevance = relevance[path]
                path_relevance.nodes[number].add(index)
                path_relevance.information += measure(page, occurrence.node)
                path_relevance.paths += occurrence.paths

    repeated = []
    for path, path_relevance in relevance.items():
        if path_relevance.is_repeated():
            repeated.append(path)
    if not repeated:
        return None

    def order(path: AnchoredPath) -> tuple[float, int, str]:
        path_relevance = relevance[path]
        score = path_relevance.score(path)
        text = write_anchored_path(path)
        return -score, -path.level, text

    most_relevant = min(repeated, key=order)
    nodes = relevance[most_relevant].nodes
    numbers = range(len(pages))
    return [nodes.get(number, set()) for number in numbers]


def _find_boundary(outlines: Sequence[Outline], parts: _Nodes) -> _Nodes:
    """The elements on the level that divides the pages best, the outermost of several; none on
    pages with less than two parts."""
    divided_pages: dict[int, _Levels] = {}
    for number, outline in enumerate(outlines):
        page_parts = parts[number]
        if len(page_parts) > 1:
            divided_pages[number] = _Levels(outline, page_parts)

    def order(level: int) -> tuple[float, int]:
        values = [page.value(level) for page in divided_pages.values()]
        mean = fmean(values)
        return round(mean, 4), level

    level_counts = [len(page.nodes) for page in divided_pages.values()]
    levels = range(min(level_counts))
    best_level = max(levels, key=order)
    boundary: _Nodes = [set() for _ in outlines]
    for number, page in divided_pages.items():
        boundary[number] = page.nodes[best_level]
    return boundary


class _Levels:
    """The parts of a page and, level by level, the elements above them, up to those below the
    element that holds them all.

    ``nodes``: the elements of each level, from the parts upwards, with those that have the same
    path as one of them.
    """

    def __init__(self, outline: Outline, parts: Collection[int]) -> None:
        paths = anchored_paths(outline)
        level = set(parts)
        paths_of_levels: list[set[AnchoredPath]] = []
        self._counts: list[int] = []
        while len(level) > 1:
            level_paths = {paths[index] for index in level}
            paths_of_levels.append(level_paths)
            self._counts.append(len(level))
            parents = {outline.nodes[index].parent for index in level}
            level = parents
        (top,) = level

        nodes_at: dict[AnchoredPath, list[int]] = defaultdict(list)
        below = outline.below(top)[1:]
        for index in below:
            path = paths[index]
            nodes_at[path].append(index)
        self.nodes: list[set[int]] = []
        for level_paths in paths_of_levels:
            level_nodes: set[int] = set()
            for path in level_paths:
                level_nodes.update(nodes_at[path])
            self.nodes.append(level_nodes)

        self._outline = outline
        self._top = outline.nodes[top]
        lengths = (len(leaf.text) for leaf in outline.leaves)
        self._ends = list(accumulate(lengths, initial=0))

    def value(self, level: int) -> float:
        """How well the elements on a level divide the text, 0 to 1."""
        covered = 0
        for index in self.nodes[level]:
            node = self._outline.nodes[index]
            covered += self._size(node)
        size = self._size(self._top)
        covered_share = covered / size
        count = self._counts[level]
        return covered_share * count / (count + 1)

    def _size(self, node: Node) -> int:
        """Characters of text below a node."""
        start = self._ends[node.first]
        end = self._ends[node.last]
        return end - start


def _choose_group(groups: Sequence[Group], boundary: _Nodes) -> Group | None:
    """The candidate that has most in common with the elements (Jaccard), at least one of them.
    Ties: the shorter key."""
    best: Group | None = None
    best_order: tuple[float, int, str] | None = None
    for group in groups:
        similarity = _measure_similarity(boundary, group)
        if similarity is None:
            continue
        key = write_key(group.key)
        order = (-similarity, len(key), key)
        is_better = best_order is None or order < best_order
        if is_better:
            best = group
            best_order = order
    return best


def _measure_similarity(boundary: _Nodes, group: Group) -> float | None:
    """The Jaccard index of the elements and those of a candidate, on the pages that have elements;
    None if they have none in common."""
    common = 0
    either = 0
    for elements, nodes in zip(boundary, group.nodes, strict=True):
        if not elements:
            continue
        shared = elements.intersection(nodes)
        union = elements.union(nodes)
        common += len(shared)
        either += len(union)
    if not common:
        return None
    index = common / either
    return round(index, 4)
