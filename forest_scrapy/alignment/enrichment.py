"""What records add to an ontology that they are aligned with (thesis, section 3.7): types, facts
that it does not have, and entities that it does not have, each with confidence and origin.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
from forest_scrapy.core.graph.property_paths import Step

#: A relation of at least this functionality has one value; a second one is a conflict.
FUNCTIONAL = 0.95
#: What is less certain is not added.
LEAST_CONFIDENCE = 0.3
_PROV = "http://www.w3.org/ns/prov#"
#: Of the Alignment format, http://alignapi.gforge.inria.fr/format.html: a number from 0 to 1.
_CONFIDENCE = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment#measure"
_DOUBLE = "http://www.w3.org/2001/XMLSchema#double"


@dataclass(frozen=True)
class NewFact:
    """A fact that the ontology does not have.

    ``source``: the record that says so.  ``reason``: "fact" of a known entity, "entity" for what
    is said of a new one, or "type" of a sibling.
    """

    triple: Triple
    confidence: float
    source: str
    reason: str


@dataclass(frozen=True)
class Doubt:
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
    records that are aligned with nothing, with the number of their facts."""

    types: tuple[GroupType, ...]
    facts: tuple[NewFact, ...]
    doubts: tuple[Doubt, ...]
    unmapped: tuple[tuple[str, int], ...]


def enrich(records: Sequence[Triple], right: Ontology, alignment: Alignment) -> Enrichment:
    """What the records add to the ontology.

    Records that are aligned give facts of their relations that are aligned.  Others become new
    entities, if the type of their siblings is known.  Values of relations in two steps become
    facts of the entity with this name, or of a new one, if their type is known.
    """
    types = type_siblings(records, right, alignment)
    found = _Facts(right, alignment, types, find_respelt(records, right, alignment))
    for triple in sorted(records, key=_triple_order):
        found.add(triple)
    mapped = found.mappings
    predicates = Counter(p for _, p, _ in records if p != TYPE and p not in mapped)
    return Enrichment(
        types,
        tuple(sorted(found.facts.values(), key=lambda fact: _triple_order(fact.triple))),
        tuple(found.doubts),
        tuple(sorted(predicates.items())),
    )


def to_triples(enrichment: Enrichment) -> Iterator[Triple]:
    """The new facts as a graph of its own: each fact, and a statement about it (RDF reification)
    with its confidence and the record it was derived from."""
    for number, fact in enumerate(enrichment.facts):
        yield fact.triple
        statement = f"_:fact{number}"
        yield Triple(statement, TYPE, f"{RDF}Statement")
        yield Triple(statement, f"{RDF}subject", fact.triple.subject)
        yield Triple(statement, f"{RDF}predicate", fact.triple.predicate)
        yield Triple(statement, f"{RDF}object", fact.triple.object)
        yield Triple(statement, _CONFIDENCE, Literal(f"{fact.confidence:.6f}", _DOUBLE))
        yield Triple(statement, f"{_PROV}wasDerivedFrom", fact.source)


def find_respelt(
    records: Iterable[Triple], right: Ontology, alignment: Alignment
) -> dict[tuple[str, str | Literal], Literal]:
    """For relations in two steps: values that are no name in the ontology, but similar to one, by
    relation and value; of several the most similar one, then the first by name.

    Without it "Austen, Jane" would be a new author.  Reads the facts of the ontology once for each
    such relation; nothing is compared above the number of pairs that ``align`` compares.
    """
    found: dict[tuple[str, str | Literal], Literal] = {}
    paths = {p: m.path for p, m in map_relations(alignment).items() if len(m.path) > 1}
    values: dict[str, set[Literal]] = {predicate: set() for predicate in paths}
    for _, predicate, node in records:
        is_new = predicate in paths and right.terms.number(name_of(node)) is None
        if is_new and isinstance(node, Literal):
            values[predicate].add(node)
    for predicate, path in paths.items():
        mine = sorted(values[predicate], key=literal_order)
        nodes, _ = count_ends(right, path[1:])
        names = right.terms.names(nodes[nodes < right.literal_count])
        texts = [name_of(value)[2:] for value in mine], [name[2:] for name in names]
        if count_comparisons(*texts) > AlignmentOptions.most_comparisons:
            continue
        left, other, scores = find_similar(*texts, AlignmentOptions.similarity)
        order = np.lexsort((other, -scores, left))
        written = right.terms.values(nodes[other[order]])
        for i, literal in zip(left[order].tolist(), written, strict=True):
            found.setdefault((predicate, mine[i]), literal)
    return found


