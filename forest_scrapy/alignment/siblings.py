"""Types of siblings: what is at the same place of all records is of the same class (thesis, section
3.7).

A type needs more than one instance, and that most of the aligned siblings agree: a group whose
members are of many classes is named, and gets no type (semantic drift).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from forest_scrapy.alignment.classes import MIN_SHARE
from forest_scrapy.alignment.facts import Ints, split_keys
from forest_scrapy.alignment.literals import gram_similarity
from forest_scrapy.alignment.ontology import TYPE, Ontology, name_of
from forest_scrapy.alignment.paris import Alignment, SubLink
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.iris import last_part
from forest_scrapy.core.graph.property_paths import PropertyStep, read_path

#: A type needs so many instances.
MIN_INSTANCES = 2
#: A relation is used if it is aligned with at least this probability, from at least so many facts.
MIN_RELATION_PROBABILITY = 0.5
MIN_FACTS = 2


@dataclass(frozen=True)
class GroupType:
    """The type of siblings.

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
    path: tuple[PropertyStep, ...]
    probability: float
    facts: float


def map_relations(alignment: Alignment) -> dict[str, RelationMapping]:
    """The best path for each relation of the left graph: the most probable one, then the one with
    fewest steps, then the one with the most similar name, then the first by name."""
    best: dict[str, RelationMapping] = {}
    for link in alignment.relations:
        mapping = _read_mapping(link)
        if mapping is None:
            continue
        earlier = best.get(mapping.predicate, mapping)
        best[mapping.predicate] = min(mapping, earlier, key=_mapping_order)
    return dict(sorted(best.items()))


def _read_mapping(link: SubLink) -> RelationMapping | None:
    """The mapping of a relation of the left graph; None for a path, an inverse, and what is too
    uncertain."""
    if not link.is_left:
        return None
    is_uncertain = link.probability < MIN_RELATION_PROBABILITY
    has_few_facts = link.evidence < MIN_FACTS
    if is_uncertain or has_few_facts:
        return None

    narrow_path = read_path(link.narrow)
    first_step = narrow_path[0]
    is_longer = len(narrow_path) > 1
    if is_longer or first_step.is_inverse:
        return None
    return RelationMapping(
        predicate=first_step.predicate,
        path=read_path(link.wide),
        probability=link.probability,
        facts=link.evidence,
    )


def _mapping_order(
    mapping: RelationMapping,
) -> tuple[float, int, float, tuple[PropertyStep, ...]]:
    """The name only breaks ties (thesis, section 3.6): what a form calls "Author" is rather the
    author than the editor where both have the same values."""
    similarity = max(_name_similarity(mapping.predicate, step.predicate) for step in mapping.path)
    return -mapping.probability, len(mapping.path), -similarity, mapping.path


def _name_similarity(predicate: str, other_predicate: str) -> float:
    """How similar the local names of two relations are, from 0 to 1.

    >>> _name_similarity("http://a/#Title", "http://b/title"), _name_similarity("urn:a", "urn:b")
    (1.0, 0.0)
    """
    names = []
    for iri in (predicate, other_predicate):
        name = last_part(iri).casefold()
        names.append("".join(filter(str.isalnum, name)))
    left, right = names
    return gram_similarity(left, right)


@dataclass
class _Group:
    """Siblings.  ``members``: their names.  ``aligned``: for those that stand for an entity, its
    name and the probability, by their names."""

    members: set[str] = field(default_factory=set)
    aligned: dict[str, tuple[str, float]] = field(default_factory=dict)


def type_siblings(
    records: Iterable[Triple],
    right: Ontology,
    alignment: Alignment,
) -> tuple[GroupType, ...]:
    """The types of the groups of siblings, by name: of the entities of each class, and of the
    values of each relation.

    Values stand for the entities that they lead to: those that are aligned, and for a relation in
    two steps, such as "created", then "has the name", those that have the value as their name.
    """
    groups = _group_siblings(records, right, alignment)
    aligned_groups: dict[str, _Group] = {}
    entities: set[str] = set()
    for name, group in sorted(groups.items()):
        if not group.aligned:
            continue
        aligned_groups[name] = group
        for entity, _ in group.aligned.values():
            entities.add(entity)

    classes = classes_of(right, entities)
    class_numbers, _ = split_keys(right.types)
    sizes = np.bincount(class_numbers, minlength=len(right.classes))
    extents = dict(zip(right.classes, sizes.tolist(), strict=True))
    types = []
    for name, group in aligned_groups.items():
        types.append(_type_group(name, group, classes, extents))
    return tuple(types)


