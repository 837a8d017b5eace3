"""Patterns in the values of one relation, which cleaner values are without (Oita's thesis, 3.3.6):
words that nearly all of them begin or end with, such as "by" or "pages".

They are taken away only if the other graph has more of the values without them: "University of" is
a part of its names there, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forest_scrapy.alignment.ontology import TYPE, Ontology, name_of
from forest_scrapy.core.graph import Literal, Triple

#: Different values that a pattern rests on, and the share of them that must have it.
MIN_VALUES = 5
MIN_SHARE = 0.9
#: Words of a pattern.
MAX_WORDS = 6
#: Values of a relation that are looked at.
MAX_VALUES = 300


@dataclass(frozen=True)
class Affixes:
    """The words that the values of a relation begin and end with."""

    start: tuple[str, ...] = ()
    end: tuple[str, ...] = ()

    def strip(self, text: str) -> str:
        """The text without these words; as it is, if nothing else would be left.

        >>> Affixes(("ISBN:",), ("(new)",)).strip("ISBN:12 (new)"), Affixes(("by",)).strip("by")
        ('12', 'by')
        """
        words = _split(text)
        first = len(self.start) if tuple(words[: len(self.start)]) == self.start else 0
        last = len(words)
        if self.end and tuple(words[-len(self.end) :]) == self.end:
            last -= len(self.end)
        if first >= last or (first == 0 and last == len(words)):
            return text
        return " ".join(words[first:last])


def find_affixes(values: Iterable[str]) -> Affixes:
    """The longest words at both ends of nearly all different values.

    >>> find_affixes(f"by Author {letter}" for letter in "abcde")
    Affixes(start=('by', 'Author'), end=())
    """
    split_values = [_split(value) for value in set(values)]
    if len(split_values) < MIN_VALUES:
        return Affixes()
    start = _common_start(split_values)
    reversed_values = [words[::-1] for words in split_values]
    end = _common_start(reversed_values)
    return Affixes(start, end[::-1])


def clean_values(records: Sequence[Triple], right: Ontology) -> list[Triple]:
    """The statements, whose texts are without the patterns of their relation where more of them are
    then in the other graph."""
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for _, predicate, node in records:
        if predicate != TYPE and isinstance(node, Literal) and not node.datatype:
            texts[predicate].add(node.value)
    affixes = {}
    for predicate, values in texts.items():
        best = _choose_affixes(sorted(values)[:MAX_VALUES], right)
        if best != Affixes():
            affixes[predicate] = best

    cleaned = []
    for triple in records:
        node = triple.object
        if triple.predicate in affixes and isinstance(node, Literal) and not node.datatype:
            value = affixes[triple.predicate].strip(node.value)
            triple = triple._replace(object=replace(node, value=value))
        cleaned.append(triple)
    return cleaned


def _choose_affixes(values: Sequence[str], right: Ontology) -> Affixes:
    """The part of the words at both ends without which most values are known: of "by Saint" the
    second word may be one of the names.  Ties: the fewest words, those at the end first."""
    longest = find_affixes(values)
    best = Affixes()
    best_count = 0
    for first in range(len(longest.start) + 1):
        for last in range(len(longest.end) + 1):
            affixes = Affixes(longest.start[:first], longest.end[len(longest.end) - last :])
            known = _count_known(map(affixes.strip, values), right)
            if known > best_count:
                best = affixes
                best_count = known
    return best


def _count_known(values: Iterable[str], right: Ontology) -> int:
    return sum(right.terms.number(name_of(Literal(value))) is not None for value in values)


def _common_start(values: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The longest start that nearly all values have, and something after it."""
    for length in range(MAX_WORDS, 0, -1):
        starts: Counter[tuple[str, ...]] = Counter()
        for words in values:
            if len(words) > length:
                starts[tuple(words[:length])] += 1
        for start, number in starts.most_common(1):
            if number >= MIN_SHARE * len(values):
                return start
    return ()


def _split(text: str) -> list[str]:
    """The words of a text; what stands before a colon is one."""
    return text.replace(":", ": ").split()
