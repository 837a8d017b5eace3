"""Pages as strings (thesis 1.2.2.1, flat files): words, digests, and the mean of the characters."""

from __future__ import annotations

from hashlib import blake2b
from math import sqrt


def jaccard(old: str, new: str) -> float:
    """1 less the words that both texts have by the words that any of them has.

    >>> jaccard("a b c", "c b d")
    0.5
    """
    old_words = set(old.split())
    new_words = set(new.split())
    union = old_words | new_words
    if not union:
        return 0.0
    return 1 - len(old_words & new_words) / len(union)


def jaccard_of_first(old: str, new: str) -> float:
    """1 less the words that both texts have by the words of the first (Pehlivan et al. 2009):
    words that are added count for nothing.

    >>> jaccard_of_first("a b", "a b c"), jaccard_of_first("a b c d", "a b c")
    (0.0, 0.25)
    """
    old_words = set(old.split())
    new_words = set(new.split())
    if not old_words:
        return float(bool(new_words))
    return 1 - len(old_words & new_words) / len(old_words)


def digest_differs(old: str, new: str) -> float:
    """1 if the digests differ, else 0.

    >>> digest_differs("a", "a"), digest_differs("a", "a ")
    (0.0, 1.0)
    """
    old_digest = blake2b(old.encode()).digest()
    new_digest = blake2b(new.encode()).digest()
    return float(old_digest != new_digest)


def root_mean_square(text: str) -> float:
    """The quadratic mean of the codes of the characters (Yadav et al. 2007), 0 of no text.

    >>> root_mean_square("\\x03\\x04") == sqrt((9 + 16) / 2)
    True
    """
    if not text:
        return 0.0
    squares = sum(ord(character) ** 2 for character in text)
    return sqrt(squares / len(text))


def rms_difference(old: str, new: str) -> float:
    """The difference of both means by the larger one.  Characters in another order have the same
    mean.

    >>> rms_difference("owl", "low"), rms_difference("\\x03", "\\x04")
    (0.0, 0.25)
    """
    old_mean = root_mean_square(old)
    new_mean = root_mean_square(new)
    largest = max(old_mean, new_mean)
    if not largest:
        return 0.0
    return abs(old_mean - new_mean) / largest
