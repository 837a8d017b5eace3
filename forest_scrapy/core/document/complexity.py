"""Bounds on markup: a look at the bytes of a page before they are parsed.

Parsing and extraction take time in proportion to the number of elements, but a parser takes
quadratic time for the attributes of one tag.  A page above a bound here is not refused: whoever
parses it should be able to stop.
"""

from __future__ import annotations

import re

__all__ = ["has_many_elements", "may_be_slow"]

#: A page above one of these may take long: bytes, tags, and attributes of one tag.  Of 2,842 pages
#: of the development set, 0.2% have more tags or bytes, and none has such a tag.
LARGE, MANY_TAGS, MANY_ATTRIBUTES = 1_000_000, 8_000, 200
#: A page of fewer bytes is within all bounds: its tags, were they all like ``<p>``, cost little,
#: and 10,000 attributes take 0.2 s.
_SMALL = 32_000

#: Bytes, and tags, of pages that are read in a thread; a page of few bytes has few tags.
_BULKY, _COMPACT, _MANY_ELEMENTS = 500_000, 30_000, 2_000

#: A tag with too many attributes, as HTML's tokenizer reads it.  Possessive quantifiers, and names
#: that end at a "<" (what follows counts as another one), keep the search linear.
_LONG_TAG = re.compile(
    rb"""<[a-zA-Z][^\s/><]*+
    (?: [\s/]*+ [^\s/>][^\s/><=]*+
        (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s><]*+ ) )?+
    ){%d}+"""
    % MANY_ATTRIBUTES,
    re.VERBOSE,
)


def has_many_elements(body: bytes) -> bool:
    """Whether walks over the elements of the page take so long that an event loop should not wait
    for them (some 50 ms).

    >>> has_many_elements(b"<p>a" * 20_000), has_many_elements(b"<p>" + b"a" * 100_000)
    (True, False)
    """
    return len(body) > _BULKY or (len(body) > _COMPACT and body.count(b"<") > _MANY_ELEMENTS)


def may_be_slow(body: bytes) -> bool:
    """Whether parsing the page, or extracting from it, may take long.

    ``body``: in an encoding that has ASCII characters as ASCII does.  Cost: about 1 us for a
    kilobyte of a page above 32 KB, nothing below.

    >>> may_be_slow(b"<p>" + b"a" * 50_000), may_be_slow(b"<p " + b"a " * 50_000 + b">")
    (False, True)
    """
    if len(body) < _SMALL:
        return False
    return len(body) > LARGE or body.count(b"<") > MANY_TAGS or _LONG_TAG.search(body) is not None
