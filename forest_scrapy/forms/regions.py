"""Knowledge of the records that fillings of a form give: which answers show all of their records,
which show only a part, and how many of the known records a narrower filling would have.

An answer that shows as many records as the largest ones shows only a part, if it does not say how
many there are: its filling is *open*, and is narrowed by a word, an option or a range that its
known records have.  One that shows fewer shows all: whatever is narrower gives nothing new.  The
empty filling is open from the start, and has all records, so a single word is the first narrowing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.estimates import Estimates, estimate_terms
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.ranges import RangeControls, choose_attribute, middle, range_value
from forest_scrapy.forms.terms import RecordTerms, SearchTerms, read_record_terms

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
#: Answers after which a control is taken to find whole texts, if no record had a word more.
MIN_WHOLE_ANSWERS = 5
#: Records of an answer that are looked at for that.
MAX_RECORDS = 30
#: Known records of an open filling that must have a value for this to leave none of them out.
MIN_RECORDS_OF_SAME = 5
#: Of a filling with more parts only the small sets of them are looked for among the answers: all
#: sets of n are 2^n.
MAX_PARTS_IN_ALL_SETS = 8
MAX_PARTS_OF_SMALL_SETS = 3
#: The unknown records that one stands for which a narrower, complete answer shows.
COVERED_WEIGHT = 0.1
#: Estimates of a region are made anew when this part of its records is new.
ESTIMATION_STEP = 12
#: Characters of the longest part of a word that may be wider than another, the share of answers to
#: parts of words that must have them, and records that tell what a range is of.
MAX_PART_LENGTH = 12
MIN_PARTS_SHARE = 0.7
MAX_RANGE_RECORDS = 200
#: Characters of a text whose parts are looked at, and what texts begin with.
MAX_TEXT_LENGTH = 60
START_LENGTH = 3
#: Records of a region whose parts of texts are counted, and new ones after which that is done anew.
MAX_LONGER_RECORDS = 500
LONGER_STEP = 50
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def filled_controls(filling: Filling) -> ControlNames:
    """The names of the controls that are filled in."""
    return tuple(name for name, _ in filling)


@dataclass
class Region:
    """The known records of an open filling.  ``is_assumed``: it was never sent alone."""

    filling: Filling
    is_assumed: bool = False
    #: How many records its answer says to have; None if it does not say.
    total: int | None = None
    #: By their keys; and the number of the complete answer that shows one: there may be unknown
    #: records that are like the others.
    records: dict[str, RecordTerms] = field(default_factory=dict, repr=False)
    covers: dict[str, int] = field(default_factory=dict, repr=False)
    #: What is expected of its terms, and its state when that was computed.
    estimates: Estimates | None = field(default=None, repr=False)
    estimated_at: int = -1

    @cached_property
    def controls(self) -> ControlNames:
        """The names of the controls that are filled in."""
        return filled_controls(self.filling)

    @property
    def size(self) -> int:
        """The number of its known records."""
        return len(self.records)

    @property
    def unknown(self) -> int | None:
        """How many of its records are not known; None if its answer does not say."""
        if self.total is None:
            return None
        return max(0, self.total - self.size)

    @property
    def weight(self) -> float:
        """How many unknown records each known one stands for."""
        if self.unknown is None:
            return 1.0
        return self.unknown / max(1, self.size - len(self.covers))

    @property
    def state(self) -> int:
        """A number that grows with what is known of its records."""
        return len(self.records) + len(self.covers)

    def cover(self, keys: Iterable[str], number: int) -> None:
        """Note that a complete answer shows these records."""
        for key in keys:
            if key in self.records:
                self.covers.setdefault(key, number)


class Regions:
    """The records and the answers of a form.  Cost of a record: a look at each open filling."""

    def __init__(self, form: Form, ranges: Sequence[RangeControls] = ()) -> None:
        self._ends: dict[str, tuple[RangeControls, str]] = {}
        for controls in ranges:
            self._ends[controls.low] = controls, "low"
            self._ends[controls.high] = controls, "high"
        self._ends.pop("", None)
        #: The attribute of each range, and those that it was seen not to be of.
        self._range_attributes: dict[RangeControls, str] = {}
        self._refuted: defaultdict[RangeControls, set[str]] = defaultdict(set)
        #: Of text controls: how many answers to parts of words had them at the start of an
        #: attribute, or anywhere.
        self._part_answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        #: How many records answers have that they do not show; missing for those that do not say.
        self._missing: dict[Filling, int] = {}
        self._controls = {control.name: control for control in form.controls}
        self._records: dict[str, RecordTerms] = {}
        #: How many unknown records each stands for, and the number of answers when that was told.
        self._record_weights: Mapping[str, float] = {}
        self._weights_at = -1
        self._values: dict[str, Values] = {}
        self._option_terms: dict[str, dict[str, str]] = {}
        #: What was computed of regions, with what it rests on.
        self._longer: dict[tuple[Filling, str], tuple[object, Counter[str]]] = {}
        self._halves: dict[tuple[Filling, RangeControls, str], list[tuple[int, Filling]]] = {}
        self._wholes: defaultdict[str, set[str]] = defaultdict(set)
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
        #: The records that those answers show, by their keys, with a number of the answer.
        self._covered: dict[str, int] = {}
        self._open_parts: set[Parts] = set()

    @property
    def open(self) -> Sequence[Region]:
        """The open fillings other than the empty one that have unknown records, in the order in
        which they were sent."""
        return [region for region in self._open.values() if region.unknown != 0]

    def add(
        self,
        filling: Filling,
        keys: frozenset[str],
        new: Mapping[str, Values],
        missing: int | None = None,
    ) -> None:
        """Note the records of an answer: their keys, and the values of those that are new;
        ``missing``: how many more it says to have; None if it does not say."""
        if missing is not None:
            self._missing[filling] = missing
            if not filling:
                self.root.total = len(keys) + missing
        new_records = self._read_records(new)
        self._learn(filling, keys)
        self._place_records(new_records)

        self._answered[filling] = keys
        if len(keys) > self._largest:
            self._largest = len(keys)
            self._review()
        else:
            self._judge(filling)

    def note_records(self, new: Mapping[str, Values]) -> None:
        """Note records whose answer tells nothing else."""
        self._place_records(self._read_records(new))

    def _read_records(self, new: Mapping[str, Values]) -> dict[str, RecordTerms]:
        new_records = {key: read_record_terms(values) for key, values in new.items()}
        self._records.update(new_records)
        self._values.update(new)
        for record in new_records.values():
            for attribute, terms in record.items():
                self._wholes[attribute].add(terms.whole)
        return new_records

    def _place_records(self, new_records: Mapping[str, RecordTerms]) -> None:
        """Have the regions that new records are of know them."""
        regions = [self.root, *self._open.values()]
        for key, record in new_records.items():
            for region in regions:
                if self._has(region.filling, record):
                    region.records[key] = record

    def answered(self, filling: Filling) -> frozenset[str]:
        """The keys of the records of an answer; none if there is no such answer."""
        return self._answered.get(filling, frozenset())

    def answered_values(self, names: ControlNames, name: str) -> set[str]:
        """What a control was filled with, together with others, where the answer had records; cost:
        one pass over the answers."""
        values = set()
        for filling, keys in self._answered.items():
            if keys and filled_controls(filling) == names:
                values.add(dict(filling)[name])
        return values

    def note_missing(self, missing: Mapping[Filling, int]) -> None:
        """Note how many records answers say to have and do not show.  Of those that are not known
        any more the size counts again."""
        self._missing = {**missing}
        self.root.total = self._total_of(())
        self._review()

    def _total_of(self, filling: Filling) -> int | None:
        """How many records an answer says to have; None if it does not say."""
        if filling not in self._missing:
            return None
        return len(self.answered(filling)) + self._missing[filling]

    def estimates(self, region: Region) -> Estimates:
        """What is expected of the terms of a region's records; computed anew when some more of
        them are known, or shown by complete answers.  Cost: see ``estimate_terms``."""
        step = 1 + len(region.records) // ESTIMATION_STEP
        if region.estimates is None or region.state - region.estimated_at >= step:
            max_shown = self._largest if self._open_parts else 0
            region.estimates = estimate_terms(
                records=region.records,
                weights=self._weights(),
                covers=region.covers,
                shown=self.answered(region.filling),
                max_shown=max_shown,
            )
            region.estimated_at = region.state
        return region.estimates

    def forget_outdated(self) -> bool:
        """Have the estimates computed anew that do not have all known records; whether there are
        any."""
        has_outdated = False
        for region in (self.root, *self._open.values()):
            if region.estimates is not None and region.estimated_at != region.state:
                region.estimates = None
                has_outdated = True
        return has_outdated

    def _weights(self) -> Mapping[str, float]:
        """How many unknown records each known one stands for, by its key: as many as in the answer
        where these are the fewest."""
        state = len(self._answered)
        if self._weights_at != state:
            weights: dict[str, float] = {}
            for region in (self.root, *self._open.values()):
                if region.unknown is None:
                    continue
                weight = region.weight
                for key in region.records:
                    record_weight = COVERED_WEIGHT if key in region.covers else weight
                    weights[key] = min(record_weight, weights.get(key, record_weight))
            self._record_weights = weights
            self._weights_at = state
        return self._record_weights

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
        return self._narrows(filling)

    def _narrows(self, filling: Filling) -> bool:
        """Whether a filling leaves out records of each wider one of a control less, as far as is
        known: else it has the same answer."""
        for index, (name, value) in enumerate(filling):
            region = self._open.get((*filling[:index], *filling[index + 1 :]))
            if region is None or region.is_assumed or region.size < MIN_RECORDS_OF_SAME:
                continue
            records = region.records.values()
            if all(self._has_value(name, value, record) for record in records):
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
        if any(wider in self._settled for wider in self._shortened(filling)):
            return False
        return parts not in self._open_parts

    def _shortened(self, filling: Filling) -> Iterator[Parts]:
        """The parts of fillings that are wider since they have a shorter part of a text."""
        for name, value in filling:
            relation = self.relation(name)
            if relation not in ("starts", "within"):
                continue
            other_parts = [part for part in filling if part[0] != name]
            for text in _shorter_texts(value[:MAX_PART_LENGTH], relation):
                part = (name, text)
                yield frozenset([part])
                if other_parts:
                    yield frozenset([part, *other_parts])

    def relation(self, name: str) -> str:
        """How a text control searches, by the answers to parts of words: ``starts`` (texts begin
        with it), ``within`` (it is anywhere in a text), else ``words``."""
        counts = self._part_answers[name]
        if not counts["any"]:
            return "words"
        if counts["starts"] >= MIN_PARTS_SHARE * counts["any"]:
            return "starts"
        if counts["within"] >= MIN_PARTS_SHARE * counts["any"]:
            return "within"
        return "words"

    def note_part_without_answer(self, name: str) -> None:
        """Note that a control does not find a part of a known text."""
        self._part_answers[name]["any"] += 1

    def longer_parts(self, region: Region, name: str) -> Counter[str]:
        """What is put into a control that finds parts of texts to narrow a region: what it has
        there and one sign more, with the number of the region's records that have it; all letters,
        of a text's start, since records that are not known begin with others."""
        cache_key = (region.filling, name)
        # Counted anew when there are some more records, not at each of them.
        size = min(len(region.records), MAX_LONGER_RECORDS)
        steps = size.bit_length(), size // LONGER_STEP
        stamp = (*steps, self.relation(name), self.searched(name))
        cached = self._longer.get(cache_key)
        if cached is not None and cached[0] == stamp:
            return cached[1]
        value = dict(region.filling).get(name, "").casefold()
        searched = self.searched(name)
        parts: Counter[str] = Counter()
        for key, record in islice(region.records.items(), MAX_LONGER_RECORDS):
            parts_of_record: set[str] = set()
            for attribute in searched or record.keys():
                terms = record.get(attribute)
                if terms is not None:
                    parts_of_record.update(self._parts_after(terms.text, value, name))
            is_uncovered = key not in region.covers
            for part in parts_of_record:
                parts[part] += is_uncovered
        if self.relation(name) == "starts":
            for letter in _LETTERS:
                parts.setdefault(value + letter, 0)
        self._longer[cache_key] = (stamp, parts)
        return parts

    def _parts_after(self, text: str, value: str, name: str) -> Iterator[str]:
        """The value with the sign after it, where a text has it; a space and the sign after."""
        if self.relation(name) == "starts":
            positions = [0] if text.startswith(value) else []
        else:
            positions = _positions_of(value, text)
        for position in positions:
            end = position + len(value)
            is_space = text[end : end + 1].isspace()
            size = 2 if is_space else 1
            after = text[end : end + size]
            if after.strip():
                yield value + after

    def halves(self, region: Region, controls: RangeControls) -> list[tuple[int, Filling]]:
        """The fillings that halve a region by a range, each with how many of its known records it
        has."""
        attribute = self.range_attribute(controls)
        cache_key = (region.filling, controls, attribute)
        cached = self._halves.get(cache_key)
        if cached is not None:
            return cached
        fillings: list[tuple[int, Filling]] = []
        records = region.records.values()
        values = [record[attribute].text for record in records if attribute in record]
        ends = middle(values)
        if ends is not None:
            median, following = ends
            filled = dict(region.filling)
            place = range_value(median)
            assert place is not None
            lower = sum((range_value(value) or place) <= place for value in values)
            if controls.high:
                fillings.append((lower, self._in_order({**filled, controls.high: median})))
            if controls.low:
                upper = len(values) - lower
                fillings.append((upper, self._in_order({**filled, controls.low: following})))
            # Halved anew whenever records come, ranges would overlap in many ways.
            self._halves[cache_key] = fillings
        return fillings

    def _in_order(self, values: Mapping[str, str]) -> Filling:
        return tuple((name, values[name]) for name in self._controls if name in values)

    def common_start(self, control: str, number: int) -> str:
        """The first letters of known texts, the most frequent ones that are no word: of the
        attribute that a control searches, else of the first or second one (``number``) with many
        different texts; ``""`` if there are none."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        records = list(islice(self._records.values(), MAX_RANGE_RECORDS))
        words: set[str] = set()
        for record in records:
            for terms in record.values():
                words.update(terms.words)
        for record in records:
            for attribute, terms in record.items():
                start = terms.text[:START_LENGTH]
                is_part = len(terms.text) > START_LENGTH and start.isalpha()
                if is_part and start not in words:
                    counts[attribute][start] += 1
        attributes = sorted(
            counts, key=lambda name: (name not in self.searched(control), -len(counts[name]), name)
        )
        if number >= len(attributes):
            return ""
        starts = counts[attributes[number]]
        return min(starts, key=lambda start: (-starts[start], start))

    def range_attribute(self, controls: RangeControls) -> str:
        """The attribute that a range is of; ``""`` if that is not known."""
        attribute = self._range_attributes.get(controls, "")
        if not attribute:
            records = islice(self._values.values(), MAX_RANGE_RECORDS)
            attribute = choose_attribute(controls, records, self._refuted[controls])
            self._range_attributes[controls] = attribute
        return attribute

    def finds_whole(self, control: str) -> bool:
        """Whether a text control was seen to find whole texts only."""
        has_answers = self._answers[control] >= MIN_WHOLE_ANSWERS
        return has_answers and control not in self._containing and self.relation(control) == "words"

    def is_whole(self, attribute: str, term: str) -> bool:
        """Whether a term is all of a known text of an attribute."""
        return term in self._wholes[attribute]

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
        if control.name in self._option_terms:
            return self._option_terms[control.name]
        terms = {}
        for value, text in control.options:
            terms[value] = " ".join(split_words(text))
        self._option_terms[control.name] = terms
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
            if name in self._ends:
                self._check_range(name, value, records)
                continue
            if control.kind == "text":
                self._learn_relation(name, value, records)
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

    def _learn_relation(
        self,
        name: str,
        value: str,
        records: Sequence[RecordTerms],
    ) -> None:
        """Note how a control searches, if what was put in is no word of most records."""
        words = set(split_words(value))
        part = value.strip().casefold()
        with_words = 0
        within = 0
        starting: Counter[str] = Counter()
        for record in records:
            terms_of_record = record.values()
            with_words += any(words <= terms.words for terms in terms_of_record)
            within += any(part in terms.text for terms in terms_of_record)
            for attribute, terms in record.items():
                starting[attribute] += terms.text.startswith(part)
        if 2 * with_words > len(records):
            return
        counts = self._part_answers[name]
        before = self.relation(name)
        counts["any"] += 1
        counts["within"] += within >= MIN_SEARCHED_SHARE * len(records)
        counts["starts"] += max(starting.values(), default=0) >= MIN_SEARCHED_SHARE * len(records)
        if self.relation(name) != before:
            # What was learned of the attributes was of whole words.
            self._shares.pop(name, None)
            self._answers.pop(name, None)
            self._review()

    def _check_range(self, name: str, value: str, records: Sequence[RecordTerms]) -> None:
        """Give up the attribute of a range if records are outside of it."""
        controls, _ = self._ends[name]
        attribute = self._range_attributes.get(controls, "")
        if not attribute:
            return
        inside = sum(self._is_on_side(name, value, record) for record in records)
        if inside < MIN_SEARCHED_SHARE * len(records):
            self._refuted[controls].add(attribute)
            self._range_attributes[controls] = ""

    def _is_on_side(self, name: str, value: str, record: RecordTerms) -> bool:
        """Whether a record is on the side of the end of a range where the answer is."""
        controls, side = self._ends[name]
        terms = record.get(self._range_attributes.get(controls, ""))
        if terms is None:
            return False
        place = range_value(terms.text)
        end = range_value(value)
        if place is None or end is None:
            return False
        return place >= end if side == "low" else place <= end

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
        relation = self.relation(control.name)
        if relation == "starts":
            return terms.text.startswith(value.casefold())
        if relation == "within":
            return value.casefold() in terms.text
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
        if name in self._ends:
            return self._is_on_side(name, value, record)
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
        self._covered.clear()
        self.root = Region((), total=self.root.total)
        for key, record in self._records.items():
            self.root.records[key] = record
        for filling in self._answered:
            self._judge(filling)

    def _judge(self, filling: Filling) -> None:
        """Take an answer as cut off, or as one that shows all records of its filling."""
        size = len(self._answered[filling])
        is_cut = self._largest > 1 and size >= MIN_CUT_SHARE * self._largest
        missing = self._missing.get(filling)
        if missing:
            if filling and filling not in self._open:
                self._open_filling(filling)
        elif missing == 0 and size:
            self._settle(filling)
        elif is_cut:
            if filling and filling not in self._open:
                self._open_cut_fillings()
        elif size:
            self._settle(filling)
        elif filling:
            self._settle(filling, frozenset([_empty_mark(filling)]))

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
            is_known = filling in self._missing
            if filling not in self._open and not is_known:
                self._open_filling(filling)

    def _open_filling(self, filling: Filling) -> None:
        """Open a filling, unless another one is the same."""
        if self._has_other_name(filling):
            self._settled.add(self._parts(filling))
        else:
            self._begin(filling)

    def _has_other_name(self, filling: Filling) -> bool:
        """Whether an open filling of the same controls had the very same answer: "New" and "York"
        in a table of towns.  A longer part of a text, or a smaller range, may have the first
        records of the shorter or larger one, and is no other name."""
        for name, _ in filling:
            if name in self._ends or self.relation(name) != "words":
                return False
        keys = self._answered[filling]
        controls = filled_controls(filling)
        for open_filling, region in self._open.items():
            has_same_answer = self._answered.get(open_filling) == keys
            has_same_controls = region.controls == controls
            if has_same_answer and has_same_controls:
                return True
        return False

    def _begin(self, filling: Filling, is_assumed: bool = False) -> None:
        region = Region(filling, is_assumed, self._total_of(filling))
        self._open[filling] = region
        if not is_assumed:
            self._open_parts.add(self._parts(filling))
        for key, record in self._records.items():
            if self._has(filling, record):
                region.records[key] = record
                if key in self._covered:
                    region.covers[key] = self._covered[key]

    def _settle(self, filling: Filling, mark: Parts = frozenset()) -> None:
        """Take an answer as one that shows all records of its filling."""
        self._settled.add(self._parts(filling) | mark)
        keys = sorted(self.answered(filling))
        number = len(self._settled)
        if len(filling) == 1:
            for key in keys:
                self._covered.setdefault(key, number)
            for region in (self.root, *self._open.values()):
                region.cover(keys, number)
            return
        # What comes together where two controls are filled in may not do so elsewhere.
        for index in range(len(filling)):
            wider = self._open.get((*filling[:index], *filling[index + 1 :]))
            if wider is not None:
                wider.cover(keys, number)

    def _parts(self, filling: Filling) -> Parts:
        """The parts of a filling, each of which leaves records out."""
        parts: set[Part] = set()
        for name, value in filling:
            if name in self._containing and self.relation(name) == "words":
                parts.update((name, word) for word in split_words(value))
            else:
                parts.add((name, value))
        return frozenset(parts)


def _empty_mark(filling: Filling) -> Part:
    """What marks an empty answer, which says nothing of fillings of more controls: those may have
    to be filled in together."""
    return "", " + ".join(filled_controls(filling))


def _shorter_texts(text: str, relation: str) -> Iterator[str]:
    """What is wider than a text: what it begins with, for ``starts``; else all parts of it, and
    the text itself, of which the filling may have only the first characters.

    >>> list(_shorter_texts("abc", "starts")), list(_shorter_texts("abc", "within"))
    (['a', 'ab'], ['a', 'b', 'c', 'ab', 'bc', 'abc'])
    """
    if relation == "starts":
        for length in range(1, len(text)):
            yield text[:length]
        return
    for length in range(1, len(text) + 1):
        for first in range(len(text) - length + 1):
            yield text[first : first + length]


def _positions_of(value: str, text: str) -> list[int]:
    """Where a value is in the first characters of a text; an empty one is everywhere.

    >>> _positions_of("ab", "abcab"), _positions_of("", "abc")
    ([0, 3], [0, 1, 2])
    """
    max_position = min(len(text), MAX_TEXT_LENGTH)
    positions = []
    position = text.find(value)
    while 0 <= position < max_position:
        positions.append(position)
        position = text.find(value, position + 1)
    return positions
