"""The article that an element of a page links, and how much it looks like an item of a list."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import east_asian_width
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import HEADINGS, class_and_id
from forest_scrapy.core.page.urls import absolute_url, fold_url, site_of
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.records.regions.prose import looks_like_date
from forest_scrapy.core.templates.signals import is_list_url, is_service_url

# Set by hand, looking at the home pages of feeds-dev.
#: Pages that an item without a heading links, at most; leaves of the largest one.
MAX_LINKED_PAGES = 4
MAX_LEAVES = 120
#: Characters of a title beyond which a longer one is no better, and of the longest.
FULL_TITLE_LENGTH = 60
MAX_TITLE_LENGTH = 300
#: Words from which a title counts in full; characters of a word in scripts without spaces, and
#: those of others that a wide one stands for.
FULL_TITLE_WORDS = 3
WORD_CHARACTERS = 12
WIDE_CHARACTERS = 4
#: What an image and a date add, in characters of a title; the value of items that are not in a
#: heading and have none of these, of those whose URL is like that of any page, and of those in
#: menus, as shares.
IMAGE_VALUE = 20
DATE_VALUE = 15
PLAIN_SHARE = 0.4
SHORT_URL_SHARE = 0.6
MENU_SHARE = 0.1
#: The share of the links of a page that a menu has at most.
MAX_MENU_SHARE = 0.5
#: Words of the last part of a URL from which it is that of an article.
MIN_URL_WORDS = 3

_FILE = re.compile(
    r"\.(?:xml|rss|atom|json|jpe?g|png|gif|webp|svg|pdf|zip|gz|docx?|xlsx?|mp3|m4a|mp4|ics)$",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\.\w{2,5}$")
_DATE_PART = re.compile(r"(?:19|20)[0-9]{2}|[0-9]{1,2}|(?:19|20)[0-9]{2}-[0-9]{2}(?:-[0-9]{2})?")
_MENU_TAGS = ("nav", "menu")
_OUTER_TAGS = ("header", "footer")
_MENU = re.compile(r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?)(?:[\s_-]|$)", re.I)


@dataclass(frozen=True)
class ArticleLink:
    """The article that an element links: ``url`` and ``key`` (see ``fold_url``), the node of the
    link and that of the title, the title, and the value of the element as an item."""

    node: int
    title_node: int
    url: str
    key: str
    title: str
    value: float


class _Link(NamedTuple):
    node: int
    url: str
    key: str
    text: str
    #: The node of the heading that the link is in, or that is in it; -1 if there is none.
    heading: int
    has_fragment: bool = False


class ArticleLinks:
    """The links to articles of a page, and the items in its elements, each read once."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.outline: Outline = page.outline
        self._headings = self._find_headings()
        self._links = self._without_fragments(list(self._read_links()))
        self._nodes = [link.node for link in self._links]
        self._in_menu = find_menus(self.outline, self._nodes)
        self._images = self._count_before(self._is_picture)
        self._dates = self._count_before(self._is_dated)
        self._items: dict[int, ArticleLink | None] = {}

    def item_at(self, node: int) -> ArticleLink | None:
        """The article that the element of a node links; None if it links none, or several."""
        if node not in self._items:
            self._items[node] = self._read_item(node)
        return self._items[node]

    def heading_before(self, node: int) -> int:
        """The node of the last heading that ends before an element; -1 if there is none."""
        at = bisect_left(self._headings, node) - 1
        if at < 0 or self.outline.ends[self._headings[at]] > node:
            return -1
        return self._headings[at]

    def first_heading_in(self, node: int) -> int:
        """The node of the first heading in an element; -1 if there is none."""
        at = bisect_left(self._headings, node)
        if at == len(self._headings) or self._headings[at] >= self.outline.ends[node]:
            return -1
        return self._headings[at]

    def has_links(self, node: int) -> bool:
        """Whether there is a link to an article in the element of a node."""
        start = bisect_left(self._nodes, node)
        return start < len(self._nodes) and self._nodes[start] < self.outline.ends[node]

    def _read_item(self, node: int) -> ArticleLink | None:
        links = self._links_below(node)
        if not links:
            return None
        headed = [link for link in links if link.heading >= 0]
        if headed:
            highest = min(self.outline.nodes[link.heading].tag for link in headed)
            links = [link for link in headed if self.outline.nodes[link.heading].tag == highest]
            if len({link.key for link in links}) > 1:
                return None
        elif not self._is_small(node, links):
            return None
        best = max(links, key=_link_worth)
        title_node = self._find_title(node, best)
        title = self.outline.line(title_node)[:MAX_TITLE_LENGTH]
        if not title:
            return None
        return ArticleLink(
            node=best.node,
            title_node=title_node,
            url=best.url,
            key=best.key,
            title=title,
            value=self._weigh(node, best, title, title_node),
        )

    def _links_below(self, node: int) -> Sequence[_Link]:
        start = bisect_left(self._nodes, node)
        end = bisect_left(self._nodes, self.outline.ends[node])
        return self._links[start:end]

    def _is_small(self, node: int, links: Sequence[_Link]) -> bool:
        """Whether an element without a linked heading is one item, rather than a list of them."""
        columns = self.outline.columns
        if columns.lasts[node] - columns.firsts[node] > MAX_LEAVES:
            return False
        return len({link.key for link in links}) <= MAX_LINKED_PAGES

    def _find_title(self, node: int, link: _Link) -> int:
        """The heading that the link is around, or the link; of an item whose heading is no link
        ("Read more" is one), that heading."""
        if link.heading > link.node:
            return link.heading
        if link.heading >= 0:
            return link.node
        first = bisect_left(self._headings, node)
        if first < len(self._headings):
            heading = self._headings[first]
            if heading < self.outline.ends[node] and self.outline.line(heading):
                return heading
        return link.node

    def _weigh(self, node: int, link: _Link, title: str, title_node: int) -> float:
        extras = 0
        end = self.outline.ends[node]
        if self._images[end] > self._images[node]:
            extras += IMAGE_VALUE
        dates = self._dates[end] - self._dates[node]
        title_end = self.outline.ends[title_node]
        dates_in_title = self._dates[title_end] - self._dates[title_node]
        if dates > dates_in_title:
            extras += DATE_VALUE

        is_headed = self.outline.nodes[title_node].tag in HEADINGS or link.heading >= 0
        words = max(len(title.split()), _count_characters(title) / WORD_CHARACTERS)
        share = 1.0
        if not extras and not is_headed:
            share = PLAIN_SHARE * min(1.0, words / FULL_TITLE_WORDS) ** 2
        value = min(_count_characters(title), FULL_TITLE_LENGTH) * share + extras
        if not names_article(link.url):
            value *= SHORT_URL_SHARE
        if self._in_menu[link.node]:
            value *= MENU_SHARE
        return value

    def _find_headings(self) -> list[int]:
        headings = []
        for index, tag in enumerate(self.outline.columns.tags):
            if tag in HEADINGS:
                headings.append(index)
        return headings

    def _read_links(self) -> Iterator[_Link]:
        outline = self.outline
        page_key = fold_url(self.page.url)
        site = site_of(self.page.url)
        above = outline.nearest([tag in HEADINGS for tag in outline.columns.tags], -1)
        for index, node in enumerate(outline.nodes):
            href = node.element.get("href") if node.tag == "a" else None
            if not href:
                continue
            url, _, fragment = absolute_url(href, self.page.base_url).partition("#")
            if not url.startswith(("http://", "https://")) or not may_be_article(url, site):
                continue
            key = fold_url(url)
            if key == page_key:
                continue
            heading = above[index]
            first = bisect_left(self._headings, index)
            has_heading = (
                first < len(self._headings) and self._headings[first] < outline.ends[index]
            )
            if has_heading:
                heading = self._headings[first]
            text = outline.line(index)[:MAX_TITLE_LENGTH]
            yield _Link(index, url, key, text, heading, bool(fragment))

    def _without_fragments(self, links: list[_Link]) -> list[_Link]:
        """The links without those to a part of an article, such as its comments, that another
        one links as a whole."""
        whole = {link.key for link in links if not link.has_fragment}
        return [link for link in links if not link.has_fragment or link.key not in whole]

    def _count_before(self, is_counted: Callable[[int], bool]) -> list[int]:
        """For each node the number of those before it for which the answer is yes."""
        counts = [0]
        for index in range(len(self.outline.nodes)):
            counts.append(counts[-1] + is_counted(index))
        return counts

    def _is_picture(self, index: int) -> bool:
        node = self.outline.nodes[index]
        return node.tag == "img" and bool(image_url(node.element, self.page.base_url))

    def _is_dated(self, index: int) -> bool:
        node = self.outline.nodes[index]
        if node.tag == "time":
            return True
        has_own_leaf = node.last - node.first == 1 and index + 1 == self.outline.ends[index]
        return has_own_leaf and looks_like_date(self.outline.line(index))


