"""The query that a page of search results answers (thesis, outline of contributions and chapter 3):
its terms are in the records, if the form was filled in correctly.

The thesis submits the forms itself, and so knows the query.  Crawled pages tell it by their URL or
by the search field that they show again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.queries import find_texts

__all__ = ["find_queries"]

#: Names of form fields that hold a query.
_NAME = re.compile(
    r"q|s|k|kw|wd|term|find|\w*(?:query|search|keyword|phrase)\w*(?:\[\])?", re.IGNORECASE
)
#: Folders of a URL whose next folder is what the page is about.
_FOLDERS = frozenset(("search", "tag", "tags", "label", "labels", "keyword", "keywords"))
#: Characters of the longest query; a longer value is no query.  Not tuned.
_LONGEST = 200
_SUFFIX, _BETWEEN_WORDS = re.compile(r"\.\w{2,5}$"), re.compile("[-_+]+")
#: The values of search fields.
_FIELDS = "//input[@value][not(@type) or @type='search' or @type='text']"
_SEARCH_FIELDS = " | ".join(
    (
        "//input[@type='search' or @role='searchbox']/@value",
        f"//form[@role='search']{_FIELDS}/@value",
        f"{_FIELDS}[@name='q' or @name='s' or contains(@name, 'search') or contains(@name, 'query')"
        " or contains(@name, 'keyword')]/@value",
    )
)


def find_queries(pages: Sequence[Page]) -> list[str]:
    """The query of each page, ``""`` if it is unknown.

    In this order: ``Page.query``; values of the URL's query string; the folder after ``/search/``
    or ``/tag/``; the text of a filled-in search field.  A text that is in the fields of all of
    several pages is a label.
    """
    fields = [_query_of_field(page) for page in pages]
    if len(pages) > 1 and len(set(fields)) == 1:
        fields = [""] * len(pages)
    return [
        page.query or _query_of_url(page.url) or field
        for page, field in zip(pages, fields, strict=True)
    ]


def _query_of_url(url: str) -> str:
    """The query in a URL.

    >>> _query_of_url("http://a.example/?page=2&q=great+expectations")
    'great expectations'
    >>> _query_of_url("http://a.example/tag/barn-owls.html"), _query_of_url("http://a.example/q")
    ('barn owls', '')
    """
    try:
        parts = urlsplit(url)
        given = parse_qsl(parts.query, max_num_fields=_LONGEST)
    except ValueError:
        return ""
    values = (value for name, value in given if _NAME.fullmatch(name))
    return " ".join(filter(_is_query, values)) or _query_of_path(parts.path)


def _query_of_path(path: str) -> str:
    for name, value in reversed(list(pairwise(path.split("/")))):
        text = _BETWEEN_WORDS.sub(" ", _SUFFIX.sub("", unquote(value))).strip()
        if name.lower() in _FOLDERS and value.lower() not in _FOLDERS and _is_query(text):
            return text
    return ""


def _query_of_field(page: Page) -> str:
    """The text of the first search field that has one."""
    values = find_texts(_SEARCH_FIELDS, page.root)
    return next((" ".join(value.split()) for value in values if _is_query(value)), "")


def _is_query(text: str) -> bool:
    return len(text) <= _LONGEST and any(map(str.isalpha, text))
