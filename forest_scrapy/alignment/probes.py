"""What an alignment says about a search form: the meaning of its fields, and values to try
(thesis, section 3.7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import Floats, Ints, add_up, spread
from forest_scrapy.alignment.ontology import Ontology, name_of
from forest_scrapy.alignment.paris import Alignment
from forest_scrapy.alignment.siblings import GroupType, map_relations
from forest_scrapy.core.graph import Literal
from forest_scrapy.core.graph.property_paths import Step

#: So many facts are read at once.
_ROWS = 1 << 20


@dataclass(frozen=True)
class FieldMeaning:
    """What a field of a form expects: the values of a path of the ontology.

    ``class_``: the class of the entities that the values stand for, "" if it is not known.
    """

    field: str
    predicate: str
    path: tuple[Step, ...]
    class_: str
    probability: float


def map_fields(
    fields: Mapping[str, Iterable[str]], alignment: Alignment, types: Iterable[GroupType]
) -> tuple[FieldMeaning, ...]:
    """The meaning of fields, by name, the most probable first.  ``fields``: for each the relations
    of the records that its values come back in."""
    mappings = map_relations(alignment)
    classes = {one.group: one.class_ for one in types}
    found = [
        FieldMeaning(field, p, mappings[p].path, classes.get(p, ""), mappings[p].probability)
        for field, predicates in fields.items()
        for p in predicates
        if p in mappings
    ]
    return tuple(sorted(found, key=lambda one: (one.field, -one.probability, one.predicate)))


def probe_values(
    path: tuple[Step, ...],
    ontology: Ontology,
    known: Iterable[str | Literal] = (),
    most: int = 500,
    subjects: str = "",
) -> list[str]:
    """Values of the path that are not ``known``, to be tried in the field that expects them: those
    of most entities first, then by their text.

    ``subjects``: only values of entities of this class.  Reads all facts of the ontology once.
    """
    counts = count_ends(ontology, path, subjects)
    numbers = [ontology.terms.number(name_of(value)) for value in known]
    seen = np.array([number for number in numbers if number is not None], dtype=np.int64)
    nodes, uses = counts
    is_new = ~np.isin(nodes, seen) & (nodes < ontology.literal_count)
    nodes, uses = nodes[is_new], uses[is_new]
    # Nodes are numbered by their names, so that ties are in the order of their texts.
    best = nodes[np.lexsort((nodes, -uses))][:most]
    return [literal.value for literal in ontology.terms.values(best)]


def count_ends(
    ontology: Ontology, path: tuple[Step, ...], subjects: str = ""
) -> tuple[Ints, Floats]:
    """The nodes at the end of the path, in order, with the number of entities that it starts from,
    or of those of the class ``subjects``."""
    *before, last = (_relation(ontology, step) for step in path)
    parts = [
        _count_part(ontology, first, before, last, subjects)
        for first in range(0, len(ontology.facts), _ROWS)
    ]
    nodes, uses = (np.concatenate([part[i] for part in parts] or [np.empty(0)]) for i in (0, 1))
    return add_up(nodes.astype(np.int64), uses)


def _count_part(
    ontology: Ontology, first: int, before: list[int], last: int, subjects: str
) -> tuple[Ints, Floats]:
    """Of a part of the rows: the ends, and the entities that lead to each.  A row has the end as
    the node, and what leads to it as the other end."""
    rows = np.arange(first, min(first + _ROWS, len(ontology.facts)))
    rows = rows[ontology.facts.relations[rows] == last]
    ends, starts = ontology.facts.keys[rows] >> 32, ontology.facts.take(rows)[0]
    for relation in reversed(before):
        positions, other_rows = spread(*ontology.facts.ranges(starts))
        others, relations = ontology.facts.take(other_rows)
        fits = relations == relation
        ends, starts = ends[positions[fits]], others[fits]
    if subjects:
        fits = np.isin(starts, _members(ontology, subjects))
        ends = ends[fits]
    return ends, np.ones(len(ends))


def _relation(ontology: Ontology, step: Step) -> int:
    """The number of the relation whose rows have the end of the step as their node; -1 if there is
    none."""
    if step.predicate not in ontology.relations:
        return -1
    return 2 * ontology.relations.index(step.predicate) + step.is_inverse


def _members(ontology: Ontology, name: str) -> Ints:
    if name not in ontology.classes:
        return np.empty(0, dtype=np.int64)
    number = ontology.classes.index(name)
    bounds = np.searchsorted(ontology.types, [number << 32, (number + 1) << 32])
    return ontology.types[bounds[0] : bounds[1]] & 0xFFFFFFFF
