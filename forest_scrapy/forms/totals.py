"""How many records an answer says to have: "120 entries found", ``"total": 120``.

Which number of a page that is, is learned: the one that is as large as the records that are shown,
where all are, and never smaller.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.forms.regions import Filling

#: Lines at the start and at the end of a page that are looked at, their characters, and numbers
#: that are noted of a page.
MAX_LINES = 40
MAX_LAST_LINES = 10
MAX_LINE_LENGTH = 120
MAX_NUMBERS = 12
#: Answers that must say as many as they show, and different numbers of these.
MIN_EQUAL = 3
MIN_DISTINCT = 2

_GROUP_SIGNS = re.compile(r"[,.' \u00a0\u202f\u2019]")
_NUMBER = re.compile(
    rf"(?<![\d.,])(?:\d{{1,3}}(?:{_GROUP_SIGNS.pattern}\d{{3}})+|\d{{1,9}})(?!\d|[.,]\d)"
)


def read_numbers(page: Page, filling: Filling) -> dict[str, int]:
    """The numbers of a page by where they stand: the words of their line, without those of the
    probe, and which number of the line it is.  Only the first of those that stand alike."""
    probe_words: set[str] = set()
    for _, value in filling:
        probe_words.update(split_words(value))
    all_lines = page.outline.lines
    lines = [*all_lines[:MAX_LINES], *all_lines[MAX_LINES:][-MAX_LAST_LINES:]]
    numbers: dict[str, int] = {}
    for line in lines:
        if len(line) > MAX_LINE_LENGTH or not any(map(str.isdigit, line)):
            continue
        words = [word for word in split_words(line) if word not in probe_words]
        place = " ".join("#" if word.isdigit() else word for word in words)
        place = re.sub(r"#(?: #)+", "#", place)
        for index, match in enumerate(islice(_NUMBER.finditer(line), 4)):
            if len(numbers) >= MAX_NUMBERS:
                return numbers
            numbers.setdefault(f"{place} @{index}", int(_GROUP_SIGNS.sub("", match[0])))
    return numbers


@dataclass
class Totals:
    """What the numbers of answers are, by the records that these show."""

    #: The place that tells how many records there are; ``""`` if none is known to.
    place: str = ""
    _equal: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    _wrong: set[str] = field(default_factory=set)
    _answers: dict[Filling, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    def add(self, filling: Filling, numbers: Mapping[str, int], shown: int) -> bool:
        """Note an answer that shows so many records; whether another place is known now."""
        if not shown:
            return False
        self._answers[filling] = (numbers, shown)
        for place, number in numbers.items():
            if number < shown:
                self._wrong.add(place)
            elif number == shown:
                self._equal[place].add(number)
                self._counts[place] += 1
        before = self.place
        self.place = self._choose()
        return self.place != before

    def _choose(self) -> str:
        right = []
        for place, numbers in self._equal.items():
            is_told = self._counts[place] >= MIN_EQUAL and len(numbers) >= MIN_DISTINCT
            if is_told and place not in self._wrong:
                right.append(place)
        return min(right, key=lambda place: (-self._counts[place], place), default="")

    def missing(self, filling: Filling) -> int | None:
        """How many records an answer says to have and does not show; None if it does not say."""
        numbers, shown = self._answers.get(filling, ({}, 0))
        number = numbers.get(self.place)
        return None if number is None else number - shown

    def all_missing(self) -> dict[Filling, int]:
        """The same of all answers that say it."""
        result = {}
        for filling in self._answers:
            missing = self.missing(filling)
            if missing is not None:
                result[filling] = missing
        return result
