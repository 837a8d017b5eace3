"""Which elements are bylines: by their text, by a link to the author's page, by their class."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, islice, takewhile
from typing import TypeVar
from urllib.parse import unquote

from forest_scrapy.core.fields.bylines import (
    LABELS,
    is_name_like,
    is_plausible_name,
    may_credit,
    read_credit,
    read_labelled,
    read_short_byline,
    split_names,
)
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element, class_and_id
from forest_scrapy.core.xpaths.structural import LONGEST_CACHED

_MENU = re.compile(r"(?<![a-z])menu(?![a-z])", re.IGNORECASE)


class AsideFinder:
    """Tells whether elements of a page are in readers' comments, by class names, or in menus;
    those of ``html`` and ``body`` do not count, because they may just say that the page has
    comments.  What was found for an element is kept for those below it."""

    def __init__(self) -> None:
        self._known: dict[Element, bool] = {}

    def __call__(self, element: Element) -> bool:
        known, path = self._known, list[Element]()
        above: Element | None = element
        while above is not None and above not in known and above.tag not in ("body", "html"):
            path.append(above)
            above = above.getparent()
        is_inside = above is not None and known.get(above, False)
        for one in reversed(path):
            is_inside = known[one] = is_inside or _is_aside(one)
        return is_inside


def _is_aside(element: Element) -> bool:
    marks = element.get("class") or ""
    if "comment" in marks:
        return next(element.iter("h1"), None) is None  # not one around the article
    is_menu = element.tag == "nav" or _MENU.search(marks) is not None
    return is_menu and next(element.iter("h1", "article"), None) is None


#: Characters of the longest element that says who wrote the article, and of the longest byline.
LONGEST_CREDIT, _LONGEST_TEXT = 120, 2000

#: Class names and ids of bylines, and of elements that are something else.
_MARK = re.compile(
    r"author|by-?line|autor|redakteur|verfasser|auteur|writer|creator|contributor|reporter",
    re.IGNORECASE,
)
_NO_MARK = re.compile(
    r"comment|related|avatar|recommend|teaser|bio(?![a-z])|image|img|bild|foto|photo|caption|quote|"
    r"social|contact|socmed|share|nav|menu|brand|poweredby|powered-by|"
    r"(?<![a-z])(?:role|job|position|desc|description|prefix|label|heading|profession|occupation|"
    r"count|title|tabs?)(?![a-z])",
    re.IGNORECASE,
)
#: The page of an author: a folder of authors in the path, or a parameter, and the author's name.
_AUTHOR_PAGE = re.compile(
    r"(?:/(?:authors?|autor(?:es|en|in|a)?|auteurs?|autore|autori|profiles?|contributors?|"
    r"reporters?|writers?|journalists?|redakteure?|columnists?|penulis|yazar(?:lar)?|"
    r"forfatter|skribent)/|[?&]_?author=)([^?#&]*[^/?#&])",
    re.IGNORECASE,
)
_LONGEST_URL = 500
#: Links looked at in an element, elements in each other, and elements at an XPath.
_MOST_LINKS, DEPTH, _MOST_ELEMENTS = 5, 5, 50
_WORD = re.compile(r"[^\W_]+")
#: The first letters of labels.
_INITIALS = frozenset(label[0] for label in LABELS)
_LAST_STEP = re.compile(r"(?<![^/?#])([^/?#]++)/?(?:[?#].*)?$", re.DOTALL)


#: An element with a short text: its index among the nodes, its node, and the text on one line.
Shown = TypeVar("Shown", bound=tuple[int, Node, str])


class Credits:
    """Reads who wrote the article in the elements of a page: in a phrase such as "written by" or
    after a label such as "Author", or in a link to the author's page."""

    def __init__(self, page: Page) -> None:
        self.outline, self.language = page.outline, page.language
        self.is_aside = AsideFinder()

    def read(self, index: int, text: str) -> list[str]:
        """The names in the node with this text on one line, if it says who wrote the article."""
        if len(text) > LONGEST_CREDIT or not self.may_have[index]:
            return []
        element, language = self.outline.nodes[index].element, self.language
        names = read_credit(text, language) or _read_label(text, element)
        if not names and index in self._with_author_link and is_plausible_name(text):
            names = split_names(text, is_visible=True)
        return names and (_find_credit(block_text(element), element, language) or names)

    @cached_property
    def may_have(self) -> list[bool]:
        """For each node whether it may say who wrote the article, if its text is short enough."""
        begins = self.begins
        inside = self._phrases[1]
        found = [
            first < last and (begins[first] or inside[first] < inside[last])
            for _, _, _, _, _, first, last, _ in self.outline.nodes
        ]
        for index in self._with_author_link:
            found[index] = True
        return found

    @property
    def begins(self) -> list[bool]:
        """For each line whether a text that begins with it may have a phrase or a label."""
        return self._phrases[0]

    @cached_property
    def _phrases(self) -> tuple[list[bool], list[int]]:
        """For each line, whether a text that begins with it may have a phrase or a label; and the
        number of lines before it that may have one inside.  Too long lines have none."""
        lines, language = self.outline.lines, self.language
        found = [
            may_credit(line, language) if len(line) <= LONGEST_CREDIT else (False, False)
            for line in lines
        ]
        begins = [begins for begins, _ in found]
        return begins, list(accumulate((inside for _, inside in found), initial=0))

    @cached_property
    def _with_author_link(self) -> set[int]:
        """The nodes with text of whose first links one is to the page of an author."""
        nodes, found = self.outline.nodes, set[int]()
        links = [i for i, node in enumerate(nodes) if node.tag == "a"]
        for number, link in enumerate(links):
            if _is_author_link(nodes[link].element):
                before = links[number - _MOST_LINKS] if number >= _MOST_LINKS else -1
                around = takewhile(before.__lt__, self.outline.path(link))
                found.update(index for index in around if nodes[index].first < nodes[index].last)
        return found

    def find(self, elements: Iterable[Shown]) -> dict[Shown, list[str]]:
        """The names by those of the elements that have some, without those in comments and menus.
        ``elements``: positions, nodes and texts, in document order."""
        found = {}
        for one in elements:
            index, node, text = one
            names = self.read(index, text) if self.may_have[index] else []
            if names and not self.is_aside(node.element):
                found[one] = names
        return found


