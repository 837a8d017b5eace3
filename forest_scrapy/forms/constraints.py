"""Which controls must be filled in together, learned from error pages (Oita et al. 2012, section
3.1: constraints of the input schema)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

#: Probes without a record that tell that a control is not enough alone.
MIN_FAILED_PROBES = 5


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
    sent: Counter[tuple[str, ...]] = Counter()
    answered: Counter[tuple[str, ...]] = Counter()
    for names, had_records in probes:
        sent[names] += 1
        answered[names] += had_records

    constraints = []
    for control, partner in permutations(controls, 2):
        without = [names for names in sent if control in names and partner not in names]
        together = [names for names in sent if control in names and partner in names]
        failed_probes = sum(sent[names] for names in without)
        has_answer_alone = any(answered[names] for names in without)
        answered_together = sum(answered[names] for names in together)
        if failed_probes < MIN_FAILED_PROBES or has_answer_alone or not answered_together:
            continue
        constraint = Constraint(
            control=control,
            needs=partner,
            without=failed_probes,
            probes=sum(sent[names] for names in together),
            answered=answered_together,
        )
        constraints.append(constraint)
    return constraints
