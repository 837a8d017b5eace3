"""Which probe to send next: agnostic probing of a form (Oita et al. 2012, section 3.1).

Nothing is known of the form's domain: first nonsense words, whose answers are error pages; then
the form as it is, the options of its choices, frequent words, and words of the site; then words
and values of the records that were found, alone or together with what had an answer that shows only
a part (``forms.regions``).

The next probe is of the group that has given the most new records a probe: the choice is a bandit
with a prior, after the selection of queries by their expected gain (Ntoulas, Zerfos and Cho 2005,
"Downloading textual hidden Web content through keyword queries"); its groups stand for their
estimate, that a word is in more unknown records if it is in more known ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, islice, product, zip_longest

from forest_scrapy.forms.candidates import (
    Candidates,
    General,
    GeneralPairs,
    Joined,
    Narrower,
    Unseen,
)
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.regions import Filling, Region, Regions

#: Words that no text has, one for each look at the error page.
NONSENSE = ("qzxvkwjqph", "wqkxzvbjtr", "zvxqjwkpfh")
#: Numbers that registers and catalogues have: small ones, and years.
_NUMBERS = ("1", "2000", "10", "2010", "5", "1990", "20", "2020", "100", "1950")
#: Words that most texts have, titles too, the most frequent first, by language.
_FREQUENT = {
    "cs": "a v na se je s z do o pro", "da": "og i af en til det for på med den",
    "de": "der die und das von in zu mit für im", "en": "the of and in a to for on with from",
    "es": "de la el y en los del las por con", "fi": "ja on ei se oli että hän kun",
    "fr": "de la le les et des du un en pour", "hu": "a az és egy hogy nem is",
    "it": "di il la e del in per un della con", "nl": "de het van een en in voor op met",
    "no": "og i av en til det for på med den", "pl": "w i z na do o od po za nie",
    "pt": "de a o e do da em os para com", "ro": "de şi în la cu din pe o un",
    "ru": "и в на с по из от для о к",  # noqa: RUF001
    "sv": "och i av en till det för på med den",
    "tr": "ve bir bu için ile da de",
}  # fmt: skip
#: Frequent words that each control is tried with at first.
_FIRST = 6
#: Options of each choice that are tried at first.
_FIRST_OPTIONS = 12
#: A group starts with the gain of the group above it, counted as so many probes; of the gains of a
#: group the last ones count; the uppermost group starts with this part of the best gain.  Of priors
#: of 1, 2 and 4 and parts of .3, .6 and 1, these get the most of a made register of 5,000 rows in
#: 500 probes: 5,000 of them if answers have all rows, 4,845 if they have 100, 3,464 if 30.
_PRIOR, _LAST, _HOPE = 1.0, 12, 0.6
#: Probes without a record in a row after which a control, or a set of them, is left if it has had
#: none: what fits two controls is found later.
_PATIENCE, _PATIENCE_OF_SETS = 30, 60
#: One in so many probes is of a group that was tried little.
_EVERY = 8
#: Answers that tell what a control means, and probes with words of records that are sent for them.
_PROOF, _MOST_TRIES = 6, 15
#: Probes of one control with words of an attribute without an answer after which it is taken not to
#: search there, if it is seen to search elsewhere: only what is tried can come back.
_TRIES_ELSEWHERE = 2
#: Words of the site and pairs of values that are tried.
_MOST_SITE_WORDS, _MOST_PAIRS = 100, 200
#: The shortest and the longest word that are put into a control.
_SHORTEST, _LONGEST = 2, 40
#: The source of values that records have, and of those that a person has named.
_WORD, _GIVEN = "word", "given"

#: Which probes are alike: the controls that are filled in; where the value is from: ``frequent``,
#: ``site``, ``option``, ``given``, or ``word``, an attribute, and the number of bits of the count
#: of the known records with the word.
Group = tuple[str, ...]


@dataclass(frozen=True)
class Probe:
    """A filling of the form, and the group of probes that it is of: the controls that are filled
    in, and where the value is from."""

    filling: Filling
    group: tuple[str, ...]

    @property
    def controls(self) -> tuple[str, ...]:
        """The names of the controls that are filled in."""
        return tuple(name for name, _ in self.filling)


@dataclass(frozen=True)
class Gain:
    """What came of a probe: the keys of the records of its answer, how many of them are new, and
    how many requests it took.  ``is_error``: whether the answer is an error page."""

    keys: frozenset[str]
    new: int
    requests: int = 1
    is_error: bool = False


class Prober:
    """Chooses probes of a form until no group is left, and never one twice.

    The choice depends only on what was added, in its order: with the same answers the same
    probes.  Cost: for each probe one pass over the groups of the open fillings.
    """

    def __init__(self, form: Form, site_words: Sequence[str] = (), language: str = "") -> None:
        self._form = form
        self._controls = {one.name: one for one in form.controls}
        self._site_words = list(_usable(site_words))[:_MOST_SITE_WORDS]
        self._language = language
        self._given: dict[str, Sequence[str]] = {}
        self._sent: set[Filling] = set()
        self.keys: set[str] = set()
        self.regions = Regions(form)
        #: The last gains of each group, and of the groups above it; how many there were.
        self._gains: defaultdict[Group, deque[float]] = defaultdict(lambda: deque(maxlen=_LAST))
        self._tried: Counter[Group] = Counter()
        self._in_a_row: Counter[tuple[str, ...]] = Counter()
        #: Controls and attributes whose words had an answer; how many were tried; and those whose
        #: words came back in no attribute that the control was seen to search.
        self._hits: set[Group] = set()
        self._word_tries: Counter[Group] = Counter()
        self._elsewhere: set[Group] = set()
        #: Probes with words of records, and answers with records, by the control alone.
        self._tries: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._fits: set[tuple[str, ...]] = set()
        self._hoped: set[tuple[str, ...]] = set()
        self._waiting = iter(self._first_probes())

    def offer(self, values: Mapping[str, Sequence[str]]) -> None:
        """Try these values, too, by the control that they are for: the first of them before all
        words of records."""
        self._given = dict(values)

    def next(self) -> Probe | None:
        """The probe to send; None if nothing is left to try."""
        for probe in chain(self._waiting, self._pair_probes()):
            if self._is_new(probe.filling):
                return self._take(probe)
        groups = self._groups()
        best = self._best_mean
        for group in sorted(groups, key=lambda one: self._rank(one, best)):
            for filling in groups[group].fillings(self.regions):
                if self._is_new(filling, is_given=group[1] == _GIVEN):
                    return self._take(Probe(filling, group))
        return None

    def add(
        self, probe: Probe, gain: Gain, new: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """Note what came of a probe; ``new``: the values by attribute of the new records, by their
        keys."""
        self._sent.add(probe.filling)
        self.keys |= gain.keys
        self._tried[probe.group] += 1
        # What is tried elsewhere tells nothing of the words that the control is seen to search.
        least = 3 if self._is_elsewhere(probe.group) else 0
        for length in range(least, len(probe.group) + 1):
            self._gains[probe.group[:length]].append(float(gain.new))
        controls = probe.controls
        if _WORD in probe.group:
            self._word_tries[probe.group[:3]] += 1
            if gain.keys:
                self._hits.add(probe.group[:3])
        if len(controls) == 1:
            self._tries[controls[0]] += _WORD in probe.group
            self._answers[controls[0]] += bool(gain.keys)
        if gain.keys and not gain.is_error:
            self._fits.add(controls)
            self._in_a_row[controls] = 0
        else:
            self._in_a_row[controls] += 1
        if "nonsense" not in probe.group:
            self.regions.add(probe.filling, gain.keys, new or {})
        if _WORD in probe.group and self.regions.is_elsewhere(probe.filling, gain.keys):
            self._elsewhere.add(probe.group[:3])

    def note_waiting(self, probe: Probe) -> None:
        """Note that the answer to a probe seems to have records, which are not read yet."""
        self._sent.add(probe.filling)
        self._hoped.add(probe.controls)
        self._in_a_row[probe.controls] = 0

    def forget_waiting(self) -> None:
        """Take back what was hoped of answers that wait: they are read now."""
        self._hoped.clear()

    @property
    def _fitting(self) -> set[tuple[str, ...]]:
        """The sets of controls that have given records, or seem to have."""
        return self._fits | self._hoped

    def _is_unproved(self, name: str) -> bool:
        """Whether a control, which may fit, has given too few answers to tell what it means."""
        is_single = name in self._controls
        return is_single and self._answers[name] < _PROOF and self._tries[name] < _MOST_TRIES

    def _rank(self, group: Group, best: float) -> tuple[bool, bool, float, Group]:
        """Smaller is tried earlier: first words of records for controls without proof; now and
        then the group that was tried least, of those whose attribute fits; else the best one."""
        is_needed = _WORD in group and self._is_unproved(group[0])
        is_needed |= group[1] == _GIVEN and self._tried[group] < _MOST_TRIES
        looks_around = len(self._sent) % _EVERY == 0 and group[:3] in self._hits
        order = self._tried[group] if looks_around else -self._expect(group, best)
        return not is_needed, not looks_around, order, group

    def _take(self, probe: Probe) -> Probe:
        self._sent.add(probe.filling)
        return probe

    def _is_new(self, filling: Filling, is_given: bool = False) -> bool:
        if filling in self._sent or self._is_left(tuple(name for name, _ in filling)):
            return False
        if is_given:
            return self.regions.is_unanswered(filling)
        return self.regions.is_useful(filling, self._fitting)

    def _is_left(self, controls: tuple[str, ...]) -> bool:
        """Whether a set of controls has given nothing so often that it is left."""
        most = _PATIENCE if len(controls) < 2 else _PATIENCE_OF_SETS
        return controls not in self._fitting and self._in_a_row[controls] >= most

    def _first_probes(self) -> Iterator[Probe]:
        """What is tried whatever the answers: nonsense, nothing, options and frequent words in
        turn."""
        texts = self._form.texts
        for one in texts:
            for word in NONSENSE[: 3 if len(texts) == 1 else 2]:
                yield Probe(((one.name, word),), (one.name, "nonsense"))
        yield Probe((), ("", "as it is"))
        words = (
            [Probe(((one.name, word),), (one.name, "frequent")) for one in texts]
            for word in self._frequent_words[:_FIRST]
        )
        options = [
            Probe(((control.name, value),), (control.name, "option"))
            for control in self._form.choices
            for value, _ in islice(control.options, _FIRST_OPTIONS)
        ]
        left = iter(options)
        for own in words:
            yield from own
            yield from islice(left, len(own))
        yield from left

    def _pair_probes(self) -> Iterator[Probe]:
        """Nonsense for two controls, if no single one has given a record: their error page may be
        another one."""
        if self._needs_pairs:
            for names in self._pairs():
                values = [self._values_of(name, NONSENSE[:1])[:1] for name in names]
                filled = [value for own in values for value in own]
                yield Probe(tuple(zip(names, filled, strict=True)), (" + ".join(names), "nonsense"))

    @cached_property
    def _frequent_words(self) -> list[str]:
        """The words that most texts of the page's language have, and numbers, in turn."""
        known = _FREQUENT.get(self._language) or _FREQUENT["en"]
        return [word for pair in zip_longest(known.split(), _NUMBERS) for word in pair if word]

    def _groups(self) -> dict[Group, Candidates]:
        """The groups that may be tried."""
        groups: dict[Group, Candidates] = {}
        if self._needs_pairs:
            self._assume_pairs()
            for names in self._pairs():
                for source, words in self._general_words().items():
                    groups[(" + ".join(names), source)] = GeneralPairs(
                        names, [self._values_of(name, words)[:_MOST_PAIRS] for name in names]
                    )
        else:
            for control in self._form.texts:
                for source, words in self._general_words().items():
                    groups[(control.name, source)] = General(control.name, words)
            for control in self._form.choices:
                values = [value for value, _ in control.options]
                groups[(control.name, "option")] = General(control.name, values)
        for name, given in self._given.items():
            groups[(name, _GIVEN)] = General(name, given)
        regions = self.regions.open
        if not self._needs_pairs:
            regions = [self.regions.root, *regions]
        for region in regions:
            for control in (*self._form.texts, *self._form.choices):
                self._add_narrower(groups, region, control)
        return {group: own for group, own in groups.items() if not self._is_left(own.names)}

    def _add_narrower(
        self, groups: dict[Group, Candidates], region: Region, control: Control
    ) -> None:
        """Add the groups of what narrows a region by a control."""
        filled = [name for name, _ in region.filling]
        is_again = control.name in filled
        if is_again and not (control.kind == "text" and self.regions.contains(control.name)):
            return
        if region.filling and (control.name,) in self._fitting:
            # What is not open alone is better sent alone.
            self._add_joined(groups, region, control, is_again)
            return
        names = self._in_order({*filled, control.name})
        searched = self.regions.searched(control.name)
        label = " + ".join(names) + (" again" if is_again else "")
        for attribute in self.regions.root.counts if region.is_assumed else ():
            if self._may_search(control.name, attribute, searched, region):
                group = (label, _WORD, attribute, "00")
                own = groups.setdefault(group, Unseen(names, control, attribute, []))
                assert isinstance(own, Unseen)
                own.regions.append(region)
        for (attribute, bits), terms in region.by_bits.items():
            if not terms or not self._may_search(control.name, attribute, searched, region):
                continue
            group = (label, _WORD, attribute, f"{bits:02d}")
            own = groups.setdefault(group, Narrower(names, control, attribute, bits, []))
            assert isinstance(own, Narrower)
            own.regions.append(region)

    def _may_search(
        self, control: str, attribute: str, searched: frozenset[str], region: Region
    ) -> bool:
        """Whether words of an attribute may be put into a control: it is seen to search there, or
        that is still to be tried by the control alone, or was with success."""
        if not searched or attribute in searched:
            return True
        group = (control, _WORD, attribute)
        is_open = not region.filling and self._word_tries[group] < _TRIES_ELSEWHERE
        return is_open or group in self._elsewhere

    def _is_elsewhere(self, group: Group) -> bool:
        """Whether the words of a group are of an attribute that its control is not seen to
        search."""
        searched = self.regions.searched(group[0])
        return _WORD in group and bool(searched) and group[2] not in searched

    def _add_joined(
        self, groups: dict[Group, Candidates], region: Region, control: Control, is_again: bool
    ) -> None:
        """Add the groups of two open fillings joined, of which one has only this control."""
        filled = dict(region.filling)
        names = self._in_order({*filled, control.name})
        label = " + ".join(names) + (" again" if is_again else "")
        searched = self.regions.searched(control.name)
        texts = self.regions.option_terms(control)
        before = set(filled.get(control.name, "").split())
        for one in self.regions.open:
            if [name for name, _ in one.filling] != [control.name]:
                continue
            value = one.filling[0][1]
            if before.intersection(value.split()):
                continue
            term = texts.get(value, value)
            for attribute in sorted(searched):
                count = region.counts[attribute][term]
                group = (label, _WORD, attribute, f"{count.bit_length():02d}")
                own = groups.setdefault(group, Joined(names, control, []))
                assert isinstance(own, Joined)
                own.pairs.append((-count, len(own.pairs), region.filling, value))

    @property
    def _needs_pairs(self) -> bool:
        """Whether no control alone has given a record, after enough tries."""
        return not any(len(fit) <= 1 for fit in self._fitting)

    def _assume_pairs(self) -> None:
        """Take the options, or the most frequent words, of those pairs that fit as open."""
        for fit in sorted(self._fitting):
            choice = next((c for c in self._form.choices if c.name in fit), None)
            if choice:
                for value, _ in choice.options[:_MOST_PAIRS]:
                    self.regions.assume_open(((choice.name, value),))

    def _pairs(self) -> list[tuple[str, ...]]:
        """The pairs of controls that fit, or all if none is known to."""
        texts = [one.name for one in self._form.texts]
        choices = [one.name for one in self._form.choices]
        pairs = [
            self._in_order(pair) for pair in (*product(texts, choices), *combinations(texts, 2))
        ]
        return [pair for pair in pairs if pair in self._fitting] or pairs

    def _general_words(self) -> dict[str, list[str]]:
        return {"frequent": self._frequent_words, "site": self._site_words}

    def _in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names of controls in the order of the form."""
        known = set(names)
        return tuple(one.name for one in self._form.controls if one.name in known)

    def _values_of(self, name: str, words: Sequence[str]) -> Sequence[str]:
        """What a control is filled with: its options, or words."""
        control = self._controls[name]
        return [value for value, _ in control.options] if control.kind == "choice" else words

    def _expect(self, group: Group, best: float) -> float:
        """The new records that a probe of the group is expected to give: the mean of its last
        gains and of the mean of the group above, which counts as ``_PRIOR`` gains."""
        mean = best
        for length in range(1, len(group) + 1):
            own = self._gains.get(group[:length], ())
            mean = (sum(own) + _PRIOR * mean) / (len(own) + _PRIOR)
        return round(mean + 1 / (1 + self._tried[group]), 6)

    @property
    def _best_mean(self) -> float:
        """A part of the best group's mean gain: what has not been tried may be nearly as good."""
        means = [
            sum(gains) / len(gains)
            for group, gains in self._gains.items()
            if len(group) > 1 and group[-1] != "as it is"
        ]
        return max(_HOPE * max(means, default=0.0), 1.0)


def _usable(words: Iterable[str]) -> Iterator[str]:
    """The words that may be put into a control: no single letters, nothing very long."""
    return (word for word in words if _SHORTEST <= len(word) <= _LONGEST)
