"""The language of a page: what it declares, else the one whose stop words stand in it most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any

from stopwordsiso import langs, stopwords

__all__ = ["guess_language", "stop_words"]

_CODE = re.compile(r"[a-z]{2}(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")

#: Words looked at, and the share of them that must be stop words, before a language is named:
#: running text of the languages tried has 0.3 to 0.6 of its own stop words.
_WORDS_READ = 2000
_LEAST_SHARE = 0.15

#: Languages that differ by name only, or whose lists are so long that they win by size.
_CANDIDATES = frozenset(
    "bg ca cs da de el en es et fi fr hr hu id it lt lv nl no pl pt ro ru sk sl sv tr uk".split()
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Stop words of an ISO 639-1 language; none for a language that has no list.

    >>> "the" in stop_words("en"), stop_words("xx")
    (True, frozenset())
    """
    return frozenset(stopwords(language)) if language in langs() else frozenset()


def guess_language(root: Any, texts: Iterable[str]) -> str:
    """ISO 639-1 code of the page, or ``""``: ``html lang`` first, then its stop words.

    Ties go to the code that comes first in the alphabet.
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
