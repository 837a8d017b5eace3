"""The first post of a thread that has no text of its own: a link to another site, whose title is
that of the page, with a line that names who has posted it, and when.  Aggregators of links have
such pages, with the comments below."""

from collections.abc import Sequence
from html import escape

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import absolute_url, site_of
from forest_scrapy.core.records.attributes.attribute import read_values, read_values_of
from forest_scrapy.core.records.attributes.learn_attributes import learn_attributes
from forest_scrapy.core.records.record import Inner, Located, Record, Value, walk_record
from forest_scrapy.core.records.regions.prose import looks_like_date
from forest_scrapy.core.records.topics import read_thread_title

#: Links before the first comment that are compared with the title, and steps up from the link to
#: the element around the line below it.
MAX_LINKS = 300
MAX_STEPS = 5
#: Nodes of this element.
MAX_NODES = 200
#: What the line below the link has.
_SUBLINE_VALUES = ("author", "date")


def find_story(
    page: Page,
    records: Sequence[int],
    fetched_at: str,
) -> tuple[int, Record] | None:
    """The link that a thread is about, as a record with its title, and the index of its element;
    None if there is none before the records, or if it is in one, which has a text then.

    ``records``: the indices of their elements.  Without a date below the link it is none: it may
    be one that the page has beside its thread.
    """
    if not records:
        return None
    first_record = min(records)
    link = _find_title_link(page, first_record)
    if link is None or _is_inside_any(page, link, records):
        return None
    values = _read_subline(page, link, first_record, fetched_at)
    has_date = any(value.name == "date" for value in values)
    if not has_date:
        return None
    title = page.outline.line(link)
    url = _url_of(page, link)
    html = f'<p><a href="{escape(url)}">{escape(title)}</a></p>'
    record = Record(
        position=0,
        text=title,
        html=html,
        values=values,
    )
    return link, record


def _is_inside_any(page: Page, link: int, records: Sequence[int]) -> bool:
    """Whether the link is in one of the records."""
    for node in records:
        end = page.outline.ends[node]
        if node <= link < end:
            return True
    return False


def _find_title_link(page: Page, end: int) -> int | None:
    """The first link to another site with the text of the title of the page."""
    title = _letters(read_thread_title(page))
    if not title:
        return None
    site = site_of(page.url)
    links = 0
    for index in range(end):
        url = _url_of(page, index)
        if not url:
            continue
        links += 1
        if links > MAX_LINKS:
            return None
        is_elsewhere = url.startswith("http") and site_of(url) != site
        if is_elsewhere and _letters(page.outline.line(index)) == title:
            return index
    return None


def _url_of(page: Page, index: int) -> str:
    """The URL that an element links to; ``""`` if it is no link."""
    node = page.outline.nodes[index]
    if node.tag != "a":
        return ""
    href = node.element.get("href")
    if not href:
        return ""
    return absolute_url(href, page.base_url)


def _read_subline(
    page: Page,
    link: int,
    end: int,
    fetched_at: str,
) -> tuple[Value, ...]:
    """The author and the date in the smallest element around the link that has a date behind it,
    and ends before the records."""
    outline = page.outline
    node = link
    for _ in range(MAX_STEPS):
        node = outline.nodes[node].parent
        if node < 0:
            return ()
        node_end = outline.ends[node]
        if node_end > end or node_end - node > MAX_NODES:
            return ()
        located = Located(node=node, position=0, roots=((node, ""),))
        inner_nodes = list(walk_record(outline, located, frozenset({node})))
        if _has_date_behind(page, inner_nodes, link):
            return _read_values(page, inner_nodes, fetched_at)
    return ()


def _has_date_behind(page: Page, inner_nodes: Sequence[Inner], link: int) -> bool:
    for inner in inner_nodes:
        if inner.node <= link:
            continue
        line = page.outline.line(inner.node)
        if looks_like_date(line):
            return True
    return False


def _read_values(
    page: Page,
    inner_nodes: Sequence[Inner],
    fetched_at: str,
) -> tuple[Value, ...]:
    cells = read_values_of(page, [inner_nodes])
    attributes = learn_attributes([cells], page.language, is_text=lambda path: False)
    values = read_values(page, inner_nodes, attributes, fetched_at)
    return tuple(value for value in values if value.name in _SUBLINE_VALUES)


def _letters(text: str) -> str:
    letters = filter(str.isalnum, text.casefold())
    return "".join(letters)
