"""Which probe to send next: agnostic probing of a form (Oita et al. 2012, section 3.1).

Nothing is known of the form's domain: first nonsense words, whose answers are error pages; then
the form as it is, the options of its choices, frequent words, and words of the site; then words
and values of the records that were found.  The next probe is of the group that has given the most
new records a request: the choice is a bandit with a prior, as the selection of queries by their
expected gain of Ntoulas, Zerfos and Cho (2005, "Downloading textual hidden Web content through
keyword queries") without their estimate of the size, which answers of limited length spoil.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product, zip_longest

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.form import Control, Form

#: What a control is filled with, by its name, in the order of the form; "" as it is.
Filling = tuple[tuple[str, str], ...]

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
#: A group starts with the gain of the group above it, counted as so many probes; of the gains of a
#: group the last ones count; the uppermost group starts with this part of the best gain.  Of priors
#: of 1, 2 and 4 and parts of .3, .6 and 1, these get the most of a made register of 5,000 rows in
#: 500 probes: 5,000 of them if answers have all rows, 4,845 if they have 100, 3,464 if 30.
_PRIOR, _LAST, _HOPE = 1.0, 12, 0.6
#: Probes without a record in a row after which a set of controls, if it has had none, is left.
_PATIENCE = 30
#: One in so many probes is of a group that was tried little.
_EVERY = 8
#: Answers that tell what a control means, and probes with words of records that are sent for them.
_PROOF, _MOST_TRIES = 6, 15
#: Words of the site and pairs of values that are tried.
_MOST_SITE_WORDS, _MOST_PAIRS = 100, 200
#: The shortest and the longest word, and the most words of a value, that are put into a control.
_SHORTEST, _LONGEST, _MOST_WORDS = 2, 40, 6


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
    probes.  Cost: for each probe one pass over the groups.
    """

    def __init__(self, form: Form, site_words: Sequence[str] = (), language: str = "") -> None:
        self._form = form
        self._site_words = tuple(_usable(site_words))[:_MOST_SITE_WORDS]
        self._language = language
        self._sent: set[Filling] = set()
        self.keys: set[str] = set()
        self._gains: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
        #: In how many of the known records a word or value of an attribute is.
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._in_a_row: Counter[tuple[str, ...]] = Counter()
        #: Controls and attributes whose words had an answer.
        self._hits: set[tuple[str, ...]] = set()
        #: Probes with words of records, and answers with records, by the control alone.
        self._tries: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._fits: set[tuple[str, ...]] = set()
        self._waiting = iter(self._first_probes())

    def next(self) -> Probe | None:
        """The probe to send; None if nothing is left to try."""
        for probe in self._waiting:
            if self._is_new(probe):
                return self._take(probe)
        groups = self._groups()
        ranked = sorted(groups, key=self._rank)
        for group in ranked:
            for filling in self._fillings(group, groups[group]):
                if self._is_new(probe := Probe(filling, group)):
                    return self._take(probe)
        return None

    def add(self, probe: Probe, gain: Gain, values: Iterable[Mapping[str, str]] = ()) -> None:
        """Note what came of a probe; ``values``: those of the new records by attribute."""
        self._sent.add(probe.filling)
        self.keys |= gain.keys
        self._gains[probe.group].append(gain.new / max(gain.requests, 1))
        controls = probe.controls
        if gain.keys and "word" in probe.group:
            self._hits.add(probe.group[:3])
        if len(controls) == 1:
            self._tries[controls[0]] += "word" in probe.group
            self._answers[controls[0]] += bool(gain.keys)
        if gain.keys and not gain.is_error:
            self._fits.add(controls)
            self._in_a_row[controls] = 0
        else:
            self._in_a_row[controls] += 1
        for record in values:
            for attribute, text in record.items():
                words = dict.fromkeys(_usable(split_words(text)))
                whole = " ".join(text.split())
                if 1 < len(whole.split()) <= _MOST_WORDS and len(whole) <= 2 * _LONGEST:
                    words[whole] = None
                self._counts[attribute].update(words.keys())

    def note_sent(self, probe: Probe) -> None:
        """Note that a probe was sent whose answer is not read yet."""
        self._sent.add(probe.filling)

    def _is_unproved(self, name: str) -> bool:
        """Whether a control, which may fit, has given too few answers to tell what it means."""
        return self._answers[name] < _PROOF and self._tries[name] < _MOST_TRIES and "+" not in name

    def _rank(self, group: tuple[str, ...]) -> tuple[bool, bool, float, tuple[str, ...]]:
        """Smaller is tried earlier: first words of records for controls without proof; now and
        then the group that was tried least, of those whose attribute fits; else the best one."""
        is_needed = self._is_unproved(group[0]) and "word" in group
        looks_around = len(self._sent) % _EVERY == 0 and group[:3] in self._hits
        order = len(self._gains.get(group, ())) if looks_around else -self._expect(group)
        return not is_needed, not looks_around, order, group

    def _take(self, probe: Probe) -> Probe:
        self._sent.add(probe.filling)
        return probe

    def _is_new(self, probe: Probe) -> bool:
        return probe.filling not in self._sent and not self._is_left(probe.controls)

    def _is_left(self, controls: tuple[str, ...]) -> bool:
        """Whether a set of controls has given nothing so often that it is left."""
        return controls not in self._fits and self._in_a_row[controls] >= _PATIENCE

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
        options = (
            Probe(((control.name, value),), (control.name, "option"))
            for control in self._form.choices
            for value, _ in control.options
        )
        for own in words:
            yield from own
            yield from islice(options, len(own))
        yield from options

    @cached_property
    def _frequent_words(self) -> list[str]:
        """The words that most texts of the page's language have, and numbers, in turn."""
        known = _FREQUENT.get(self._language) or _FREQUENT["en"]
        return [word for pair in zip_longest(known.split(), _NUMBERS) for word in pair if word]

    # A group is (controls, source): the names of its controls, joined; and "frequent", "site", or
    # "word", an attribute, and the logarithm of the number of known records with the word.

    def _groups(self) -> dict[tuple[str, ...], list[str]]:
        """The values that may be tried, by group, the best first."""
        values: dict[tuple[str, ...], list[str]] = {
            ("frequent",): self._frequent_words,
            ("site",): list(self._site_words),
        }
        for attribute, counts in self._counts.items():
            ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
            for word, count in ranked:
                key = ("word", attribute, f"{count.bit_length():02d}")
                values.setdefault(key, []).append(word)
        return {(own, *source): words for own in self._sets() for source, words in values.items()}

    def _sets(self) -> dict[str, tuple[str, ...]]:
        """The controls that are filled in together, by their names, joined: single ones; and pairs
        that fit, or all pairs if no control alone gives a record."""
        texts = [one.name for one in self._form.texts]
        choices = [one.name for one in self._form.choices]
        single = [(name,) for name in texts]
        pairs = [
            self._in_order(pair) for pair in (*product(texts, choices), *combinations(texts, 2))
        ]
        if any(len(fit) == 1 for fit in self._fits):
            pairs = [pair for pair in pairs if pair in self._fits]
        return {" + ".join(own): own for own in (*single, *pairs) if not self._is_left(own)}

    def _fillings(self, group: tuple[str, ...], words: Sequence[str]) -> Iterator[Filling]:
        """The fillings of a group, the best first."""
        own = self._sets()[group[0]]
        if len(own) == 1:
            yield from (((own[0], word),) for word in words)
            return
        controls = {one.name: one for one in self._form.controls}
        values = [self._values_of(controls[name], words) for name in own]
        found = sorted(
            (i + j, one, other)
            for (i, one), (j, other) in product(*(enumerate(v[:_MOST_PAIRS]) for v in values))
        )
        yield from (tuple(zip(own, filled, strict=True)) for _, *filled in found[: 5 * _MOST_PAIRS])

    def _values_of(self, control: Control, words: Sequence[str]) -> Sequence[str]:
        if control.kind == "choice":
            return [value for value, _ in control.options]
        return words

    def _in_order(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of controls in the order of the form."""
        return tuple(one.name for one in self._form.controls if one.name in names)

    def _expect(self, group: tuple[str, ...]) -> float:
        """The new records that a request of the group is expected to give."""
        return round(self._mean(group), 6)

    def _mean(self, group: tuple[str, ...]) -> float:
        above = self._mean(group[:-1]) if len(group) > 1 else self._best_mean
        below = [gains for key, gains in self._gains.items() if key[: len(group)] == group]
        last = [gain for gains in below for gain in gains[-_LAST:]]
        sent = min(sum(map(len, below)), _LAST)
        mean = sum(last) / len(last) if last else 0.0
        return (sent * mean + _PRIOR * above) / (sent + _PRIOR)

    @property
    def _best_mean(self) -> float:
        """A part of the best group's mean gain: what has not been tried may be nearly as good."""
        means = [
            sum(gains[-_LAST:]) / len(gains[-_LAST:])
            for group, gains in self._gains.items()
            if group[-1] != "as it is"
        ]
        return max(_HOPE * max(means, default=0.0), 1.0)


def _usable(words: Iterable[str]) -> Iterator[str]:
    """The words that may be put into a control: no single letters, nothing very long."""
    return (word for word in words if _SHORTEST <= len(word) <= _LONGEST)
