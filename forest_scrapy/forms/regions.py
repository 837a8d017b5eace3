"""What is known of the records that fillings of a form give: which answers show all of their
records, which show only a part, and how many of the known records a narrower filling would have.

An answer that shows as many records as the largest ones shows only a part: its filling is *open*,
and is narrowed by a word or an option that its known records have.  One that shows fewer shows all:
whatever is narrower gives nothing new.  The empty filling is open from the start, and has all
records, so a single word is the first narrowing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.form import Control, Form

#: Names of controls and what they are filled with, in the order of the form.
Filling = tuple[tuple[str, str], ...]

#: Answers with at least this share of the records of the largest ones, of which there must be so
#: many, are cut off: equal records are counted once.
_CUT_SHARE, _LARGEST_TIMES = 0.95, 2
#: The share of an answer's records in which a value must come back, in the mean over the answers,
#: for a control to search in an attribute; and below which it does not at all.
_SEARCHES, _NEVER = 0.9, 0.02
#: Records of an answer that are looked at for that.
_MOST_RECORDS = 30
#: Of a filling with more than so many words and values only sets of up to so many are looked for
#: among the answers: all sets of n are 2^n.
_MANY_ITEMS, _MOST_PARTS = 8, 3
#: The shortest and the longest word, and the most words of a value, that are put into a control.
_SHORTEST, _LONGEST, _MOST_WORDS = 2, 40, 6


@dataclass(frozen=True)
class Terms:
    """What may be put into a control to find a text: its words, and all of it if it is short."""

    words: frozenset[str]
    whole: str

    @property
    def all(self) -> Iterable[str]:
        """The words, and the whole text if it has more than one and not too many."""
        count = self.whole.count(" ") + 1
        is_usable = 1 < count <= _MOST_WORDS and len(self.whole) <= 2 * _LONGEST
        usable = (word for word in self.words if _SHORTEST <= len(word) <= _LONGEST)
        return chain(sorted(usable), [self.whole] if is_usable else [])


def read_terms(text: str) -> Terms:
    """The terms of a text.

    >>> list(read_terms("Bleak House").all)
    ['bleak', 'house', 'bleak house']
    """
    words = split_words(text)
    return Terms(frozenset(words), " ".join(words))


@dataclass
class Region:
    """The known records of an open filling: in how many a term of an attribute is, the terms by
    the number of bits of that count.  ``is_assumed``: it was never sent alone."""

    filling: Filling
    is_assumed: bool = False
    size: int = 0
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    #: By attribute and number of bits; dicts are sets that keep their order.
    by_bits: defaultdict[tuple[str, int], dict[str, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def add(self, record: Mapping[str, Terms]) -> None:
        """Count the terms of a record."""
        self.size += 1
        for attribute, terms in record.items():
            counts = self.counts[attribute]
            for term in terms.all:
                counts[term] += 1
                bits = counts[term].bit_length()
                if counts[term] & (counts[term] - 1) == 0:
                    self.by_bits[attribute, bits - 1].pop(term, None)
                    self.by_bits[attribute, bits][term] = None


class Regions:
    """The records and the answers of a form.  Cost of a record: a look at each open filling."""

    def __init__(self, form: Form) -> None:
        self._controls = {one.name: one for one in form.controls}
        self._records: dict[str, dict[str, Terms]] = {}
        self.root = Region(())
        self._open: dict[Filling, Region] = {}
        self._answered: dict[Filling, frozenset[str]] = {}
        self._largest = 0
        self._shares: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self._answers: Counter[str] = Counter()
        #: Text controls that find records with more words than what was put in.
        self._containing: set[str] = set()
        self._settled: set[frozenset[tuple[str, str]]] = set()
        self._open_items: set[frozenset[tuple[str, str]]] = set()

    @property
    def open(self) -> Sequence[Region]:
        """The open fillings other than the empty one, in the order in which they were sent."""
        return list(self._open.values())

    def add(
        self, filling: Filling, keys: frozenset[str], new: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Note the records of an answer: their keys, and the values of those that are new."""
        added = {
            key: {name: read_terms(text) for name, text in values.items()}
            for key, values in new.items()
        }
        self._records.update(added)
        self._learn(filling, keys)
        for record in added.values():
            for region in (self.root, *self._open.values()):
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

    def is_useful(self, filling: Filling, fits: Container[tuple[str, ...]]) -> bool:
        """Whether a filling may give new records: no answer tells that all of its records are
        known, none had the same parts, and each filling of one part less is open, since that would
        give more; ``fits``: the sets of controls that give records at all."""
        items = sorted(self._items(filling))
        whole = frozenset(items)
        if not self.is_unanswered(filling):
            return False
        for item in items if len(items) > 1 else ():
            left = whole - {item}
            names = {name for name, _ in left}
            controls = tuple(name for name, _ in filling if name in names)
            if controls in fits and left not in self._open_items:
                return False
        return True

    def is_unanswered(self, filling: Filling) -> bool:
        """Whether no answer tells that all records of a filling are known, and none had the same
        parts."""
        items = sorted(self._items(filling))
        mark = _empty_mark(filling)
        most = len(items) if len(items) <= _MANY_ITEMS else _MOST_PARTS
        sizes = range(1, most + 1)
        for own in map(frozenset, chain.from_iterable(combinations(items, n) for n in sizes)):
            if own in self._settled or own | {mark} in self._settled:
                return False
        return frozenset(items) not in self._open_items

    def searched(self, control: str) -> frozenset[str]:
        """The attributes that a control seems to search in; none if that is not known yet."""
        answers = self._answers[control]
        if answers < _LARGEST_TIMES:
            return frozenset()
        means = {name: total / answers for name, total in self._shares[control].items()}
        sure = frozenset(name for name, mean in means.items() if mean >= _SEARCHES)
        return sure or frozenset(name for name, mean in means.items() if mean >= _NEVER)

    def is_elsewhere(self, filling: Filling, keys: frozenset[str]) -> bool:
        """Whether a record of an answer has none of what was put in where the controls were seen to
        search, so that they search elsewhere, too."""
        records = [self._records[key] for key in sorted(keys)[:_MOST_RECORDS]]
        return any(not self._has(filling, record) for record in records)

    def contains(self, control: str) -> bool:
        """Whether a control finds records with more words than what was put in."""
        return control in self._containing

    def option_terms(self, control: Control) -> dict[str, str]:
        """What an option may look like in records, by its value."""
        return {value: " ".join(split_words(text)) for value, text in control.options}

    def _learn(self, filling: Filling, keys: frozenset[str]) -> None:
        """In which attributes what was put in came back."""
        records = [self._records[key] for key in sorted(keys)[:_MOST_RECORDS]]
        if not records:
            return
        for name, value in filling:
            self._answers[name] += 1
            control = self._controls[name]
            for attribute in sorted({one for record in records for one in record}):
                owners = [record[attribute] for record in records if attribute in record]
                hits = [terms for terms in owners if self._is_in(control, value, terms)]
                self._shares[name][attribute] += len(hits) / len(records)
                put = " ".join(split_words(value))
                is_longer = any(terms.whole != put for terms in hits)
                if control.kind == "text" and is_longer and name not in self._containing:
                    self._containing.add(name)
                    self._review()

    def _is_in(self, control: Control, value: str, terms: Terms) -> bool:
        if control.kind == "choice":
            texts = dict(control.options)
            shown = {" ".join(split_words(one)) for one in (value, texts.get(value, ""))}
            return terms.whole in shown
        words = split_words(value)
        return bool(words) and terms.words.issuperset(words)

    def _has(self, filling: Filling, record: Mapping[str, Terms]) -> bool:
        """Whether a record has what was put into the controls, as far as is known."""
        for name, value in filling:
            searched = self.searched(name) or record.keys()
            if not any(
                self._is_in(self._controls[name], value, record[attribute])
                for attribute in searched
                if attribute in record
            ):
                return False
        return True

    def _review(self) -> None:
        """Judge all answers again: a larger one came."""
        self._settled.clear()
        self._open_items.clear()
        self._open = {f: region for f, region in self._open.items() if region.is_assumed}
        for filling in self._answered:
            self._judge(filling)

    def _judge(self, filling: Filling) -> None:
        size = len(self._answered[filling])
        if size >= _CUT_SHARE * self._largest and self._largest > 1:
            if filling and filling not in self._open and self._is_largest_often():
                for one in self._cut():
                    if one in self._open:
                        continue
                    if self._has_other_name(one):
                        self._settled.add(self._items(one))
                    else:
                        self._begin(one)
        elif size:
            self._settled.add(self._items(filling))
        elif filling:
            self._settled.add(self._items(filling) | {_empty_mark(filling)})

    def _has_other_name(self, filling: Filling) -> bool:
        """Whether an open filling of the same controls had the very same answer: "New" and "York"
        in a table of towns."""
        keys = self._answered[filling]
        same = (one for one in self._open if _names(one) == _names(filling))
        return any(self._answered.get(one) == keys for one in same)

    def _is_largest_often(self) -> bool:
        return len(self._cut()) >= _LARGEST_TIMES

    def _cut(self) -> list[Filling]:
        least = _CUT_SHARE * self._largest
        return [one for one, keys in self._answered.items() if one and len(keys) >= least]

    def _begin(self, filling: Filling, is_assumed: bool = False) -> None:
        region = Region(filling, is_assumed)
        self._open[filling] = region
        if not is_assumed:
            self._open_items.add(self._items(filling))
        for record in self._records.values():
            if self._has(filling, record):
                region.add(record)

    def _items(self, filling: Filling) -> frozenset[tuple[str, str]]:
        """The parts of a filling, each of which leaves records out."""
        return frozenset(self._parts(filling))

    def _parts(self, filling: Filling) -> Iterator[tuple[str, str]]:
        for name, value in filling:
            if name in self._containing:
                yield from ((name, word) for word in split_words(value))
            else:
                yield name, value


def _empty_mark(filling: Filling) -> tuple[str, str]:
    """What tells an empty answer, which says nothing of fillings of more controls: those may have
    to be filled in together."""
    return "", " + ".join(_names(filling))


def _names(filling: Filling) -> tuple[str, ...]:
    return tuple(name for name, _ in filling)
