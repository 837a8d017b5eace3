"""Where the article of a page may end, within the block that contains it: before the heading of
another article, before a list of records, and before what is named as comments.

These are only proposals, that the trees choose among: headings of one's own can be ``h1`` too, an
article can be a list, and a site can call its articles comments.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.segmentation import SegmentedPage, running_sums
from forest_scrapy.core.xpaths.anchored import tree_paths

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Characters of prose between the title and an ending.
_LEAST_PROSE = 100
_PROSE = 40
#: A list of records: items, their mean characters, the share of items with a date.
_ITEMS, _CHARACTERS, _DATED = 3, 60, 0.5
#: A date or a time, in any language.
_DATE = re.compile(
    r"\d(?:\d?:\d\d|\d?[./-]\d\d?[./-]\d\d|\s?(?:h|min|[dwmy])\b|\s\w+\sago\b)|(?:19|20)\d\d\b"
)
_LONGEST_DATE = 120
_COMMENTS = frozenset(
    ("comment", "comments", "commentlist", "disqus", "discussion", "reply", "replies", "respond",
     "responses", "talkback")
)  # fmt: skip

#: The kinds of endings, in their order.
ENDINGS = ("heading", "records", "named")

Values = NDArray[np.float64]


class Ending(NamedTuple):
    """The first segment that is no more of the article, and the index of its kind."""

    segment: int
    kind: int


class Spans(NamedTuple):
    """The items of a list: their first segments, and those after their last ones."""

    firsts: NDArray[np.intp]
    lasts: NDArray[np.intp]


def find_dated(page: SegmentedPage) -> NDArray[np.bool_]:
    """For each segment whether it is short and has a date or a time."""
    return np.array(
        [len(s.text) <= _LONGEST_DATE and _DATE.search(s.text) is not None for s in page.segments],
        dtype=bool,
    )


def find_endings(
    page: SegmentedPage, title: int, is_heading: NDArray[np.bool_], lists: Sequence[Spans]
) -> tuple[Ending, ...]:
    """The endings of a page, one of each kind at most.

    ``title``: the segment of the title, -1 if there is none; ``lists``: those of records.
    """
    lengths = page.lengths - page.linked
    prose = running_sums(np.where((lengths >= _PROSE) & ~is_heading, lengths, 0.0))
    least = prose[title + 1] + _LEAST_PROSE
    start = int(np.searchsorted(prose, least))
    places = (
        _other_heading(page, start, is_heading),
        _records(page, start, is_heading, lists),
        _named(page, start, is_heading),
    )
    return tuple(Ending(place, kind) for kind, place in enumerate(places) if place is not None)


def _other_heading(page: SegmentedPage, start: int, is_heading: NDArray[np.bool_]) -> int | None:
    """The first ``h1`` or linked heading."""
    in_h1 = page.inside(("h1",))
    for i in range(start, len(page.segments)):
        segment = page.segments[i]
        if is_heading[i] and (in_h1[i] or 2 * segment.linked > len(segment.text)):
            return i
    return None


def find_records(page: SegmentedPage, dated: NDArray[np.bool_]) -> list[Spans]:
    """The lists of the page whose items are texts with a date each."""
    firsts, lasts = page.spans
    lengths = page.length_sums
    dates = running_sums(dated)
    found = []
    for items in page.lists:
        first, last = firsts[items], lasts[items]
        text, has_date = lengths[last] - lengths[first], dates[last] > dates[first]
        if text.mean() >= _CHARACTERS and has_date.mean() >= _DATED:
            found.append(Spans(first, last))
    return found


def _records(
    page: SegmentedPage, start: int, is_heading: NDArray[np.bool_], lists: Sequence[Spans]
) -> int | None:
    """The first item of the longest list of records, or the heading of the list."""
    lengths = page.length_sums
    best, place = 0.0, None
    for firsts, lasts in lists:
        after = firsts >= start
        text = float((lengths[lasts] - lengths[firsts])[after].sum())
        if after.sum() >= _ITEMS and text > best:
            best, place = text, int(firsts[after][0])
    return None if place is None else _with_heading(place, start, is_heading)


def _named(page: SegmentedPage, start: int, is_heading: NDArray[np.bool_]) -> int | None:
    """The first segment in an element that is named as comments, or their heading."""
    paths = tree_paths(page.outline)
    for i in range(start, len(page.segments)):
        if not _COMMENTS.isdisjoint(paths[page.segments[i].block].words):
            return _with_heading(i, start, is_heading)
    return None


def _with_heading(place: int, start: int, is_heading: Sequence[bool] | NDArray[np.bool_]) -> int:
    return place - 1 if place - 1 >= start and is_heading[place - 1] else place
