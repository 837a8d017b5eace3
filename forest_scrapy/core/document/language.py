"""The language of a page: the declared one, else the one with most stop words in its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice

from stopwordsiso import langs, stopwords

from forest_scrapy.core.document.tree import Element

__all__ = ["guess_language", "stop_words"]

_CODE = re.compile(r"[a-z]{2}(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")

#: Words that are read, from the start of the page.
_WORDS_READ = 2000
#: Share of them that must be stop words of a language.  Not tuned: running text of the languages
#: tried has 0.3 to 0.6.
_LEAST_SHARE = 0.15

#: Languages that are guessed.  Left out are those that share their words with one of these, and
#: those whose stop word list is so long that it wins by its size.
_CANDIDATES = frozenset(
    "bg ca cs da de el en es et fi fr hr hu id it lt lv nl no pl pt ro ru sk sl sv tr uk".split()
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Stop words of an ISO 639-1 language; empty if there is no list for it.

    >>> "the" in stop_words("en"), stop_words("xx")
    (True, frozenset())
    """
    return frozenset(stopwords(language)) if language in langs() else frozenset()


def guess_language(root: Element, texts: Iterable[str]) -> str:
    """The ISO 639-1 code of a page: the ``lang`` attribute of its root, else the language with
    most stop words in ``texts``; ``""`` if there are too few.

    Ties go to the code that is first in alphabetical order.
    """
    declared = root.get("lang") or root.get("xml:lang") or ""
    match = _CODE.match(declared.strip().lower())
    return match.group() if match else _most_stop_words(texts)


def _most_stop_words(texts: Iterable[str]) -> str:
    words = (word for text in texts for word in _WORD.findall(text.lower()))
    counts = Counter(islice(words, _WORDS_READ))
    total = sum(counts.values())
    best = ("", 0.0)
    for code in sorted(_CANDIDATES):
        known = stop_words(code)
        share = sum(n for word, n in counts.items() if word in known) / total if total else 0.0
        if share > max(best[1], _LEAST_SHARE):
            best = (code, share)
    return best[0]
