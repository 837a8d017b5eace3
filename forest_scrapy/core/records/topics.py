"""Lists of topics and threads, which look alike: rows with names, dates and counts.

The classifier of kinds knows what forums are called, and takes some lists for threads and some
threads for lists.  What tells them apart is in the records: each row of a list has a title of its
own that leads to another page, before any other text; each post of a thread has prose.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import expm1
from statistics import median

from forest_scrapy.core.fields.titles import common_affixes, cut_affixes, read_title
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, fold_url
from forest_scrapy.core.records.record import is_quote, write_step_of
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.records.regions.prose import ProsePage, looks_like_date
from forest_scrapy.core.templates.kinds import MIN_DECLARED, MIN_ITEMS, Kind, TemplateFacts

# Not tuned: lists and threads of the engines in the tests are far from all of these.
#: The share of the rows of a list that must have a title of their own.
MIN_TITLED_ROWS = 0.8
#: Characters of the longest text of a row besides its title, in the median, and of the text of a
#: post.
MAX_ROW_TEXT = 60
MIN_POST_TEXT = 80
#: Letters of the shortest title.
MIN_TITLE_LENGTH = 4
#: The shares of the prose and of the records with a date, and the largest of linked text, of pages
#: that are threads although they are called lists; the largest share of their titled records.
MIN_THREAD_COVERAGE = 0.85
MIN_THREAD_DATED = 0.9
MAX_THREAD_LINKED = 0.2
MAX_TITLED_POSTS = 0.3
MIN_POSTS = 2


#: What mail programs and forums write before the title of an answer.
_ANSWER = re.compile(
    r"(?:(?:re|aw|sv|antw|odp|fwd?|wg|tr)\s{0,2}:\s{0,4}){1,5}(?=\S)", re.IGNORECASE
)
MIN_TITLE_WORDS = 2


def read_thread_title(page: Page, affixes: Sequence[str] = ()) -> str:
    """The title of a thread: that of the page, without "Re:", without the ``affixes``, which all
    pages of the template have, and without what stands beside a heading of the first level, such
    as the board.  On further pages a heading that links to the first one is the title.

    >>> page = Page.from_html("<title>Re: Owls at night</title><p>Hello")
    >>> read_thread_title(page)
    'Owls at night'
    """
    title = cut_affixes(read_title(page), affixes)
    starts = []
    for heading in page.root.iter("h1"):
        text = " ".join("".join(heading.itertext()).split())
        is_start = title.startswith(f"{text} ") or _links_to(heading, page)
        if is_start and len(text.split()) >= MIN_TITLE_WORDS:
            starts.append(text)
    title = max(starts, key=len, default=title)
    return _ANSWER.sub("", title, count=1) if _ANSWER.match(title) else title


def _links_to(heading: Element, page: Page) -> bool:
    """Whether a heading is a link to the page, or to the one without its query."""
    page_url, _, _ = page.url.partition("?")
    for link in heading.iter("a"):
        url = absolute_url(link.get("href") or "", page.base_url)
        if url and fold_url(url) in (fold_url(page.url), fold_url(page_url)):
            return True
    return False


def learn_title_ends(pages: Sequence[Page]) -> tuple[str, ...]:
    """What all titles of windows end with, behind a separator: names of the board and the site.
    What they begin with is often the thread itself, if there are several of its pages."""
    titles = [title for page in pages for title in page.declared.titles[:1]]
    ends = []
    for affix in common_affixes(titles):
        if all(title.endswith(affix) for title in titles):
            ends.append(affix)
    return tuple(ends)


@dataclass(frozen=True)
class _Row:
    """A record: the text and the URL of the link that is its title, ``""`` without one, and the
    characters of its longest text besides that; whether the title comes before it."""

    title: str
    url: str
    text_length: int
    is_first: bool


def correct_kind(
    pages: Sequence[ProsePage],
    posts: Group | None,
    items: Group | None,
    facts: TemplateFacts,
    kind: Kind,
) -> Kind:
    """The kind, where that is ``thread`` or ``listing``: the other one if the records say so.
    ``items``: the best candidate for a list; ``posts`` may be a part of each of its items."""
    if posts is None or not posts.is_repeated:
        return kind
    if facts.numbers["declares_thread"] >= MIN_DECLARED:
        return kind
    if kind.name == "thread":
        rows = list(_read_rows(pages, posts.nodes))
        has_titles = any(row.title for row in rows)
        if items and not has_titles and _are_parts(pages, posts, items):
            rows = list(_read_rows(pages, items.nodes))
        if _are_topics(rows):
            evidence = "records with titles of their own that link to other pages"
            return Kind("listing", (*kind.evidence, evidence))
    if kind.name == "listing" and _may_be_thread(facts):
        rows = list(_read_rows(pages, posts.nodes))
        if _are_posts(rows):
            return Kind("thread", (*kind.evidence, "records with prose, without linked titles"))
    return kind


def _are_parts(
    pages: Sequence[ProsePage],
    posts: Group,
    items: Group,
) -> bool:
    """Whether each post is a part of another item, and each item has one."""
    for page, post_nodes, item_nodes in zip(pages, posts.nodes, items.nodes, strict=True):
        if len(post_nodes) != len(item_nodes):
            return False
        for post, item in zip(sorted(post_nodes), sorted(item_nodes), strict=True):
            if not item < post < page.outline.ends[item]:
                return False
    return True


def leave_out_topics(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
    posts: Group,
) -> Group:
    """The posts without a list of other threads that is written with the same elements: the largest
    candidate inside, if the others have titles of their own that link to other pages."""
    all_nodes = [frozenset(nodes) for nodes in posts.nodes]
    subsets = []
    for group in groups:
        is_inside = all(
            nodes_of_all.issuperset(nodes)
            for nodes_of_all, nodes in zip(all_nodes, group.nodes, strict=True)
        )
        if is_inside and group.is_repeated:
            subsets.append(group)
    subsets.sort(key=_count_nodes, reverse=True)

    for group in subsets:
        if _count_nodes(group) == _count_nodes(posts):
            continue
        others = []
        for nodes_of_all, nodes in zip(all_nodes, group.nodes, strict=True):
            others.append(sorted(nodes_of_all.difference(nodes)))
        if sum(map(len, others)) < MIN_ITEMS:
            continue
        if _are_titled(list(_read_rows(pages, others))):
            rows = list(_read_rows(pages, group.nodes))
            titled = sum(bool(row.title) for row in rows)
            return group if titled <= MAX_TITLED_POSTS * len(rows) else posts
    return posts


def _count_nodes(group: Group) -> int:
    return sum(map(len, group.nodes))


def _are_topics(rows: Sequence[_Row]) -> bool:
    if not _are_titled(rows):
        return False
    return median(row.text_length for row in rows) <= MAX_ROW_TEXT


def _are_titled(rows: Sequence[_Row]) -> bool:
    """Whether most of several records have a title of their own that links to another page, before
    any other text."""
    titled = [row for row in rows if row.title]
    if len(rows) < MIN_ITEMS or len(titled) < MIN_TITLED_ROWS * len(rows):
        return False
    titles = {row.title for row in titled}
    urls = {row.url for row in titled}
    if min(len(titles), len(urls)) < MIN_TITLED_ROWS * len(titled):
        return False
    first = sum(row.is_first for row in titled)
    return first >= MIN_TITLED_ROWS * len(titled)


def _may_be_thread(facts: TemplateFacts) -> bool:
    numbers = facts.numbers
    return (
        expm1(numbers["posts_log_records"]) >= MIN_POSTS
        and numbers["posts_coverage"] >= MIN_THREAD_COVERAGE
        and numbers["posts_dated"] >= MIN_THREAD_DATED
        and numbers["linked_share"] <= MAX_THREAD_LINKED
    )


def _are_posts(rows: Sequence[_Row]) -> bool:
    titled = sum(bool(row.title) for row in rows)
    if titled > MAX_TITLED_POSTS * len(rows):
        return False
    return median(row.text_length for row in rows) >= MIN_POST_TEXT


def _read_rows(
    pages: Sequence[ProsePage],
    nodes_of_pages: Sequence[Sequence[int]],
) -> Iterator[_Row]:
    for page, nodes in zip(pages, nodes_of_pages, strict=True):
        for node in nodes:
            yield _read_row(page, node)


def _read_row(page: ProsePage, top: int) -> _Row:
    """The first link with a text that leads to another page, and is no person, date or number."""
    text_length = 0
    longest = -1
    for number in page.segments_below(top):
        segment = page.segments[number]
        plain_length = len(segment.text) - segment.linked
        if plain_length > text_length:
            text_length = plain_length
            longest = segment.first

    outline = page.outline
    own_url = fold_url(page.page.url)
    for index in outline.below(top):
        node = outline.nodes[index]
        href = node.element.get("href") if node.tag == "a" else None
        if not href or is_person_url(href):
            continue
        if _is_quoted(page, top, index):
            continue
        text = outline.line(index)
        letters = sum(map(str.isalpha, text))
        if letters < MIN_TITLE_LENGTH or looks_like_date(text):
            continue
        url = absolute_url(href, page.page.base_url)
        if not url or fold_url(url) == own_url:
            continue
        return _Row(text, url, text_length, node.first <= longest or longest < 0)
    return _Row("", "", text_length, False)


def _is_quoted(
    page: ProsePage,
    top: int,
    index: int,
) -> bool:
    """Whether a node of a record is in what that quotes."""
    outline = page.outline
    for ancestor in outline.path(index):
        if ancestor <= top:
            return False
        if is_quote(write_step_of(outline, ancestor)):
            return True
    return False
