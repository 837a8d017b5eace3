"""Lists of documents in an article: links to files, one in each paragraph or item, between prose.
They look like lists of links to other pages, but are what the article is about."""

from collections.abc import Iterable, Sequence
from itertools import islice
from urllib.parse import urlsplit

from forest_scrapy.core.boilerplate.wordings import Wordings
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import HEADINGS, Element

# These constants are not tuned.
#: The share of the links that are to documents, and of the elements that are lists of these.
_MIN_DOCUMENTS = 0.8
_MIN_LISTS = 0.5
#: Links and siblings that are looked at.
_MAX_LINKS = 200
_MAX_SIBLINGS = 20
#: Characters of prose.
_MIN_PROSE = 60

_FILE = Wordings(r".*\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|zip|gz|epub|djvu|ps)")


def is_document(url: str) -> bool:
    """Whether a URL is that of a document, not of a page.

    >>> is_document("/files/Handbook.PDF?v=2"), is_document("/news/handbook")
    (True, False)
    """
    try:
        path = urlsplit(url).path
    except ValueError:  # such as "http://[", which is no URL
        return False
    return _FILE.fullmatch(path) is not None


def is_document_list(element: Element) -> bool:
    """Whether an element has links to documents, and prose before and after it."""
    links = [link for link in islice(element.iter("a"), _MAX_LINKS) if link.get("href")]
    documents = sum(is_document(link.get("href") or "") for link in links)
    if not links or documents < _MIN_DOCUMENTS * len(links):
        return False
    return _has_prose(element.itersiblings(preceding=True)) and _has_prose(element.itersiblings())


def are_document_lists(elements: Sequence[Element]) -> bool:
    """Whether elements at one place of several pages are lists of documents."""
    lists = sum(map(is_document_list, elements))
    return lists > 0 and lists >= _MIN_LISTS * len(elements)


def are_headings_of(elements: Sequence[Element], lists: Iterable[Element]) -> bool:
    """Whether all of some elements are headings directly before these lists."""
    before = {element.getprevious() for element in lists}
    return bool(elements) and all(
        element.tag in HEADINGS and element in before for element in elements
    )


def _has_prose(siblings: Iterable[Element]) -> bool:
    paragraphs = (one for one in islice(siblings, _MAX_SIBLINGS) if one.tag == "p")
    return any(
        len(line_text(one)) >= _MIN_PROSE and next(one.iter("a"), None) is None
        for one in paragraphs
    )
