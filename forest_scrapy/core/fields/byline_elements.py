"""Which elements are bylines: by their text, by a link to the author's page, by their class."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from urllib.parse import unquote

from forest_scrapy.core.fields.bylines import (
    LABELS,
    is_name_like,
    is_plausible_name,
    read_credit,
    read_labelled,
    read_short_byline,
    split_names,
)
from forest_scrapy.core.page.outline import Node, find_hidden
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element, body_of, class_and_id, is_ignored

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
_MOST_LINKS, _DEPTH, _MOST_ELEMENTS = 5, 5, 50
_WORD = re.compile(r"[^\W_]+")
#: The first letters of labels.
_INITIALS = frozenset(label[0] for label in LABELS)
_LAST_STEP = re.compile(r"([^/?#]+)/?(?:[?#].*)?$")


def find_credits(
    elements: Iterable[tuple[int, Node, str]], language: str
) -> dict[Element, list[str]]:
    """The names by the elements that say who wrote the article, in document order, without those
    in comments and menus.  ``elements``: positions, nodes and texts; ``language``: of the page."""
    is_aside = AsideFinder()
    found = {}
    for _, node, text in elements:
        names = read_credited(text, node.element, language)
        if names and not is_aside(node.element):
            found[node.element] = names
    return found


def read_credited(text: str, element: Element, language: str) -> list[str]:
    """The names in an element with this text on one line, if it says who wrote the article."""
    if len(text) > LONGEST_CREDIT or not (names := _find_credit(text, element, language)):
        return []
    return _find_credit(block_text(element), element, language) or names


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
    if len(element) == 0 or text[:1].casefold() not in _INITIALS:
        return []
    label = " ".join(next(filter(str.strip, element.itertext()), "").split())
    return read_labelled(label, text[len(label) :].strip()) if text.startswith(label) else []


def _is_author_link(link: Element) -> bool:
    """Whether the link is to the page of the author that its text names: ``rel=author``, or the
    URL has a folder of authors; and the URL has a word of the name, or a number."""
    url = link.get("href") or ""
    is_declared = "author" in (link.get("rel") or "").split()
    page = (_LAST_STEP if is_declared else _AUTHOR_PAGE).search(url[:_LONGEST_URL])
    if page is None:
        return False
    text = " ".join("".join(link.itertext()).split())
    slug = "".join(_WORD.findall(unquote(page[1]).casefold()))
    is_named = any(len(word) > 2 and word in slug for word in _WORD.findall(text.casefold()))
    return is_named or (is_name_like(text) and (is_declared or any(map(str.isdigit, slug))))


def find_marked_names(text: str, element: Element) -> list[str]:
    """The authors in an element that is a byline by its attributes, or by those of an element
    with the same text in it; empty if it is not."""
    marked = next(filter(_is_marked, iter_same_text(element)), None)
    names = split_names(text, is_visible=True) if marked is not None else []
    if marked is None or not names:
        return []
    is_single = is_marked_name(marked) and names[0].istitle()
    return names if is_single or is_name_like(names[0]) else []


def iter_same_text(element: Element) -> Iterator[Element]:
    """The element, and those in it that have all of its text, to some depth."""
    inner: Element | None = element
    for _ in range(_DEPTH):
        if inner is None:
            return
        yield inner
        if len(inner) == 0 or any(text and text.strip() for text in _own_texts(inner)):
            return
        children = [one for one in inner.iterchildren("*") if any(map(str.strip, one.itertext()))]
        inner = children[0] if len(children) == 1 else None


def _own_texts(element: Element) -> Iterator[str | None]:
    yield element.text
    yield from (child.tail for child in element)


def _is_marked(element: Element) -> bool:
    if element.get("rel") == "author" or element.get("itemprop") == "author":
        return True
    marks = class_and_id(element)
    return bool(_MARK.search(marks)) and not _NO_MARK.search(marks)


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


def read_nearest(page: Page) -> list[str]:
    """The names by the element nearest to the first ``h1`` that says who wrote the article, and by
    those beside it; elements above the title count as twice as far away; else by an element right
    after the title with "by" and one word.  Without hidden elements and those in comments and
    menus.

    The page's outline is not needed, which takes longer than this.
    """
    body = body_of(page.root)
    reader = _CreditReader(body, page.language)
    elements = list(body.iter("*"))
    for element in islice(_from_title(elements), _MOST_VISITED):
        if reader.read(element):
            near = _siblings(_outermost(element, body))
            return [name for one in near for name in reader.read(one)]
    return next(filter(None, map(reader.read_short, _after_title(elements))), [])


class _CreditReader:
    """Reads the names in visible elements that say who wrote the article."""

    def __init__(self, body: Element, language: str) -> None:
        self._body, self._language = body, language
        self._is_aside = AsideFinder()

    @cached_property
    def _hidden(self) -> frozenset[Element]:
        return find_hidden(self._body)

    def read(self, element: Element) -> list[str]:
        """The names in the element; empty if it says no such thing."""
        text = _short_text(element)
        names = read_credited(text, element, self._language) if text else []
        return names if names and self._is_visible(_innermost(element, text)) else []

    def read_short(self, element: Element) -> list[str]:
        """The names in the element if it has nothing else but "by" and a date."""
        text = _short_text(element)
        names = read_short_byline(text, self._language) if text else []
        return names if names and self._is_visible(_innermost(element, text)) else []

    def _is_visible(self, element: Element) -> bool:
        if self._is_aside(element) or not block_text(element):  # all of it is a script
            return False
        path = (element, *element.iterancestors())
        return not any(is_ignored(one) or one in self._hidden for one in path)


def _siblings(element: Element) -> list[Element]:
    """The element with its nearest siblings, in document order."""
    before = list(islice(element.itersiblings(preceding=True), _MOST_BESIDE))
    return [*reversed(before), element, *islice(element.itersiblings(), _MOST_BESIDE)]


def _after_title(elements: Sequence[Element]) -> Sequence[Element]:
    """The elements right after the first ``h1``; none if there is no ``h1``."""
    title = next((i for i, one in enumerate(elements) if one.tag == "h1"), len(elements))
    return elements[title + 1 : title + 1 + _MOST_AFTER]


def _from_title(elements: Sequence[Element]) -> Iterator[Element]:
    """The elements by their distance to the first ``h1``."""
    title = next((i for i, one in enumerate(elements) if one.tag == "h1"), 0)
    before, after = title - 1, title
    while before >= 0 or after < len(elements):
        if before < 0 or (after < len(elements) and after - title <= 2 * (title - before)):
            yield elements[after]
            after += 1
        else:
            yield elements[before]
            before -= 1


def _short_text(element: Element) -> str:
    """The text of the element on one line; empty if it is longer than a byline."""
    is_large = next(islice(element.iter(), _MOST_INNER, None), None) is not None
    if is_ignored(element) or is_large:
        return ""
    texts = list(element.itertext())
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        return ""
    return " ".join(" ".join(texts).split())


def _outermost(element: Element, body: Element) -> Element:
    """The largest element with the same text."""
    text = _short_text(element)
    for above in islice(element.iterancestors(), _DEPTH_BELOW):
        if above is body or _short_text(above) != text:
            break
        element = above
    return element


def _innermost(element: Element, text: str) -> Element:
    """The smallest element with the same text."""
    for _ in range(_DEPTH_BELOW):
        inner = next((one for one in element if _short_text(one) == text), None)
        if inner is None:
            break
        element = inner
    return element
