"""Answers to the probes of a form: error pages, or pages with records (Oita et al. 2012, sections
3.1 and 3.2).

The answers to nonsense words are error pages, whatever their status.  Another answer is an error
page, too, if it has no text that no error page has, apart from the words of the probe; and if the
wrapper of the records finds none on it.  The wrapper is learned from the first answers that are no
error pages, once these have enough records; and again when an answer comes that is much larger.
Answers in JSON need no wrapper (``forms.data``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

from forest_scrapy.core import Page, Params, learn_records
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import HEADINGS
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.core.records.record_wrapper import RecordRules, RecordWrapper
from forest_scrapy.forms.data import is_data_page, read_values
from forest_scrapy.forms.regions import Filling
from forest_scrapy.forms.runs import RunRules, learn_runs, rate_records, without_names

#: Answers that the wrapper is learned from.
MAX_SAMPLE_SIZE = 10
#: Answers after which the wrapper is learned although more may come, if it finds so many different
#: records on them; with fewer records it is tried again after as many answers more, and taken as it
#: is after the last number: no form has to give many records at all.
MIN_SAMPLE_SIZE = 8
#: Probes that they must answer: all pages of one answer have what was asked for.
MIN_SAMPLE_PROBES = 3
MIN_SAMPLE_RECORDS = 20
LAST_SAMPLE_SIZE = 24
#: The share of lines in common from which answers are the same.
MIN_SAME_LINES = 0.95
#: Error pages after which the wrapper is tried with fewer answers.
MAX_MISSES = 15
#: An answer with so many times the texts of the largest one that the wrapper was learned from may
#: show what that has not, and how often the wrapper is learned again for that.
MIN_TIMES_LARGER = 3
MAX_TIMES_LEARNED = 6
#: What another wrapper must be better by to replace the one that records were read with.
MIN_BETTER = 1.05
#: The share of the usual number of values from which a record is like the others.
MIN_SHAPE_SHARE = 0.5
#: An answer is an error page if fewer of its lines, or a smaller share of them, are on no error
#: page.
MIN_NEW_LINES = 2
MIN_NEW_SHARE = 0.05
#: The ways to learn the wrapper, of which the best one is taken.
METHODS = ("trained", "forest-records", "runs")

#: What titles are called.
_TITLE_NAMES = frozenset(
    "title name headline label titel titre nom bezeichnung titolo nome título nombre naam".split()
)


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

    @property
    def title(self) -> str:
        """The title of the record: the value that is one by its markup or its name, else the first
        text; ``""`` if it has none."""
        values = self.record.values
        for value in values:
            if value.type == "title" or value.name == "title":
                return value.text
        for value in values:
            last_name = value.name.rpartition(".")[2].casefold()
            if last_name in _TITLE_NAMES and value.type in ("text", "author"):
                return value.text
        return next((value.text for value in values if value.type == "text"), "")

    @property
    def url(self) -> str:
        """The address of the record's own page: what its title links to, or its only link."""
        url = self.record.get("url")
        if url:
            return url
        urls = [value.text for value in self.record.values if value.type == "url"]
        return urls[0] if len(urls) == 1 else ""


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
    #: How each method was rated, see ``rate_records``.
    rates: dict[str, float] = field(default_factory=dict)
    errors: ErrorPages = field(default_factory=ErrorPages)
    wrapper: AnswerWrapper | None = None
    #: The texts of the largest answer that the wrapper was learned from; 0 if that is not known.
    sample_size: int = 0
    #: How often the wrapper was learned, and replaced after records were read with it.
    times_learned: int = 0
    times_replaced: int = 0
    _sample_answers: list[Answer] = field(default_factory=list, repr=False)
    _next_try: int = MIN_SAMPLE_SIZE
    #: The error pages that came while answers wait.
    _misses: int = 0
    _waiting: list[Answer] = field(default_factory=list, repr=False)
    #: The number of records that have each attribute.
    _names: Counter[str] = field(default_factory=Counter, repr=False)

    def add_error(self, answer: Answer) -> None:
        """Note the answer to a nonsense word."""
        self.errors = self.errors.add(answer)

    def read(self, answer: Answer) -> list[AnswerRecord] | None:
        """The records of an answer, none if it is an error page; None if the wrapper is not learned
        yet: the answer waits (see ``take_waiting``)."""
        if is_data_page(answer.page):
            records = read_data_records(answer.page)
            self.note_names(record.values for record in records)
            return records
        if self.errors.covers(answer):
            self._misses += bool(self._waiting)
            return []
        if self.wrapper is None:
            self._waiting.append(answer)
            return None
        self._learn_again(answer)
        return self._apply(self.wrapper, answer)

    def can_read(self, answer: Answer) -> bool:
        """Whether an answer need not wait for the wrapper."""
        has_wrapper = self.wrapper is not None
        return has_wrapper or is_data_page(answer.page) or self.errors.covers(answer)

    def can_learn(self) -> bool:
        """Whether enough answers wait, to enough probes, or the next ones were errors for so long
        that the words of records are needed."""
        probes = {answer.filling for answer in self._waiting}
        has_enough = len(self._waiting) >= self._next_try and len(probes) >= MIN_SAMPLE_PROBES
        return has_enough or self._misses >= MAX_MISSES

    def learn(self, is_last: bool = False) -> bool:
        """Learn the wrapper from the answers that wait; False if these have too few records, and
        more may come (``is_last``: no more will).  Cost: some 100 ms an answer."""
        if not self._waiting:
            return False
        sample = _choose_sample(self._waiting)
        wrapper, rates = self._learn_best(sample)
        is_full = is_last or len(self._waiting) >= LAST_SAMPLE_SIZE
        if not is_full and _count_records(wrapper, sample) < MIN_SAMPLE_RECORDS:
            self._next_try = len(self._waiting) + MIN_SAMPLE_SIZE
            self._misses = 0
            return False
        self._take(wrapper, rates, sample)
        return True

    @property
    def may_learn_again(self) -> bool:
        """Whether the next answer may have the wrapper learned again, since that was learned from
        few answers."""
        is_thin = 0 < len(self._sample_answers) < MIN_SAMPLE_SIZE
        return is_thin and self.times_learned < MAX_TIMES_LEARNED

    def learn_last(self, answers: Sequence[Answer]) -> bool:
        """Learn the wrapper from all answers that it was learned from or has read; whether another
        one is taken, since it reads these better."""
        if self.wrapper is None:
            return False  # answers in JSON have none
        sample = _choose_sample(answers)
        if set(map(id, sample)) == set(map(id, self._sample_answers)):
            return False
        wrapper, rates = self._learn_best(sample)
        is_better = rate_wrapper(wrapper, sample) > MIN_BETTER * rate_wrapper(self.wrapper, sample)
        if is_better:
            self._take(wrapper, rates, sample)
        else:
            self._take(self.wrapper, self.rates, sample)
        return is_better

    def read_again(self, answer: Answer) -> list[AnswerRecord]:
        """The records of an answer that was read by another wrapper before."""
        assert self.wrapper is not None
        if self.errors.covers(answer):
            return []
        return self._apply(self.wrapper, answer)

    def forget_names(self) -> None:
        """Forget the attributes of the records, which are read again."""
        self._names.clear()

    def _learn_best(self, sample: Sequence[Answer]) -> tuple[AnswerWrapper, dict[str, float]]:
        """The best wrapper of all methods, and how each was rated.  Ties: the first method."""
        methods = METHODS if self.method == "auto" else (self.method,)
        pages = [answer.page for answer in sample]
        asked_words = [_asked_words(answer) for answer in sample]
        wrappers = learn_answer_wrappers(pages, methods, asked_words)
        rates = [rate_wrapper(wrapper, sample) for wrapper in wrappers]
        first_best = rates.index(max(rates))
        return wrappers[first_best], dict(zip(methods, rates, strict=True))

    def _take(
        self,
        wrapper: AnswerWrapper,
        rates: dict[str, float],
        sample: Sequence[Answer],
    ) -> None:
        self.wrapper = wrapper
        self.rates = rates
        self.times_learned += 1
        self._sample_answers = list(sample)
        self.sample_size = max(_text_size(answer) for answer in sample)

    def _learn_again(self, answer: Answer) -> None:
        """Learn the wrapper again if an answer is several times as large as those that it was
        learned from, or these were few, and take the new one if it reads the records better, and
        otherwise."""
        assert self.wrapper is not None
        is_larger = _text_size(answer) >= MIN_TIMES_LARGER * self.sample_size > 0
        is_open = is_larger and self.times_learned < MAX_TIMES_LEARNED
        if not (is_open or self.may_learn_again):
            return
        sample = _choose_sample([*self._sample_answers, answer])
        wrapper, rates = self._learn_best(sample)
        new_keys = [record.key for record in wrapper.find(answer.page)]
        keys = [record.key for record in self.wrapper.find(answer.page)]
        is_better = rate_wrapper(wrapper, sample) > MIN_BETTER * rate_wrapper(self.wrapper, sample)
        if new_keys != keys and is_better:
            self._take(wrapper, rates, sample)
            self.times_replaced += 1
            return
        self._take(self.wrapper, self.rates, sample)

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
        wrapper: AnswerWrapper,
        answer: Answer,
    ) -> list[AnswerRecord]:
        records = wrapper.find(answer.page)
        if records:
            self.note_names(record.values for record in records)
            return records
        single = read_single(answer.page, self._names)
        return [single] if single else []


