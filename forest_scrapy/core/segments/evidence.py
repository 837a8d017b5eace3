"""Evidence that a candidate is the article, besides its likely content: how dense its paragraphs
are, the dates and records in it, where it ends, and what it has in common with other candidates.
Sources that err in different ways seldom agree by accident.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.segments.density import score_density
from forest_scrapy.core.segments.endings import (
    ENDINGS,
    find_dated,
    find_endings,
    find_records,
)
from forest_scrapy.core.segments.segmentation import (
    Flags,
    Indices,
    KeptSums,
    SegmentedPage,
    Values,
)

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Characters of a segment of prose.
_MIN_PROSE_LENGTH = 80
#: The probability of a likely segment.
_MIN_LIKELY = 0.5
#: Characters of the words that tell what an article is about.
_MIN_WORD_LENGTH = 4
#: The number of these words: the title of a page may be all of its text, in one heading.
_MAX_TITLE_WORDS = 200

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


class Evidence:
    """What the values of ``EVIDENCE`` and ``AGREEMENT`` are computed from, for each segment of a
    page.

    ``title``: the segment of the title, -1 if there is none.  ``declared``: the characters of each
    segment that are in the text that the page declares.

    For each segment: ``title_words``: how many words of the title it has; ``is_dated``: whether it
    is short and has a date; ``in_records``: 1 if it is in a list of records.  ``endings``: those of
    the page; ``density``: the score of each node, see ``score_density``.
    """

    def __init__(
        self,
        page: SegmentedPage,
        *,
        probabilities: Values,
        title: int,
        is_heading: Flags,
        declared: Values,
    ) -> None:
        lengths = page.lengths
        self._lengths = lengths
        self._probabilities = probabilities
        self.title_words = _count_title_words(page)
        self.is_dated = find_dated(page)

        record_lists = find_records(page, self.is_dated)
        self.endings = find_endings(page, title, is_heading, record_lists)
        self.in_records = np.zeros(len(lengths))
        for records in record_lists:
            for first, last in zip(records.firsts, records.lasts, strict=True):
                self.in_records[first:last] = 1

        self.density = score_density(page)
        densest = int(np.argmax(self.density))
        firsts, lasts = page.spans
        segments = np.arange(len(lengths))
        is_after_start = segments >= firsts[densest]
        in_densest = is_after_start & (segments < lasts[densest])
        is_likely = probabilities >= _MIN_LIKELY
        #: The characters of each segment in three other guesses at the article.
        self._guesses = (in_densest * lengths, declared.clip(0), is_likely * lengths)

    @cached_property
    def is_long(self) -> Flags:
        """For each segment whether it is as long as prose."""
        return np.asarray(self._lengths >= _MIN_PROSE_LENGTH)

    @cached_property
    def max_density(self) -> float:
        """The highest score of a node; never zero."""
        return max(float(self.density.max()), 1e-9)

    def density_of(self, blocks: Sequence[Sequence[int]]) -> Values:
        """The highest score of the nodes of each block."""
        max_densities = [self.density[list(nodes)].max() for nodes in blocks]
        return np.array(max_densities)

    @cached_property
    def segments_of_endings(self) -> Indices:
        """The segment of each kind of ending; -1 if there is none."""
        segments = np.full(len(ENDINGS), -1, dtype=np.intp)
        for ending in self.endings:
            segments[ending.kind] = ending.segment
        return segments

    def values(
        self,
        kept_sums: KeptSums,
        density: Values,
        endings: Indices,
    ) -> Values:
        """The features of ``EVIDENCE``, a row for each way to keep segments and each block.

        ``density``: that of each block, see ``density_of``; ``endings``: the kind of the ending
        that it is cut off at.
        """
        dated_before = kept_sums.before(self.is_dated)
        words_before = kept_sums.before(self.title_words)
        length_before = kept_sums.before(self._lengths)
        dated = kept_sums.between(dated_before)
        title_words = kept_sums.between(words_before)
        length = kept_sums.between(length_before)
        page_dated = dated_before[:, -1:]
        page_words = words_before[:, -1:]
        page_length = length_before[:, -1:]
        outside_words = page_words - title_words
        outside_length = page_length - length
        prose = kept_sums.inside(self.is_long)
        in_records = kept_sums.inside(self._lengths * self.in_records)

        is_cut_at = [endings == kind for kind in range(len(ENDINGS))]
        contains = []
        for segment in self.segments_of_endings.tolist():
            is_after_start = kept_sums.firsts < segment
            contains.append(is_after_start & (segment < kept_sums.lasts))

        values = (
            np.log1p(density),
            density / self.max_density,
            np.log1p(dated),
            dated / np.maximum(page_dated, 1.0),
            dated / (prose + 1),
            in_records / np.maximum(length, 1),
            np.log1p(title_words),
            title_words / np.maximum(page_words, 1.0),
            title_words / np.maximum(length, 100),
            outside_words / np.maximum(outside_length, 100),
            *is_cut_at,
            *contains,
        )
        return kept_sums.rows(values)

    def agreement(
        self,
        firsts: Indices,
        lasts: Indices,
        thresholds: Values,
    ) -> Values:
        """The features of ``AGREEMENT``, one row for each candidate."""
        segments = np.arange(len(self._lengths))
        is_kept = segments >= firsts[:, None]
        is_kept &= segments < lasts[:, None]
        is_kept &= self._probabilities >= thresholds[:, None]

        # The product of two rows is the number of characters that both candidates have.
        rows = is_kept * np.sqrt(self._lengths)
        squares = rows * rows
        lengths = np.maximum(squares.sum(axis=1), 1e-9)
        shared = rows @ rows.T
        either = lengths[:, None] + lengths[None, :] - shared
        similarity = shared / either
        columns = [similarity.mean(axis=1) if len(rows) else lengths]
        for guess in self._guesses:
            shared_length = is_kept @ guess
            guess_length = max(float(guess.sum()), 1e-9)
            columns.append(shared_length / lengths)
            columns.append(shared_length / guess_length)
        return np.column_stack(columns)


def _count_title_words(page: SegmentedPage) -> Values:
    """For each segment how often it has one of the longer words of the declared title."""
    words = split_words(page.page.declared.title)
    long_words = []
    for word in words:
        if len(word) >= _MIN_WORD_LENGTH:
            long_words.append(word)
    title_words = list(dict.fromkeys(long_words))[:_MAX_TITLE_WORDS]
    text_of_page = "\n".join(page.texts)  # a word has no line break, nor has a text
    places = []
    for word in title_words:
        place = text_of_page.find(word)
        while place >= 0:
            places.append(place)
            place = text_of_page.find(word, place + len(word))
    text_lengths = np.array(list(map(len, page.texts)), dtype=np.intp)
    text_ends = np.cumsum(text_lengths + 1)
    segments = np.searchsorted(text_ends, places, side="right")
    return np.bincount(segments, minlength=len(page.texts)).astype(np.float64)
