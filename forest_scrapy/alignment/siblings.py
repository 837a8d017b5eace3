"""Types of siblings: what is at the same place of all records is of the same class (thesis, section
3.7).

A type needs more than one instance, and that most of the aligned siblings agree: a group whose
members are of many classes is named, and gets no type (semantic drift).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.classes import LEAST_SHARE
from forest_scrapy.alignment.facts import Ints, split_keys
from forest_scrapy.alignment.ontology import TYPE, Ontology, name_of
from forest_scrapy.alignment.paris import Alignment
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.property_paths import Step, read_path

#: A type needs so many instances.
LEAST_INSTANCES = 2
#: A relation is used if it is aligned with such a probability, from so many facts.
LEAST_RELATION = 0.5
LEAST_FACTS = 2


@dataclass(frozen=True)
class GroupType:
    """What is known of the type of siblings.

    ``group``: the class of the records, or the relation whose values they are.  ``class_``: the
    most special class that enough of them are of; "" if there is none, ``reason`` then says why.
    ``instances`` of ``aligned`` are of the class; ``size``: the number of siblings.
    """

    group: str
    class_: str
    confidence: float
    instances: int
    aligned: int
    size: int
    reason: str = ""


@dataclass(frozen=True)
class RelationMapping:
    """A relation of the records, and the path of the ontology that it is below."""

    predicate: str
    path: tuple[Step, ...]
    probability: float
    facts: float


def map_relations(alignment: Alignment) -> dict[str, RelationMapping]:
    """The best path for each relation of the left graph: the most probable one, then the one with
    fewest steps, then the first by name."""
    found: dict[str, RelationMapping] = {}
    for link in alignment.relations:
        narrow, wide = read_path(link.narrow), read_path(link.wide)
        is_usable = link.probability >= LEAST_RELATION and link.evidence >= LEAST_FACTS
        if not link.is_left or not is_usable or len(narrow) > 1 or narrow[0].is_inverse:
            continue
        one = RelationMapping(narrow[0].predicate, wide, link.probability, link.evidence)
        other = found.get(one.predicate, one)
        found[one.predicate] = min(one, other, key=_mapping_order)
    return dict(sorted(found.items()))


def _mapping_order(mapping: RelationMapping) -> tuple[float, int, tuple[Step, ...]]:
    return -mapping.probability, len(mapping.path), mapping.path


def type_siblings(
    records: Iterable[Triple], right: Ontology, alignment: Alignment
) -> tuple[GroupType, ...]:
    """The types of the groups of siblings, by name: of the entities of each class, and of the
    values of each relation.

    Values stand for the entities that they lead to: those that are aligned, and for a relation in
    two steps, such as "created", then "has the name", those that have the value as their name.
    """
    links = {link.left: (link.right, link.probability) for link in alignment.entities}
    mappings = map_relations(alignment)
    groups: dict[str, set[str]] = defaultdict(set)
    found: dict[str, dict[str, tuple[str, float]]] = defaultdict(dict)
    for subject, predicate, node in records:
        if predicate == TYPE and isinstance(node, str):
            groups[node].add(subject)
            if subject in links:
                found[node][subject] = links[subject]
        elif isinstance(node, str) and node in links:
            groups[predicate].add(node)
            found[predicate][node] = links[node]
        else:
            groups[predicate].add(name_of(node))
            if subject in links and len(mappings.get(predicate, _NONE).path) > 1:
                middle = middles(right, links[subject][0], node, mappings[predicate].path)
                if len(middle) == 1:
                    probability = links[subject][1] * mappings[predicate].probability
                    found[predicate][name_of(node)] = (middle[0], probability)
    classes = classes_of(right, {name for group in found.values() for name, _ in group.values()})
    sizes = np.bincount(split_keys(right.types)[0], minlength=len(right.classes)).tolist()
    extents = dict(zip(right.classes, sizes, strict=True))
    return tuple(
        _type_group(group, len(groups[group]), sorted(found[group].values()), classes, extents)
        for group in sorted(found)
    )


_NONE = RelationMapping("", (), 0.0, 0.0)


def _type_group(
    group: str,
    size: int,
    aligned: Sequence[tuple[str, float]],
    classes: Mapping[str, Sequence[str]],
    extents: Mapping[str, int],
) -> GroupType:
    typed = [(classes[name], p) for name, p in aligned if classes.get(name)]
    counts = Counter(one for names, _ in typed for one in names)
    if not counts:
        return GroupType(group, "", 0.0, 0, len(aligned), size, "what is aligned has no type")
    enough = [c for c, n in counts.items() if n >= LEAST_SHARE * len(typed)]
    by_size = [(extents[c], c) for c in enough]
    best = min(by_size)[1] if by_size else min(counts, key=lambda c: (-counts[c], c))
    instances = counts[best]
    if not enough:
        reason = f"only {instances} of {len(typed)} are of {best}"
        return GroupType(group, "", 0.0, instances, len(typed), size, reason)
    if instances < LEAST_INSTANCES:
        return GroupType(group, "", 0.0, instances, len(typed), size, f"one instance of {best}")
    certain = sum(p for names, p in typed if best in names) / len(typed)
    return GroupType(group, best, round(certain, 6), instances, len(typed), size)


def classes_of(ontology: Ontology, names: Iterable[str]) -> dict[str, list[str]]:
    """All classes of each of the entities, in order.  Reads all types once."""
    numbers = {ontology.terms.number(name): name for name in sorted(names)}
    wanted = np.array([number for number in numbers if number is not None], dtype=np.int64)
    classes, instances = split_keys(ontology.types)
    rows = np.flatnonzero(np.isin(instances, wanted))
    found: dict[str, list[str]] = defaultdict(list)
    for c, instance in zip(classes[rows].tolist(), instances[rows].tolist(), strict=True):
        found[numbers[instance]].append(ontology.classes[c])
    return dict(found)


def members_of(ontology: Ontology, class_: str, names: Iterable[str]) -> list[str]:
    """Those of the entities that are of the class."""
    if class_ not in ontology.classes:
        return []
    number = ontology.classes.index(class_) << 32
    found = []
    for name in names:
        key = number | (ontology.terms.number(name) or 0)
        row = int(np.searchsorted(ontology.types, key))
        if row < len(ontology.types) and int(ontology.types[row]) == key:
            found.append(name)
    return found


def middles(
    ontology: Ontology, entity: str, value: str | Literal, path: Sequence[Step]
) -> list[str]:
    """The entities in the middle of a path in two steps from the entity to the value, by name."""
    start, end = ontology.terms.number(entity), ontology.terms.number(name_of(value))
    if start is None or end is None:
        return []
    first = follow(ontology, start, path[0])
    last = follow(ontology, end, Step(path[1].predicate, not path[1].is_inverse))
    return ontology.terms.names(np.intersect1d(first, last))


def follow(ontology: Ontology, node: int, step: Step) -> Ints:
    """The nodes that a step leads to from the node."""
    if step.predicate not in ontology.relations:
        return np.empty(0, dtype=np.int64)
    # A row has the node as the object of an even relation: the step goes along its inverse.
    relation = 2 * ontology.relations.index(step.predicate) + (not step.is_inverse)
    starts, counts = ontology.facts.ranges(np.array([node]))
    others, relations = ontology.facts.take(np.arange(starts[0], starts[0] + counts[0]))
    leads: Ints = others[relations == relation]
    return leads