def read_bylines(elements: Iterable[Element], language: str) -> list[str]:
    """The names by the first of these elements and by those beside it, if they say who wrote the
    article, else all names in these; the other elements belong to other articles of a list."""
    first = islice(elements, _MOST_ELEMENTS)
    texts = [(one, text) for one in first if (text := block_text(one)[:_LONGEST_TEXT].strip())]
    parent = texts[0][0].getparent() if texts else None
    near = [(one, text) for one, text in texts if one.getparent() is parent]
    found = [name for one, text in near for name in _find_credit(text, one, language)]
    return found or [name for _, text in near for name in split_names(text, is_visible=True)]


def _find_credit(text: str, element: Element, language: str) -> list[str]:
    """The authors in an element that says who wrote the article: its text has a phrase such as
    "written by" or a label such as "Author" before a name, or is a link to the author's page;
    empty if it is neither."""
    if names := read_credit(text, language) or _read_label(text, element):
        return names
    is_link = any(map(_is_author_link, islice(element.iter("a"), _MOST_LINKS)))
    return split_names(text, is_visible=True) if is_link and is_plausible_name(text) else []


def _read_label(text: str, element: Element) -> list[str]:
    """The names after a label that is an element of its own."""
    if text[:1].casefold() not in _INITIALS or len(element) == 0:
        return []
    label = " ".join(next(filter(str.strip, element.itertext()), "").split())
    return read_labelled(label, text[len(label) :].strip()) if text.startswith(label) else []


