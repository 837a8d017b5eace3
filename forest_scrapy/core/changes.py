"""What has changed in a text: summaries that can be compared, and the runs that differ."""

import re
from collections.abc import Iterator
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
#: Digests of shingles in a sketch: the share that has changed is estimated to about 0.1.
SKETCH_SIZE = 16
#: Bytes of a digest.
_DIGEST_BYTES = 4
#: Odd, with bits all over it: digests of words times its powers give that of a shingle.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
#: A line with at most this many words may be a counter ("12 comments"): its digits are ignored.
_MAX_COUNTER_WORDS = 5
#: Texts whose SimHashes differ in at most this many bits are near duplicates (Manku et al. 2007).
_MAX_NEAR_DISTANCE = 3
#: The fewest words of a line of prose.
_MIN_PROSE_WORDS = 8
#: Lines that are compared with each other; the comparison takes time quadratic in them.
_MAX_LINES = 1000
#: Words of changed lines that are compared word by word; longer ones are given whole.
_MAX_WORDS = 2000
#: Two changes with at most so many unchanged words between them are joined into one.
_MAX_GAP = 1

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

    def is_near(self, summary: "TextSummary") -> bool:
        """Whether two texts are near duplicates by their SimHashes."""
        distance = hamming_distance(self.simhash, summary.simhash)
        return distance <= _MAX_NEAR_DISTANCE

    def share_changed(self, summary: "TextSummary") -> float:
        """An estimate of the share of shingles that only one of two texts has, 0 to 1."""
        digests = set(_split(self.sketch))
        other_digests = set(_split(summary.sketch))
        union = sorted(digests | other_digests)
        smallest = union[:SKETCH_SIZE]
        if not smallest:
            return 0.0
        shared = digests & other_digests
        in_both = sum(digest in shared for digest in smallest)
        resemblance = in_both / len(smallest)
        return 1 - resemblance


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
    link_texts = set(map(_squeeze, links))
    lines = []
    for line in text.splitlines():
        parts = line.split()
        squeezed_line = " ".join(parts)
        if not parts or squeezed_line in link_texts:
            continue
        if len(parts) <= _MAX_COUNTER_WORDS:
            squeezed_line = _DIGITS.sub("", squeezed_line)
        lines.append(squeezed_line)
    summarized = "\n".join(lines)

    words = split_words(summarized)
    number_of = {word: number for number, word in enumerate(dict.fromkeys(words))}
    numbers = np.fromiter(map(number_of.__getitem__, words), dtype=np.intp, count=len(words))
    digests = term_digests(number_of)
    weights = np.bincount(numbers, minlength=len(number_of)).astype(np.float64)
    return TextSummary(
        digest=digest_of(normalize("NFC", summarized)),
        simhash=combine(digests, weights),
        sketch=_sketch(digests.astype(np.uint64)[numbers]),
    )


def share_changed(old: str, new: str) -> float:
    """The share of shingles that only one of two texts has, 0 to 1.

    >>> share_changed("a b c d e", "a b c d f")
    0.6666666666666667
    """
    old_shingles = _shingles(old)
    new_shingles = _shingles(new)
    union = old_shingles | new_shingles
    if not union:
        return 0.0
    common = old_shingles & new_shingles
    resemblance = len(common) / len(union)
    return 1 - resemblance


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
    old_prose = _prose_lines(old)
    new_prose = _prose_lines(new)
    only_old = old_prose - new_prose
    only_new = new_prose - old_prose
    return bool(only_old) and bool(only_new)


def _prose_lines(text: str) -> set[str]:
    prose = set()
    for line in map(_squeeze, text.splitlines()):
        words = split_words(line)
        if len(words) >= _MIN_PROSE_WORDS:
            prose.add(line)
    return prose


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _shingles(text: str) -> set[tuple[str, ...]]:
    """All runs of ``SHINGLE`` words; a shorter text is one shingle."""
    words = split_words(text)
    if not words:
        return set()
    shingles = set(ngrams(words, SHINGLE))
    return shingles or {tuple(words)}


def _sketch(digests_of_words: NDArray[np.uint64]) -> bytes:
    """The ``SKETCH_SIZE`` smallest digests of the shingles of a text, sorted."""
    length = len(digests_of_words)
    width = min(SHINGLE, length)
    count = length - width + 1 if length else 0
    combined = np.zeros(count, dtype=np.uint64)
    for position in range(width):
        end = position + count
        combined = combined * _FACTOR + digests_of_words[position:end]

    # The upper bits depend on all others.
    mixed = combined * _FACTOR
    upper = mixed >> np.uint64(32)
    upper = np.sort(upper)
    # As np.unique, in a fifth of the time.
    is_new = np.ones(len(upper), dtype=bool)
    is_new[1:] = upper[1:] != upper[:-1]
    smallest = upper[is_new][:SKETCH_SIZE]
    return smallest.astype(">u4").tobytes()


def _split(sketch: bytes) -> Iterator[bytes]:
    for start in range(0, len(sketch), _DIGEST_BYTES):
        end = start + _DIGEST_BYTES
        yield sketch[start:end]


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
    from forest_scrapy.core.text_diff import compare_sequences  # few texts have changed

    inserted: list[str] = []
    deleted: list[str] = []
    for part in compare_sequences(old.splitlines(), new.splitlines(), _MAX_LINES):
        if not part.is_changed:
            continue
        old_words = " ".join(part.old).split()
        new_words = " ".join(part.new).split()
        longer = max(len(old_words), len(new_words))
        is_replaced = part.old and part.new
        if is_replaced and longer <= _MAX_WORDS:
            delta = _compare_words(old_words, new_words)
            inserted.extend(delta.inserted)
            deleted.extend(delta.deleted)
            continue
        if old_words:
            deleted.append(" ".join(old_words))
        if new_words:
            inserted.append(" ".join(new_words))
    return Delta(tuple(inserted), tuple(deleted))


def _compare_words(old_words: list[str], new_words: list[str]) -> Delta:
    """The runs of words that differ."""
    matcher = SequenceMatcher(None, old_words, new_words)
    inserted: list[str] = []
    deleted: list[str] = []
    old_start = 0
    new_start = 0
    for block in matcher.get_matching_blocks():
        is_gap = 0 < block.size <= _MAX_GAP
        if is_gap:
            continue
        if block.a > old_start:
            deleted_words = old_words[old_start : block.a]
            deleted.append(" ".join(deleted_words))
        if block.b > new_start:
            inserted_words = new_words[new_start : block.b]
            inserted.append(" ".join(inserted_words))
        old_start = block.a + block.size
        new_start = block.b + block.size
    return Delta(tuple(inserted), tuple(deleted))
