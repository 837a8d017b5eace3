"""What tells candidates for the article apart beside their likely content: how dense their
paragraphs are, the dates and records in them, where they end, and what they have in common with
other candidates.  Sources that err in different ways seldom agree by accident.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.segments.density import score_density
from forest_scrapy.core.segments.endings import (
    ENDINGS,
    find_dated,
    find_endings,
    find_records,
)
from forest_scrapy.core.segments.segmentation import KeptSums, SegmentedPage

#: Characters of a segment of prose, and the probability of a likely segment.  The model is trained
#: with them: a change needs a new one.  Not tuned.
_PROSE, _LIKELY = 80, 0.5
#: Characters of the shortest words that tell what an article is about, and the most words: the
#: title of a page may be all of its text, in one heading.
_LEAST_WORD, _MOST_WORDS = 4, 200

#: Names of the features, in their order.
EVIDENCE = (
    "density", "density_of_largest", "dated", "dated_share", "dated_per_prose", "repeated_share",
    "title_words", "title_words_of_page", "title_words_rate", "title_words_rate_outside",
    *(f"ends_at_{kind}" for kind in ENDINGS), *(f"contains_{kind}" for kind in ENDINGS),
)  # fmt: skip
#: Names of the shares of characters that a candidate has in common with others.
AGREEMENT = (
    "agreement", "of_densest", "densest_of_it", "of_body", "body_of_it", "of_likely",
    "likely_of_it",
)  # fmt: skip

Values = NDArray[np.float64]
Indices = NDArray[np.intp]


class Evidence:
    """What the values of ``EVIDENCE`` and ``AGREEMENT`` are computed from, for each segment of a
    page.  ``declared``: the characters of each that are in the text that the page declares."""

    def __init__(
        self,
        page: SegmentedPage,
        lengths: Values,
        probabilities: Values,
        title: int,
        is_heading: NDArray[np.bool_],
        declared: Values,
    ) -> None:
        self._lengths, self._probabilities = lengths, probabilities
        self._dated = find_dated(page)
        lists = find_records(page, self._dated)
        self.endings = find_endings(page, title, is_heading, lists)
        self._in_records = np.zeros(len(lengths))
        for first, last in (item for one in lists for item in zip(*one, strict=True)):
            self._in_records[first:last] = 1
        self._title_words = _count_title_words(page)
        self.density = score_density(page)
        firsts, lasts = page.spans
        densest, at = int(np.argmax(self.density)), np.arange(len(lengths))
        in_densest = (at >= firsts[densest]) & (at < lasts[densest])
        is_likely = probabilities >= _LIKELY
        self._others = (in_densest * lengths, declared.clip(0), is_likely * lengths)

    def values(self, kept: KeptSums, nodes: Sequence[Sequence[int]], endings: Indices) -> Values:
        """The features of ``EVIDENCE``, a row for each way to keep segments and each block.
        ``nodes``: those of each block; ``endings``: the kind of the ending that it is cut at."""
        firsts, lasts = kept.firsts, kept.lasts
        density = np.array([self.density[list(own)].max() for own in nodes])
        dates, words, texts = map(kept.before, (self._dated, self._title_words, self._lengths))
        dated, title_words, text = (
            before[:, lasts] - before[:, firsts] for before in (dates, words, texts)
        )
        all_dated, all_words, all_text = (before[:, -1:] for before in (dates, words, texts))
        place = dict.fromkeys(range(len(ENDINGS)), -1)
        place.update((ending.kind, ending.segment) for ending in self.endings)
        values = (
            np.log1p(density),
            density / max(float(self.density.max()), 1e-9),
            np.log1p(dated),
            dated / np.maximum(all_dated, 1.0),
            dated / (kept.inside(self._lengths >= _PROSE) + 1),
            kept.inside(self._lengths * self._in_records) / np.maximum(text, 1),
            np.log1p(title_words),
            title_words / np.maximum(all_words, 1.0),
            title_words / np.maximum(text, 100),
            (all_words - title_words) / np.maximum(all_text - text, 100),
            *(endings == kind for kind in place),
            *((firsts < at) & (at < lasts) for at in place.values()),
        )
        return kept.rows(values)

    def agreement(self, firsts: Indices, lasts: Indices, thresholds: Values) -> Values:
        """The features of ``AGREEMENT``, one row for each candidate."""
        at = np.arange(len(self._lengths))
        kept = (at >= firsts[:, None]) & (at < lasts[:, None])
        kept &= self._probabilities >= thresholds[:, None]
        own = kept * np.sqrt(self._lengths)
        size = np.maximum((own * own).sum(axis=1), 1e-9)
        shared = own @ own.T
        alike = shared / (size[:, None] + size[None, :] - shared)
        columns = [alike.mean(axis=1) if len(own) else size]
        for other in self._others:
            both = kept @ other
            columns += [both / size, both / max(float(other.sum()), 1e-9)]
        return np.column_stack(columns)


def _count_title_words(page: SegmentedPage) -> Values:
    """For each segment how often it has one of the longer words of the declared title."""
    title = split_words(page.page.declared.title)
    wanted = list(dict.fromkeys(one for one in title if len(one) >= _LEAST_WORD))[:_MOST_WORDS]
    return np.array([sum(map(text.count, wanted)) for text in page.texts], dtype=np.float64)