def _choose_sample(answers: Sequence[Answer]) -> list[Answer]:
    """The answers to learn from: those with the most text, which have more than one record; the
    first pages of all probes before the second ones.  Of answers with the same lines, as those to
    two words of one name, only one counts."""
    page_counts: Counter[Filling] = Counter()
    ranked_answers = []
    for answer in sorted(answers, key=_text_rank):
        page_counts[answer.filling] += 1
        ranked_answers.append((page_counts[answer.filling], _text_rank(answer), answer))
    ranked_answers.sort(key=lambda ranked_answer: ranked_answer[:2])

    sample: list[Answer] = []
    lines_of_sample: list[frozenset[str]] = []
    for _, _, answer in ranked_answers:
        lines = frozenset(answer.lines())
        if len(sample) < MAX_SAMPLE_SIZE and not any(
            _are_same(lines, other_lines) for other_lines in lines_of_sample
        ):
            sample.append(answer)
            lines_of_sample.append(lines)
    return sample


def _asked_words(answer: Answer) -> frozenset[str]:
    """The words of the probe that is answered."""
    words: set[str] = set()
    for _, value in answer.filling:
        words.update(split_words(value))
    return frozenset(words)


def _are_same(lines: frozenset[str], other_lines: frozenset[str]) -> bool:
    """Whether two answers have the same lines, but for one or two that name the probe."""
    return len(lines & other_lines) >= MIN_SAME_LINES * max(len(lines), len(other_lines))


