"""What the answers to probes are: error pages, or pages with records (Oita et al. 2012, sections
3.1 and 3.2).

The answers to nonsense words are error pages, whatever their status.  Another answer is one, too,
if it has no text that no error page has, apart from the words of the probe; and if the wrapper of
the records finds none on it.  The wrapper is learned from the first answers that are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, pairwise

from forest_scrapy.core import Page, Params, learn_records
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.core.records.record_wrapper import RecordWrapper
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.forms.regions import Filling

#: Answers that the wrapper is learned from, and those that it is learned from at once.
_SAMPLE, _ENOUGH = 10, 8
#: The share of an answer's lines that error pages do not have, below which it is one.
_OWN_SHARE, _OWN_LINES = 0.05, 2
#: The ways to learn the wrapper, of which the better one is taken.
METHODS = ("trained", "forest-records")


@dataclass(frozen=True)
class FoundRecord:
    """A record of an answer, with what identifies it: its values, or its text."""

    record: Record
    key: str

    @property
    def values(self) -> dict[str, str]:
        """The values by attribute; a second one of the same name has its number, from 2."""
        found: dict[str, str] = {}
        for one in self.record.values:
            names = chain([one.name], (f"{one.name} {number}" for number in count(2)))
            found[next(name for name in names if name not in found)] = one.text
        return found or {"text": self.record.text}


@dataclass(frozen=True)
class Answer:
    """A page that came for a probe."""

    page: Page
    filling: Filling

    def lines(self) -> dict[str, str]:
        """The lines of the page without digits, and each without the words of the probe."""
        words = {word for _, value in self.filling for word in split_words(value)}
        found = {}
        for line in self.page.outline.lines:
            whole = [word for word in split_words(line) if not word.isdigit()]
            found[" ".join(whole)] = " ".join(word for word in whole if word not in words)
        return {whole: left for whole, left in found.items() if left}


@dataclass(frozen=True)
class ErrorPages:
    """What the pages have that say that nothing was found."""

    lines: frozenset[str] = frozenset()
    count: int = 0

    def add(self, answer: Answer) -> ErrorPages:
        """With another error page: all lines of any of them."""
        lines = answer.lines()
        return self.add_lines({*lines, *lines.values()})

    def add_lines(self, lines: Iterable[str]) -> ErrorPages:
        """With the lines of another error page."""
        return ErrorPages(self.lines.union(lines), self.count + 1)

    def has(self, answer: Answer) -> bool:
        """Whether an answer has nothing that error pages do not have."""
        own = answer.lines()
        # A word of the probe may be one of the page's own, as in "the".
        new = {left for line, left in own.items() if not self.lines & {line, left}}
        return bool(self.count) and (
            len(new) < _OWN_LINES or len(new) < _OWN_SHARE * max(len(own), 1)
        )


@dataclass
class AnswerReader:
    """Reads the records of answers; learns the wrapper when there are enough of them.

    ``method``: one of ``METHODS`` or ``auto``: the one that finds more records with values on the
    first answers.
    """

    method: str = "auto"
    #: How each method was rated: different records times their values.
    rates: dict[str, float] = field(default_factory=dict)
    errors: ErrorPages = field(default_factory=ErrorPages)
    wrapper: RecordWrapper | None = None
    _waiting: list[Answer] = field(default_factory=list, repr=False)
    #: In how many records each attribute is.
    _names: Counter[str] = field(default_factory=Counter, repr=False)

    def add_error(self, answer: Answer) -> None:
        """Note the answer to a nonsense word."""
        self.errors = self.errors.add(answer)

    def read(self, answer: Answer) -> list[FoundRecord] | None:
        """The records of an answer, none if it is an error page; None if the wrapper is not learned
        yet: the answer waits (see ``take_waiting``)."""
        if self.errors.has(answer):
            return []
        if self.wrapper is None:
            self._waiting.append(answer)
            return None
        return self._apply(answer)

    def can_learn(self, is_last: bool = False) -> bool:
        """Whether enough answers wait; ``is_last``: no more will come."""
        fingerprints = {read_fingerprint(one.page, "typed") for one in self._waiting}
        return len(self._waiting) >= _ENOUGH or (is_last and bool(fingerprints))

    def learn(self) -> None:
        """Learn the wrapper from the answers that wait.  Cost: some 100 ms an answer."""
        pages = [one.page for one in self._sample()]
        methods = METHODS if self.method == "auto" else (self.method,)
        found = learn_answers(pages, methods)
        scores = [self._rate(one) for one in found]
        self.rates = dict(zip(methods, scores, strict=True))
        self.wrapper = found[max(range(len(found)), key=lambda i: (scores[i], -i))]

    def take_waiting(self) -> Iterator[tuple[Answer, list[FoundRecord]]]:
        """The answers that waited for the wrapper, with their records, in their order."""
        waiting, self._waiting = self._waiting, []
        return ((one, self._apply(one)) for one in waiting)

    def note_names(self, records: Iterable[Mapping[str, str]]) -> None:
        """Note the attributes of records: a page of a single record is read by them."""
        for values in records:
            self._names.update(values.keys())

    def _apply(self, answer: Answer) -> list[FoundRecord]:
        assert self.wrapper is not None
        found = read_records(self.wrapper, answer.page)
        if found:
            self.note_names(one.values for one in found)
            return found
        single = read_single(answer.page, self._names)
        return [single] if single else []

    def _sample(self) -> list[Answer]:
        """The answers to learn from: those with the most text, which have more than one record."""
        order = sorted(self._waiting, key=lambda one: (-len(one.page.outline.leaves), one.filling))
        return order[:_SAMPLE]

    def _rate(self, wrapper: RecordWrapper) -> float:
        """How many different records a wrapper finds that have values, times the mean number of
        these; records that are on all answers to different probes, such as those of a menu, count
        against it."""
        answers = self._sample()
        read = [read_records(wrapper, one.page) for one in answers]
        often = Counter(key for own in read for key in {one.key for one in own})
        everywhere = {key for key, n in often.items() if n == len(answers) > 1}
        kept = {one.key: one for own in read for one in own if one.key not in everywhere}
        values = sum(min(len(one.values), 10) for one in kept.values())
        return round(values / (1 + len(everywhere)), 6)


def learn_answers(pages: Sequence[Page], methods: Sequence[str]) -> list[RecordWrapper]:
    """The wrapper that each of ``METHODS`` learns from pages of answers."""
    return [_learn(pages, method) for method in methods]


def _learn(pages: Sequence[Page], method: str) -> RecordWrapper:
    params = Params() if method == "trained" else Params(method=method)
    found = learn_records(pages, params, with_article=False)
    rules = [one.with_all_attributes(pages) for one in found.rules]
    # Those of threads have a first post of its own: here the larger group is meant.
    sizes = [sum(len(one.find(page)) for page in pages) for one in rules]
    best = max(range(len(rules)), key=lambda i: (sizes[i], -i), default=None)
    return replace(found, rules=() if best is None else (rules[best],), pairs=False)


def read_records(wrapper: RecordWrapper, page: Page) -> list[FoundRecord]:
    """The records that the wrapper finds on a page, only those with values if records have some:
    the head of a table has none.  None if the wrapper has no rules for records."""
    has_values = any(rules.attributes for rules in wrapper.rules)
    found = wrapper.apply(page) if wrapper.rules else []
    kept = [record for record in found if record.values or not has_values]
    return [FoundRecord(one, record_key(one)) for one in kept]


def read_single(page: Page, names: Mapping[str, int]) -> FoundRecord | None:
    """The record of a page that a form goes straight to if it finds a single one: the values after
    the names of attributes, which are those of the lists' records; None if it has less than half
    of these, or less than two.  ``names``: with the number of records that have them.

    Cost: one pass over the lines.
    """
    lines = list(page.outline.lines)
    often = [name for name, count in names.items() if 2 * count >= max(names.values())]
    values = []
    heading = next((block_text(one) for one in page.root.iter("h1", "h2")), "").strip()
    for name in often:
        wanted = name.casefold()
        value = heading if name == "title" else ""
        for line, following in pairwise([*lines, ""]):
            label, colon, rest = line.partition(":")
            if label.strip().casefold() == wanted:
                value = rest.strip() if colon and rest.strip() else following
                break
        if value:
            values.append(Value(name, "text", value))
    labelled = sum(one.name != "title" for one in values)
    if labelled < 1 or len(values) < max(2, (len(often) + 1) // 2):
        return None
    record = Record(1, "\n".join(one.text for one in values), values=tuple(values))
    return FoundRecord(record, record_key(record))


def record_key(record: Record) -> str:
    """What a record has in all answers: its values, else its text; 16 hexadecimal digits."""
    own = [(one.name, one.text) for one in record.values if one.type != "position"]
    values = sorted(own) or [("text", record.text)]
    text = "\n".join(f"{name}={value}" for name, value in values)
    return hex_digest(text)
