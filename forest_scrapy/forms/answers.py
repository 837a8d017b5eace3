"""Answers to the probes of a form: error pages, or pages with records (Oita et al. 2012, sections
3.1 and 3.2).

The answers to nonsense words are error pages, whatever their status.  Another answer is an error
page, too, if it has no text that no error page has, apart from the words of the probe; and if the
wrapper of the records finds none on it.  The wrapper is learned from the first answers that are no
error pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from forest_scrapy.core import Page, Params, learn_records
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.core.records.record_wrapper import RecordRules, RecordWrapper
from forest_scrapy.forms.regions import Filling

#: Answers that the wrapper is learned from.
MAX_SAMPLE_SIZE = 10
#: Answers with which the wrapper is learned at once, although more may come.
MIN_SAMPLE_SIZE = 8
#: An answer is an error page if fewer of its lines, or a smaller share of them, are on no error
#: page.
MIN_NEW_LINES = 2
MIN_NEW_SHARE = 0.05
#: Values of a record that count when a wrapper is rated.
MAX_RATED_VALUES = 10
#: The ways to learn the wrapper, of which the better one is taken.
METHODS = ("trained", "forest-records")


@dataclass(frozen=True)
class AnswerRecord:
    """A record of an answer.  ``key`` identifies it in all answers (see ``record_key``)."""

    record: Record
    key: str

    @property
    def values(self) -> dict[str, str]:
        """The values by attribute; a second value of the same name has its number, from 2."""
        values: dict[str, str] = {}
        for value in self.record.values:
            name = value.name
            number = 2
            while name in values:
                name = f"{value.name} {number}"
                number += 1
            values[name] = value.text
        return values or {"text": self.record.text}


@dataclass(frozen=True)
class Answer:
    """A page that answers a probe."""

    page: Page
    filling: Filling

    def lines(self) -> dict[str, str]:
        """The lines of the page without digits, and each without the words of the probe."""
        probe_words: set[str] = set()
        for _, value in self.filling:
            probe_words.update(split_words(value))

        lines: dict[str, str] = {}
        for line in self.page.outline.lines:
            words = []
            for word in split_words(line):
                if not word.isdigit():
                    words.append(word)
            page_words = [word for word in words if word not in probe_words]
            if page_words:
                without_digits = " ".join(words)
                without_probe = " ".join(page_words)
                lines[without_digits] = without_probe
        return lines


@dataclass(frozen=True)
class ErrorPages:
    """The lines of the pages that say that nothing was found."""

    lines: frozenset[str] = frozenset()
    count: int = 0

    def add(self, answer: Answer) -> ErrorPages:
        """These and another error page: all lines of any of them."""
        lines = answer.lines()
        return self.add_lines([*lines.keys(), *lines.values()])

    def add_lines(self, lines: Iterable[str]) -> ErrorPages:
        """These and the lines of another error page."""
        return ErrorPages(
            lines=self.lines.union(lines),
            count=self.count + 1,
        )

    def covers(self, answer: Answer) -> bool:
        """Whether an answer has nothing that error pages do not have."""
        if not self.count:
            return False

        answer_lines = answer.lines()
        new_lines = set()
        for line, without_probe in answer_lines.items():
            # A word of the probe may be one of the page's own, as in "the".
            is_known = line in self.lines or without_probe in self.lines
            if not is_known:
                new_lines.add(without_probe)

        line_count = max(len(answer_lines), 1)
        min_lines = max(MIN_NEW_LINES, MIN_NEW_SHARE * line_count)
        return len(new_lines) < min_lines


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
    #: The number of records that have each attribute.
    _names: Counter[str] = field(default_factory=Counter, repr=False)

    def add_error(self, answer: Answer) -> None:
        """Note the answer to a nonsense word."""
        self.errors = self.errors.add(answer)

    def read(self, answer: Answer) -> list[AnswerRecord] | None:
        """The records of an answer, none if it is an error page; None if the wrapper is not learned
        yet: the answer waits (see ``take_waiting``)."""
        if self.errors.covers(answer):
            return []
        if self.wrapper is None:
            self._waiting.append(answer)
            return None
        return self._apply(self.wrapper, answer)

    def can_learn(self, is_last: bool = False) -> bool:
        """Whether enough answers wait; ``is_last``: no more will come."""
        if is_last:
            return bool(self._waiting)
        return len(self._waiting) >= MIN_SAMPLE_SIZE

    def learn(self) -> None:
        """Learn the wrapper from the answers that wait.  Cost: some 100 ms an answer."""
        pages = [answer.page for answer in self._sample()]
        methods = METHODS if self.method == "auto" else (self.method,)
        wrappers = learn_answer_wrappers(pages, methods)
        rates = [self._rate(wrapper) for wrapper in wrappers]
        self.rates = dict(zip(methods, rates, strict=True))

        best_rate = max(rates)
        first_best = rates.index(best_rate)
        self.wrapper = wrappers[first_best]

    def take_waiting(self) -> list[tuple[Answer, list[AnswerRecord]]]:
        """The answers that waited for the wrapper, with their records, in their order."""
        assert self.wrapper is not None
        answers = self._waiting
        self._waiting = []
        read_answers = []
        for answer in answers:
            records = self._apply(self.wrapper, answer)
            read_answers.append((answer, records))
        return read_answers

    def note_names(self, records: Iterable[Mapping[str, str]]) -> None:
        """Note the attributes of records: a page of a single record is read by them."""
        for values in records:
            self._names.update(values.keys())

    def _apply(
        self,
        wrapper: RecordWrapper,
        answer: Answer,
    ) -> list[AnswerRecord]:
        records = read_records(wrapper, answer.page)
        if records:
            self.note_names(record.values for record in records)
            return records
        single = read_single(answer.page, self._names)
        return [single] if single else []

    def _sample(self) -> list[Answer]:
        """The answers to learn from: those with the most text, which have more than one record."""
        ranked = sorted(self._waiting, key=_text_rank)
        return ranked[:MAX_SAMPLE_SIZE]

    def _rate(self, wrapper: RecordWrapper) -> float:
        """How many different records a wrapper finds that have values, times the mean number of
        these; records that are on all answers to different probes, such as those of a menu, count
        against it."""
        answers = self._sample()
        records_by_key: dict[str, AnswerRecord] = {}
        answer_counts: Counter[str] = Counter()
        for answer in answers:
            records = read_records(wrapper, answer.page)
            answer_records = {record.key: record for record in records}
            records_by_key.update(answer_records)
            answer_counts.update(answer_records.keys())

        value_count = 0
        repeated_count = 0
        has_several_answers = len(answers) > 1
        for key, record in records_by_key.items():
            is_on_all = answer_counts[key] == len(answers)
            if has_several_answers and is_on_all:
                repeated_count += 1
            else:
                value_count += min(len(record.values), MAX_RATED_VALUES)
        rate = value_count / (1 + repeated_count)
        return round(rate, 6)


def _text_rank(answer: Answer) -> tuple[int, Filling]:
    """Smaller for an answer with more text."""
    leaves = len(answer.page.outline.leaves)
    return -leaves, answer.filling


def learn_answer_wrappers(
    pages: Sequence[Page],
    methods: Sequence[str],
) -> list[RecordWrapper]:
    """The wrapper that each of ``METHODS`` learns from pages of answers."""
    return [_learn_wrapper(pages, method) for method in methods]


def _learn_wrapper(pages: Sequence[Page], method: str) -> RecordWrapper:
    params = Params() if method == "trained" else Params(method=method)
    wrapper = learn_records(pages, params, with_article=False)

    # Wrappers of threads have rules for the first post: here the larger group is meant.
    largest: RecordRules | None = None
    largest_size = -1
    for learned_rules in wrapper.rules:
        rules = learned_rules.with_all_attributes(pages)
        size = sum(len(rules.find(page)) for page in pages)
        if size > largest_size:
            largest = rules
            largest_size = size
    rules_of_records = () if largest is None else (largest,)
    return replace(wrapper, rules=rules_of_records, pairs=False)


def read_records(wrapper: RecordWrapper, page: Page) -> list[AnswerRecord]:
    """The records that the wrapper finds on a page, only those with values if records have some:
    the head of a table has none, and does not count in their positions.  Empty if the wrapper has
    no rules for records."""
    if not wrapper.rules:
        return []
    has_values = any(rules.attributes for rules in wrapper.rules)
    records: list[AnswerRecord] = []
    for record in wrapper.apply(page):
        if has_values and not record.values:
            continue
        position = len(records) + 1
        numbered = replace(record, position=position)
        key = record_key(numbered)
        records.append(AnswerRecord(numbered, key))
    return records


def read_single(
    page: Page,
    names: Mapping[str, int],
) -> AnswerRecord | None:
    """The record of a page that a form goes straight to if it finds a single one: the values after
    the names of attributes, which are those of the lists' records; None if it has less than half
    of these, or less than two.  ``names``: with the number of records that have them.

    Cost: one pass over the lines for each name.
    """
    lines = list(page.outline.lines)
    max_count = max(names.values(), default=0)
    common_names = []
    for name, count in names.items():
        if 2 * count >= max_count:
            common_names.append(name)
    heading = ""
    heading_element = next(page.root.iter("h1", "h2"), None)
    if heading_element is not None:
        heading = block_text(heading_element).strip()

    values = []
    for name in common_names:
        default = heading if name == "title" else ""
        text = _value_after(name, lines, default)
        if text:
            values.append(Value(name, "text", text))

    has_labelled = any(value.name != "title" for value in values)
    min_values = max(2, (len(common_names) + 1) // 2)
    if not has_labelled or len(values) < min_values:
        return None
    text = "\n".join(value.text for value in values)
    record = Record(1, text, values=tuple(values))
    key = record_key(record)
    return AnswerRecord(record, key)


def _value_after(
    name: str,
    lines: Sequence[str],
    default: str,
) -> str:
    """What the first line with this label has after its colon, else the line after it."""
    label = name.casefold()
    for line, next_line in pairwise([*lines, ""]):
        before, _, after = line.partition(":")
        line_label = before.strip().casefold()
        if line_label == label:
            return after.strip() or next_line
    return default


def record_key(record: Record) -> str:
    """What a record has in all answers: its values, else its text; 16 hexadecimal digits."""
    values = []
    for value in record.values:
        if value.type != "position":
            values.append((value.name, value.text))
    values.sort()
    if not values:
        values = [("text", record.text)]
    lines = [f"{name}={text}" for name, text in values]
    return hex_digest("\n".join(lines))
