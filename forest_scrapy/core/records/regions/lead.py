"""What belongs to the records of a page outside their elements: what they reply to, such as the
first post or the question, if it is marked up in another way; and the siblings of each."""

import re
from collections import Counter
from collections.abc import Sequence

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.records.record import write_step_of
from forest_scrapy.core.records.regions.groups import Group, write_key
from forest_scrapy.core.records.regions.prose import ProsePage

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
