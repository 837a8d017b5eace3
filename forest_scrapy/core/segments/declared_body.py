"""Features from the article's text that a page, or its feed entry, declares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.terms import ngrams, split_words
from forest_scrapy.core.segments.running import running_sums
from forest_scrapy.core.segments.segmentation import SegmentedPage

__all__ = ["BodySums", "body_shares"]

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Words of the shortest text that counts: shorter ones are summaries.
_FEWEST_WORDS = 50
#: Words in a shingle.
_SHINGLE = 3

Values = NDArray[np.float64]


def body_shares(page: SegmentedPage) -> Values:
    """For each segment the share of its shingles that are in the declared text; -1 for all if none
    is declared.  A segment that is shorter than a shingle has the share of its words."""
    words = split_words(page.page.declared_text)
    if len(words) < _FEWEST_WORDS:
        return np.full(len(page.segments), -1.0)
    known, single = set(ngrams(words, _SHINGLE)), set(words)
    shares = []
    for segment in page.segments:
        own = split_words(segment.text)
        parts = set(ngrams(own, _SHINGLE)) if len(own) >= _SHINGLE else set(own)
        wanted = known if len(own) >= _SHINGLE else single
        shares.append(len(parts & wanted) / (len(parts) or 1))
    return np.array(shares)


class BodySums:
    """How much of the declared text the candidates of a page have."""

    def __init__(self, page: SegmentedPage, lengths: Values) -> None:
        shares = body_shares(page)
        self._is_declared = bool((shares >= 0).any())
        self._characters = shares * lengths

    def values(
        self,
        firsts: NDArray[np.intp],
        lasts: NDArray[np.intp],
        own: Values,
        kept: NDArray[np.bool_],
    ) -> tuple[Values, Values]:
        """The share of each candidate's ``own`` kept characters that are in the declared text, and
        the share of the page's characters in there that it keeps; -1 if none is declared."""
        if not self._is_declared:
            return np.full(len(firsts), -1.0), np.full(len(firsts), -1.0)
        sums = running_sums(self._characters * kept)
        inside = sums[lasts] - sums[firsts]
        return inside / own, inside / (self._characters.sum() or 1.0)
