"""An ontology as PARIS reads it: facts with functionalities, literals by normal form, classes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from forest_scrapy.alignment.facts import (
    Facts,
    Floats,
    Ints,
    inverse_functionalities,
    join_keys,
    split_keys,
)
from forest_scrapy.alignment.literals import normalise
from forest_scrapy.core.graph import Literal, Triple

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
TYPE = f"{RDF}type"
SUBCLASS = f"{RDFS}subClassOf"
#: Predicates of these vocabularies describe the schema, or are what an alignment computes; those of
#: ``_FACTS`` are facts all the same.
_SCHEMA = (RDF, RDFS, OWL)
_FACTS = {
    f"{RDFS}label",
    f"{RDFS}comment",
    f"{RDFS}seeAlso",
    f"{RDF}value",
}

#: What stands before the normal form of a literal, so that literals come before all entities.
LITERAL_MARK = '"'
#: Superclasses of a class that are read.  Large ontologies of medicine have some 100.
MAX_SUPERCLASSES = 200


class Terms(Protocol):
    """The names of nodes, which are numbered in the order of their names; literals are first."""

    def __len__(self) -> int:
        """The number of nodes."""
        ...

    def names(self, nodes: Ints) -> list[str]:
        """IRIs and blank nodes; of literals the mark and the normal form."""
        ...

    def literals(self) -> Iterator[str]:
        """The names of all literals, in order."""
        ...

    def values(self, nodes: Ints) -> list[Literal]:
        """The literals as they were written: the least of those with the same normal form."""
        ...

    def number(self, name: str) -> int | None:
        """The node with this name, if there is one."""
        ...


@dataclass(frozen=True, eq=False)
class Ontology:
    """The index that alignment reads.  Arrays may be mapped from files.

    ``relations``: IRIs in order; the i-th is the relation 2i of the facts, its inverse 2i + 1.
    ``inverse_functionality``: fun(r⁻¹) for each r of ``facts``.  ``types``: keys of (class,
    instance), sorted, with those of the superclasses.
    """

    terms: Terms
    literal_count: int
    facts: Facts
    relations: tuple[str, ...]
    inverse_functionality: Floats
    classes: tuple[str, ...]
    types: Ints

    def name_relation(self, relation: int) -> str:
        """Its IRI in angle brackets, after ``^`` if it is the inverse."""
        number, is_inverse = divmod(relation, 2)
        iri = self.relations[number]
        if is_inverse:
            return f"^<{iri}>"
        return f"<{iri}>"


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Classes of instances, before superclasses are added.

    ``keys``: keys of (number of the class in ``names``, instance).
    """

    names: tuple[str, ...]
    keys: Ints
    superclasses: Mapping[str, Iterable[str]]

    def close(self) -> tuple[tuple[str, ...], Ints]:
        """The classes in order, and the sorted keys, each instance also in all superclasses (the
        paper takes the deductive closure for granted)."""
        closures = {}
        for name in self.names:
            closures[name] = _find_superclasses(name, self.superclasses)
        all_classes: set[str] = set()
        all_classes.update(*closures.values())
        classes = sorted(all_classes)
        number_of = _number(classes)

        class_numbers, instances = split_keys(self.keys)
        order = np.argsort(class_numbers, kind="stable")
        sorted_numbers = class_numbers[order]
        class_range = np.arange(len(self.names) + 1)
        bounds = np.searchsorted(sorted_numbers, class_range)

        keys = [np.empty(0, dtype=np.int64)]
        for i, name in enumerate(self.names):
            rows = order[bounds[i] : bounds[i + 1]]
            members = instances[rows]
            for superclass in closures[name]:
                superclass_numbers = np.full(len(members), number_of[superclass])
                keys.append(join_keys(superclass_numbers, members))
        all_keys = np.concatenate(keys)
        return tuple(classes), np.unique(all_keys)


def _find_superclasses(name: str, superclasses: Mapping[str, Iterable[str]]) -> set[str]:
    """The class and its superclasses, also if they go round in a circle: the nearest
    ``MAX_SUPERCLASSES``, so that a circle of n classes does not take n² steps."""
    reached = {name}
    waiting = deque([name])
    while waiting:
        nearest = waiting.popleft()
        for superclass in sorted(superclasses.get(nearest, ())):
            if superclass in reached:
                continue
            if len(reached) > MAX_SUPERCLASSES:
                return reached
            reached.add(superclass)
            waiting.append(superclass)
    return reached


