"""Which elements are bylines: by their text, by a link to the author's page, by their class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import unquote

from forest_scrapy.core.document.outline import Node
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.fields.asides import AsideFinder
from forest_scrapy.core.fields.byline_words import LABELS
from forest_scrapy.core.fields.bylines import (
    is_name_like,
    is_plausible_name,
    read_credit,
    read_labelled,
    split_names,
)

__all__ = [
    "LONGEST_CREDIT",
    "find_credits",
    "find_marked_names",
    "is_marked_name",
    "read_bylines",
    "read_credited",
]

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
    marked = next(filter(_is_marked, _same_text(element)), None)
    names = split_names(text, is_visible=True) if marked is not None else []
    if marked is None or not names:
        return []
    is_single = is_marked_name(marked) and names[0].istitle()
    return names if is_single or is_name_like(names[0]) else []


def _same_text(element: Element) -> Iterator[Element]:
    """The element, and those in it that have all of its text, to some depth."""
    inner: Element | None = element
    for _ in range(_DEPTH):
        if inner is None:
            return
        yield inner
        texts = [inner.text, *(child.tail for child in inner)]
        children = [one for one in inner.iterchildren("*") if any(map(str.strip, one.itertext()))]
        is_all = len(children) == 1 and not any(text and text.strip() for text in texts)
        inner = children[0] if is_all else None


def _is_marked(element: Element) -> bool:
    if element.get("rel") == "author" or element.get("itemprop") == "author":
        return True
    marks = _marks_of(element)
    return bool(_MARK.search(marks)) and not _NO_MARK.search(marks)


def is_marked_name(element: Element) -> bool:
    """Whether the attributes of a byline say that it is a name and nothing else."""
    return element.get("rel") == "author" or "name" in _marks_of(element).lower()


def _marks_of(element: Element) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"