class _Facts:
    """New facts, by triple; of several origins the most certain one is kept, then the first."""

    def __init__(
        self,
        right: Ontology,
        alignment: Alignment,
        types: Iterable[GroupType],
        respelt: Mapping[tuple[str, str | Literal], Literal],
    ) -> None:
        """``respelt``: see ``find_respelt``."""
        self._right, self._respelt = right, respelt
        self._links = {link.left: (link.right, link.probability) for link in alignment.entities}
        self.mappings = map_relations(alignment)
        self._types = {one.group: one for one in types if one.class_}
        self._records: dict[str, GroupType] = {}
        self.facts: dict[Triple, NewFact] = {}
        self.doubts: list[Doubt] = []

    def add(self, triple: Triple) -> None:
        """Add what follows from a fact of a record.  The types of a record must come first."""
        subject, predicate, node = triple
        if predicate == TYPE:
            self._add_type(subject, node)
            return
        mapping = self.mappings.get(predicate)
        if mapping is None:
            return
        if subject in self._links:
            (entity, confidence), reason = self._links[subject], "fact"
        elif subject in self._records:
            entity, confidence, reason = subject, self._records[subject].confidence, "entity"
        else:
            return
        confidence *= mapping.probability
        if len(mapping.path) > 1:
            self._add_path(entity, node, mapping, confidence, subject, reason)
        else:
            self._add_fact(entity, node, mapping.path[0], confidence, subject, reason)

    def _add_type(self, subject: str, node: str | Literal) -> None:
        group = self._types.get(node) if isinstance(node, str) else None
        if group is not None and subject not in self._links:
            self._records[subject] = group
            self._put(Triple(subject, TYPE, group.class_), group.confidence, subject, "type")

    def _add_fact(
        self,
        entity: str,
        node: str | Literal,
        step: Step,
        confidence: float,
        source: str,
        reason: str,
    ) -> None:
        if isinstance(node, str):
            linked, probability = self._links.get(node, (node, 1.0))
            node, confidence = linked, confidence * probability
        known = self._follow(entity, step)
        if name_of(node) in known:
            return
        if known and self._is_functional(step):
            self.doubts.append(Doubt(entity, step.predicate, node, source, "another value"))
            return
        self._put_step(entity, step, node, confidence, source, reason)

    def _add_path(
        self,
        entity: str,
        value: str | Literal,
        mapping: RelationMapping,
        confidence: float,
        source: str,
        reason: str,
    ) -> None:
        first, last = mapping.path
        value = self._respelt.get((mapping.predicate, value), value)
        if middles(self._right, entity, value, mapping.path):
            return
        group = self._types.get(mapping.predicate)
        named = self._follow(name_of(value), Step(last.predicate, not last.is_inverse))
        if group is not None and len(named) > 1:
            named = members_of(self._right, group.class_, named)
        if len(named) > 1:
            self.doubts.append(Doubt(entity, last.predicate, value, source, "name of several"))
        elif named:
            self._put_step(entity, first, named[0], confidence, source, reason)
        elif group is not None:
            new = _name_new(last, value)
            self._put_step(entity, first, new, confidence, source, reason)
            self._put_step(new, last, value, mapping.probability, source, "entity")
            self._put(Triple(new, TYPE, group.class_), group.confidence, source, "entity")

    def _follow(self, name: str, step: Step) -> list[str]:
        number = self._right.terms.number(name)
        if number is None:
            return []
        return self._right.terms.names(follow(self._right, number, step))

    def _is_functional(self, step: Step) -> bool:
        relation = 2 * self._right.relations.index(step.predicate) + (not step.is_inverse)
        return float(self._right.inverse_functionality[relation]) >= FUNCTIONAL

    def _put_step(
        self,
        entity: str,
        step: Step,
        node: str | Literal,
        confidence: float,
        source: str,
        reason: str,
    ) -> None:
        if not step.is_inverse:
            self._put(Triple(entity, step.predicate, node), confidence, source, reason)
        elif isinstance(node, str):
            self._put(Triple(node, step.predicate, entity), confidence, source, reason)

    def _put(self, triple: Triple, confidence: float, source: str, reason: str) -> None:
        confidence = round(confidence, 6)
        other = self.facts.get(triple)
        if confidence >= LEAST_CONFIDENCE and (other is None or other.confidence < confidence):
            self.facts[triple] = NewFact(triple, confidence, source, reason)


def _name_new(step: Step, value: str | Literal) -> str:
    """The blank node of a new entity: the same for the same name."""
    text = f"{step.predicate} {name_of(value)}"
    return f"_:new{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _triple_order(triple: Triple) -> tuple[bool, str, str, bool, tuple[str, ...]]:
    """Types first."""
    subject, predicate, node = triple
    is_literal = isinstance(node, Literal)
    key = literal_order(node) if isinstance(node, Literal) else (node,)
    return predicate != TYPE, subject, predicate, is_literal, key
