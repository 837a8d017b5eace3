"""The language of a page, as far as it is declared, and the language of a text.

``guess_language`` is for reading a page (its words, its dates): the declared language, else the
one with most stop words.  ``detect_language`` is for the article's field, since many pages declare
the language of their theme, not that of their text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice

from py3langid.langid import MODEL_FILE, LanguageIdentifier
from stopwordsiso import langs, stopwords

from forest_scrapy.core.document.tree import Element

__all__ = [
    "detect_language",
    "guess_language",
    "load_detector",
    "most_common_language",
    "stop_words",
]

_CODE = re.compile(r"[a-z]{2}(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")

#: Characters of a text that are classified, in pieces from its start to its end: the first lines
#: of an article are often names, a quotation or code.  Measured on the gold texts of feeds-dev: 500
#: characters in 4 pieces agree with the site's language in 0.969 of the pages, the first 500 in
#: 0.964, the first 5,000 in 0.957 (long code and quotations).
_SAMPLE, _PIECES = 500, 4
#: Probability below which the language is unclear.  On feeds-dev the declared language is right
#: for one page more below 0.4; below 0.6 it is wrong for more pages than it is right for.
_LEAST_PROBABILITY = 0.4

#: Share of stop words from which a text is in the language of its template.  On feeds-dev 0.8 of
#: the pages have it, and three of these are in another language by the detector.
_EXPECTED_SHARE = 0.2
#: Letters of languages without spaces between words, or with a script of their own.
_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
}

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


def detect_language(text: str, expected: str = "") -> str:
    """The ISO 639-1 code of the language that the text is written in; ``""`` if that is unclear.

    ``expected``: the language of most pages of the template; it is taken without a closer look if
    the text has enough of its stop words.  Cost: 0.2 to 1 ms, whatever the length of the text,
    and 0.5 s for the first call; 0.03 ms if the text is in the expected language.

    >>> detect_language("Les bateaux rentrent au port avec la marée du soir.")
    'fr'
    >>> detect_language("2012")
    ''
    """
    if not _WORD.search(text):
        return ""
    sample = _sample(text)
    if expected and _is_probably(sample, expected):
        return expected
    ranked = [(code, p) for code, p in load_detector().rank(sample) if len(code) == 2]
    code, probability = ranked[0]
    is_clear = probability >= _LEAST_PROBABILITY * sum(p for _, p in ranked)
    return str(code) if is_clear else ""


def most_common_language(texts: Iterable[str]) -> str:
    """The language that most of the texts are in, the first by name if several are; ``""`` if all
    are unclear."""
    found = Counter(filter(None, map(detect_language, texts)))
    return min(found, key=lambda code: (-found[code], code), default="")


def _is_probably(text: str, language: str) -> bool:
    """Whether the text has enough stop words of the language, or letters that only it has."""
    if script := _SCRIPTS.get(language):
        is_japanese = language == "zh" and _SCRIPTS["ja"].search(text)
        return not is_japanese and len(script.findall(text)) >= _EXPECTED_SHARE * len(text)
    words, known = _WORD.findall(text.lower()), stop_words(language)
    return sum(word in known for word in words) > _EXPECTED_SHARE * len(words)


@cache
def load_detector() -> LanguageIdentifier:
    """py3langid's model, loaded once; it takes 80 MB.  It also knows languages without an
    ISO 639-1 code: to take them out of the model would copy it."""
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _sample(text: str) -> str:
    """Pieces of the text at equal distances, the first at its start and the last at its end."""
    length = _SAMPLE // _PIECES
    step = (len(text) - length) // (_PIECES - 1)
    starts = [number * step for number in range(_PIECES)]
    return text if len(text) <= _SAMPLE else "\n".join(text[i : i + length] for i in starts)
