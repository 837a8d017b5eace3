"""The comments of readers on an article's page."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import fmean

from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS, Element
from forest_scrapy.core.records.learn_records import learn_rules
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordRules, number_records
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
_OTHERS = re.compile(r"recent|latest|popular|count|link", re.IGNORECASE)
_NAMES = ("id", "class", "itemprop", "itemtype")
#: The share of comments that must have a date, and of those without such names that may have a
#: heading: teasers of other articles have one.
_DATED, _HEADED = 0.7, 0.3
#: Characters of the longest name that is read.
_LONGEST = 400


def learn_comments(pages: Sequence[Page], contents: Sequence[Content]) -> RecordRules | None:
    """The rules for the comments on the pages of one template; None if there are none.

    ``contents[k]``: the article of page k.  Comments are dated records after it; in elements that
    are named after comments one is enough, elsewhere at least two without headings are needed.
    Without dates, several must be named so themselves.
    Cost: some 50 ms for each page.
    """
    shown = read_prose(pages)
    lasts = [_last_segment(page, _elements(c)) for page, c in zip(shown, contents, strict=True)]
    areas = [_find_areas(page, last) for page, last in zip(shown, lasts, strict=True)]
    is_named = any(areas)
    masked = [
        _mask(page, last, nodes if is_named else None)
        for page, last, nodes in zip(shown, lasts, areas, strict=True)
    ]
    groups = [
        group
        for group in measure_groups(masked)
        if (group.dated >= _DATED or (is_named and _names_comments(group)))
        and _is_outside(masked, lasts, group)
    ]
    best = next(iter(rank_groups(masked, groups)), None)
    if best is None or not (is_named or _are_comments(masked, best)):
        return None
    return learn_rules(masked, best)


def read_comments(rules: RecordRules, page: Page, content: Content) -> list[Record]:
    """The comments on a page outside its article, which has this content, in their order."""
    outline, inside = page.outline, _elements(content)
    own = [i for i, node in enumerate(outline.nodes) if node.element in inside]
    below = outline.subtree(own)
    found = [
        (0, (node, record))
        for node, record in rules.find(page)
        if node not in below and bisect_left(own, node) == bisect_left(own, outline.ends[node])
    ]
    return [record for record in number_records(found) if record.text]


def _elements(content: Content) -> frozenset[Element]:
    return frozenset(content.text_blocks)


def _last_segment(page: ProsePage, inside: Collection[Element]) -> int:
    """The last segment of the article; -1 if the page has no article."""
    nodes = page.outline.nodes
    own = (i for i, s in enumerate(page.segments) if nodes[s.block].element in inside)
    return max(own, default=-1)


def _find_areas(page: ProsePage, last: int) -> list[int]:
    """The outermost elements after the article that are named after comments."""
    named = [
        i
        for i, node in enumerate(page.outline.nodes)
        if page.firsts[i] > last and page.firsts[i] < page.lasts[i] and _is_named(node)
    ]
    return page.outline.outermost(named)


def _is_named(node: Node) -> bool:
    if not node.element.attrib or node.tag in ("form", "a", "body"):
        return False
    given = [(node.element.get(name) or "")[:_LONGEST] for name in _NAMES]
    return any(_is_word(token) for value in given for token in value.split())


def _is_word(token: str) -> bool:
    return bool(_WORDS.search(token)) and not _OTHERS.search(token)


def _names_comments(group: Group) -> bool:
    """Whether what several elements have in common is a name of comments."""
    is_named = isinstance(group.key, TokenKey) and _is_word(group.key.token)
    return is_named and group.is_repeated


def _mask(page: ProsePage, last: int, areas: Sequence[int] | None) -> ProsePage:
    """The page without prose that cannot be in comments: the article and what is before it, forms,
    and what is outside of the ``areas``; None: anywhere."""
    count = len(page.segments)
    allowed = range(last + 1, count) if areas is None else sorted(
        {i for area in areas for i in range(page.firsts[area], page.lasts[area])}
    )  # fmt: skip
    in_form = page.outline.inside(("form", "nav", "footer"))
    values = [0.0] * count
    for i in allowed:
        if not in_form[page.segments[i].block]:
            values[i] = page.prose[i + 1] - page.prose[i]
    return replace(page, prose=tuple(accumulate(values, initial=0.0)))


def _is_outside(pages: Sequence[ProsePage], lasts: Sequence[int], group: Group) -> bool:
    """Whether all elements of a candidate come after the article; ``lasts``: its last segments."""
    return all(
        not nodes or page.firsts[nodes[0]] > last
        for page, last, nodes in zip(pages, lasts, group.nodes, strict=True)
    )


def _are_comments(pages: Sequence[ProsePage], group: Group) -> bool:
    """Whether the records of a candidate are no teasers: several on a page, few with a heading."""
    headed = [
        any(page.outline.nodes[i].tag in HEADINGS for i in range(node, page.outline.ends[node]))
        for page, nodes in zip(pages, group.nodes, strict=True)
        for node in nodes
    ]
    return group.is_repeated and fmean(headed) <= _HEADED