def _is_author_link(link: Element) -> bool:
    """Whether the link is to the page of the author that its text names: ``rel=author``, or the
    URL has a folder of authors; and the URL has a word of the name, or a number."""
    is_declared = "author" in (link.get("rel") or "").split()
    slug = _read_slug((link.get("href") or "")[:_LONGEST_URL], is_declared)
    if slug is None:
        return False
    text = " ".join("".join(link.itertext()).split())
    is_named = any(len(word) > 2 and word in slug for word in _WORD.findall(text.casefold()))
    return is_named or (is_name_like(text) and (is_declared or any(map(str.isdigit, slug))))


@lru_cache(maxsize=8192)  # the same links are on all pages of a site
def _read_slug(url: str, is_declared: bool) -> str | None:
    """The letters and digits of the last step of the URL of an author's page, case-folded; None if
    it is another page.  ``is_declared``: the link says that it is one."""
    page = (_LAST_STEP if is_declared else _AUTHOR_PAGE).search(url)
    return None if page is None else "".join(_WORD.findall(unquote(page[1]).casefold()))


def find_marked(elements: Iterable[Shown], outline: Outline) -> Iterator[Shown]:
    """Those of the elements that are bylines with authors by their attributes, or by those of one
    with the same text in it.  ``elements``: as of ``Credits.find``."""
    marked = [i for i, node in enumerate(outline.nodes) if _is_marked(node)]
    for one in elements if marked else ():
        index, _, text = one
        nearest = bisect_left(marked, index)
        is_inside = nearest < len(marked) and marked[nearest] < outline.ends[index]
        if is_inside and _names_authors(text, index, outline):
            yield one


def _names_authors(text: str, index: int, outline: Outline) -> bool:
    inner = (outline.nodes[i] for i in outline.same_text(index, DEPTH))
    marked = next((node.element for node in inner if _is_marked(node)), None)
    names = split_names(text, is_visible=True) if marked is not None else []
    if marked is None or not names:
        return False
    return (is_marked_name(marked) and names[0].istitle()) or is_name_like(names[0])


def _is_marked(node: Node) -> bool:
    classes, id, itemprop, _ = node.names
    if itemprop == "author" or node.element.get("rel") == "author":
        return True
    if classes is None and id is None:
        return False
    marks = f"{classes or ''} {id or ''}"
    return _are_marks(marks) if len(marks) <= LONGEST_CACHED else _are_marks.__wrapped__(marks)


@lru_cache(maxsize=8192)  # the same classes are on all pages of a site
def _are_marks(names: str) -> bool:
    return bool(_MARK.search(names)) and not _NO_MARK.search(names)


def is_marked_name(element: Element) -> bool:
    """Whether the attributes of a byline say that it is a name and nothing else."""
    return element.get("rel") == "author" or "name" in class_and_id(element).lower()


#: Elements looked at, and siblings on each side of the byline.  Of 150, 400 and all elements, 150
#: finds fewer authors on wcxb-dev-articles, and all find more wrong ones on fundus.
_MOST_VISITED, _MOST_BESIDE = 400, 25
#: Elements after the title among which one word after "by" is the author.  Not tuned.
_MOST_AFTER = 40
#: Characters, with white space, and elements of the largest element whose text is read; elements in
#: each other with the same text.
_MOST_CHARACTERS, _MOST_INNER, _DEPTH_BELOW = 4 * LONGEST_CREDIT, 40, 10


def read_nearest(credits: Credits) -> list[str]:
    """The names by the element nearest to the first ``h1`` that says who wrote the article, and by
    those beside it; elements above the title count as twice as far away; else by an element right
    after the title with "by" and one word.  Without those in comments and menus."""
    reader = _NearestCredit(credits)
    nodes = credits.outline.nodes
    title = next((i for i, node in enumerate(nodes) if node.tag == "h1"), None)
    for index in islice(_from_title(title or 0, len(nodes)), _MOST_VISITED):
        if reader.read(index):
            return [name for one in reader.beside(index) for name in reader.read(one)]
    after = range(title + 1, len(nodes))[:_MOST_AFTER] if title is not None else ()
    return next(filter(None, map(reader.read_short, after)), [])


