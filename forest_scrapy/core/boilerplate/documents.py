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
    links = 0
    documents = 0
    for link in islice(element.iter("a"), _MAX_LINKS):
        url = link.get("href")
        if not url:
            continue
        links += 1
        if is_document(url):
            documents += 1
    if not links or documents < _MIN_DOCUMENTS * links:
        return False

    before = element.itersiblings(preceding=True)
    after = element.itersiblings()
    return _has_prose(before) and _has_prose(after)


def are_document_lists(elements: Sequence[Element]) -> bool:
    """Whether elements at one place of several pages are lists of documents."""
    lists = sum(map(is_document_list, elements))
    return lists > 0 and lists >= _MIN_LISTS * len(elements)


def are_headings_of(
    elements: Sequence[Element],
    lists: Iterable[Element],
) -> bool:
    """Whether all of some elements are headings directly before these lists."""
    if not elements:
        return False
    before_lists = {element.getprevious() for element in lists}
    for element in elements:
        if element.tag not in HEADINGS or element not in before_lists:
            return False
    return True


def _has_prose(siblings: Iterable[Element]) -> bool:
    """Whether one of the first siblings is a paragraph of prose without links."""
    for sibling in islice(siblings, _MAX_SIBLINGS):
        if sibling.tag != "p" or len(line_text(sibling)) < _MIN_PROSE:
            continue
        if next(sibling.iter("a"), None) is None:
            return True
    return False
