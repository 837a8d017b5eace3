"""How much prose a page's text segments hold, which ranks the candidates for records."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.segmentation import Segment, SegmentedPage, segment_page
from forest_scrapy.core.segments.structure import find_title

# These constants were set by hand while looking at harvest-forum, without a search.
#: Words from which a segment counts in full: short ones are mostly labels.
FULL_WORDS = 10
#: Characters of a word, in scripts without spaces.
WORD_CHARACTERS = 12
#: Words from which linked text counts in full.
FULL_TITLE_WORDS = 4
#: A text that a page has more often than this is a label or a button.
MAX_ON_PAGE = 2
#: The share of the template's pages from which a text is boilerplate (Gottron 2008).
MAX_PAGE_SHARE = 1 / 3
#: The share of linked characters from which a segment is not prose.
MAX_LINKED_SHARE = 0.5
_HEADINGS = ("h1", "h2", "h3")
#: Attributes that hold dates for scripts, and the form of such a date.
_DATED_BY = ("datetime", "title", "content")
_ISO_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d(?:[T ]|$)")
#: Characters of the longest text that is a date with a few words.
MAX_DATE_LENGTH = 80
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2}|\b\d{1,2}:\d\d\b|[年년]"
    r"|\b\d+\s?(?:[smhdwy]|mo|hrs?|mins?|secs?|days?|weeks?|months?|years?|hours?|minutes?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class ProsePage:
    """A page, its segments, and for each node the segments below it.

    ``prose[i]``: the characters of prose of the segments before segment i.  ``dates[i]``: the
    number of segments before segment i that look like a date or have one in an attribute.
    ``firsts[n]`` and ``lasts[n]``: the segments below node n, from the first to before the last.
    ``title``: the segment with the title, -1 if there is none.
    """

    page: Page
    segments: tuple[Segment, ...]
    prose: tuple[float, ...]
    dates: tuple[int, ...]
    firsts: tuple[int, ...]
    lasts: tuple[int, ...]
    title: int = -1

    @property
    def outline(self) -> Outline:
        """The outline of the page."""
        return self.page.outline

    def segments_below(self, node: int) -> range:
        """The numbers of the segments below a node."""
        return range(self.firsts[node], self.lasts[node])

    def prose_below(self, node: int) -> float:
        """Characters of prose below a node."""
        first = self.firsts[node]
        last = self.lasts[node]
        return self.prose[last] - self.prose[first]

    def dates_below(self, node: int) -> int:
        """Segments below a node that look like a date."""
        first = self.firsts[node]
        last = self.lasts[node]
        return self.dates[last] - self.dates[first]


def read_prose(pages: Sequence[Page], linked: bool = False) -> list[ProsePage]:
    """The pages of a template with their prose; text that they share is none.

    ``linked``: with their linked text instead, such as the titles of a list.
    """
    segmented_pages = [segment_page(page) for page in pages]
    page_counts: Counter[str] = Counter()
    for segmented in segmented_pages:
        page_counts.update(set(segmented.texts))
    max_pages = 1
    if len(pages) > 2:
        max_pages = int(len(pages) * MAX_PAGE_SHARE)
        max_pages = max(1, max_pages)

    measure = _linked_prose if linked else _prose
    prose_pages = []
    for segmented in segmented_pages:
        on_page = Counter(segmented.texts)
        values = []
        for segment, text in zip(segmented.segments, segmented.texts, strict=True):
            is_shared = page_counts[text] > max_pages
            is_label = on_page[text] > MAX_ON_PAGE
            is_prose = not is_shared and not is_label
            values.append(measure(segment, text) if is_prose else 0.0)
        prose_pages.append(_make_prose_page(segmented, values))
    return prose_pages


def _make_prose_page(page: SegmentedPage, prose: Sequence[float]) -> ProsePage:
    """``prose``: that of each segment."""
    outline = page.outline
    first_segments, last_segments = page.spans
    firsts = tuple(first_segments.tolist())
    lasts = tuple(last_segments.tolist())
    declared_dates = _find_declared_dates(outline, firsts, lasts)
    has_date = []
    for number, segment in enumerate(page.segments):
        is_declared = number in declared_dates
        has_date.append(is_declared or looks_like_date(segment.text))
    is_heading = page.inside(_HEADINGS)
    return ProsePage(
        page=page.page,
        segments=page.segments,
        prose=tuple(accumulate(prose, initial=0.0)),
        dates=tuple(accumulate(has_date, initial=0)),
        firsts=firsts,
        lasts=lasts,
        title=find_title(page, is_heading),
    )


def _find_declared_dates(
    outline: Outline,
    firsts: Sequence[int],
    lasts: Sequence[int],
) -> set[int]:
    """The segments with a date in an attribute; scripts write it as text on some pages, so its
    element may be empty: then the segment after it, in the same element."""
    segments = set()
    for index, node in enumerate(outline.nodes):
        if not _has_declared_date(node.element):
            continue
        first = firsts[index]
        is_last_in_parent = node.parent >= 0 and first == lasts[node.parent]
        segments.add(first - 1 if is_last_in_parent else first)
    return segments


def _has_declared_date(element: Element) -> bool:
    values = [element.get(name) or "" for name in _DATED_BY]
    return any(map(_ISO_DATE.match, values))


def _prose(segment: Segment, text: str) -> float:
    """The characters of a segment that count as prose."""
    characters = len(text)
    if segment.linked > MAX_LINKED_SHARE * characters:
        return 0.0
    return characters * min(1.0, _count_words(text) / FULL_WORDS)


def _linked_prose(segment: Segment, text: str) -> float:
    """The linked characters of a segment that count, as a title of a list."""
    if segment.linked <= MAX_LINKED_SHARE * len(text):
        return 0.0
    return segment.linked * min(1.0, _count_words(text) / FULL_TITLE_WORDS)


def _count_words(text: str) -> float:
    spaced_words = text.count(" ") + 1
    return max(spaced_words, len(text) / WORD_CHARACTERS)


def looks_like_date(text: str) -> bool:
    """Whether a short text has a part that looks like a date or a time.

    >>> looks_like_date("Posted 3 May 2024"), looks_like_date("2 hours ago"), looks_like_date("No")
    (True, True, False)
    """
    return len(text) <= MAX_DATE_LENGTH and _DATE.search(text) is not None
