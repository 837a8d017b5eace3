"""Which controls must be filled in together, learned from error pages (Oita et al. 2012, section
3.1: constraints of the input schema)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

#: Probes without a record that tell that a control is not enough alone.
_LEAST = 5


@dataclass(frozen=True)
class Constraint:
    """A control that has an answer only together with another one.

    ``without``: the probes with the control but not the other, none of which had a record;
    ``probes``: those with both; ``answered``: how many of these had records.
    """

    control: str
    needs: str
    without: int
    probes: int
    answered: int


def learn_constraints(
    controls: Sequence[str], probes: Iterable[tuple[tuple[str, ...], bool]]
) -> list[Constraint]:
    """The constraints of a form, in the order of its controls.  ``probes``: the names of the
    controls that each filled in, without those of nonsense words, and whether it had records.

    >>> alone = [(("town",), False), (("date",), False)] * 5
    >>> learn_constraints(("town", "date"), [*alone, (("town", "date"), True)])[0]
    Constraint(control='town', needs='date', without=5, probes=1, answered=1)
    """
    sent, answered = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for names, had_records in probes:
        sent[names] += 1
        answered[names] += had_records
    found = []
    for one, other in permutations(controls, 2):
        without = [names for names in sent if one in names and other not in names]
        both = [names for names in sent if one in names and other in names]
        count, hits = sum(sent[n] for n in without), sum(answered[n] for n in both)
        if count >= _LEAST and hits and not any(answered[n] for n in without):
            found.append(Constraint(one, other, count, sum(sent[n] for n in both), hits))
    return found
