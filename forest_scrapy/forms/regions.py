"""Knowledge of the records that fillings of a form give: which answers show all of their records,
which show only a part, and how many of the known records a narrower filling would have.

An answer that shows as many records as the largest ones shows only a part: its filling is *open*,
and is narrowed by a word or an option that its known records have.  One that shows fewer shows all:
whatever is narrower gives nothing new.  The empty filling is open from the start, and has all
records, so a single word is the first narrowing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.form import Control, Form

#: Names of controls and what they are filled with, in the order of the form.
Filling = tuple[tuple[str, str], ...]

#: One part of a filling: the name of a control and a word, or a value, that it is filled with.
Part = tuple[str, str]
#: The parts of a filling, each of which leaves records out.
Parts = frozenset[Part]
#: Names of controls, in the order of the form.
ControlNames = tuple[str, ...]
#: The values of a record by attribute.
Values = Mapping[str, str]

#: Answers with at least this share of the records of the largest ones are cut off: equal records
#: are counted once.
MIN_CUT_SHARE = 0.95
#: Answers that must be as large as the largest ones before any is taken as cut off.
MIN_LARGEST_ANSWERS = 2
#: The share of an answer's records in which a value must come back, in the mean over the answers,
#: for a control to search in an attribute.
MIN_SEARCHED_SHARE = 0.9
#: The share below which a control does not search in an attribute at all.
MIN_MENTIONED_SHARE = 0.02
#: Answers before which the attributes that a control searches in are not known.
MIN_ANSWERS = 2
#: Records of an answer that are looked at for that.
MAX_RECORDS = 30
#: Of a filling with more parts only the small sets of them are looked for among the answers: all
#: sets of n are 2^n.
MAX_PARTS_IN_ALL_SETS = 8
MAX_PARTS_OF_SMALL_SETS = 3
#: Characters of a word that is put into a control.
MIN_WORD_LENGTH = 2
MAX_WORD_LENGTH = 40
#: Words, and characters, of a value that is put into a control.
MAX_VALUE_WORDS = 6
MAX_VALUE_LENGTH = 80


@dataclass(frozen=True)
class SearchTerms:
    """What may be put into a control to find a text: its words, and all of it if it is short."""

    words: frozenset[str]
    whole: str

    @property
    def all(self) -> list[str]:
        """The words, and the whole text if it has more than one and not too many."""
        terms = []
        for word in self.words:
            if MIN_WORD_LENGTH <= len(word) <= MAX_WORD_LENGTH:
                terms.append(word)
        terms.sort()
        word_count = self.whole.count(" ") + 1
        has_few_words = 1 < word_count <= MAX_VALUE_WORDS
        is_short = len(self.whole) <= MAX_VALUE_LENGTH
        if has_few_words and is_short:
            terms.append(self.whole)
        return terms


def read_search_terms(text: str) -> SearchTerms:
    """The terms of a text.

    >>> read_search_terms("Bleak House").all
    ['bleak', 'house', 'bleak house']
    """
    words = split_words(text)
    return SearchTerms(frozenset(words), " ".join(words))


#: The terms of a record by attribute.
RecordTerms = Mapping[str, SearchTerms]


def filled_controls(filling: Filling) -> ControlNames:
    """The names of the controls that are filled in."""
    return tuple(name for name, _ in filling)


@dataclass
class Region:
    """The known records of an open filling.  ``is_assumed``: it was never sent alone."""

    filling: Filling
    is_assumed: bool = False
    size: int = 0
    #: The number of records that have each term of an attribute.
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    #: The terms by attribute and number of bits of that count; dicts are sets that keep their
    #: order.
    by_bits: defaultdict[tuple[str, int], dict[str, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    @property
    def controls(self) -> ControlNames:
        """The names of the controls that are filled in."""
        return filled_controls(self.filling)

    def add(self, record: RecordTerms) -> None:
        """Count the terms of a record."""
        self.size += 1
        for attribute, terms in record.items():
            counts = self.counts[attribute]
            for term in terms.all:
                counts[term] += 1
                count = counts[term]
                is_power_of_two = count & (count - 1) == 0
                if is_power_of_two:
                    bits = count.bit_length()
                    self.by_bits[attribute, bits - 1].pop(term, None)
                    self.by_bits[attribute, bits][term] = None


class Regions:
    """The records and the answers of a form.  Cost of a record: a look at each open filling."""

    def __init__(self, form: Form) -> None:
        self._controls = {control.name: control for control in form.controls}
        self._records: dict[str, RecordTerms] = {}
        self.root = Region(())
        self._open: dict[Filling, Region] = {}
        #: The keys of the records of each answer.
        self._answered: dict[Filling, frozenset[str]] = {}
        self._largest = 0
        #: By control and attribute: the sum, over the answers, of the shares of records in which
        #: the value came back; and the number of answers by control.
        self._shares: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self._answers: Counter[str] = Counter()
        #: Text controls that find records with more words than what was put in.
        self._containing: set[str] = set()
        #: The parts of fillings whose answers show all of their records, and of open ones.
        self._settled: set[Parts] = set()
        self._open_parts: set[Parts] = set()

    @property
    def open(self) -> Sequence[Region]:
        """The open fillings other than the empty one, in the order in which they were sent."""
        return list(self._open.values())

    def add(
        self,
        filling: Filling,
        keys: frozenset[str],
        new: Mapping[str, Values],
    ) -> None:
        """Note the records of an answer: their keys, and the values of those that are new."""
        new_records = {key: _read_record(values) for key, values in new.items()}
        self._records.update(new_records)
        self._learn(filling, keys)

        regions = [self.root, *self._open.values()]
        for record in new_records.values():
            for region in regions:
                if self._has(region.filling, record):
                    region.add(record)

        self._answered[filling] = keys
        if len(keys) > self._largest:
            self._largest = len(keys)
            self._review()
        else:
            self._judge(filling)

    def assume_open(self, filling: Filling) -> None:
        """Take a filling that gives nothing alone as open, since it may be a part of those that
        do."""
        if filling not in self._open:
            self._begin(filling, is_assumed=True)

    def is_useful(
        self,
        filling: Filling,
        fits: Container[ControlNames],
    ) -> bool:
        """Whether a filling may give new records: no answer tells that all of its records are
        known, none had the same parts, and each filling of one part less is open, since that would
        give more; ``fits``: the sets of controls that give records at all."""
        if not self.is_unanswered(filling):
            return False

        parts = self._parts(filling)
        if len(parts) < 2:
            return True
        names = filled_controls(filling)
        for part in parts:
            wider = parts - {part}
            wider_names = {name for name, _ in wider}
            controls = tuple(name for name in names if name in wider_names)
            gives_records = controls in fits
            is_open = wider in self._open_parts
            if gives_records and not is_open:
                return False
        return True

    def is_unanswered(self, filling: Filling) -> bool:
        """Whether no answer tells that all records of a filling are known, and none had the same
        parts."""
        parts = self._parts(filling)
        empty_mark = _empty_mark(filling)
        max_size = len(parts)
        if len(parts) > MAX_PARTS_IN_ALL_SETS:
            max_size = MAX_PARTS_OF_SMALL_SETS

        for size in range(1, max_size + 1):
            for subset in map(frozenset, combinations(parts, size)):
                if subset in self._settled:
                    return False
                if subset | {empty_mark} in self._settled:
                    return False
        return parts not in self._open_parts

    def searched(self, control: str) -> frozenset[str]:
        """The attributes that a control seems to search in; none if that is not known yet."""
        answers = self._answers[control]
        if answers < MIN_ANSWERS:
            return frozenset()
        shares = self._shares[control]
        means = {name: shares[name] / answers for name in shares}
        searched = [name for name, mean in means.items() if mean >= MIN_SEARCHED_SHARE]
        if not searched:
            searched = [name for name, mean in means.items() if mean >= MIN_MENTIONED_SHARE]
        return frozenset(searched)

    def is_elsewhere(
        self,
        filling: Filling,
        keys: frozenset[str],
    ) -> bool:
        """Whether a record of an answer has none of what was put in where the controls were seen to
        search, so that they search elsewhere, too."""
        records = self._first_records(keys)
        return any(not self._has(filling, record) for record in records)

    def contains(self, control: str) -> bool:
        """Whether a control finds records with more words than what was put in."""
        return control in self._containing

    def option_terms(self, control: Control) -> dict[str, str]:
        """What an option may look like in records, by its value."""
        terms = {}
        for value, text in control.options:
            terms[value] = " ".join(split_words(text))
        return terms

    def _first_records(self, keys: frozenset[str]) -> list[RecordTerms]:
        first_keys = sorted(keys)[:MAX_RECORDS]
        return [self._records[key] for key in first_keys]

    def _learn(self, filling: Filling, keys: frozenset[str]) -> None:
        """Note in which attributes of the answer's records what was put in came back."""
        records = self._first_records(keys)
        if not records:
            return
        attributes: set[str] = set()
        for record in records:
            attributes.update(record)

        for name, value in filling:
            control = self._controls[name]
            whole_value = " ".join(split_words(value))
            self._answers[name] += 1
            for attribute in sorted(attributes):
                hits = []
                for record in records:
                    terms = record.get(attribute)
                    if terms is not None and self._is_in(control, value, terms):
                        hits.append(terms)
                self._shares[name][attribute] += len(hits) / len(records)

                has_more_words = any(terms.whole != whole_value for terms in hits)
                is_new = name not in self._containing
                if control.kind == "text" and has_more_words and is_new:
                    self._containing.add(name)
                    self._review()

    def _is_in(
        self,
        control: Control,
        value: str,
        terms: SearchTerms,
    ) -> bool:
        words = split_words(value)
        if control.kind == "choice":
            text = dict(control.options).get(value, "")
            text_words = split_words(text)
            is_value = terms.whole == " ".join(words)
            is_text = terms.whole == " ".join(text_words)
            return is_value or is_text
        return bool(words) and terms.words.issuperset(words)

    def _has(self, filling: Filling, record: RecordTerms) -> bool:
        """Whether a record has what was put into the controls, as far as is known."""
        return all(self._has_value(name, value, record) for name, value in filling)

    def _has_value(
        self,
        name: str,
        value: str,
        record: RecordTerms,
    ) -> bool:
        control = self._controls[name]
        for attribute in self.searched(name) or record.keys():
            terms = record.get(attribute)
            if terms is not None and self._is_in(control, value, terms):
                return True
        return False

    def _review(self) -> None:
        """Judge all answers again: a larger one came."""
        self._settled.clear()
        self._open_parts.clear()
        assumed = []
        for region in self._open.values():
            if region.is_assumed:
                assumed.append(region)
        self._open = {region.filling: region for region in assumed}
        for filling in self._answered:
            self._judge(filling)

    def _judge(self, filling: Filling) -> None:
        """Take an answer as cut off, or as one that shows all records of its filling."""
        size = len(self._answered[filling])
        is_cut = self._largest > 1 and size >= MIN_CUT_SHARE * self._largest
        if is_cut:
            if filling and filling not in self._open:
                self._open_cut_fillings()
        elif size:
            self._settled.add(self._parts(filling))
        elif filling:
            self._settled.add(self._parts(filling) | {_empty_mark(filling)})

    def _open_cut_fillings(self) -> None:
        """Open the fillings whose answers are cut off, once there are enough of these."""
        min_size = MIN_CUT_SHARE * self._largest
        cut_fillings = []
        for filling, keys in self._answered.items():
            is_cut = len(keys) >= min_size
            if filling and is_cut:
                cut_fillings.append(filling)
        if len(cut_fillings) < MIN_LARGEST_ANSWERS:
            return
        for filling in cut_fillings:
            if filling in self._open:
                continue
            if self._has_other_name(filling):
                self._settled.add(self._parts(filling))
            else:
                self._begin(filling)

    def _has_other_name(self, filling: Filling) -> bool:
        """Whether an open filling of the same controls had the very same answer: "New" and "York"
        in a table of towns."""
        keys = self._answered[filling]
        controls = filled_controls(filling)
        for open_filling, region in self._open.items():
            has_same_answer = self._answered.get(open_filling) == keys
            has_same_controls = region.controls == controls
            if has_same_answer and has_same_controls:
                return True
        return False

    def _begin(self, filling: Filling, is_assumed: bool = False) -> None:
        region = Region(filling, is_assumed)
        self._open[filling] = region
        if not is_assumed:
            self._open_parts.add(self._parts(filling))
        for record in self._records.values():
            if self._has(filling, record):
                region.add(record)

    def _parts(self, filling: Filling) -> Parts:
        """The parts of a filling, each of which leaves records out."""
        parts: set[Part] = set()
        for name, value in filling:
            if name in self._containing:
                parts.update((name, word) for word in split_words(value))
            else:
                parts.add((name, value))
        return frozenset(parts)


def _read_record(values: Values) -> RecordTerms:
    return {name: read_search_terms(text) for name, text in values.items()}


def _empty_mark(filling: Filling) -> Part:
    """What marks an empty answer, which says nothing of fillings of more controls: those may have
    to be filled in together."""
    return "", " + ".join(filled_controls(filling))
