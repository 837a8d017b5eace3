"""Terms: the words of a text, stemmed, without stop words."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from threading import local
from typing import Any
from unicodedata import category

from snowballstemmer import algorithms, stemmer

from forest_scrapy.core.document.language import stop_words

__all__ = ["find_terms", "ngrams", "split_words"]

# Scripts written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han, and the
# Korean syllables (spaced, but by phrase).  They are cut into character bigrams.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# Vowel signs and accents that are characters of their own; ``re`` does not count them as word
# characters.
_MARKS = "".join(
    char
    for char in map(chr, range(0x300, 0x3000))
    if category(char).startswith("M") and not re.match(rf"[{_UNSPACED}]", char)
)
# Longer words are cut: they are no words, and caches keep what they are given.
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_MARKS}]){{0,99}}")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# The same tokens, found in a third of the time, for texts without such scripts and marks, and for
# texts in ASCII.
_IS_UNUSUAL = re.compile(rf"[{_UNSPACED}{_MARKS}]")
_USUAL_TOKEN = re.compile(r"[^\W_]{1,100}")
_ASCII_TOKEN = re.compile(r"[a-z0-9]{1,100}")

#: ISO 639-1 codes of the Snowball stemmers.
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_local = local()


def split_words(text: str) -> list[str]:
    """The words in lower case, in pieces of at most 100 characters; text in a script without spaces
    between words as character bigrams.

    >>> split_words("The Fox 42"), split_words("森林公园")
    (['the', 'fox', '42'], ['森林', '林公', '公园'])
    """
    lower = text.lower()
    if lower.isascii():
        return _ASCII_TOKEN.findall(lower)
    if not _IS_UNUSUAL.search(lower):
        return _USUAL_TOKEN.findall(lower)
    words: list[str] = []
    for token in _TOKEN.findall(lower):
        if len(token) > 2 and _IS_UNSPACED.match(token):
            words += [token[i : i + 2] for i in range(len(token) - 1)]
        else:
            words.append(token)
    return words


def find_terms(text: str, language: str) -> list[str]:
    """The stemmed words in the order of the text, without stop words and numbers.

    >>> find_terms("The foxes of 2012 were running", "en")
    ['fox', 'run']
    """
    stop = stop_words(language)
    return [
        _stem(word, language)
        for word in split_words(text)
        if word not in stop and not word.isdigit()
    ]


def ngrams(words: list[str], n: int) -> list[tuple[str, ...]]:
    """All runs of ``n`` successive words; empty if there are fewer.

    >>> ngrams(["a", "b", "c"], 2), ngrams(["a"], 2)
    ([('a', 'b'), ('b', 'c')], [])
    """
    return list(zip(*(words[i:] for i in range(n)), strict=False))


@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    algorithm = _STEMMERS.get(language)
    return _stemmer(algorithm).stemWord(word) if algorithm in _algorithms() else word


@cache
def _algorithms() -> frozenset[str]:
    return frozenset(algorithms())


def _stemmer(algorithm: str) -> Any:
    """The stemmer of this thread: a Snowball stemmer is not thread-safe."""
    mine = _local.__dict__
    if algorithm not in mine:
        mine[algorithm] = stemmer(algorithm)
    return mine[algorithm]
