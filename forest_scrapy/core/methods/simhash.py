"""SimHash: texts that share most of their heavy terms get numbers that differ in few bits."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

__all__ = ["BITS", "hamming_distance", "simhash"]

BITS = 64


def simhash(weights: Mapping[str, float]) -> int:
    """The 64-bit SimHash of weighted terms (Charikar 2002).

    >>> simhash({}), simhash({"owl": 1.0, "sea": 0.1}) == simhash({"owl": 2.0})
    (0, True)
    """
    sums = [0.0] * BITS
    for term in sorted(weights):  # the sum of floats depends on their order
        digest = int.from_bytes(blake2b(term.encode(), digest_size=BITS // 8).digest(), "big")
        for bit in range(BITS):
            sums[bit] += weights[term] if digest >> bit & 1 else -weights[term]
    return sum(1 << bit for bit, total in enumerate(sums) if total > 0)


def hamming_distance(one: int, other: int) -> int:
    """The number of bits in which two numbers differ.

    >>> hamming_distance(0b1010, 0b0110)
    2
    """
    return (one ^ other).bit_count()
