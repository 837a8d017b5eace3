"""What belongs to the records of a page outside their elements: what they reply to, such as the
first post or the question, if it is marked up in another way; and the siblings of each."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.tree import Element, class_and_id
from forest_scrapy.core.records.record import is_quote, write_step_of
from forest_scrapy.core.records.regions.groups import Group, write_key
from forest_scrapy.core.records.regions.prose import ProsePage

# These constants were set by hand while looking at harvest-forum and wcxb-dev-forum.
#: The least prose of a lead that has a date, as a share of that of a record.
MIN_DATED_PROSE = 0.3
#: The share of pages that must have a lead, of those on which it must have a date, and of its text
#: that is in no record.
MIN_SHARE = 0.5
#: The same share of pages if a lead has an element inside as each record has: some forums do not
#: repeat the first post on further pages.
MIN_ALIKE_SHARE = 0.2
#: Letters and digits of the start of a description that are compared, and the fewest.
COMPARED_LENGTH = 60
MIN_COMPARED_LENGTH = 20
_SEARCH = re.compile(r"(?<![a-z])search(?![a-z])", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[\W_]+")


def find_lead(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
    records: Group,
) -> Group | None:
    """What the records reply to, if it is marked up in another way: the candidate before the
    first record, one on most pages, that has the most prose after the title.

    None if there is none with as much as records have, or with a part of that and a date, or with
    an element as each record has inside it.  If the
    text that pages declare as their description is shown, the lead is where it starts, and there
    is none if that is in a record.  A candidate whose text is also in the records, and not quoted
    there, is none; nor is one that explains how to search.

    Of several with the same prose it is one with a date.  Ties: the inner elements, then the key.
    """
    starts = _find_starts(pages, records)
    in_records = 0
    for start in starts:
        page_records = records.nodes[start.page]
        in_records += start.is_below(page_records)
    if in_records > MIN_SHARE * len(starts):
        return None

    record_texts = []
    for page, nodes in zip(pages, records.nodes, strict=True):
        texts = _texts_below(page, nodes)
        unquoted = texts - _texts_below(page, _find_quotes(page, nodes))
        record_texts.append(unquoted if len(unquoted) >= MIN_SHARE * len(texts) else texts)

    leads: dict[tuple[float, bool, int, str], Group] = {}
    for group in groups:
        prose = _prose_before(pages, group, records)
        is_on_most = sum(map(bool, group.nodes)) >= MIN_SHARE * len(pages)
        if not is_on_most and not (prose and _is_like_records(pages, group, groups, records)):
            continue
        if starts:
            is_enough = all(start.is_below(group.nodes[start.page]) for start in starts)
        else:
            is_enough = prose >= _min_prose(group, records)
            if prose and not is_enough:
                is_enough = _is_like_records(pages, group, groups, records)
        if not prose or not is_enough:
            continue
        if _is_of_search(pages, group) or _is_repeated(pages, group, record_texts):
            continue
        first = next(nodes[0] for nodes in group.nodes if nodes)
        is_dated = group.dated >= MIN_SHARE
        order = (-round(prose, 2), not is_dated, -first, write_key(group.key))
        leads[order] = group
    if not leads:
        return None
    best = min(leads)
    return leads[best]


def _is_of_search(pages: Sequence[ProsePage], group: Group) -> bool:
    """Whether an element of a candidate is in a form for searches."""
    for page, nodes in zip(pages, group.nodes, strict=True):
        for node in nodes:
            path = page.outline.path(node)
            if any(_is_search_form(page.outline.nodes[index].element) for index in path):
                return True
    return False


def _is_search_form(element: Element) -> bool:
    if element.tag == "search" or element.get("role") == "search":
        return True
    return element.tag == "form" and _SEARCH.search(class_and_id(element)) is not None


def _is_like_records(
    pages: Sequence[ProsePage],
    leads: Group,
    groups: Sequence[Group],
    records: Group,
) -> bool:
    """Whether each lead and each record has one element of the same candidate."""
    places = []
    for page_leads, page_records in zip(leads.nodes, records.nodes, strict=True):
        places.append([*page_leads, *page_records])
    counts = list(map(len, places))
    for group in groups:
        if list(map(len, group.nodes)) != counts:
            continue
        if all(map(_are_one_in_each, pages, group.nodes, places)):
            return True
    return False


def _are_one_in_each(page: ProsePage, nodes: Sequence[int], places: Sequence[int]) -> bool:
    """Whether elements are one in each of as many others, in their order."""
    ends = page.outline.ends
    pairs = zip(nodes, places, strict=True)
    return all(place <= node < ends[place] for node, place in pairs)


def _min_prose(group: Group, records: Group) -> float:
    """The least prose of a lead, as a share of that of the pages."""
    prose_of_record = records.coverage / records.records
    if group.dated >= MIN_SHARE:
        return prose_of_record * MIN_DATED_PROSE
    return prose_of_record


def _prose_before(
    pages: Sequence[ProsePage],
    group: Group,
    records: Group,
) -> float:
    """The mean share of the pages' prose that is below such an element, after the title, if it is
    before all records; 0 if very few pages have one, or one page has several, one that holds a
    record, or one that is in a record."""
    pages_with_lead = 0
    share = 0.0
    for page, leads, nodes in zip(pages, group.nodes, records.nodes, strict=True):
        if not leads:
            continue
        lead = leads[0]
        reaches_record = False
        if nodes:
            reaches_record = page.outline.ends[lead] > nodes[0]
        if len(leads) > 1 or reaches_record:
            return 0.0

        pages_with_lead += 1
        is_titled = True
        if nodes:
            first_record = page.firsts[nodes[0]]
            is_titled = page.title < first_record
        after_title = page.title + 1 if is_titled else 0
        first = max(page.firsts[lead], after_title)
        last = page.lasts[lead]
        prose = page.prose[last] - page.prose[first]
        page_prose = page.prose[-1] or 1.0
        share += max(prose, 0.0) / page_prose
    if pages_with_lead < MIN_ALIKE_SHARE * len(pages):
        return 0.0
    return share / len(pages)


@dataclass(frozen=True)
class _Start:
    """Where the first post of a page starts: the number of the page, and the segment."""

    page: int
    prose_page: ProsePage
    segment: int

    def is_below(self, nodes: Sequence[int]) -> bool:
        """Whether it is in one of the elements."""
        return _is_below(self.prose_page, nodes, self.segment)


def _find_starts(pages: Sequence[ProsePage], records: Group) -> list[_Start]:
    """The starts of the first posts, on the pages that tell them."""
    starts = []
    for number, page in enumerate(pages):
        segment = _find_start(page, records.nodes[number])
        if segment is not None:
            starts.append(_Start(number, page, segment))
    return starts


def _find_start(page: ProsePage, records: Sequence[int]) -> int | None:
    """The first segment that starts as the page's description does: forums declare the start of
    the first post.  Else the title, if it is in a record; else None."""
    description = _letters(page.page.declared.description)
    description = description[:COMPARED_LENGTH]
    if len(description) >= MIN_COMPARED_LENGTH:
        for number, segment in enumerate(page.segments):
            if number == page.title:
                continue
            start = segment.text[: 2 * COMPARED_LENGTH]
            text = _letters(start)[:COMPARED_LENGTH]
            if len(text) < MIN_COMPARED_LENGTH:
                continue
            if text.startswith(description) or description.startswith(text):
                return number
    has_title = page.title >= 0
    if has_title and _is_below(page, records, page.title):
        return page.title
    return None


def _letters(text: str) -> str:
    folded = text.casefold()
    return _NO_LETTERS.sub("", folded)


def _is_below(
    page: ProsePage,
    nodes: Sequence[int],
    segment: int,
) -> bool:
    """Whether the segment is below one of the elements."""
    return any(segment in page.segments_below(node) for node in nodes)


def _is_repeated(
    pages: Sequence[ProsePage],
    group: Group,
    record_texts: Sequence[set[str]],
) -> bool:
    """Whether most of the text of a candidate is among the texts of the records."""
    total = 0
    repeated = 0
    for page, nodes, texts in zip(pages, group.nodes, record_texts, strict=True):
        for text in _texts_below(page, nodes):
            total += len(text)
            if text in texts:
                repeated += len(text)
    return repeated > MIN_SHARE * total


def _find_quotes(page: ProsePage, nodes: Sequence[int]) -> list[int]:
    """The elements in the records that are named as quotes."""
    outline = page.outline
    quotes = []
    for node in outline.outermost(nodes):
        for index in range(node + 1, outline.ends[node]):
            if is_quote(write_step_of(outline, index)):
                quotes.append(index)
    return quotes


def _texts_below(page: ProsePage, nodes: Sequence[int]) -> set[str]:
    """The texts of the segments below the elements."""
    texts: set[str] = set()
    for node in page.outline.outermost(nodes):
        for number in page.segments_below(node):
            segment = page.segments[number]
            texts.add(segment.text)
    return texts


#: The share of the gaps between records that must hold the same siblings, and their largest
#: number.  Set by hand while looking at harvest-forum.
MIN_SAME_GAPS = 0.6
MAX_SIBLINGS = 4

_Steps = tuple[str, ...]


@dataclass(frozen=True)
class _Gaps:
    """The siblings of records with text, by their steps: those before the first record of a parent,
    and those between each two."""

    before_first: _Steps
    between: list[_Steps]


def find_reach(
    outlines: Sequence[Outline],
    nodes: Sequence[Sequence[int]],
) -> tuple[int, int]:
    """How many siblings before and after its element belong to a record.

    Between two records there are always the same siblings, if there are any.  They belong to the
    record after them if they also stand before the first one, else to the record before them.
    ``nodes[k]``: the elements of the records of page k.
    """
    gap_counts: Counter[_Steps] = Counter()
    starts: list[_Steps] = []
    for outline, page_nodes in zip(outlines, nodes, strict=True):
        for gaps in _find_gaps(outline, page_nodes):
            gap_counts.update(gaps.between)
            starts.append(gaps.before_first)
    if not gap_counts:
        return 0, 0

    siblings = min(gap_counts, key=lambda steps: (-gap_counts[steps], steps))
    size = len(siblings)
    is_usual = gap_counts[siblings] >= MIN_SAME_GAPS * gap_counts.total()
    if not 0 < size <= MAX_SIBLINGS or not is_usual:
        return 0, 0

    before_first = sum(start[-size:] == siblings for start in starts)
    if 2 * before_first > len(starts):
        return size, 0
    return 0, size


def _find_gaps(outline: Outline, nodes: Sequence[int]) -> list[_Gaps]:
    """The gaps below each parent of records."""
    records = set(nodes)
    parents = {outline.nodes[node].parent for node in nodes}
    runs: dict[int, list[list[str]]] = {}
    for parent in sorted(parents):
        runs[parent] = [[]]
    for index, node in enumerate(outline.nodes):
        if node.parent not in runs:
            continue
        parent_runs = runs[node.parent]
        if index in records:
            parent_runs.append([])
        elif node.first < node.last:
            parent_runs[-1].append(write_step_of(outline, index))

    gaps = []
    for parent_runs in runs.values():
        before_first, *after_records = (tuple(run) for run in parent_runs)
        between = after_records[:-1]
        gaps.append(_Gaps(before_first, between))
    return gaps
