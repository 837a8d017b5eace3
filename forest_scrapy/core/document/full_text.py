"""The full text in a feed entry, and whether it is better than what was found on the page."""

from __future__ import annotations

import re

from forest_scrapy.core.document.content import Content, text_content
from forest_scrapy.core.document.content_walk import read_content
from forest_scrapy.core.document.page import Entry
from forest_scrapy.core.document.terms import ngrams, split_words
from forest_scrapy.core.document.tree import parse_html

__all__ = ["is_better", "read_entry", "read_full_text"]

#: Words of the shortest full text.  Not tuned.
_FEWEST_WORDS = 50
#: Words in a shingle.
_SHINGLE = 4
#: The share of the full text's shingles, and the number of them, above which the page lacks a good
#: part of it.  Feeds add a line or two of their own ("The post ... appeared first on ...").  Not
#: tuned.
_MOST_MISSING, _FEW_SHINGLES = 0.2, 40
#: The mark of a text that was cut off, and the number of characters at the end in which it is
#: searched: "... Continue reading".
_CUT_OFF, _END = re.compile(r"\.\.\.|…"), 80


def read_full_text(entry: Entry, base: str) -> Content:
    """The content of the full text of an entry, with URLs joined to ``base``; empty if there is
    none.

    >>> read_full_text(Entry(content="<p>Owls<script>x</script>"), "").text
    'Owls'
    """
    return read_content(parse_html(f"<div>{entry.content}</div>"), base=base)


def read_entry(entry: Entry, base: str) -> Content:
    """The content of an entry's full text; of its description, or title, if it has none."""
    full = read_full_text(entry, base)
    return full if full.text else text_content(entry.description or entry.title)


def is_better(full: str, found: str) -> bool:
    """Whether the full text of an entry is better than the text that was found on its page: it
    is not cut off, not the shorter one, and the page lacks a good part of it.

    If the page has the full text and more, the page's text is taken: feeds leave out parts
    without saying so.
    """
    words, page_words = split_words(full), split_words(found)
    if len(words) < max(_FEWEST_WORDS, len(page_words)) or _CUT_OFF.search(full[-_END:]):
        return False
    wanted = set(ngrams(words, _SHINGLE))
    missing = len(wanted - set(ngrams(page_words, _SHINGLE)))
    return missing > max(_MOST_MISSING * len(wanted), _FEW_SHINGLES)
