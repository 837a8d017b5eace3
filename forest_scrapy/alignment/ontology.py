"""An ontology as PARIS reads it: facts with functionalities, literals by normal form, classes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from forest_scrapy.alignment.facts import (
    Facts,
    Floats,
    Ints,
    inverse_functionalities,
    join_keys,
)
from forest_scrapy.alignment.literals import normalise
from forest_scrapy.core.graph import Literal, Triple

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
TYPE = f"{RDF}type"
SUBCLASS = f"{RDFS}subClassOf"
#: Predicates of these vocabularies speak of the schema, or are what is looked for; the others in
#: ``_FACTS`` are facts.
_SCHEMA = (RDF, RDFS, OWL)
_FACTS = {f"{RDFS}label", f"{RDFS}comment", f"{RDFS}seeAlso", f"{RDF}value"}

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

    @classmethod
    def of_parts(
        cls, terms: Terms, literal_count: int, facts: Facts, names: Iterable[str], types: ClassTable
    ) -> Ontology:
        """From facts with their predicates' names, in order, and the classes of instances."""
        relations = tuple(names)
        functionality = inverse_functionalities(facts, 2 * len(relations))
        classes, keys = types.close()
        return cls(terms, literal_count, facts, relations, functionality, classes, keys)

    def name_relation(self, relation: int) -> str:
        """Its IRI in angle brackets, after ``^`` if it is the inverse."""
        return f"{'^' * (relation % 2)}<{self.relations[relation // 2]}>"


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
        closed = {name: sorted(_reach(name, self.superclasses)) for name in self.names}
        classes = sorted({name for names in closed.values() for name in names})
        numbers = {name: i for i, name in enumerate(classes)}
        numbered, instances = self.keys >> 32, self.keys & 0xFFFFFFFF
        order = np.argsort(numbered, kind="stable")
        bounds = np.searchsorted(numbered[order], np.arange(len(self.names) + 1))
        keys = [np.empty(0, dtype=np.int64)]
        for i, name in enumerate(self.names):
            members = instances[order[bounds[i] : bounds[i + 1]]]
            keys += [join_keys(np.full(len(members), numbers[c]), members) for c in closed[name]]
        return tuple(classes), np.unique(np.concatenate(keys))


def _reach(name: str, superclasses: Mapping[str, Iterable[str]]) -> set[str]:
    """The class and its superclasses, also if they go round in a circle: the nearest
    ``MAX_SUPERCLASSES``, so that a circle of n classes does not take n² steps."""
    reached = {name}
    waiting = deque([name])
    while waiting:
        for superclass in sorted(superclasses.get(waiting.popleft(), ())):
            if superclass in reached:
                continue
            if len(reached) > MAX_SUPERCLASSES:
                return reached
            reached.add(superclass)
            waiting.append(superclass)
    return reached


class ListedTerms:
    """The names of nodes in memory."""

    def __init__(self, names: list[str], literals: Mapping[str, Literal]) -> None:
        """``names``: sorted; ``literals``: by name."""
        self._names = names
        self._literals = literals
        self._numbers = {name: i for i, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._names)

    def names(self, nodes: Ints) -> list[str]:
        return [self._names[node] for node in nodes.tolist()]

    def literals(self) -> Iterator[str]:
        return iter(self._names[: len(self._literals)])

    def values(self, nodes: Ints) -> list[Literal]:
        return [self._literals[self._names[node]] for node in nodes.tolist()]

    def number(self, name: str) -> int | None:
        return self._numbers.get(name)


def name_of(node: str | Literal) -> str:
    """The name under which a node is indexed.

    >>> name_of("https://example.org/1"), name_of(Literal("Hamlet"))
    ('https://example.org/1', '"=hamlet')
    """
    return node if isinstance(node, str) else LITERAL_MARK + normalise(node)


def is_fact(predicate: str) -> bool:
    """Whether the predicate tells facts of instances, and not of the schema."""
    return predicate in _FACTS or not predicate.startswith(_SCHEMA)


def build_ontology(triples: Iterable[Triple]) -> Ontology:
    """The index in memory, some 300 bytes a triple.  The order of the triples does not matter."""
    literals: dict[str, Literal] = {}
    facts: list[tuple[str, str, str]] = []
    types: set[tuple[str, str]] = set()
    superclasses: dict[str, set[str]] = {}
    for triple in triples:
        subject, predicate, node = triple
        if predicate == TYPE and isinstance(node, str):
            types.add((node, subject))
        elif predicate == SUBCLASS and isinstance(node, str):
            superclasses.setdefault(subject, set()).add(node)
        elif is_fact(predicate):
            name = name_of(node)
            facts.append((subject, predicate, name))
            if isinstance(node, Literal):
                literals[name] = min(node, literals.get(name, node), key=literal_order)
    entities = {subject for subject, _, _ in facts} | {name for *_, name in facts}
    entities |= {instance for _, instance in types}
    names = sorted(literals) + sorted(entities - literals.keys())
    terms = ListedTerms(names, literals)
    relations = sorted({predicate for _, predicate, _ in facts})
    places = {name: i for i, name in enumerate(relations)}
    number = terms._numbers
    rows = np.array([(number[s], places[p], number[o]) for s, p, o in facts], dtype=np.int64)
    rows = rows.reshape(-1, 3)
    classes = tuple(sorted({name for name, _ in types}))
    numbers = {name: i for i, name in enumerate(classes)}
    pairs = np.array([(numbers[c], number[x]) for c, x in types], dtype=np.int64).reshape(-1, 2)
    table = ClassTable(classes, join_keys(pairs[:, 0], pairs[:, 1]), superclasses)
    indexed = Facts.of_triples(rows[:, 0], rows[:, 1], rows[:, 2])
    return Ontology.of_parts(terms, len(literals), indexed, relations, table)


def literal_order(literal: Literal) -> tuple[str, str, str]:
    """A total order of literals."""
    return literal.value, literal.datatype or "", literal.language or ""