def _text_size(answer: Answer) -> int:
    return len(answer.page.outline.leaves)


def _text_rank(answer: Answer) -> tuple[int, Filling, str]:
    """Smaller for an answer with more text."""
    return -_text_size(answer), answer.filling, answer.page.url


def _count_records(wrapper: AnswerWrapper, answers: Sequence[Answer]) -> int:
    """How many different records the wrapper finds."""
    keys: set[str] = set()
    for answer in answers:
        keys.update(record.key for record in wrapper.find(answer.page))
    return len(keys)


def rate_wrapper(wrapper: AnswerWrapper, answers: Sequence[Answer]) -> float:
    """How good the different records are that a wrapper finds (see ``rate_records``); those that
    are on all answers to different probes, such as those of a menu, count against it.  0 if each is
    two records, or has the heading of the next one."""
    if any(map(_is_wrong, wrapper.records.rules)):
        return 0.0
    records_by_key: dict[str, AnswerRecord] = {}
    answer_counts: Counter[str] = Counter()
    for answer in answers:
        answer_records = {record.key: record for record in wrapper.find(answer.page)}
        records_by_key.update(answer_records)
        answer_counts.update(answer_records.keys())

    names = []
    repeated_count = 0
    has_several_answers = len(answers) > 1
    for key, record in records_by_key.items():
        is_on_all = answer_counts[key] == len(answers)
        if has_several_answers and is_on_all:
            repeated_count += 1
        else:
            names.append(_names_of_texts(record))
    rate = rate_records(names) / (1 + repeated_count)
    return round(rate, 6)


def has_doubled_records(attributes: Iterable[Attribute]) -> bool:
    """Whether records are two rows that have the same values, such as an odd and an even one: what
    stands in the row before or after has the places of what stands in the record's own.  Two rows
    of one record differ in their labels.  Labels of one row only are those of the columns, if its
    values have the types of the other's."""
    rows: dict[str, dict[str, Attribute]] = {}
    for attribute in attributes:
        if attribute.type in ("url", "image"):
            continue
        place = without_names(attribute.path)
        sign = place[0] if place.startswith(("+", "-")) else ""
        place_in_row = place.partition(" ")[2] if sign else place
        rows.setdefault(sign, {})[place_in_row] = attribute
    return any(_are_alike(row, other_row) for row, other_row in combinations(rows.values(), 2))


def _are_alike(row: Mapping[str, Attribute], other_row: Mapping[str, Attribute]) -> bool:
    """Whether two rows are rows of two records, by the attributes at their places."""
    if len(row) < 2 or row.keys() != other_row.keys():
        return False
    labels = {place: attribute.label for place, attribute in row.items()}
    other_labels = {place: attribute.label for place, attribute in other_row.items()}
    if any(labels.values()) and any(other_labels.values()):
        return labels == other_labels
    if not any(labels.values()) and not any(other_labels.values()):
        return True
    return all(attribute.type == other_row[place].type for place, attribute in row.items())


def ends_with_heading(rules: RecordRules) -> bool:
    """Whether a heading is all that follows the texts of records: it is that of the next record,
    and a text above the first heading has shifted them.  A picture may be above its heading."""
    has_text_before = False
    has_text_inside = False
    next_tags: set[str] = set()
    for attribute in rules.attributes:
        if attribute.type in ("url", "image"):
            continue
        place = without_names(attribute.path)
        step, _, _ = place.partition(" ")
        if step.startswith("+"):
            next_tags.add(step.removeprefix("+"))
        elif step.startswith("-"):
            has_text_before = True
        else:
            has_text_inside = True
    if next_tags:
        return has_text_inside and next_tags <= HEADINGS
    last_step = rules.record.rpartition("/")[2]
    tag, _, _ = last_step.partition("[")
    return has_text_before and tag in HEADINGS


