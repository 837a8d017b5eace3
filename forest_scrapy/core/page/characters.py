"""How many characters of each kind some texts have."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.columns import IS_NATIVE

if IS_NATIVE:
    from forest_scrapy.core.page import _native

_PUNCTUATION = ".,;:!?\u3002\uff0c\uff1b\uff1f\uff01\u3001\u060c\u0964"
_COMMAS = ",;\u3001\uff0c\uff1b\u3002\u060c\u0964"


class CharacterCounts(NamedTuple):
    """The number of digits, letters, capital letters, punctuation marks, and of those marks that
    divide sentences into parts, in each of some texts."""

    digits: NDArray[np.float64]
    letters: NDArray[np.float64]
    capitals: NDArray[np.float64]
    punctuation: NDArray[np.float64]
    commas: NDArray[np.float64]


#: The kinds of characters, in the order of ``CharacterCounts``.
_IS_OF_KIND: tuple[Callable[[str], bool], ...] = (
    str.isdigit,
    str.isalpha,
    str.isupper,
    frozenset(_PUNCTUATION).__contains__,
    frozenset(_COMMAS).__contains__,
)


def count_characters(texts: Sequence[str]) -> CharacterCounts:
    """The counts of the texts.  Cost: linear in their length.

    >>> count_characters(["Owls, 42.", "A"]).capitals.tolist()
    [1.0, 1.0]
    """
    if not IS_NATIVE:
        return count_in_numpy(texts)
    shape = (len(_IS_OF_KIND), len(texts))
    counts = np.zeros(shape)
    _native.count_characters(texts, counts, _PUNCTUATION, _COMMAS)
    return CharacterCounts(*counts)


def count_in_numpy(texts: Sequence[str]) -> CharacterCounts:
    """``count_characters`` without compiled code: each character that the texts have is classified
    once, however often it occurs."""
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(encoded, dtype=np.uint32)
    lengths = [len(text) for text in texts]
    bounds = np.append(0, np.cumsum(lengths, dtype=np.intp))
    code_counts = np.bincount(codes)
    present_codes = np.flatnonzero(code_counts)
    counts = []
    for is_of_kind in _IS_OF_KIND:
        flags = np.zeros(len(code_counts))
        flags[present_codes] = [is_of_kind(chr(code)) for code in present_codes]
        counts_before = np.append(0.0, np.cumsum(flags[codes]))
        counts.append(counts_before[bounds[1:]] - counts_before[bounds[:-1]])
    return CharacterCounts(*counts)
