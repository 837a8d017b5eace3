"""What records add to an ontology that they are aligned with (thesis, section 3.7): types, facts
and entities that it does not have, each with confidence and origin.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forest_scrapy.alignment.literals import count_comparisons, find_similar
from forest_scrapy.alignment.ontology import (
    RDF,
    TYPE,
    Ontology,
    literal_order,
    name_of,
)
from forest_scrapy.alignment.paris import Alignment, AlignmentOptions
from forest_scrapy.alignment.probes import count_ends
from forest_scrapy.alignment.siblings import (
    GroupType,
    RelationMapping,
    follow,
    map_relations,
    members_of,
    middles,
    type_siblings,
)
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.property_paths import PropertyStep
from forest_scrapy.core.graph.vocabulary import COMMENT, HYDRA, LABEL, TERMS

#: A relation of at least this functionality has one value; a second one is a conflict.
MIN_FUNCTIONALITY = 0.95
#: What is less certain is not added.
MIN_CONFIDENCE = 0.3
#: How the predicates begin that say something of a form and its properties, not of records.
_OF_FORM = (HYDRA, LABEL, COMMENT, f"{TERMS}identifier")
_PROV = "http://www.w3.org/ns/prov#"
#: Of the Alignment format, http://alignapi.gforge.inria.fr/format.html: a number from 0 to 1.
_CONFIDENCE = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment#measure"
_DOUBLE = "http://www.w3.org/2001/XMLSchema#double"


@dataclass(frozen=True)
class NewFact:
    """A fact that the ontology does not have.

    ``source``: the record that it comes from.  ``reason``: "fact" of an entity of the ontology,
    "entity" for a fact about a new one, "type" of a sibling, or "relation" for one of a relation
    that the ontology does not have.
    """

    triple: Triple
    confidence: float
    source: str
    reason: str


@dataclass(frozen=True)
class Conflict:
    """What was not added: a second value of a relation that has one, or a name of several
    entities; ``reason`` says which."""

    entity: str
    predicate: str
    value: str | Literal
    source: str
    reason: str


@dataclass(frozen=True)
class Enrichment:
    """``types``: of siblings, also those that were refused.  ``unmapped``: the relations of the
    records that are aligned with nothing, with the number of their facts; ``new_relations``: those
    of them that are added, since a control of the form searches them, with their labels."""

    types: tuple[GroupType, ...]
    facts: tuple[NewFact, ...]
    conflicts: tuple[Conflict, ...]
    unmapped: tuple[tuple[str, int], ...]
    new_relations: tuple[tuple[str, str], ...] = ()


def enrich(
    records: Sequence[Triple],
    right: Ontology,
    alignment: Alignment,
) -> Enrichment:
    """What the records add to the ontology.

    Records that are aligned give facts of their relations that are aligned.  Others become new
    entities, if the type of their siblings is known.  Values of relations in two steps become
    facts of the entity with this name, or of a new one, if their type is known.  A relation that is
    aligned with nothing becomes a new one if a control of the form searches it (section 3.7: the
    others may be junk, such as "In stock").
    """
    types = type_siblings(records, right, alignment)
    respelt = find_respelt(records, right, alignment)
    searched = find_searched(records)
    additions = _Additions(right, alignment, types, respelt, searched)
    for triple in sorted(records, key=_triple_order):
        additions.add(triple)

    unmapped: Counter[str] = Counter()
    for _, predicate, _ in records:
        is_of_form = predicate.startswith(_OF_FORM)
        if predicate != TYPE and not is_of_form and predicate not in additions.mappings:
            unmapped[predicate] += 1
    new_relations = {}
    for predicate in sorted(unmapped.keys() & searched.keys()):
        new_relations[predicate] = searched[predicate]
        additions.add_relation(predicate, searched[predicate])
    facts = sorted(additions.facts.values(), key=lambda fact: _triple_order(fact.triple))
    return Enrichment(
        types=types,
        facts=tuple(facts),
        conflicts=tuple(additions.conflicts),
        unmapped=tuple(sorted(unmapped.items())),
        new_relations=tuple(new_relations.items()),
    )


def find_searched(records: Iterable[Triple]) -> dict[str, str]:
    """The relations that a control of the form is about, with the label of the control, by the
    mappings of its template in the graph; ``""`` without one."""
    predicates: dict[str, str] = {}
    labels: dict[str, str] = {}
    for subject, predicate, node in records:
        if predicate == f"{HYDRA}property" and isinstance(node, str):
            predicates[node] = subject
        elif predicate == LABEL and isinstance(node, Literal):
            labels[subject] = node.value
    searched = {}
    for relation, mapping in predicates.items():
        searched[relation] = labels.get(mapping, "") or labels.get(relation, "")
    return searched


def to_triples(enrichment: Enrichment) -> Iterator[Triple]:
    """The new facts as a graph of its own: each fact, and a statement about it (RDF reification)
    with its confidence and the record it was derived from."""
    for number, fact in enumerate(enrichment.facts):
        statement = f"_:fact{number}"
        confidence = Literal(f"{fact.confidence:.6f}", _DOUBLE)
        yield fact.triple
        yield Triple(statement, TYPE, f"{RDF}Statement")
        yield Triple(statement, f"{RDF}subject", fact.triple.subject)
        yield Triple(statement, f"{RDF}predicate", fact.triple.predicate)
        yield Triple(statement, f"{RDF}object", fact.triple.object)
        yield Triple(statement, _CONFIDENCE, confidence)
        yield Triple(statement, f"{_PROV}wasDerivedFrom", fact.source)


def find_respelt(
    records: Iterable[Triple],
    right: Ontology,
    alignment: Alignment,
) -> dict[tuple[str, str | Literal], Literal]:
    """For relations in two steps: values that are no name in the ontology, but similar to one, by
    relation and value; of several the most similar one, then the first by name.

    Without it "Austen, Jane" would be a new author.  Reads the facts of the ontology once for each
    such relation; nothing is compared above the number of pairs that ``align`` compares.
    """
    paths = {
        predicate: mapping.path
        for predicate, mapping in map_relations(alignment).items()
        if len(mapping.path) > 1
    }
    new_values: dict[str, set[Literal]] = {predicate: set() for predicate in paths}
    for _, predicate, node in records:
        if predicate not in paths or not isinstance(node, Literal):
            continue
        if right.terms.number(name_of(node)) is None:
            new_values[predicate].add(node)

    respelt: dict[tuple[str, str | Literal], Literal] = {}
    for predicate, path in paths.items():
        values = sorted(new_values[predicate], key=literal_order)
        nodes, _ = count_ends(right, path[1:])
        names = right.terms.names(nodes[nodes < right.literal_count])

        value_texts = [_unmarked_name(name_of(value)) for value in values]
        name_texts = [_unmarked_name(name) for name in names]
        if count_comparisons(value_texts, name_texts) > AlignmentOptions.max_comparisons:
            continue
        similar = find_similar(value_texts, name_texts, AlignmentOptions.similarity)

        order = np.lexsort((similar.large, -similar.scores, similar.small))
        literals = right.terms.values(nodes[similar.large[order]])
        numbers = similar.small[order].tolist()
        for number, literal in zip(numbers, literals, strict=True):
            respelt.setdefault((predicate, values[number]), literal)
    return respelt


def _unmarked_name(name: str) -> str:
    """The normal form of a literal without the marks of literals and texts."""
    return name[2:]


@dataclass(frozen=True)
class _Origin:
    """Where a fact comes from; see ``NewFact``."""

    source: str
    confidence: float
    reason: str

    def weigh(self, probability: float) -> _Origin:
        """The same with the confidence multiplied by the probability."""
        return replace(self, confidence=self.confidence * probability)


class _Additions:
    """New facts, by triple; of several origins the most certain one counts, then the first."""

    def __init__(
        self,
        right: Ontology,
        alignment: Alignment,
        types: Iterable[GroupType],
        respelt: Mapping[tuple[str, str | Literal], Literal],
        searched: Mapping[str, str],
    ) -> None:
        """``respelt``: see ``find_respelt``; ``searched``: see ``find_searched``."""
        self.mappings = map_relations(alignment)
        self.facts: dict[Triple, NewFact] = {}
        self.conflicts: list[Conflict] = []
        self._right = right
        self._respelt = respelt
        self._searched = searched
        self._links = {link.left: (link.right, link.probability) for link in alignment.entities}
        self._types = {type_.group: type_ for type_ in types if type_.class_}
        self._new_records: dict[str, GroupType] = {}

    def add(self, triple: Triple) -> None:
        """Add what follows from a fact of a record.  The types of a record must come first."""
        subject, predicate, node = triple
        if predicate == TYPE:
            self._add_type(subject, node)
            return
        mapping = self.mappings.get(predicate)
        is_new_relation = mapping is None and predicate in self._searched
        if mapping is None and not is_new_relation:
            return

        if subject in self._links:
            entity, confidence = self._links[subject]
            origin = _Origin(subject, confidence, "fact")
        elif subject in self._new_records:
            entity = subject
            origin = _Origin(subject, self._new_records[subject].confidence, "entity")
        else:
            return
        if mapping is None:
            self._put(Triple(entity, predicate, node), replace(origin, reason="relation"))
            return
        origin = origin.weigh(mapping.probability)
        if len(mapping.path) > 1:
            self._add_path(entity, node, mapping, origin)
        else:
            self._add_fact(entity, node, mapping.path[0], origin)

    def add_relation(self, predicate: str, label: str) -> None:
        """Name a new relation by the label of the control that searches it."""
        if label:
            origin = _Origin(predicate, 1.0, "relation")
            self._put(Triple(predicate, LABEL, Literal(label)), origin)

    def _add_type(self, subject: str, node: str | Literal) -> None:
        """Add a record that is not aligned as a new entity, if the type of its class is known."""
        if not isinstance(node, str) or subject in self._links:
            return
        group = self._types.get(node)
        if group is None:
            return
        self._new_records[subject] = group
        origin = _Origin(subject, group.confidence, "type")
        self._put(Triple(subject, TYPE, group.class_), origin)

    def _add_fact(
        self,
        entity: str,
        node: str | Literal,
        step: PropertyStep,
        origin: _Origin,
    ) -> None:
        """Add a fact of a relation in one step."""
        if isinstance(node, str) and node in self._links:
            node, probability = self._links[node]
            origin = origin.weigh(probability)
        values = self._follow(entity, step)
        if name_of(node) in values:
            return
        if values and self._is_functional(step):
            conflict = Conflict(entity, step.predicate, node, origin.source, "another value")
            self.conflicts.append(conflict)
            return
        self._put_step(entity, step, node, origin)

    def _add_path(
        self,
        entity: str,
        value: str | Literal,
        mapping: RelationMapping,
        origin: _Origin,
    ) -> None:
        """Add a fact of a relation in two steps: to the entity with the name, or to a new one."""
        first, last = mapping.path
        value = self._respelt.get((mapping.predicate, value), value)
        if middles(self._right, entity, value, mapping.path):
            return

        step_back = PropertyStep(last.predicate, not last.is_inverse)
        named = self._follow(name_of(value), step_back)
        group = self._types.get(mapping.predicate)
        if group is not None and len(named) > 1:
            named = members_of(self._right, group.class_, named)

        if len(named) > 1:
            conflict = Conflict(entity, last.predicate, value, origin.source, "name of several")
            self.conflicts.append(conflict)
        elif named:
            self._put_step(entity, first, named[0], origin)
        elif group is not None:
            new_entity = _name_new(last, value)
            name_origin = _Origin(origin.source, mapping.probability, "entity")
            type_origin = _Origin(origin.source, group.confidence, "entity")
            self._put_step(entity, first, new_entity, origin)
            self._put_step(new_entity, last, value, name_origin)
            self._put(Triple(new_entity, TYPE, group.class_), type_origin)

    def _follow(self, name: str, step: PropertyStep) -> list[str]:
        """The names of what a step leads to in the ontology."""
        number = self._right.terms.number(name)
        if number is None:
            return []
        nodes = follow(self._right, number, step)
        return self._right.terms.names(nodes)

    def _is_functional(self, step: PropertyStep) -> bool:
        relation = 2 * self._right.relations.index(step.predicate) + (not step.is_inverse)
        functionality = float(self._right.inverse_functionality[relation])
        return functionality >= MIN_FUNCTIONALITY

    def _put_step(
        self,
        entity: str,
        step: PropertyStep,
        node: str | Literal,
        origin: _Origin,
    ) -> None:
        if not step.is_inverse:
            self._put(Triple(entity, step.predicate, node), origin)
        elif isinstance(node, str):
            self._put(Triple(node, step.predicate, entity), origin)

    def _put(self, triple: Triple, origin: _Origin) -> None:
        confidence = round(origin.confidence, 6)
        if confidence < MIN_CONFIDENCE:
            return
        earlier = self.facts.get(triple)
        if earlier is None or earlier.confidence < confidence:
            self.facts[triple] = NewFact(triple, confidence, origin.source, origin.reason)


def _name_new(step: PropertyStep, value: str | Literal) -> str:
    """The blank node of a new entity: the same for the same name."""
    text = f"{step.predicate} {name_of(value)}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"_:new{digest[:16]}"


def _triple_order(triple: Triple) -> tuple[bool, str, str, bool, tuple[str, ...]]:
    """Types first."""
    subject, predicate, node = triple
    is_literal = isinstance(node, Literal)
    key: tuple[str, ...] = literal_order(node) if isinstance(node, Literal) else (node,)
    return predicate != TYPE, subject, predicate, is_literal, key