def _is_wrong(rules: RecordRules) -> bool:
    return has_doubled_records(rules.attributes) or ends_with_heading(rules)


def _names_of_texts(record: AnswerRecord) -> list[str]:
    """The names of the values that are shown, once those of which a record may have any number."""
    names = []
    for value in record.record.values:
        if value.type not in ("url", "image"):
            names.append(value.name)
    return names


def count_shapes(records: Iterable[Mapping[str, str]]) -> tuple[int, int]:
    """How many records have much fewer values than is usual, and how many there are: these may be
    parts of records."""
    sizes = Counter(len(values) for values in records)
    if not sizes:
        return 0, 0
    usual = min(sizes, key=lambda size: (-sizes[size], size))
    odd_sizes = [
        size for size in sizes if size < MIN_SHAPE_SHARE * usual or size * MIN_SHAPE_SHARE > usual
    ]
    return sum(sizes[size] for size in odd_sizes), sizes.total()


@dataclass(frozen=True)
class AnswerWrapper:
    """What finds the records of answers: a wrapper as that of threads and lists, or ``runs``."""

    records: RecordWrapper = field(default_factory=RecordWrapper)
    runs: RunRules | None = None

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of the records, in their order."""
        if self.runs is not None:
            return self.runs.attributes
        attributes: list[Attribute] = []
        for rules in self.records.rules:
            attributes.extend(rules.attributes)
        return tuple(attributes)

    def find(self, page: Page) -> list[AnswerRecord]:
        """The records of a page."""
        if self.runs is None:
            return read_records(self.records, page)
        return [_make_record(record, page.language) for record in self.runs.find(page)]


def learn_answer_wrappers(
    pages: Sequence[Page],
    methods: Sequence[str],
    asked_words: Sequence[frozenset[str]] = (),
) -> list[AnswerWrapper]:
    """The wrapper that each of ``METHODS`` learns from pages of answers; ``asked_words``: see
    ``learn_runs``."""
    wrappers = []
    for method in methods:
        if method == "runs":
            wrappers.append(AnswerWrapper(runs=learn_runs(pages, asked_words)))
        else:
            wrappers.append(AnswerWrapper(_learn_wrapper(pages, method)))
    return wrappers


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
        records.append(_make_record(numbered, page.language))
    return records


def _make_record(record: Record, language: str) -> AnswerRecord:
    """The record with its key, and with numbers as decimal ones."""
    values = []
    for value in record.values:
        if value.type == "number":
            value = replace(value, text=plain_number(value.text, language))
        values.append(value)
    record = replace(record, values=tuple(values))
    return AnswerRecord(record, record_key(record))


def plain_number(text: str, language: str = "") -> str:
    """A number without the signs between its digits, with a point before the decimals.

    >>> plain_number("1,234,567.5"), plain_number("12 500"), plain_number("1.234,5", "de")
    ('1234567.5', '12500', '1234.5')
    >>> plain_number("3,5", "de"), plain_number("3.125"), plain_number("1,5 to 2")
    ('3.5', '3.125', '1,5 to 2')
    """
    if not _DIGITS.fullmatch(text):
        return text
    decimal_sign = "," if language in _COMMA_LANGUAGES else "."
    if _POINT_GROUPS.fullmatch(text):
        decimal_sign = ","
    elif _COMMA_GROUPS.fullmatch(text):
        decimal_sign = "."
    whole, _, decimals = text.partition(decimal_sign)
    if decimals and not decimals.isdecimal():
        return text
    whole = _GROUP_SIGNS.sub("", whole)
    return f"{whole}.{decimals}" if decimals else whole


#: Languages that write a comma before decimals.
_COMMA_LANGUAGES = frozenset("cs da de es fi fr hu it nl no pl pt ro ru sv tr uk".split())
_DIGITS = re.compile(r"[+-]?[\d][\d.,'\u2019 \u00a0\u202f]*")
_POINT_GROUPS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
_COMMA_GROUPS = re.compile(r"[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?")
_GROUP_SIGNS = re.compile(r"[.,'\u2019 \u00a0\u202f]")


def read_data_records(page: Page) -> list[AnswerRecord]:
    """The records of an answer in JSON."""
    records = []
    for position, values in enumerate(read_values(page), 1):
        text = "\n".join(value.text for value in values if value.type != "url")
        record = Record(position, text, values=values)
        records.append(AnswerRecord(record, record_key(record)))
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