def _group_siblings(
    records: Iterable[Triple],
    right: Ontology,
    alignment: Alignment,
) -> Mapping[str, _Group]:
    """The siblings, by their class, or by the relation whose values they are."""
    links = {}
    for link in alignment.entities:
        links[link.left] = (link.right, link.probability)
    mappings = map_relations(alignment)
    groups: dict[str, _Group] = defaultdict(_Group)
    for subject, predicate, node in records:
        if predicate == TYPE and isinstance(node, str):
            group = groups[node]
            group.members.add(subject)
            if subject in links:
                group.aligned[subject] = links[subject]
            continue

        group = groups[predicate]
        if isinstance(node, str) and node in links:
            group.members.add(node)
            group.aligned[node] = links[node]
            continue

        name = name_of(node)
        group.members.add(name)
        mapping = mappings.get(predicate)
        if mapping is None or subject not in links:
            continue
        if len(mapping.path) == 1:
            continue
        entity, probability = links[subject]
        entities = middles(right, entity, node, mapping.path)
        if len(entities) == 1:
            joint_probability = probability * mapping.probability
            group.aligned[name] = (entities[0], joint_probability)
    return groups


def _type_group(
    name: str,
    group: _Group,
    classes: Mapping[str, Sequence[str]],
    extents: Mapping[str, int],
) -> GroupType:
    """The type of a group.  ``classes``: those of each entity; ``extents``: the number of instances
    of each class."""
    typed = []
    counts: Counter[str] = Counter()
    for entity, probability in sorted(group.aligned.values()):
        entity_classes = classes.get(entity)
        if entity_classes:
            typed.append((entity_classes, probability))
            counts.update(entity_classes)
    size = len(group.members)
    without_class = GroupType(
        group=name,
        class_="",
        confidence=0.0,
        instances=0,
        aligned=len(typed),
        size=size,
    )
    if not counts:
        return replace(
            without_class,
            aligned=len(group.aligned),
            reason="what is aligned has no type",
        )

    aligned = len(typed)
    min_count = MIN_SHARE * aligned
    usual = [class_ for class_, count in counts.items() if count >= min_count]
    if not usual:
        commonest = min(counts, key=lambda class_: (-counts[class_], class_))
        instances = counts[commonest]
        return replace(
            without_class,
            instances=instances,
            reason=f"only {instances} of {aligned} are of {commonest}",
        )

    most_special = min(usual, key=lambda class_: (extents[class_], class_))
    instances = counts[most_special]
    if instances < MIN_INSTANCES:
        return replace(
            without_class,
            instances=instances,
            reason=f"one instance of {most_special}",
        )

    certainties = []
    for entity_classes, probability in typed:
        if most_special in entity_classes:
            certainties.append(probability)
    confidence = sum(certainties) / aligned
    return GroupType(
        group=name,
        class_=most_special,
        confidence=round(confidence, 6),
        instances=instances,
        aligned=aligned,
        size=size,
    )


def classes_of(ontology: Ontology, names: Iterable[str]) -> dict[str, list[str]]:
    """All classes of each of the entities, in order.  Reads all types once."""
    name_of_number: dict[int, str] = {}
    for name in sorted(names):
        number = ontology.terms.number(name)
        if number is not None:
            name_of_number[number] = name
    entities = np.array(list(name_of_number), dtype=np.int64)
    class_numbers, instances = split_keys(ontology.types)
    is_of_entity = np.isin(instances, entities)
    rows = np.flatnonzero(is_of_entity)

    classes: dict[str, list[str]] = defaultdict(list)
    row_classes = class_numbers[rows].tolist()
    row_instances = instances[rows].tolist()
    for class_number, instance in zip(row_classes, row_instances, strict=True):
        name = name_of_number[instance]
        classes[name].append(ontology.classes[class_number])
    return dict(classes)


def members_of(
    ontology: Ontology,
    class_: str,
    names: Iterable[str],
) -> list[str]:
    """Those of the entities that are of the class."""
    if class_ not in ontology.classes:
        return []
    class_key = ontology.classes.index(class_) << 32
    members = []
    for name in names:
        node = ontology.terms.number(name) or 0
        key = class_key | node
        row = int(np.searchsorted(ontology.types, key))
        is_inside = row < len(ontology.types)
        if is_inside and int(ontology.types[row]) == key:
            members.append(name)
    return members


def middles(
    ontology: Ontology,
    entity: str,
    value: str | Literal,
    path: Sequence[PropertyStep],
) -> list[str]:
    """The entities in the middle of a path in two steps from the entity to the value, by name."""
    start = ontology.terms.number(entity)
    end = ontology.terms.number(name_of(value))
    if start is None or end is None:
        return []
    first_step, last_step = path
    step_back = PropertyStep(last_step.predicate, not last_step.is_inverse)
    after_start = follow(ontology, start, first_step)
    before_end = follow(ontology, end, step_back)
    nodes = np.intersect1d(after_start, before_end)
    return ontology.terms.names(nodes)


def follow(
    ontology: Ontology,
    node: int,
    step: PropertyStep,
) -> Ints:
    """The nodes that a step leads to from the node."""
    if step.predicate not in ontology.relations:
        return np.empty(0, dtype=np.int64)
    # A row has the node as the object of an even relation: the step goes along its inverse.
    relation = 2 * ontology.relations.index(step.predicate)
    if not step.is_inverse:
        relation += 1
    (start,), (count,) = ontology.facts.ranges(np.array([node]))
    rows = np.arange(start, start + count)
    ends, relations = ontology.facts.take(rows)
    is_step = relations == relation
    next_nodes: Ints = ends[is_step]
    return next_nodes