def _number(names: list[str]) -> dict[str, int]:
    """The position of each name."""
    return {name: number for number, name in enumerate(names)}


class ListedTerms:
    """The names of nodes in memory."""

    def __init__(self, names: list[str], literals: Mapping[str, Literal]) -> None:
        """``names``: sorted; ``literals``: by name."""
        self._names = names
        self._literals = literals
        self.numbers = _number(names)

    def __len__(self) -> int:
        return len(self._names)

    def names(self, nodes: Ints) -> list[str]:
        return [self._names[node] for node in nodes.tolist()]

    def literals(self) -> Iterator[str]:
        return iter(self._names[: len(self._literals)])

    def values(self, nodes: Ints) -> list[Literal]:
        return [self._literals[name] for name in self.names(nodes)]

    def number(self, name: str) -> int | None:
        return self.numbers.get(name)


def name_of(node: str | Literal) -> str:
    """The name under which a node is indexed.

    >>> name_of("https://example.org/1"), name_of(Literal("Hamlet"))
    ('https://example.org/1', '"=hamlet')
    """
    if isinstance(node, str):
        return node
    return LITERAL_MARK + normalise(node)


def is_fact(predicate: str) -> bool:
    """Whether the predicate is one of facts about instances, and not of the schema."""
    if predicate in _FACTS:
        return True
    return not predicate.startswith(_SCHEMA)


@dataclass(frozen=True)
class SortedTriples:
    """Triples by what they are for an ontology, with the names of nodes.

    ``facts``: subject, predicate and object.  ``types``: class and instance.  ``literals``: by
    name, of those with the same name the least one.
    """

    facts: list[tuple[str, str, str]] = field(default_factory=list)
    types: list[tuple[str, str]] = field(default_factory=list)
    literals: dict[str, Literal] = field(default_factory=dict)
    superclasses: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, triples: Iterable[Triple]) -> SortedTriples:
        """Sort the triples; other predicates of the schema are left out."""
        result = cls()
        for subject, predicate, node in triples:
            if predicate == TYPE and isinstance(node, str):
                result.types.append((node, subject))
            elif predicate == SUBCLASS and isinstance(node, str):
                result.superclasses.setdefault(subject, set()).add(node)
            elif is_fact(predicate):
                name = name_of(node)
                result.facts.append((subject, predicate, name))
                if isinstance(node, Literal):
                    result._add_literal(name, node)
        return result

    def _add_literal(self, name: str, literal: Literal) -> None:
        stored = self.literals.get(name, literal)
        self.literals[name] = min(literal, stored, key=literal_order)

    def node_names(self) -> set[str]:
        """The names of the subjects, objects and instances."""
        names: set[str] = set()
        for subject, _, name in self.facts:
            names.add(subject)
            names.add(name)
        names.update(instance for _, instance in self.types)
        return names


def build_ontology(triples: Iterable[Triple]) -> Ontology:
    """The index in memory, some 300 bytes a triple.  The order of the triples does not matter."""
    parts = SortedTriples.read(triples)
    entities = parts.node_names() - parts.literals.keys()
    node_names = sorted(parts.literals) + sorted(entities)
    terms = ListedTerms(node_names, parts.literals)
    node_of = terms.numbers

    predicates = {predicate for _, predicate, _ in parts.facts}
    relations = sorted(predicates)
    relation_of = _number(relations)
    rows = []
    for subject, predicate, name in parts.facts:
        row = (node_of[subject], relation_of[predicate], node_of[name])
        rows.append(row)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    facts = Facts.of_triples(
        subjects=columns[:, 0],
        predicates=columns[:, 1],
        objects=columns[:, 2],
    )

    class_names = {name for name, _ in parts.types}
    names = sorted(class_names)
    class_of = _number(names)
    memberships = []
    for name, instance in parts.types:
        membership = (class_of[name], node_of[instance])
        memberships.append(membership)
    type_columns = np.array(memberships, dtype=np.int64).reshape(-1, 2)
    table = ClassTable(
        names=tuple(names),
        keys=join_keys(type_columns[:, 0], type_columns[:, 1]),
        superclasses=parts.superclasses,
    )
    classes, types = table.close()

    return Ontology(
        terms=terms,
        literal_count=len(parts.literals),
        facts=facts,
        relations=tuple(relations),
        inverse_functionality=inverse_functionalities(facts, 2 * len(relations)),
        classes=classes,
        types=types,
    )


def literal_order(literal: Literal) -> tuple[str, str, str]:
    """A total order of literals."""
    return literal.value, literal.datatype or "", literal.language or ""
