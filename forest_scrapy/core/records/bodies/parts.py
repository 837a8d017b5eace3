"""Parts of records that are no part of their text: records inside them, names and dates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from forest_scrapy.core.records.bodies.paths import DROP_UP_TO
from forest_scrapy.core.records.inside import Inner, is_below
from forest_scrapy.core.records.regions.prose import ProsePage

__all__ = ["find_inner_records", "tell_text"]

# Set by hand while looking at harvest-forum and wcxb-dev-forum.
#: How many of the same elements a record that has any must have, in the mean, the share of these
#: that must have a date, and that of the records with the same number, to be records inside it.
#: From ``_MANY`` on the number may be the same.
_SEVERAL, _MANY, _MOSTLY_DATED, _SAME_NUMBER = 2, 4, 0.8, 0.8
#: The share of records that must have an element in their text, and its most characters, to be an
#: attribute.
_NEARLY_ALL, _SHORT = 0.9, 60

#: Of all records of a template its page, and its nodes with their internal paths.
Inside = Sequence[tuple[ProsePage, Sequence[Inner]]]


def find_inner_records(inside: Inside) -> list[str]:
    """The internal paths of records inside records, such as remarks on a post: elements that are
    several in a record, not always the same number, and mostly have both prose and a date."""
    dated: dict[str, list[bool]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    for page, inner in inside:
        for node, path in inner:
            dated[path].append(page.prose_below(node) > 0 and page.dates_below(node) > 0)
        for path, count in Counter(path for _, path in inner).items():
            counts[path].append(count)
    return [
        path
        for path, own in counts.items()
        if path
        and fmean(own) >= _SEVERAL
        and (fmean(own) >= _MANY or _most_common(own) < _SAME_NUMBER * len(own))
        and fmean(dated[path]) >= _MOSTLY_DATED
    ]


def _most_common(counts: Sequence[int]) -> int:
    """How often the most common number occurs."""
    return max(Counter(counts).values())


def tell_text(
    inside: Inside, weights: Mapping[str, float], bodies: Sequence[str]
) -> Callable[[str], bool]:
    """A function that tells whether a path is a part of the text of records.

    Elements in the text are none if their own is left out (``weights``, see ``weigh_paths``), or if
    nearly all records have one, and a short one, such as the name of the author.
    """
    once: Counter[str] = Counter()
    for page, inner in inside:
        counts = Counter(path for _, path in inner)
        once.update({path for node, path in inner if counts[path] == 1 and _is_short(page, node)})
    known = {path for path, count in once.items() if count >= _NEARLY_ALL * len(inside)}

    def is_text(path: str) -> bool:
        is_inside = any(is_below(path, body) for body in bodies)
        return is_inside and weights.get(path, 0.0) > DROP_UP_TO and path not in known

    return is_text


def _is_short(page: ProsePage, node: int) -> bool:
    own = page.outline.nodes[node]
    leaves = page.outline.leaves[own.first : min(own.last, own.first + _SHORT)]
    return sum(len(leaf.text) for leaf in leaves) <= _SHORT
