"""The pages of a thread: which links lead to them, and not to other threads."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.records.next_page import find_next_page, find_previous_page

__all__ = ["digest_words", "has_previous_page", "is_same_thread", "next_thread_page"]

#: Words with which URLs name the number of a page, and those of links to other threads.
_PAGE_WORDS = frozenset(
    "page pages pageno pagenumber p pg pn start st offset o i from skip seite pagina s sid"
    " phpsessid html htm".split()
)
_OTHER_WORDS = frozenset("next prev previous older newer last unread new goto".split())
#: Session ids.
_SESSION = re.compile(r"(?=\w*\d)[0-9a-f]{16,}", re.IGNORECASE)
_TOKEN, _NUMBER = re.compile(r"[^\W\d_]+|\d+"), re.compile(r"\d+")
#: Digits of the largest page number or offset.
_DIGITS = 5


def digest_words(page: Page) -> str:
    """A digest of the visible text without digits: equal for pages that a site repeats with
    another page number.

    >>> one, other = (Page.from_html(f"<p>Owls</p>Page {i}") for i in (1, 2))
    >>> digest_words(one) == digest_words(other)
    True
    """
    digest = blake2b(digest_size=8)
    for leaf in page.outline.leaves:
        digest.update(_NUMBER.sub("", leaf.text).encode("utf-8", "replace"))
    return digest.hexdigest()


def next_thread_page(page: Page) -> str:
    """The URL of the next page of the same thread; ``""`` if there is none.

    >>> page = Page.from_html("<a href=/t/9 rel=next>Next</a>", "http://a.example/t/7")
    >>> next_thread_page(page)
    ''
    """
    url = find_next_page(page)
    return url if url and is_same_thread(page.url, url) else ""


def has_previous_page(page: Page) -> bool:
    """Whether the page links to a previous page of the same thread."""
    url = find_previous_page(page)
    return bool(url) and is_same_thread(page.url, url)


def is_same_thread(url: str, other: str) -> bool:
    """Whether two URLs may be those of pages of one thread: they differ in a page number only, or
    share the number of the thread and differ in words, too.

    >>> is_same_thread("http://a.example/t/owls", "http://a.example/t/owls?page=2")
    True
    >>> is_same_thread("http://a.example/t/owls", "http://a.example/t/boats?page=2")
    False
    """
    mine, theirs = _tokens(url), _tokens(other)
    added, removed = Counter(theirs) - Counter(mine), Counter(mine) - Counter(theirs)
    numbers = [[token for token in one.elements() if token.isdigit()] for one in (added, removed)]
    shared = {token for token in mine if token.isdigit()} & set(theirs)
    words = {token for token in (*added, *removed) if not token.isdigit()} - _PAGE_WORDS
    if set(added) & _OTHER_WORDS or (words and not any(len(token) > 2 for token in shared)):
        return False
    if any(len(own) > 1 or any(len(token) > _DIGITS for token in own) for own in numbers):
        return False
    replaced = bool(numbers[0] and numbers[1])
    return not replaced or bool(shared) or _is_page_number(theirs, numbers[0][0])


def _tokens(url: str) -> list[str]:
    """The words and numbers of the path and the query, in lower case, without session ids."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    text = unquote(f"{parts.path} {parts.query}").lower()
    return _TOKEN.findall(_SESSION.sub(" ", text))


def _is_page_number(tokens: list[str], number: str) -> bool:
    at = len(tokens) - 1 - tokens[::-1].index(number)
    return at > 0 and tokens[at - 1] in _PAGE_WORDS