def _count_characters(text: str) -> int:
    """The characters of a text, those of scripts that write a word in one or two as several.

    >>> _count_characters("harbour"), _count_characters("開発コンテスト")
    (7, 28)
    """
    count = len(text)
    if not text.isascii():
        count += (WIDE_CHARACTERS - 1) * sum(east_asian_width(char) in "WF" for char in text)
    return count


def _link_worth(link: _Link) -> tuple[bool, int]:
    """Larger is better: not the page of a person, a long text.  Of equals the first is taken."""
    return not is_person_url(link.url), min(len(link.text), FULL_TITLE_LENGTH)


def may_be_article(url: str, site: str) -> bool:
    """Whether a URL may be that of an article of a site: not its root, a list, a page about the
    site, an archive of a day, a month or a year, or a file.

    >>> urls = ["/2026/11/harbour/", "/2026/11/", "/tag/harbour/", "/", "/feed.xml", "/about/"]
    >>> [may_be_article(f"https://a.example{url}", "a.example") for url in urls]
    [True, False, False, False, False, False]
    """
    if site_of(url) != site:
        return False
    parts = urlsplit(url)
    names = _names_of(parts.path)
    if not names:
        return bool(parts.query)
    if _FILE.search(parts.path) or is_list_url(url) or is_service_url(url):
        return False
    return not all(map(_DATE_PART.fullmatch, names))


