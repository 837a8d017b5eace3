"""What has changed in a text: summaries that can be compared, and the runs that differ."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.page.language import (
    combine,
    hamming_distance,
    ngrams,
    split_words,
    term_digests,
)

#: Words in a shingle, as Broder et al. 1997.
SHINGLE = 4
#: Digests of shingles that are kept: the share that has changed is estimated to about 0.1.
KEPT = 16
#: Bytes of a digest.
_WIDTH = 4
#: Odd, with bits all over it: digests of words times its powers give that of a shingle.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
#: A line with at most this many words may be a counter ("12 comments"): its digits are ignored.
_COUNTER_WORDS = 5
#: Texts whose SimHashes differ in at most this many bits are near duplicates (Manku et al. 2007).
_NEAR = 3
#: The fewest words of a line of prose.
_PROSE = 8

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class TextSummary:
    """A text in some 80 bytes.

    - ``digest``: 8 bytes; equal for texts that differ in white space, in counters or in lines
      that are nothing but a link.
    - ``simhash``: of its words, weighted by their frequency (Charikar 2002).
    - ``sketch``: the smallest digests of its shingles, 4 bytes each, sorted (Broder 1997).
    """

    digest: bytes = b""
    simhash: int = 0
    sketch: bytes = b""

    def is_near(self, other: "TextSummary") -> bool:
        """Whether two texts are near duplicates by their SimHashes."""
        return hamming_distance(self.simhash, other.simhash) <= _NEAR

    def share_changed(self, other: "TextSummary") -> float:
        """An estimate of the share of shingles that only one of two texts has, 0 to 1."""
        one, two = set(_split(self.sketch)), set(_split(other.sketch))
        smallest = sorted(one | two)[:KEPT]
        shared = sum(digest in one and digest in two for digest in smallest)
        return 1 - shared / len(smallest) if smallest else 0.0


@lru_cache(maxsize=4)  # an article is looked for among others and in the history
def summarize_text(text: str, links: tuple[str, ...] = ()) -> TextSummary:
    """The summary of a text; it does not depend on white space.

    ``links``: the texts of its links.  Lines that are nothing but a link, as advertisements and
    related articles between two paragraphs are, are ignored.

    >>> summarize_text("An owl.\\n3 comments") == summarize_text("An  owl.\\n4 comments")
    True
    >>> summarize_text("An owl.").digest == summarize_text("An elk.").digest
    False
    """
    lone = {_squeeze(link) for link in links}
    given = [line for line in map(_squeeze, text.splitlines()) if line]
    lines = "\n".join(_ignore_counter(line) for line in given if line not in lone)
    digest = digest_of(normalize("NFC", lines))
    words = split_words(lines)
    counts = Counter(words)
    digests = term_digests(counts)
    number = combine(digests, np.fromiter(counts.values(), dtype=np.float64))
    return TextSummary(digest, number, _sketch(words, counts, digests))


def share_changed(old: str, new: str) -> float:
    """The share of shingles that only one of two texts has, 0 to 1.

    >>> share_changed("a b c d e", "a b c d f")
    0.6666666666666667
    """
    one, two = (set(_shingles(split_words(text))) for text in (old, new))
    return 1 - len(one & two) / len(one | two) if one | two else 0.0


def text_f1(old: str, new: str) -> float:
    """The F1 of the shingles of a text against those of another, 0 to 1; 1 for equal texts.

    >>> text_f1("a b c d e", "a b c d f"), text_f1("", "")
    (0.5, 1.0)
    """
    common = 1 - share_changed(old, new)
    return round(2 * common / (1 + common), 6)


def have_other_prose(old: str, new: str) -> bool:
    """Whether each of two texts has lines of prose that the other does not have, as after an edit
    of a paragraph.  Another wrapper rather takes lines, or leaves them out.

    >>> line = "An owl flew over the old harbour at night."
    >>> have_other_prose(line, line.replace("old", "new")), have_other_prose("", line)
    (True, False)
    """
    before, after = (
        {line for line in map(_squeeze, text.splitlines()) if len(split_words(line)) >= _PROSE}
        for text in (old, new)
    )
    return bool(before - after) and bool(after - before)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _ignore_counter(line: str) -> str:
    return _DIGITS.sub("", line) if len(line.split()) <= _COUNTER_WORDS else line


def _shingles(words: list[str]) -> list[tuple[str, ...]]:
    """All runs of ``SHINGLE`` words; a shorter text is one shingle."""
    return ngrams(words, SHINGLE) or ([tuple(words)] if words else [])


def _sketch(words: list[str], vocabulary: Iterable[str], digests: NDArray[np.uint64]) -> bytes:
    """The ``KEPT`` smallest digests of the shingles, sorted; ``digests``: of the vocabulary."""
    number_of = {word: number for number, word in enumerate(vocabulary)}
    numbers = np.fromiter(map(number_of.__getitem__, words), dtype=np.intp, count=len(words))
    digests, width = digests.astype(np.uint64)[numbers], min(SHINGLE, len(words))
    combined = np.zeros(len(words) - width + 1 if words else 0, dtype=np.uint64)
    for position in range(width):
        combined = combined * _FACTOR + digests[position : position + len(combined)]
    upper = np.sort((combined * _FACTOR) >> np.uint64(32))  # these bits depend on all others
    is_new = np.ones(len(upper), dtype=bool)
    is_new[1:] = upper[1:] != upper[:-1]  # as np.unique, in a fifth of the time
    return upper[is_new][:KEPT].astype(">u4").tobytes()


def _split(sketch: bytes) -> Iterator[bytes]:
    return (sketch[i : i + _WIDTH] for i in range(0, len(sketch), _WIDTH))


#: Lines of a text that are compared; the comparison takes time quadratic in them.
_MOST_LINES = 1000
#: Words of changed lines that are compared word by word; longer ones are given whole.
_MOST_WORDS = 2000
#: Unchanged words between two changes that are joined into one.
_JOINED = 1


@dataclass(frozen=True)
class Delta:
    """The runs of words that were ``inserted`` and ``deleted``, in the order of the text."""

    inserted: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def compare_texts(old: str, new: str) -> Delta:
    """The difference of two texts, line by line, and within changed lines word by word.

    >>> compare_texts("An owl flew.\\nEnd.", "A grey owl flew.\\nEnd.")
    Delta(inserted=('A grey',), deleted=('An',))
    >>> compare_texts("One.", "One.\\nTwo.")
    Delta(inserted=('Two.',), deleted=())
    """
    a, b = (text.splitlines()[:_MOST_LINES] for text in (old, new))
    inserted: list[str] = []
    deleted: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        before, after = " ".join(a[i:j]).split(), " ".join(b[k:m]).split()
        if kind == "replace" and max(len(before), len(after)) <= _MOST_WORDS:
            _compare_words(before, after, inserted, deleted)
        elif kind != "equal":
            deleted += [" ".join(before)] * bool(before)
            inserted += [" ".join(after)] * bool(after)
    return Delta(tuple(inserted), tuple(deleted))


def _compare_words(a: list[str], b: list[str], inserted: list[str], deleted: list[str]) -> None:
    """Append the runs of words that differ."""
    matcher = SequenceMatcher(None, a, b)
    blocks = [one for one in matcher.get_matching_blocks() if one.size > _JOINED or not one.size]
    i = k = 0
    for block in blocks:
        deleted += [" ".join(a[i : block.a])] * (block.a > i)
        inserted += [" ".join(b[k : block.b])] * (block.b > k)
        i, k = block.a + block.size, block.b + block.size
