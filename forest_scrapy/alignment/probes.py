"""What an alignment says about a search form: the meaning of its fields, and values to try
(thesis, section 3.7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import Floats, Ints, add_up, split_keys, spread
from forest_scrapy.alignment.ontology import Ontology, name_of
from forest_scrapy.alignment.paris import Alignment
from forest_scrapy.alignment.siblings import GroupType, map_relations
from forest_scrapy.core.graph import Literal
from forest_scrapy.core.graph.property_paths import PropertyStep

#: The number of facts that are read at once.
_ROWS = 1 << 20


@dataclass(frozen=True)
class FieldMeaning:
    """What a field of a form expects: the values of a path of the ontology.

    ``class_``: the class of the entities that the values stand for, "" if it is not known.
    """

    field: str
    predicate: str
    path: tuple[PropertyStep, ...]
    class_: str
    probability: float


def map_fields(
    fields: Mapping[str, Iterable[str]],
    alignment: Alignment,
    types: Iterable[GroupType],
) -> tuple[FieldMeaning, ...]:
    """The meaning of fields, by name, the most probable first.  ``fields``: for each the relations
    of the records that its values come back in."""
    mappings = map_relations(alignment)
    classes = {group_type.group: group_type.class_ for group_type in types}
    meanings = []
    for field, predicates in fields.items():
        for predicate in predicates:
            mapping = mappings.get(predicate)
            if mapping is None:
                continue
            meaning = FieldMeaning(
                field=field,
                predicate=predicate,
                path=mapping.path,
                class_=classes.get(predicate, ""),
                probability=mapping.probability,
            )
            meanings.append(meaning)
    return tuple(sorted(meanings, key=_meaning_order))


def _meaning_order(meaning: FieldMeaning) -> tuple[str, float, str]:
    return meaning.field, -meaning.probability, meaning.predicate


def probe_values(
    path: tuple[PropertyStep, ...],
    ontology: Ontology,
    known_values: Iterable[str | Literal] = (),
    max_values: int = 500,
    subjects: str = "",
) -> list[str]:
    """Values of the path other than ``known_values``, to be tried in the field that expects them:
    those of most entities first, then by their text.

    ``subjects``: only values of entities of this class.  Reads all facts of the ontology once.
    """
    ends, uses = count_ends(ontology, path, subjects)
    known_nodes = _number_nodes(ontology, known_values)
    is_literal = ends < ontology.literal_count
    is_new = is_literal & ~np.isin(ends, known_nodes)
    nodes = ends[is_new]

    # Nodes are numbered by their names, so that ties are in the order of their texts.
    order = np.lexsort((nodes, -uses[is_new]))
    ranked_nodes = nodes[order]
    literals = ontology.terms.values(ranked_nodes[:max_values])
    return [literal.value for literal in literals]


def _number_nodes(ontology: Ontology, nodes: Iterable[str | Literal]) -> Ints:
    """The numbers of those of the nodes that the ontology has."""
    numbers = []
    for node in nodes:
        number = ontology.terms.number(name_of(node))
        if number is not None:
            numbers.append(number)
    return np.array(numbers, dtype=np.int64)


def count_ends(
    ontology: Ontology,
    path: tuple[PropertyStep, ...],
    subjects: str = "",
) -> tuple[Ints, Floats]:
    """The nodes at the end of the path, in order, with the number of entities that it starts from,
    or of those of the class ``subjects``."""
    *first_relations, last_relation = [_number_relation(ontology, step) for step in path]
    facts = ontology.facts
    parts = [np.empty(0, dtype=np.int64)]
    for first_row in range(0, len(facts), _ROWS):
        end_row = min(first_row + _ROWS, len(facts))
        rows = np.arange(first_row, end_row)
        is_last_step = facts.relations[rows] == last_relation
        last_rows = rows[is_last_step]
        part = _follow_back(ontology, last_rows, first_relations, subjects)
        parts.append(part)
    ends = np.concatenate(parts)
    return add_up(ends, np.ones(len(ends)))


def _follow_back(
    ontology: Ontology,
    rows: Ints,
    relations_before: list[int],
    subjects: str,
) -> Ints:
    """The ends of the rows, each once for each entity that leads to it.  A row has the end as the
    node, and what leads to it as the other end."""
    facts = ontology.facts
    ends, _ = split_keys(facts.keys[rows])
    starts, _ = facts.take(rows)
    for relation in reversed(relations_before):
        first_rows, counts = facts.ranges(starts)
        positions, previous_rows = spread(first_rows, counts)
        previous_starts, relations = facts.take(previous_rows)
        is_step = relations == relation
        ends = ends[positions[is_step]]
        starts = previous_starts[is_step]
    if not subjects:
        return ends
    members = _members(ontology, subjects)
    starts_from_member = np.isin(starts, members)
    return ends[starts_from_member]


def _number_relation(ontology: Ontology, step: PropertyStep) -> int:
    """The number of the relation whose rows have the end of the step as their node; -1 if there is
    none."""
    if step.predicate not in ontology.relations:
        return -1
    # A relation has twice its place in the list as its number, its inverse the one after that.
    number = 2 * ontology.relations.index(step.predicate)
    return number + step.is_inverse


def _members(ontology: Ontology, class_: str) -> Ints:
    """The instances of the class."""
    if class_ not in ontology.classes:
        return np.empty(0, dtype=np.int64)
    number = ontology.classes.index(class_)
    first_key = number << 32
    next_key = (number + 1) << 32
    start, stop = np.searchsorted(ontology.types, [first_key, next_key])
    _, instances = split_keys(ontology.types[start:stop])
    return instances