def names_article(url: str) -> bool:
    """Whether the last part of a URL has several words, or a number, or is below a date.

    >>> names_article("https://a.example/the-new-harbour"), names_article("https://a.example/shop")
    (True, False)
    """
    names = _names_of(urlsplit(url).path)
    if not names:
        return bool(urlsplit(url).query)
    words = re.split(r"[-_+ ]", names[-1])
    has_number = re.search(r"[0-9]{3}", names[-1]) is not None
    is_dated = any(map(_DATE_PART.fullmatch, names[:-1]))
    return len(words) >= MIN_URL_WORDS or has_number or is_dated


def url_form(url: str) -> tuple[str, ...]:
    """What the URLs of articles of a site have in common: how many folders they are in, and which
    of these are numbers.

    >>> url_form("https://a.example/2026/11/harbour/"), url_form("https://a.example/news/harbour")
    (('0000', '00'), ('*',))
    """
    forms = []
    for name in _names_of(urlsplit(url).path)[:-1]:
        form = "0" * len(name) if name.isdigit() else "*"
        forms.append(form)
    return tuple(forms)


def _names_of(path: str) -> list[str]:
    """The parts of a path, without their endings; that of an index is left out."""
    names = []
    for part in unquote(path).split("/"):
        if part:
            names.append(_EXTENSION.sub("", part))
    if names and names[-1].lower() == "index":
        names.pop()
    return names


def find_menus(outline: Outline, links: Sequence[int]) -> list[bool]:
    """For each node whether it is in a menu, or in the header or footer of the page; those of
    articles are none, and what is named so, but has most of the links, is the page.

    ``links``: the nodes of the links to articles.
    """
    in_article = outline.inside(("article", "main"))
    indices = iter(range(len(outline.nodes)))

    def extend(is_above: bool, node: Node) -> bool:
        index = next(indices)
        if is_above or node.tag == "body":
            return is_above
        if node.tag in _MENU_TAGS or node.element.get("role") == "navigation":
            return True
        if node.tag in _OUTER_TAGS:
            return not in_article[node.parent]
        names = class_and_id(node.element, 200)
        if _MENU.search(names) is None:
            return False
        links_inside = bisect_left(links, outline.ends[index]) - bisect_left(links, index)
        return links_inside <= MAX_MENU_SHARE * len(links)

    return outline.inherit(False, extend)