#: Lines that are looked at; lines after a byline among which the text begins, and characters of
#: the first line of a text.
_MAX_LINES, _MAX_BETWEEN, _MIN_TEXT = 400, 3, 120


def read_line(credits: Credits) -> list[str]:
    """The names by the first line between line breaks that is a byline: it has nothing else but a
    phrase such as "by", names of two words or more, and maybe a date, and the text begins right
    after it in the same element, as on old pages.  Without those in comments and menus."""
    outline = credits.outline
    for line, begins in enumerate(credits.begins[:_MAX_LINES]):
        node = outline.nodes[outline.leaves[line].node]
        after = outline.lines[line + 1 : min(line + 1 + _MAX_BETWEEN, node.last)]
        if not begins or not any(len(text) >= _MIN_TEXT for text in after):
            continue
        names = read_short_byline(outline.lines[line], credits.language)
        is_byline = all(" " in name and is_name_like(name) for name in names)
        if names and is_byline and not credits.is_aside(node.element):
            return names
    return []


def has_text_after_break(root: Element) -> bool:
    """Whether the page has long text after line breaks, as old pages have; without any it has no
    byline that ``read_line`` finds.  Cost: a search for ``br``, far less than an outline."""
    return any(br.tail and len(br.tail.strip()) >= _MIN_TEXT for br in root.iter("br"))


class _NearestCredit:
    """Reads the names in the elements of a page that say who wrote the article."""

    def __init__(self, credits: Credits) -> None:
        self._credits, self._outline = credits, credits.outline
        lengths = (len(leaf.text) for leaf in self._outline.leaves)
        self._lengths = list(accumulate(lengths, initial=0))

    def read(self, index: int) -> list[str]:
        """The names in the node; empty if it says no such thing."""
        text = self._text(index) if self._credits.may_have[index] else ""
        names = self._credits.read(index, text) if text else []
        return names if names and not self._is_aside(index) else []

    def read_short(self, index: int) -> list[str]:
        """The names in the node if it has nothing else but "by" and a date."""
        text = self._text(index)
        names = read_short_byline(text, self._credits.language) if text else []
        return names if names and not self._is_aside(index) else []

    def beside(self, index: int) -> list[int]:
        """The largest node with the same text, with its nearest siblings, in document order."""
        nodes, inner = self._outline.nodes, self._outline.inner
        for _ in range(_DEPTH_BELOW):
            above = nodes[index].parent
            if above <= 0 or inner[above] != index:
                break
            index = above
        above = nodes[index].parent
        if above < 0:
            return [index]
        siblings = list(self._outline.children(above))
        place = siblings.index(index)
        return siblings[max(place - _MOST_BESIDE, 0) : place + _MOST_BESIDE + 1]

    def _text(self, index: int) -> str:
        """The text of the node on one line; empty if it is longer than a byline."""
        outline, node = self._outline, self._outline.nodes[index]
        is_large = outline.ends[index] - index > _MOST_INNER
        if is_large or self._lengths[node.last] - self._lengths[node.first] > _MOST_CHARACTERS:
            return ""
        return " ".join(outline.lines[node.first : node.last])

    def _is_aside(self, index: int) -> bool:
        *_, innermost = self._outline.same_text(index, _DEPTH_BELOW + 1)
        return self._credits.is_aside(self._outline.nodes[innermost].element)


def _from_title(title: int, count: int) -> Iterator[int]:
    """The nodes by their distance to the title."""
    before, after = title - 1, title
    while before >= 0 or after < count:
        if before < 0 or (after < count and after - title <= 2 * (title - before)):
            yield after
            after += 1
        else:
            yield before
            before -= 1
