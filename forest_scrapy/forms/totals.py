"""How many records an answer says to have: "120 entries found", ``"total": 120``.

Which number of a page that is, is learned: the one that is as large as the records that are shown,
where all are, and never smaller.  Of "1 - 40 of 300" the 40 is so, too, and always: a number is
that of the records shown if another one, which may be the total, was larger beside it.

A space may stand between the groups of a number or between two numbers, "2 300 entries" and
"Page 2 300 entries": both readings are noted, and which one is right is learned, too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice

from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.forms.regions import Filling

#: Before the index of a number in its line: where spaces are in numbers, and where they are between
#: them.
JOINED = "@"
SPACED = "/"
#: Lines at the start and at the end of a page that are looked at, their characters, and numbers
#: that are noted of a page.
MAX_LINES = 40
MAX_LAST_LINES = 10
MAX_LINE_LENGTH = 120
MAX_NUMBERS = 24
#: Numbers of a line that are noted.
MAX_NUMBERS_OF_LINE = 4
#: Answers that must say as many as they show, and different numbers of these.
MIN_EQUAL = 3
MIN_DISTINCT = 2
#: The share of the most records of an answer that answers show at least which do not show all.
MIN_CAP_SHARE = 0.5
#: Answers of the same size, and their records, from which they are cut off where no total is told:
#: fewer may be all that there are.
MIN_CUT_ANSWERS = 3
MIN_CUT_SIZE = 5
#: The share of the answers from which most are cut off.
MIN_SHARE_OF_CUT = 0.5

_GROUP_SIGNS = re.compile(r"[,.' \u00a0\u202f\u2019]")
_GROUP_SIGNS_WITHOUT_SPACES = re.compile(r"[,.'\u2019]")


def _compile_number(group_signs: re.Pattern[str]) -> re.Pattern[str]:
    groups = rf"\d{{1,3}}(?:{group_signs.pattern}\d{{3}})+"
    return re.compile(rf"(?<![\d.,])(?:{groups}|\d{{1,9}})(?!\d|[.,]\d)")


#: The numbers of a line by the sign of the reading.
_NUMBERS = {
    JOINED: _compile_number(_GROUP_SIGNS),
    SPACED: _compile_number(_GROUP_SIGNS_WITHOUT_SPACES),
}


def read_numbers(page: Page, filling: Filling) -> dict[str, int]:
    """The numbers of a page by where they stand: the words of their line, without those of the
    probe, and which number of the line it is.  Only the first of those that stand alike."""
    probe_words: set[str] = set()
    for _, value in filling:
        probe_words.update(split_words(value))
    all_lines = page.outline.lines
    last_lines = all_lines[MAX_LINES:][-MAX_LAST_LINES:]

    numbers: dict[str, int] = {}
    for line in (*all_lines[:MAX_LINES], *last_lines):
        has_digit = any(map(str.isdigit, line))
        if len(line) > MAX_LINE_LENGTH or not has_digit:
            continue
        wording = _write_wording(line, probe_words)
        for sign, pattern in _NUMBERS.items():
            matches = islice(pattern.finditer(line), MAX_NUMBERS_OF_LINE)
            for index, match in enumerate(matches):
                if len(numbers) >= MAX_NUMBERS:
                    return numbers
                digits = _GROUP_SIGNS.sub("", match[0])
                numbers.setdefault(f"{wording} {sign}{index}", int(digits))
    return numbers


def _write_wording(line: str, probe_words: Collection[str]) -> str:
    """The words of a line with a sign for numbers, without those of the probe."""
    words = []
    for word in split_words(line):
        if word not in probe_words:
            words.append("#" if word.isdigit() else word)
    return re.sub(r"#(?: #)+", "#", " ".join(words))


@dataclass(frozen=True)
class CutAnswers:
    """How many of the answers with records show only a part of these, and the most records that one
    shows."""

    cut: int
    answers: int
    size: int

    @property
    def are_most(self) -> bool:
        """Whether at least half of the answers are cut off."""
        return self.cut > 0 and self.cut >= MIN_SHARE_OF_CUT * self.answers


@dataclass
class Totals:
    """What the numbers of answers are, by the records that these show."""

    #: The place that tells how many records there are; ``""`` if none is known to.
    place: str = ""
    _equal: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _counts: Counter[str] = field(default_factory=Counter)
    #: By place, the answers that have a number there.
    _mentions: Counter[str] = field(default_factory=Counter)
    _wrong: set[str] = field(default_factory=set)
    #: By place, those that had a larger number in the same answer.
    _larger: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: By place, the fewest records of an answer in which its number was larger than these.
    _exceeded: dict[str, int] = field(default_factory=dict)
    _most_shown: int = 0
    _answers: dict[Filling, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    def add(self, filling: Filling, numbers: Mapping[str, int], shown: int) -> bool:
        """Note an answer that shows so many records; whether another place is known now."""
        if not shown:
            return False
        self._answers[filling] = (numbers, shown)
        self._most_shown = max(self._most_shown, shown)
        self._mentions.update(numbers.keys())
        for place, number in numbers.items():
            if number > shown:
                self._exceeded[place] = min(shown, self._exceeded.get(place, shown))
            if number < shown:
                self._wrong.add(place)
            elif number == shown:
                self._equal[place].add(number)
                self._counts[place] += 1
                for other_place, other_number in numbers.items():
                    if other_number > number:
                        self._larger[place].add(other_place)
        known_place = self.place
        self.place = self._choose()
        return self.place != known_place

    def _choose(self) -> str:
        places = []
        for place, numbers in self._equal.items():
            is_told = self._counts[place] >= MIN_EQUAL and len(numbers) >= MIN_DISTINCT
            if is_told and place not in self._wrong and not self._is_of_shown(place):
                places.append(place)
        return min(places, key=self._rank, default="")

    def _rank(self, place: str) -> tuple[int, int, bool, str]:
        """Smaller is the better place: its number was right, then was there, in more answers; a
        number with spaces is rather one than two."""
        return -self._counts[place], -self._mentions[place], f" {SPACED}" in place, place

    def _is_of_shown(self, place: str) -> bool:
        """Whether a place tells how many records are shown, beside one that may tell the total."""
        return any(map(self._may_be_total, self._larger[place] - self._wrong))

    def _may_be_total(self, place: str) -> bool:
        """Whether a number was as large as the records shown, and larger only where these were
        many, as they are if an answer has no more at a time: numbers of records are not so."""
        is_of_capped = self._exceeded[place] >= MIN_CAP_SHARE * self._most_shown
        return place in self._equal and is_of_capped

    def missing(self, filling: Filling) -> int | None:
        """How many records an answer says to have and does not show; None if it does not say."""
        numbers, shown = self._answers.get(filling, ({}, 0))
        number = numbers.get(self.place)
        if number is None:
            return None
        return number - shown

    def all_missing(self) -> dict[Filling, int]:
        """The same of all answers that say it."""
        missing_by_filling = {}
        for filling in self._answers:
            missing = self.missing(filling)
            if missing is not None:
                missing_by_filling[filling] = missing
        return missing_by_filling

    @property
    def largest(self) -> int:
        """The most records that an answer says to have; 0 if none says."""
        if not self.place:
            return 0
        numbers = [numbers.get(self.place, 0) for numbers, _ in self._answers.values()]
        return max(numbers, default=0)

    def count_cut(self) -> CutAnswers:
        """How many answers are cut off: those that say to have more than they show; of those that
        do not say, the ones as large as the largest one, if these are several."""
        cut_by_total = 0
        cut_by_size = 0
        for filling, (_, shown) in self._answers.items():
            missing = self.missing(filling)
            if missing is None:
                cut_by_size += shown == self._most_shown
            else:
                cut_by_total += missing > 0
        if cut_by_size < MIN_CUT_ANSWERS or self._most_shown < MIN_CUT_SIZE:
            cut_by_size = 0
        return CutAnswers(cut_by_total + cut_by_size, len(self._answers), self._most_shown)
