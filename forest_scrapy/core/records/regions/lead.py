"""What the records of a page reply to: the first post or the question, if it is marked up in
another way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.keys import write_key
from forest_scrapy.core.records.regions.prose import ProsePage

__all__ = ["find_lead"]

# These constants were set by hand while looking at harvest-forum and wcxb-dev-forum.
#: The least prose of a lead that has a date, in that of a record; the share of pages that must
#: have a lead, of those on which it must have a date, and of its text that is in no record.
_SHORT_LEAD, _MOSTLY = 0.3, 0.5
#: Letters and digits of the start of a description that are compared, and the fewest.
_START, _LEAST_START = 60, 20
_OTHER = re.compile(r"[\W_]+")


def find_lead(pages: Sequence[ProsePage], groups: Sequence[Group], records: Group) -> Group | None:
    """What the records reply to, if it is marked up in another way: the candidate before the
    first record, one on most pages, that has the most prose after the title.

    None if there is none with as much as records have, or with a part of that and a date.  If the
    text that pages declare as their description is shown, the lead is where it starts, and there
    is none if that is in a record.  A candidate whose text is also in the records is none.

    Ties: the inner elements, then the key.
    """
    starts = [_find_start(page, nodes) for page, nodes in zip(pages, records.nodes, strict=True)]
    known = [k for k, segment in enumerate(starts) if segment >= 0]
    in_records = sum(_holds(pages[k], records.nodes[k], starts[k]) for k in known)
    if in_records > _MOSTLY * len(known):
        return None
    texts = [_texts_below(page, nodes) for page, nodes in zip(pages, records.nodes, strict=True)]
    found = {}
    for group in groups:
        prose = _prose_before(pages, group, records)
        is_start = known and all(_holds(pages[k], group.nodes[k], starts[k]) for k in known)
        is_enough = is_start or (not known and prose >= _least_prose(group, records))
        if prose and is_enough and not _is_repeated(pages, group, texts):
            first = next(nodes[0] for nodes in group.nodes if nodes)
            found[-round(prose, 2), -first, write_key(group.key)] = group
    return found[min(found)] if found else None


def _least_prose(group: Group, records: Group) -> float:
    """The least prose of a lead, as a share of that of the pages."""
    is_dated = group.dated >= _MOSTLY
    return records.coverage / records.records * (_SHORT_LEAD if is_dated else 1)


def _prose_before(pages: Sequence[ProsePage], group: Group, records: Group) -> float:
    """The mean share of the pages' prose that is below such an element, after the title, if it is
    before all records; 0 if few pages have one, or one page has several, one that holds a record,
    or one that is in a record."""
    found, share = 0, 0.0
    for page, leads, nodes in zip(pages, group.nodes, records.nodes, strict=True):
        if not leads:
            continue
        if len(leads) > 1 or (nodes and page.outline.ends[leads[0]] > nodes[0]):
            return 0.0
        found += 1
        is_titled = not nodes or page.title < page.firsts[nodes[0]]
        first = max(page.firsts[leads[0]], page.title + 1 if is_titled else 0)
        prose = page.prose[page.lasts[leads[0]]] - page.prose[first]
        share += max(prose, 0.0) / (page.prose[-1] or 1.0)
    return share / len(pages) if found >= _MOSTLY * len(pages) else 0.0


def _find_start(page: ProsePage, records: Sequence[int]) -> int:
    """The first segment that starts as the page's description does, -1 if there is none: forums
    declare the start of the first post.  Else the title, if it is in a record."""
    wanted = _letters(page.page.declared.description)[:_START]
    if len(wanted) >= _LEAST_START:
        for i, segment in enumerate(page.segments):
            text = _letters(segment.text[: 2 * _START])[:_START]
            is_same = text.startswith(wanted) or wanted.startswith(text)
            if len(text) >= _LEAST_START and is_same and i != page.title:
                return i
    return page.title if _holds(page, records, page.title) else -1


def _letters(text: str) -> str:
    return _OTHER.sub("", text.casefold())


def _holds(page: ProsePage, nodes: Sequence[int], segment: int) -> bool:
    return any(page.firsts[node] <= segment < page.lasts[node] for node in nodes)


def _is_repeated(pages: Sequence[ProsePage], group: Group, texts: Sequence[set[str]]) -> bool:
    """Whether most of the text of a candidate is among the texts of the records."""
    same = total = 0
    for page, nodes, known in zip(pages, group.nodes, texts, strict=True):
        for text in _texts_below(page, nodes):
            total += len(text)
            same += len(text) if text in known else 0
    return same > _MOSTLY * total


def _texts_below(page: ProsePage, nodes: Sequence[int]) -> set[str]:
    outermost = page.outline.outermost(nodes)
    spans = (page.segments[page.firsts[node] : page.lasts[node]] for node in outermost)
    return {segment.text for own in spans for segment in own}
