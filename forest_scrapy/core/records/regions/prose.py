"""How much prose a page's text segments hold, which ranks the candidates for records; and content
that pages have in ``noscript`` elements."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.segmentation import Segment, segment_page
from forest_scrapy.core.segments.structure import find_title

# These constants were set by hand while looking at harvest-forum, without a search.
#: Words from which a segment counts in full: short ones are mostly labels.  Characters of a word,
#: in scripts without spaces.
_FULL_WORDS, _WORD_CHARACTERS = 10, 12
#: Words from which linked text counts in full.
_TITLE_WORDS = 4
#: A text that a page has more often than this is a label or a button.
_MOST_ON_PAGE = 2
#: The share of the template's pages from which a text is boilerplate (Gottron 2008).
_MOST_PAGES = 1 / 3
#: The share of linked characters from which a segment is not prose.
_MOST_LINKED = 0.5
_HEADINGS = frozenset(("h1", "h2", "h3"))
#: Attributes that hold dates for scripts, and the form of such a date.
_DATED_BY = ("datetime", "title", "content")
_ISO_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d(?:[T ]|$)")
#: Characters of the longest text that is a date with a few words.
_LONGEST_DATE = 80
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

    def prose_below(self, node: int) -> float:
        """Characters of prose below a node."""
        return self.prose[self.lasts[node]] - self.prose[self.firsts[node]]

    def dates_below(self, node: int) -> int:
        """Segments below a node that look like a date."""
        return self.dates[self.lasts[node]] - self.dates[self.firsts[node]]


def read_prose(pages: Sequence[Page], linked: bool = False) -> list[ProsePage]:
    """The pages of a template with their prose; text that they share is none.

    ``linked``: with their linked text instead, such as the titles of a list.
    """
    value_of = _linked_of if linked else _prose_of
    segmented = [segment_page(page) for page in pages]
    found_on = Counter(text for page in segmented for text in set(page.texts))
    most = max(1, int(len(pages) * _MOST_PAGES)) if len(pages) > 2 else 1
    read = []
    for page in segmented:
        on_page = Counter(page.texts)
        values = [
            0.0 if found_on[text] > most else value_of(segment, text, on_page)
            for segment, text in zip(page.segments, page.texts, strict=True)
        ]
        firsts, lasts = (tuple(spans.tolist()) for spans in page.spans)
        declared = _find_declared(page.page.outline, firsts, lasts)
        dates = (i in declared or looks_like_date(s.text) for i, s in enumerate(page.segments))
        prose = tuple(accumulate(values, initial=0.0))
        counted = tuple(accumulate(dates, initial=0))
        in_heading = page.page.outline.inside(_HEADINGS)
        is_heading = np.array([in_heading[segment.block] for segment in page.segments], dtype=bool)
        title = find_title(page, is_heading)
        read.append(ProsePage(page.page, page.segments, prose, counted, firsts, lasts, title))
    return read


def _find_declared(outline: Outline, firsts: Sequence[int], lasts: Sequence[int]) -> set[int]:
    """The segments with a date in an attribute; scripts write it as text on some pages, so its
    element may be empty: then the segment after it, in the same element."""
    found = set()
    for i, node in enumerate(outline.nodes):
        if any(_ISO_DATE.match(node.element.get(name) or "") for name in _DATED_BY):
            beside = firsts[i] - (node.parent >= 0 and firsts[i] == lasts[node.parent])
            found.add(beside)
    return found


def _prose_of(segment: Segment, text: str, on_page: Mapping[str, int]) -> float:
    characters = len(text)
    if segment.linked > _MOST_LINKED * characters or on_page[text] > _MOST_ON_PAGE:
        return 0.0
    words = max(text.count(" ") + 1, characters / _WORD_CHARACTERS)
    return characters * min(1.0, words / _FULL_WORDS)


def _linked_of(segment: Segment, text: str, on_page: Mapping[str, int]) -> float:
    is_title = segment.linked > _MOST_LINKED * len(text) and on_page[text] <= _MOST_ON_PAGE
    words = max(text.count(" ") + 1, len(text) / _WORD_CHARACTERS)
    return segment.linked * min(1.0, words / _TITLE_WORDS) if is_title else 0.0


def looks_like_date(text: str) -> bool:
    """Whether a short text has a part that looks like a date or a time.

    >>> looks_like_date("Posted 3 May 2024"), looks_like_date("2 hours ago"), looks_like_date("No")
    (True, True, False)
    """
    return len(text) <= _LONGEST_DATE and _DATE.search(text) is not None


_HIDDEN = "noscript"
#: The characters ``noscript`` elements must hold more than, in those of the visible page.  Set by
#: hand; no other value was tried.
_MORE = 1


def has_hidden_content(page: Page) -> bool:
    """Whether most of the page's text is in ``noscript`` elements.

    >>> has_hidden_content(Page.from_html("<p>Wait</p><noscript><p>All the posts</p></noscript>"))
    True
    """
    if next(page.root.iter(_HIDDEN), None) is None:
        return False
    shown = sum(len(leaf.text) for leaf in page.outline.leaves)
    return _count_hidden(page.root) > _MORE * shown


def show_hidden(page: Page) -> Page:
    """A copy of the page in which ``noscript`` elements are visible, as ``div`` elements."""
    root: Element = deepcopy(page.root)
    for element in list(root.iter(_HIDDEN)):
        element.tag = "div"
    return replace(page, root=root)


def show_content(page: Page) -> Page:
    """The page, or if most of its text is in ``noscript`` elements, a copy with these visible."""
    return show_hidden(page) if has_hidden_content(page) else page


def _count_hidden(root: Element) -> int:
    shown: Element = deepcopy(root)
    total = 0
    for element in list(shown.iter(_HIDDEN)):
        element.tag = "div"
        total += len(block_text(element))
    return total
