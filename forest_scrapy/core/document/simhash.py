"""SimHash: texts that share most of their heavy terms get numbers that differ in few bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["BITS", "combine", "hamming_distance", "simhash", "term_digests"]

BITS = 64


def simhash(weights: Mapping[str, float]) -> int:
    """The 64-bit SimHash of weighted terms (Charikar 2002).

    >>> simhash({}), simhash({"owl": 1.0, "sea": 0.1}) == simhash({"owl": 2.0})
    (0, True)
    """
    terms = sorted(weights)  # the sum of floats depends on their order
    values = np.array([weights[term] for term in terms], dtype=np.float64)
    return combine(term_digests(terms), values)


def combine(digests: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    """The SimHash of terms with these digests: each bit is the one of more than half the weight."""
    bits = np.unpackbits(digests.view(np.uint8)).reshape(len(digests), BITS)
    ones = weights @ bits
    return int.from_bytes(np.packbits(ones > weights.sum() / 2).tobytes(), "big")


def term_digests(terms: Iterable[str]) -> NDArray[np.uint64]:
    """A 64-bit digest of each term, the same on every machine."""
    return np.frombuffer(b"".join(map(_digest, terms)), dtype=">u8")


@lru_cache(maxsize=50_000)  # the frequent words of many sites, some 10 MB
def _digest(term: str) -> bytes:
    return blake2b(term.encode("utf-8", "replace"), digest_size=BITS // 8).digest()


def hamming_distance(one: int, other: int) -> int:
    """The number of bits in which two numbers differ.

    >>> hamming_distance(0b1010, 0b0110)
    2
    """
    return (one ^ other).bit_count()
