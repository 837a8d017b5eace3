"""Where the article of a page may end, within the block that contains it: before the heading of
another article, before a list of records, and before what is named as comments.

These are only proposals, among which the trees choose: the article's own headings can be ``h1``
too, an article can be a list, and a site can name its articles comments.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from forest_scrapy.core.segments.segmentation import (
    Flags,
    Indices,
    SegmentedPage,
    difference,
    running_sums,
)
from forest_scrapy.core.xpaths.anchored import tree_paths

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Characters of prose between the title and an ending.
_MIN_PROSE_BEFORE = 100
#: Characters outside links that make a segment prose.
_MIN_PROSE_LENGTH = 40
#: Items of a list of records after which the article may end.
_MIN_RECORDS = 3
#: Mean characters of the records of a list.
_MIN_RECORD_LENGTH = 60
#: The share of a list's records that have a date.
_MIN_DATED_SHARE = 0.5
#: A date or a time, in any language.
_DATE = re.compile(
    r"\d(?:\d?:\d\d|\d?[./-]\d\d?[./-]\d\d|\s?(?:h|min|[dwmy])\b|\s\w+\sago\b)|(?:19|20)\d\d\b"
)
#: Characters of a segment that may be the date of a record.
_MAX_DATE_LENGTH = 120
_COMMENT_WORDS = frozenset(
    ("comment", "comments", "commentlist", "disqus", "discussion", "reply", "replies", "respond",
     "responses", "talkback")
)  # fmt: skip

#: The kinds of endings, in their order.
ENDINGS = ("heading", "records", "named")


class Ending(NamedTuple):
    """The first segment after the article, and the kind of the ending: its index in ``ENDINGS``."""

    segment: int
    kind: int


class Spans(NamedTuple):
    """The items of a list: their first segments, and those after their last ones."""

    firsts: Indices
    lasts: Indices


def find_dated(page: SegmentedPage) -> Flags:
    """For each segment whether it is short and has a date or a time."""
    has_digit = page.characters.digits > 0
    may_be_date = has_digit & (page.lengths <= _MAX_DATE_LENGTH)
    is_dated = np.zeros(len(page.segments), dtype=bool)
    for number in np.flatnonzero(may_be_date).tolist():
        text = page.segments[number].text
        is_dated[number] = _DATE.search(text) is not None
    return is_dated


def find_endings(
    page: SegmentedPage,
    title: int,
    is_heading: Flags,
    lists: Sequence[Spans],
) -> tuple[Ending, ...]:
    """The endings of a page, one of each kind at most.

    ``title``: the segment of the title, -1 if there is none; ``lists``: those of records.
    """
    lengths = page.lengths - page.linked
    is_prose = (lengths >= _MIN_PROSE_LENGTH) & ~is_heading
    prose = running_sums(np.where(is_prose, lengths, 0.0))
    prose_before_end = prose[title + 1] + _MIN_PROSE_BEFORE
    start = int(np.searchsorted(prose, prose_before_end))

    segments = (
        _find_other_heading(page, start, is_heading),
        _find_record_list(page, start, is_heading, lists),
        _find_comments(page, start, is_heading),
    )
    endings = []
    for kind, segment in enumerate(segments):
        if segment is not None:
            endings.append(Ending(segment, kind))
    return tuple(endings)


def _find_other_heading(
    page: SegmentedPage,
    start: int,
    is_heading: Flags,
) -> int | None:
    """The first ``h1`` or linked heading."""
    is_linked = 2 * page.linked > page.lengths
    is_of_other = is_heading & (page.inside(("h1",)) | is_linked)
    headings = np.flatnonzero(is_of_other[start:])
    return start + int(headings[0]) if len(headings) else None


def find_records(page: SegmentedPage, is_dated: Flags) -> list[Spans]:
    """The lists of the page whose items are texts with a date each."""
    if not page.lists or not is_dated.any():
        return []

    # The items of all lists, each list after the other.
    sizes = np.array(list(map(len, page.lists)))
    ends = np.cumsum(sizes)
    starts = ends - sizes
    items = np.concatenate(page.lists)
    firsts, lasts = page.spans
    firsts = firsts[items]
    lasts = lasts[items]
    lengths = difference(page.length_sums, firsts, lasts)
    has_date = difference(running_sums(is_dated), firsts, lasts) > 0

    mean_lengths = np.add.reduceat(lengths, starts) / sizes
    dated_shares = np.add.reduceat(has_date, starts, dtype=np.float64) / sizes
    is_of_records = (mean_lengths >= _MIN_RECORD_LENGTH) & (dated_shares >= _MIN_DATED_SHARE)
    record_lists = []
    for number in np.flatnonzero(is_of_records).tolist():
        of_list = slice(starts[number], ends[number])
        record_lists.append(Spans(firsts[of_list], lasts[of_list]))
    return record_lists


def _find_record_list(
    page: SegmentedPage,
    start: int,
    is_heading: Flags,
    lists: Sequence[Spans],
) -> int | None:
    """The first item of the longest list of records, or the heading of the list."""
    length_sums = page.length_sums
    max_length = 0.0
    first_item = None
    for firsts, lasts in lists:
        is_after = firsts >= start
        lengths = difference(length_sums, firsts, lasts)
        list_length = float(lengths[is_after].sum())
        if is_after.sum() >= _MIN_RECORDS and list_length > max_length:
            max_length = list_length
            first_item = int(firsts[is_after][0])
    if first_item is None:
        return None
    return _with_heading(first_item, start, is_heading)


def _find_comments(
    page: SegmentedPage,
    start: int,
    is_heading: Flags,
) -> int | None:
    """The first segment in an element that is named as comments, or their heading."""
    paths = tree_paths(page.outline)
    for i in range(start, len(page.segments)):
        words = paths[page.segments[i].block].words
        if not _COMMENT_WORDS.isdisjoint(words):
            return _with_heading(i, start, is_heading)
    return None


def _with_heading(
    segment: int,
    start: int,
    is_heading: Flags,
) -> int:
    """The heading just before the segment, or else the segment."""
    before = segment - 1
    if before >= start and is_heading[before]:
        return before
    return segment
