"""The comments of readers on an article's page."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import fmean

from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS, Element
from forest_scrapy.core.records.learning import learn_record_rules
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordRules, RuledRecord, number_records
from forest_scrapy.core.records.regions.groups import Group, TokenKey, measure_groups, rank_groups
from forest_scrapy.core.records.regions.prose import ProsePage, read_prose

#: Words in the names of elements that hold comments.  Evidence only: comments without it are
#: found if several are alike.
_WORDS = re.compile(
    r"comment|respon[ds]|repl(?:y|ies)|discuss|disqus|kommentar|coment[aá]ri|commentaire"
    r"|reactie|reaktion|opini",
    re.IGNORECASE,
)
#: Lists of comments on other pages, and links to comments.
_ELSEWHERE = re.compile(r"recent|latest|popular|count|link", re.IGNORECASE)
_NAMES = ("id", "class", "itemprop", "itemtype")
#: The share of comments that must have a date, and of those without such names that may have a
#: heading: teasers of other articles have one.
MIN_DATED_SHARE = 0.7
MAX_HEADED_SHARE = 0.3
#: Characters of a name that are read.
MAX_NAME_LENGTH = 400


def learn_comments(
    pages: Sequence[Page],
    contents: Sequence[Content],
) -> RecordRules | None:
    """The rules for the comments on the pages of one template; None if there are none.

    ``contents[k]``: the article of page k.  Comments are dated records after it; in elements that
    are named after comments one is enough, elsewhere at least two without headings are needed.
    Without dates, several must be named so themselves.
    Cost: some 50 ms for each page.
    """
    prose_pages = read_prose(pages)
    last_segments = []
    areas = []
    for page, content in zip(prose_pages, contents, strict=True):
        last_segment = _last_segment(page, _elements(content))
        last_segments.append(last_segment)
        areas.append(_find_areas(page, last_segment))
    is_named = any(areas)

    masked_pages = []
    for page, last_segment, page_areas in zip(prose_pages, last_segments, areas, strict=True):
        allowed: Iterable[int] = range(last_segment + 1, len(page.segments))
        if is_named:
            allowed = _segments_below(page, page_areas)
        masked_pages.append(_mask(page, allowed))

    groups = []
    for group in measure_groups(masked_pages):
        is_evident = group.dated >= MIN_DATED_SHARE
        if is_named and _names_comments(group):
            is_evident = True
        if is_evident and _is_outside(masked_pages, last_segments, group):
            groups.append(group)
    ranked = rank_groups(masked_pages, groups)
    if not ranked:
        return None
    best = ranked[0]
    if not is_named and not _are_comments(masked_pages, best):
        return None
    return learn_record_rules(masked_pages, best)


def read_comments(
    rules: RecordRules,
    page: Page,
    content: Content,
) -> list[Record]:
    """The comments on a page outside its article, which has this content, in their order."""
    outline = page.outline
    elements = _elements(content)
    blocks = []
    for index, node in enumerate(outline.nodes):
        if node.element in elements:
            blocks.append(index)

    in_article = outline.subtree(blocks)
    records = []
    for record_node, record in rules.find(page):
        first_block = bisect_left(blocks, record_node)
        end_block = bisect_left(blocks, outline.ends[record_node])
        holds_block = first_block != end_block
        if record_node not in in_article and not holds_block:
            records.append(RuledRecord(0, record_node, record))
    with_text = []
    for record in number_records(records):
        if record.text:
            with_text.append(record)
    return with_text


def _elements(content: Content) -> frozenset[Element]:
    return frozenset(content.text_blocks)


def _last_segment(page: ProsePage, elements: Collection[Element]) -> int:
    """The last segment of the article; -1 if the page has no article."""
    nodes = page.outline.nodes
    last = -1
    for number, segment in enumerate(page.segments):
        if nodes[segment.block].element in elements:
            last = number
    return last


def _find_areas(page: ProsePage, last_segment: int) -> list[int]:
    """The outermost elements after the article that are named after comments."""
    areas = []
    for index, node in enumerate(page.outline.nodes):
        first = page.firsts[index]
        is_after = first > last_segment
        has_text = first < page.lasts[index]
        if is_after and has_text and _is_named(node):
            areas.append(index)
    return page.outline.outermost(areas)


def _is_named(node: Node) -> bool:
    has_names = bool(node.element.attrib)
    if not has_names or node.tag in ("form", "a", "body"):
        return False
    for name in _NAMES:
        value = node.element.get(name) or ""
        tokens = value[:MAX_NAME_LENGTH].split()
        if any(map(_is_word, tokens)):
            return True
    return False


def _is_word(token: str) -> bool:
    is_of_comments = _WORDS.search(token) is not None
    return is_of_comments and not _ELSEWHERE.search(token)


def _names_comments(group: Group) -> bool:
    """Whether what several elements have in common is a name of comments."""
    key = group.key
    if not isinstance(key, TokenKey):
        return False
    return group.is_repeated and _is_word(key.token)


def _segments_below(page: ProsePage, nodes: Sequence[int]) -> list[int]:
    segments: set[int] = set()
    for node in nodes:
        segments.update(page.segments_below(node))
    return sorted(segments)


def _mask(page: ProsePage, allowed: Iterable[int]) -> ProsePage:
    """The page without the prose of forms, menus and footers, and of segments that are not
    ``allowed``: they cannot be in comments."""
    in_form = page.outline.inside(("form", "nav", "footer"))
    values = [0.0] * len(page.segments)
    for number in allowed:
        block = page.segments[number].block
        if not in_form[block]:
            values[number] = page.prose[number + 1] - page.prose[number]
    prose = accumulate(values, initial=0.0)
    return replace(page, prose=tuple(prose))


def _is_outside(
    pages: Sequence[ProsePage],
    last_segments: Sequence[int],
    group: Group,
) -> bool:
    """Whether all elements of a candidate come after the article; ``last_segments``: its ends."""
    for page, last_segment, nodes in zip(pages, last_segments, group.nodes, strict=True):
        if not nodes:
            continue
        first_segment = page.firsts[nodes[0]]
        if first_segment <= last_segment:
            return False
    return True


def _are_comments(pages: Sequence[ProsePage], group: Group) -> bool:
    """Whether the records of a candidate are no teasers: several on a page, few with a heading."""
    has_heading = []
    for page, nodes in zip(pages, group.nodes, strict=True):
        outline = page.outline
        for node in nodes:
            tags = outline.tags_below(node)
            has_heading.append(not tags.isdisjoint(HEADINGS))
    share = fmean(has_heading)
    return group.is_repeated and share <= MAX_HEADED_SHARE
