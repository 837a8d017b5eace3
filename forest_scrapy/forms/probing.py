"""The choice of the next probe: agnostic probing of a form (Oita et al. 2012, section 3.1).

Nothing is known of the form's domain: first nonsense words, whose answers are error pages; then
the form as it is, the options of its choices, frequent words, and words of the site; then words
and values of the records that were found, alone or together with what had an answer that shows only
a part (``forms.regions``).

The next probe is of the group that has given the most new records a probe: the choice is a bandit
with a prior, after the selection of queries by their expected gain (Ntoulas, Zerfos and Cho 2005,
"Downloading textual hidden Web content through keyword queries").  Groups of words are those of
which about as many new records are expected (``forms.estimates``), and what they gave corrects
that.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product, zip_longest

from forest_scrapy.forms.candidates import (
    Candidates,
    General,
    GeneralPairs,
    HalfRanges,
    LongerParts,
    NamedPairs,
    Narrower,
    UnseenWords,
    weigh,
)
from forest_scrapy.forms.coverage import Coverage
from forest_scrapy.forms.estimates import bucket_value
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.ranges import RangeControls, find_ranges
from forest_scrapy.forms.regions import (
    ControlNames,
    Filling,
    Region,
    Regions,
    Values,
    filled_controls,
)
from forest_scrapy.forms.terms import MAX_WORD_LENGTH, MIN_WORD_LENGTH

#: Words that no text has, one for each look at the error page.
NONSENSE = ("qzxvkwjqph", "wqkxzvbjtr", "zvxqjwkpfh")
#: Numbers that registers and catalogues have: small ones, and years.
_NUMBERS = ("1", "2000", "10", "2010", "5", "1990", "20", "2020", "100", "1950")
#: Words that most texts have, titles too, the most frequent first, by language.
FREQUENT_WORDS = {
    "cs": "a v na se je s z do o pro",
    "da": "og i af en til det for på med den",
    "de": "der die und das von in zu mit für im",
    "en": "the of and in a to for on with from",
    "es": "de la el y en los del las por con",
    "fi": "ja on ei se oli että hän kun",
    "fr": "de la le les et des du un en pour",
    "hu": "a az és egy hogy nem is",
    "it": "di il la e del in per un della con",
    "nl": "de het van een en in voor op met",
    "no": "og i av en til det for på med den",
    "pl": "w i z na do o od po za nie",
    "pt": "de a o e do da em os para com",
    "ro": "de şi în la cu din pe o un",
    "ru": "и в на с по из от для о к",  # noqa: RUF001
    "sv": "och i av en till det för på med den",
    "tr": "ve bir bu için ile da de",
}
#: Frequent words that each control is tried with at first.
MAX_FIRST_WORDS = 6
#: Options of each choice that are tried at first.
MAX_FIRST_OPTIONS = 12
#: A group starts with the gain that is expected of its terms, or else with that of the group above
#: it, counted as so many probes.  This and ``HOPE_SHARE`` were chosen among 1, 2 and 4, and among
#: .3, .6 and 1, on a made register of 5,000 rows, before expectations were estimated.
PRIOR_WEIGHT = 1.0
#: As if so many records had been expected of a group's terms, and had come.
PRIOR_EXPECTED = 20.0
#: The last gains of a group that count.
MAX_GAINS = 12
#: The uppermost group starts with this part of the best gain.
HOPE_SHARE = 0.6
#: Probes without a record in a row after which a control is given up if it has had none, and after
#: which a set of controls is: what fits two controls is found later.
MAX_FAILURES = 30
MAX_FAILURES_OF_SETS = 60
#: The same of a set of controls once another set has had records.
MAX_FAILURES_BESIDE = 10
#: One in so many probes is of a group that was tried little.
EXPLORATION_INTERVAL = 20
#: Probes after which a group that had no new one is looked at again.
EXHAUSTED_INTERVAL = 8
#: Answers that tell what a control means, and probes with words of records that are sent for them.
MIN_PROOFS = 6
MAX_PROOF_TRIES = 15
#: Probes of one control with words of an attribute without an answer after which it is taken not to
#: search there, if it is seen to search elsewhere: only what is tried can come back, and a word of
#: a known record does if the control searches its attribute.
MAX_TRIES_ELSEWHERE = 1
#: Parts of words that a control is tried with, and letters where no word has an answer.
MAX_PART_TESTS = 2
FIRST_LETTERS = "samc"
#: Words of the site, and values of each control of a pair, that are tried.
MAX_SITE_WORDS = 100
MAX_PAIR_VALUES = 200

#: The sources of values: those that records have, and those that a person has named.
_WORD = "word"
_GIVEN = "given"
_RANGE = "range"
#: The start of a text, which tells whether a control finds parts of words.
_PART_TEST = "part test"
#: Words of an attribute that no known record of a filling has.
_UNSEEN = "unseen"
#: What tells how the engine searches (``forms.engine``), and nothing of the probes after it.
TRIAL = "trial"

#: Which probes are alike: the controls that are filled in; where the value is from: ``frequent``,
#: ``site``, ``option``, ``given``, or ``word``, an attribute, and the bucket of
#: the new records that are expected of the word (see ``bucket_of``); parts of words and ranges have
#: the number of bits of the count of known records instead.
Group = tuple[str, ...]


@dataclass(frozen=True)
class FormProbe:
    """A query that is sent with a form: what its controls are filled with, and the group of probes
    that it is of."""

    filling: Filling
    group: Group

    @property
    def controls(self) -> ControlNames:
        """The names of the controls that are filled in."""
        return filled_controls(self.filling)

    @property
    def is_trial(self) -> bool:
        """Whether it is sent to tell how the engine searches."""
        return self.group[1:2] == (TRIAL,)


@dataclass(frozen=True)
class Gain:
    """The result of a probe: the keys of the records of its answer, how many of them are new, and
    how many requests it took.  ``is_error``: whether the answer is an error page.  ``missing``: how
    many more records the answer says to have than it shows; None if it does not say."""

    keys: frozenset[str]
    new: int
    requests: int = 1
    is_error: bool = False
    missing: int | None = None


class Prober:
    """Chooses probes of a form until no group has any, and never one twice.

    The choice depends only on what was added, in its order: with the same answers the same
    probes.  Cost: for each probe one pass over the groups of the open fillings.
    """

    def __init__(
        self,
        form: Form,
        site_words: Sequence[str] = (),
        language: str = "",
    ) -> None:
        self._form = form
        self._given_words = tuple(site_words)
        self._controls = {control.name: control for control in form.controls}
        self._site_words = list(_usable(site_words))[:MAX_SITE_WORDS]
        self._language = language
        self._named_values: dict[str, Sequence[str]] = {}
        self._sent: set[Filling] = set()
        self.keys: set[str] = set()
        self.coverage = Coverage()
        self._ranges = find_ranges(form)
        ends = {name for controls in self._ranges for name in (controls.low, controls.high)}
        #: The controls that words are put into.
        self._texts = [control for control in form.texts if control.name not in ends]
        self.regions = Regions(form, self._ranges)
        #: How many records there are in all, if the form says so; 0 if not.
        self._total = 0
        #: Parts of words that each text control was tried with.
        self._part_tests: Counter[str] = Counter()
        #: The last gains of each group, and of the groups above it; how many there were.
        self._gains: defaultdict[Group, deque[float]] = defaultdict(lambda: deque(maxlen=MAX_GAINS))
        self._tried: Counter[Group] = Counter()
        #: The new records that were expected of the terms of an attribute, and those that came.
        self._expected: defaultdict[Group, float] = defaultdict(float)
        self._gained: defaultdict[Group, float] = defaultdict(float)
        #: The last probes of a set of controls that gave no record, in a row.
        self._failures: Counter[ControlNames] = Counter()
        #: Controls and attributes whose words had an answer; how many were tried; and those whose
        #: words came back in no attribute that the control was seen to search.
        self._hits: set[Group] = set()
        self._word_tries: Counter[Group] = Counter()
        self._elsewhere: set[Group] = set()
        #: Probes with words of records, and answers with records, by the control alone.
        self._tries: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        #: The sets of controls that have given records, and those with answers that are not read
        #: yet.
        self._fits: set[ControlNames] = set()
        self._hoped: set[ControlNames] = set()
        #: When the groups that had no new probe are looked at again, in probes.
        self._exhausted: dict[Group, int] = {}
        self._first = self._first_probes()

    def offer(self, values: Mapping[str, Sequence[str]]) -> None:
        """Try these values, too, by the control that they are for: the first of them before all
        words of records."""
        self._named_values = dict(values)

    def begin_anew(self) -> Prober:
        """A prober of the same form that knows no answer."""
        prober = Prober(self._form, self._given_words, self._language)
        prober.offer(self._named_values)
        return prober

    def next(self) -> FormProbe | None:
        """The probe to send; None if nothing remains to be tried, or all records that the form says
        to have are known."""
        if self.has_all:
            return None
        probe = self._next_general() or self._next_of_groups()
        if probe is None and self.regions.forget_outdated():
            # The last records may have words that no other one has.
            probe = self._next_of_groups()
        if probe is not None:
            self._sent.add(probe.filling)
        return probe

    @property
    def total(self) -> int:
        """How many records there are in all, if an answer says so; 0 if none does."""
        return self._total

    @property
    def has_all(self) -> bool:
        """Whether all records are known that the form says to have."""
        return 0 < self.total <= len(self.keys)

    def _next_general(self) -> FormProbe | None:
        """The next probe that is sent whatever the answers."""
        for probe in self._first:
            if self._is_new(probe.filling):
                return probe
        for probe in self._pair_probes():
            if self._is_new(probe.filling):
                return probe
        return self._next_part_test()

    def _next_part_test(self) -> FormProbe | None:
        """A probe with the first letters of a known text, which tells whether a control finds parts
        of words; for each control one or two, of different attributes."""
        if not self.keys or self._needs_pairs:
            return None
        for control in self._texts:
            tests = self._part_tests[control.name]
            has_answer = self.regions.relation(control.name) != "words"
            if control.type or has_answer or tests >= MAX_PART_TESTS:
                continue
            self._part_tests[control.name] += 1
            part = self.regions.common_start(control.name, tests)
            if part:
                probe = _single_probe(control.name, part, _PART_TEST)
                if probe.filling not in self._sent:
                    return probe
        return None

    def _next_of_groups(self) -> FormProbe | None:
        """The first new probe of the best group that has one."""
        groups = self._groups()
        best_mean = self._best_mean
        ranked_groups = sorted(groups, key=lambda group: self._rank(group, best_mean))
        skipped_groups = []
        for group in ranked_groups:
            if self._exhausted.get(group, 0) > len(self._sent):
                skipped_groups.append(group)
                continue
            probe = self._first_new(group, groups[group])
            if probe is not None:
                return probe
            self._exhausted[group] = len(self._sent) + EXHAUSTED_INTERVAL
        for group in skipped_groups:
            probe = self._first_new(group, groups[group])
            if probe is not None:
                return probe
        return None

    def _first_new(self, group: Group, candidates: Candidates) -> FormProbe | None:
        is_named = group[1] in (_GIVEN, _RANGE)
        for filling in candidates.fillings(self.regions):
            if self._is_new(filling, is_named):
                return FormProbe(filling, group)
        return None

    def add(
        self,
        probe: FormProbe,
        gain: Gain,
        new: Mapping[str, Values] | None = None,
    ) -> None:
        """Note the result of a probe; ``new``: the values by attribute of the new records, by their
        keys."""
        group = probe.group
        controls = probe.controls
        is_word = _WORD in group[1:]
        self._sent.add(probe.filling)
        self.keys |= gain.keys
        self.coverage.add(gain.keys, gain.new)
        if probe.is_trial:
            self.regions.note_records(new or {})
            return

        self._tried[group] += 1
        # What is tried elsewhere tells nothing of the words that the control is seen to search.
        shortest = 3 if self._is_elsewhere(group) else 0
        for length in range(shortest, len(group) + 1):
            self._gains[group[:length]].append(float(gain.new))

        if _has_bucket(group):
            self._expected[group[:3]] += bucket_value(group[-1])
            self._gained[group[:3]] += gain.new
        if is_word:
            self._word_tries[group[:3]] += 1
            if gain.keys:
                self._hits.add(group[:3])
        if len(controls) == 1:
            self._tries[controls[0]] += is_word
            self._answers[controls[0]] += bool(gain.keys)

        if gain.keys and not gain.is_error:
            self._fits.add(controls)
            self._failures[controls] = 0
        else:
            self._failures[controls] += 1

        if group[1] == _PART_TEST and not gain.keys:
            self.regions.note_part_without_answer(controls[0])
        if "nonsense" not in group[1:]:
            self.regions.add(probe.filling, gain.keys, new or {}, gain.missing)
        if not probe.filling and gain.missing is not None:
            self._total = len(gain.keys) + gain.missing
        if is_word and self.regions.is_elsewhere(probe.filling, gain.keys):
            self._elsewhere.add(group[:3])

    def note_missing(self, missing: Mapping[Filling, int]) -> None:
        """Note how many records earlier answers say to have and do not show, once that is known;
        what was taken for these numbers before counts no more."""
        self.regions.note_missing(missing)
        self._total = 0
        if () in missing:
            self._total = len(self.regions.answered(())) + missing[()]

    def note_waiting(self, probe: FormProbe) -> None:
        """Note that the answer to a probe seems to have records, which are not read yet."""
        self._sent.add(probe.filling)
        self._hoped.add(probe.controls)
        self._failures[probe.controls] = 0

    def forget_waiting(self) -> None:
        """Take back what was hoped of answers that wait: they are read now."""
        self._hoped.clear()

    @property
    def _fitting(self) -> set[ControlNames]:
        """The sets of controls that have given records, or seem to have."""
        return self._fits | self._hoped

    def _is_unproved(self, name: str) -> bool:
        """Whether a control, which may fit, has given too few answers to tell what it means."""
        is_single_control = name in self._controls
        has_few_answers = self._answers[name] < MIN_PROOFS
        may_try = self._tries[name] < MAX_PROOF_TRIES
        return is_single_control and has_few_answers and may_try

    def _rank(
        self,
        group: Group,
        best_mean: float,
    ) -> tuple[bool, bool, float, Group]:
        """Smaller is tried earlier: first values that a person has named, and words of records for
        controls without proof; now and then the group that was tried least, of those whose
        attribute fits; else the best one."""
        is_word = _WORD in group[1:]
        is_needed = is_word and self._is_unproved(group[0])
        is_named = group[1] == _GIVEN
        if is_named and self._tried[group] < MAX_PROOF_TRIES:
            is_needed = True

        is_turn_to_explore = len(self._sent) % EXPLORATION_INTERVAL == 0
        has_fitting_attribute = group[:3] in self._hits
        is_exploring = is_turn_to_explore and has_fitting_attribute
        if is_exploring:
            order: float = self._tried[group]
        else:
            order = -self._expect(group, best_mean)
        return not is_needed, not is_exploring, order, group

    def _is_new(self, filling: Filling, is_named: bool = False) -> bool:
        """Whether a filling was not sent yet and may give new records.  ``is_named``: a person has
        named its value."""
        if filling in self._sent:
            return False
        if self._is_given_up(filled_controls(filling)):
            return False
        if is_named:
            return self.regions.is_unanswered(filling)
        return self.regions.is_useful(filling, self._fitting)

    def _is_given_up(self, controls: ControlNames) -> bool:
        """Whether a set of controls has given nothing so often that it is tried no more."""
        if controls in self._fitting:
            return False
        max_failures = MAX_FAILURES_OF_SETS
        if len(controls) < 2:
            max_failures = MAX_FAILURES
        elif self._fitting:
            max_failures = MAX_FAILURES_BESIDE
        return self._failures[controls] >= max_failures

    def _first_probes(self) -> Iterator[FormProbe]:
        """What is tried whatever the answers: nonsense, nothing, options and frequent words in
        turn."""
        texts = self._texts
        nonsense = NONSENSE if len(texts) == 1 else NONSENSE[:2]
        for control in texts:
            for word in nonsense:
                yield _single_probe(control.name, word, "nonsense")
        yield FormProbe((), ("", "as it is"))

        options = self._first_option_probes()
        for word in self._frequent_words[:MAX_FIRST_WORDS]:
            for control in texts:
                if not control.type or word.isdigit():
                    yield _single_probe(control.name, word, "frequent")
            yield from islice(options, len(texts))
        yield from options
        for letter in FIRST_LETTERS:
            for control in texts:
                # With other controls, words of pairs are the next to be tried.
                is_only = len(self._form.controls) == 1
                if is_only and not self.keys and not control.type:
                    yield _single_probe(control.name, letter, "letter")

    def _first_option_probes(self) -> Iterator[FormProbe]:
        for control in self._form.choices:
            for value, _ in control.options[:MAX_FIRST_OPTIONS]:
                yield _single_probe(control.name, value, "option")

    def _pair_probes(self) -> Iterator[FormProbe]:
        """Nonsense for two controls, if no single one has given a record: their error page may be
        another one."""
        if not self._needs_pairs:
            return
        for names in self._pairs():
            values: list[str] = []
            for name in names:
                values.extend(self._values_of(name, NONSENSE[:1])[:1])
            filling = tuple(zip(names, values, strict=True))
            yield FormProbe(filling, (" + ".join(names), "nonsense"))

    @cached_property
    def _frequent_words(self) -> list[str]:
        """The words that most texts of the page's language have, and numbers, in turn."""
        language_words = FREQUENT_WORDS.get(self._language) or FREQUENT_WORDS["en"]
        words: list[str] = []
        for pair in zip_longest(language_words.split(), _NUMBERS):
            words.extend(filter(None, pair))
        return words

    def _groups(self) -> dict[Group, Candidates]:
        """The groups that may be tried."""
        if self._needs_pairs:
            self._assume_pairs()
            groups = self._groups_of_pairs()
            regions = list(self.regions.open)
        else:
            groups = self._groups_of_controls()
            regions = [self.regions.root, *self.regions.open]

        for name, values in self._named_values.items():
            groups[(name, _GIVEN)] = General(name, values)
        open_terms = self._open_terms()
        for region in regions:
            for control in (*self._texts, *self._form.choices):
                self._add_narrower(groups, region, control, open_terms)
            for controls in self._ranges:
                self._add_halves(groups, region, controls)

        return {
            group: candidates
            for group, candidates in groups.items()
            if not self._is_given_up(candidates.names)
        }

    def _groups_of_pairs(self) -> dict[Group, Candidates]:
        groups: dict[Group, Candidates] = {}
        for names in self._pairs():
            label = " + ".join(names)
            choices = [name for name in names if self._controls[name].kind == "choice"]
            varied = choices[0] if choices else names[1]
            for source, words in self._general_words().items():
                values = [self._values_of(name, words)[:MAX_PAIR_VALUES] for name in names]
                groups[(label, source)] = GeneralPairs(names, values, varied)
            named = next((name for name in names if self._named_values.get(name)), "")
            if named:
                (partner,) = set(names) - {named}
                partner_values = self._named_values.get(partner)
                if not partner_values:
                    partner_values = self._values_of(partner, self._site_words)
                groups[(label, _GIVEN)] = NamedPairs(
                    names=names,
                    named=named,
                    values=self._named_values[named],
                    partner_values=partner_values[:MAX_PAIR_VALUES],
                )
        return groups

    def _groups_of_controls(self) -> dict[Group, Candidates]:
        groups: dict[Group, Candidates] = {}
        for control in self._texts:
            if control.type:
                continue
            for source, words in self._general_words().items():
                groups[(control.name, source)] = General(control.name, words)
        for control in self._form.choices:
            values = [value for value, _ in control.options]
            groups[(control.name, "option")] = General(control.name, values)
        return groups

    def _open_terms(self) -> dict[str, dict[str, str]]:
        """By control the values that are open fillings alone, by the term that records have."""
        open_terms: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for region in self.regions.open:
            if len(region.filling) == 1:
                name, value = region.filling[0]
                terms = self.regions.option_terms(self._controls[name])
                open_terms[name][terms.get(value, value)] = value
        return open_terms

    def _add_narrower(
        self,
        groups: dict[Group, Candidates],
        region: Region,
        control: Control,
        open_terms: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Add the groups of what narrows a region by a control; ``open_terms``: see
        ``_open_terms``."""
        is_filled = control.name in region.controls
        finds_parts = self.regions.relation(control.name) != "words"
        takes_more_words = control.kind == "text" and self.regions.contains(control.name)
        if is_filled and not takes_more_words and not finds_parts:
            return
        if finds_parts and (is_filled or not region.filling):
            self._add_longer(groups, region, control)
            return

        names = self._names_with(region, control)
        label = _label(names, region, control)
        searched = self.regions.searched(control.name)
        if region.is_assumed:
            for attribute in self.regions.estimates(self.regions.root).known:
                if not self._may_search(control.name, attribute, searched, region):
                    continue
                group = (label, _WORD, attribute, _UNSEEN)
                new_unseen = UnseenWords(names, control, attribute, [])
                unseen = groups.setdefault(group, new_unseen)
                assert isinstance(unseen, UnseenWords)
                if unseen.control == control:
                    unseen.regions.append(region)

        values: Mapping[str, str] | None = None
        if region.filling and (control.name,) in self._fitting:
            # What is not open alone is better sent alone.
            values = open_terms.get(control.name, {})
        elif control.kind == "choice":
            option_terms = self.regions.option_terms(control)
            values = {term: value for value, term in option_terms.items()}
        for attribute, bucket in self.regions.estimates(region).ranked:
            if not self._may_search(control.name, attribute, searched, region):
                continue
            group = (label, _WORD, attribute, bucket)
            new_narrower = Narrower(names, control, attribute, bucket, [], values)
            narrower = groups.setdefault(group, new_narrower)
            assert isinstance(narrower, Narrower)
            # The other control of a pair may be put into the same attribute.
            if narrower.control == control:
                narrower.regions.append(region)

    def _add_longer(
        self,
        groups: dict[Group, Candidates],
        region: Region,
        control: Control,
    ) -> None:
        """Add the groups of longer parts of texts in a region."""
        names = self._names_with(region, control)
        label = _label(names, region, control)
        parts = self.regions.longer_parts(region, control.name)
        for bits in sorted({count.bit_length() for count in parts.values()}):
            group = (label, "part", "", f"{bits:02d}")
            longer = groups.setdefault(group, LongerParts(names, control, bits, []))
            assert isinstance(longer, LongerParts)
            if longer.control == control:
                longer.regions.append(region)

    def _add_halves(
        self,
        groups: dict[Group, Candidates],
        region: Region,
        controls: RangeControls,
    ) -> None:
        """Add the groups of a region halved by a range."""
        attribute = self.regions.range_attribute(controls)
        if not attribute:
            return
        for count, filling in self.regions.halves(region, controls):
            names = filled_controls(filling)
            bits = count.bit_length()
            group = (" + ".join(names), _RANGE, attribute, f"{bits:02d}")
            halved = groups.setdefault(group, HalfRanges(names, []))
            assert isinstance(halved, HalfRanges)
            halved.halves.append((-weigh(region, count), filling))

    def _may_search(
        self,
        control: str,
        attribute: str,
        searched: frozenset[str],
        region: Region,
    ) -> bool:
        """Whether words of an attribute may be put into a control: it is seen to search there, or
        that is still to be tried by the control alone, or was with success.  ``searched``: the
        attributes that it is seen to search in."""
        if not searched or attribute in searched:
            return True
        group = (control, _WORD, attribute)
        if not region.filling and self._word_tries[group] < MAX_TRIES_ELSEWHERE:
            return True
        return group in self._elsewhere

    def _is_elsewhere(self, group: Group) -> bool:
        """Whether the words of a group are of an attribute that its control is not seen to
        search."""
        if _WORD not in group[1:]:
            return False
        searched = self.regions.searched(group[0])
        return bool(searched) and group[2] not in searched

    def _names_with(self, region: Region, control: Control) -> ControlNames:
        """The names of the controls that a region fills in, and of another one."""
        return self._in_order([control.name, *region.controls])

    @property
    def _needs_pairs(self) -> bool:
        """Whether no control alone has given a record, after enough tries."""
        return all(len(controls) > 1 for controls in self._fitting)

    def _assume_pairs(self) -> None:
        """Take the options, or the most frequent words, of those pairs that fit as open."""
        for controls in sorted(self._fitting):
            choices = [choice for choice in self._form.choices if choice.name in controls]
            if not choices:
                continue
            choice = choices[0]
            for value, _ in choice.options[:MAX_PAIR_VALUES]:
                self.regions.assume_open(((choice.name, value),))

    def _pairs(self) -> list[ControlNames]:
        """The pairs of controls that fit, or all if none is known to."""
        texts = [control.name for control in self._texts]
        choices = [control.name for control in self._form.choices]
        pairs = []
        for pair in (*product(texts, choices), *combinations(texts, 2)):
            pairs.append(self._in_order(pair))
        fitting_pairs = [pair for pair in pairs if pair in self._fitting]
        return fitting_pairs or pairs

    def _general_words(self) -> dict[str, list[str]]:
        return {"frequent": self._frequent_words, "site": self._site_words}

    def _in_order(self, names: Iterable[str]) -> ControlNames:
        """Names of controls in the order of the form."""
        names = set(names)
        return tuple(name for name in self._controls if name in names)

    def _values_of(
        self,
        name: str,
        words: Sequence[str],
    ) -> Sequence[str]:
        """What a control is filled with: its options, or words."""
        control = self._controls[name]
        if control.kind == "choice":
            return [value for value, _ in control.options]
        return words

    def _expect(self, group: Group, best_mean: float) -> float:
        """The new records that a probe of the group is expected to give: the mean of its last
        gains and of the mean of the group above, which counts as ``PRIOR_WEIGHT`` gains."""
        mean = best_mean
        for length in range(1, len(group) + 1):
            if length == len(group) and _has_bucket(group):
                mean = bucket_value(group[-1]) * self._ratio(group[:3])
            gains = self._gains.get(group[:length], ())
            weight = len(gains) + PRIOR_WEIGHT
            mean = (sum(gains) + PRIOR_WEIGHT * mean) / weight
        bonus = 1 / (1 + self._tried[group])
        return round(mean + bonus, 6)

    def _ratio(self, group: Group) -> float:
        """The new records of the probes of a group to those that were expected."""
        expected = self._expected[group] + PRIOR_EXPECTED
        return (self._gained[group] + PRIOR_EXPECTED) / expected

    @property
    def _best_mean(self) -> float:
        """A part of the best group's mean gain: what has not been tried may be nearly as good."""
        means = []
        for group, gains in self._gains.items():
            if len(group) < 2:
                continue
            if group[-1] == "as it is":
                continue
            mean = sum(gains) / len(gains)
            means.append(mean)
        best_mean = max(means, default=0.0)
        return max(HOPE_SHARE * best_mean, 1.0)


def _single_probe(
    name: str,
    value: str,
    source: str,
) -> FormProbe:
    """A probe that fills in a single control."""
    return FormProbe(((name, value),), (name, source))


def _has_bucket(group: Group) -> bool:
    """Whether a group is of terms whose gain was estimated."""
    return len(group) == 4 and group[1] == _WORD and group[3] != _UNSEEN


def _label(
    names: Sequence[str],
    region: Region,
    control: Control,
) -> str:
    """The name of the groups that fill in these controls; ``again``: those with another word for a
    control that the region fills in already."""
    label = " + ".join(names)
    is_again = control.name in region.controls
    return f"{label} again" if is_again else label


def _usable(words: Iterable[str]) -> Iterator[str]:
    """The words that may be put into a control: no single letters, nothing very long."""
    return (word for word in words if MIN_WORD_LENGTH <= len(word) <= MAX_WORD_LENGTH)
