"""SimHash: texts that share most of their heavy terms get numbers that differ in few bits."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np

__all__ = ["BITS", "hamming_distance", "simhash"]

BITS = 64


def simhash(weights: Mapping[str, float]) -> int:
    """The 64-bit SimHash of weighted terms (Charikar 2002).

    >>> simhash({}), simhash({"owl": 1.0, "sea": 0.1}) == simhash({"owl": 2.0})
    (0, True)
    """
    terms = sorted(weights)  # the sum of floats depends on their order
    digests = b"".join(blake2b(term.encode(), digest_size=BITS // 8).digest() for term in terms)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(len(terms), BITS)
    signs = np.where(bits, 1.0, -1.0)
    sums = (signs * np.array([weights[term] for term in terms]).reshape(-1, 1)).sum(axis=0)
    return int.from_bytes(np.packbits(sums > 0).tobytes(), "big")


def hamming_distance(one: int, other: int) -> int:
    """The number of bits in which two numbers differ.

    >>> hamming_distance(0b1010, 0b0110)
    2
    """
    return (one ^ other).bit_count()
