"""How many new records a term is expected to find, by the records that are known.

The number of records with a term is estimated from a sample (Ntoulas, Zerfos and Cho 2005, section
4), which here is what earlier answers show.  That sample is not even: where answers are cut off,
many records are unknown, and where they show all, none is.  So each known record stands for as many
unknown ones as there are in the smallest answer that it is of: of an answer with 2,529 records, of
which 40 are known, each stands for 62.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from forest_scrapy.forms.terms import RecordTerms

#: Expectations are grouped by powers of two, from a quarter of a record on.
MIN_EXPONENT = -2

#: A term, and the new records that are expected of it.
RankedTerm = tuple[float, int, str]


@dataclass
class TermCount:
    """The known records with a term: how many there are, how many of them the wider answer shows,
    how many unknown ones they stand for, and which complete answers show them.  ``is_whole``:
    whether the term is all of the text."""

    known: int = 0
    shown: int = 0
    unknown: float = 0.0
    covers: set[int] = field(default_factory=set)
    is_whole: bool = False

    def expect(self, max_shown: int) -> float:
        """The new records that an answer is expected to show, which shows at most so many (0: all).

        An answer that is cut off begins with what the wider one shows; the remaining ones are new
        as often as records with the term are unknown.
        """
        unknown = self.unknown + len(self.covers)
        total = self.known + unknown
        if not max_shown or total <= max_shown:
            return unknown
        not_shown = total - self.shown
        if not_shown <= 0:
            return 0.0
        return max(0, max_shown - self.shown) * unknown / not_shown


@dataclass(frozen=True)
class Estimates:
    """The terms of the records of an answer.

    - ``known``: the number of records with a term, by attribute.
    - ``ranked``: the terms, by attribute and bucket (see ``bucket_of``), the best first; each with
      the negative expectation and its length: of equal terms the shorter ones are more frequent.
    """

    known: Mapping[str, Mapping[str, int]]
    ranked: Mapping[tuple[str, str], list[RankedTerm]]


def estimate_terms(
    records: Mapping[str, RecordTerms],
    weights: Mapping[str, float],
    covers: Mapping[str, int],
    shown: Container[str],
    max_shown: int,
) -> Estimates:
    """The estimates for the terms of records, which are given by their keys.

    ``weights``: how many unknown records each stands for, 1 by default; ``covers``: the complete
    answer that shows it: all of its records together stand for one; ``shown``: the keys of those
    that the wider answer shows; ``max_shown``: the most that an answer shows, 0 if it shows all.
    Cost: a look at each term of each record.
    """
    counts_of_attributes: defaultdict[str, dict[str, TermCount]] = defaultdict(dict)
    for key, record in records.items():
        cover = covers.get(key)
        weight = weights.get(key, 1.0)
        is_shown = key in shown
        for attribute, terms in record.items():
            counts = counts_of_attributes[attribute]
            whole = terms.whole
            for term in terms.all:
                count = counts.get(term)
                if count is None:
                    count = counts[term] = TermCount()
                count.known += 1
                if is_shown:
                    count.shown += 1
                if cover is None:
                    count.unknown += weight
                else:
                    count.covers.add(cover)
                if term == whole:
                    count.is_whole = True

    known: dict[str, dict[str, int]] = {}
    ranked: defaultdict[tuple[str, str], list[RankedTerm]] = defaultdict(list)
    for attribute, counts in counts_of_attributes.items():
        known[attribute] = {term: count.known for term, count in counts.items()}
        for term, count in counts.items():
            expected = round(count.expect(max_shown), 3)
            if expected > 0:
                bucket = bucket_of(expected, count.is_whole)
                ranked[attribute, bucket].append((-expected, len(term), term))
    for ranked_terms in ranked.values():
        ranked_terms.sort()
    return Estimates(known, ranked)


def bucket_of(expected: float, is_whole: bool = False) -> str:
    """The bucket of an expectation: its power of two, and whether the term is a whole text, which
    other records have less often than a word of one.

    >>> bucket_of(0.1), bucket_of(1), bucket_of(5, is_whole=True)
    ('00', '03', '05 whole')
    """
    _, exponent = math.frexp(expected)
    number = max(0, exponent - MIN_EXPONENT)
    return f"{number:02d} whole" if is_whole else f"{number:02d}"


def bucket_value(bucket: str) -> float:
    """The new records that are expected of a term in a bucket: the middle of its range.

    >>> bucket_value("03"), bucket_value("05 whole")
    (1.5, 6.0)
    """
    number = int(bucket.partition(" ")[0])
    return 0.75 * 2.0 ** (number + MIN_EXPONENT)
