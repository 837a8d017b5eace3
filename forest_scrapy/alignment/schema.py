"""One schema of several graphs (Oita's thesis, III.2: the forms of a domain are joined).

The graphs are aligned two by two.  Relations that are below each other in both directions are the
same property of the schema; so is a relation that is below two steps of another graph, which cannot
be below it.  Pairs of relations are joined first, then those with two steps, the most probable ones
first, and no property has two relations of one graph: what would join these is left out.  Classes
are joined alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from forest_scrapy.alignment.ontology import RDFS, Ontology
from forest_scrapy.alignment.paris import Alignment, SubLink, align
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.iris import last_part, local_name
from forest_scrapy.core.graph.property_paths import read_path
from forest_scrapy.core.graph.vocabulary import CLASS, LABEL, PROPERTY, TYPE

#: Facts, or instances, that a pair must rest on.
MIN_EVIDENCE = 2


@dataclass(frozen=True, order=True)
class Member:
    """A relation, as a path of SPARQL, or a class, and the number of its graph, from 0."""

    graph: int
    name: str


@dataclass(frozen=True)
class SchemaTerm:
    """A property or a class of the schema.

    ``label``: the local name that most members have; ``members``: at most one of each graph;
    ``probability``: that of the least certain pair that joins them.
    """

    label: str
    members: tuple[Member, ...]
    probability: float
    is_class: bool = False


@dataclass(frozen=True)
class _Pair:
    """Two members that are the same with a probability; ``has_join``: one is of two steps."""

    left: Member
    right: Member
    probability: float
    has_join: bool = False

    @property
    def order(self) -> tuple[bool, float, Member, Member]:
        """Smaller is joined first."""
        return self.has_join, -self.probability, self.left, self.right


def align_all(
    graphs: Sequence[Ontology],
) -> dict[tuple[int, int], Alignment]:
    """The alignment of each pair of graphs, by their numbers.  Cost: that of all pairs."""
    alignments = {}
    for left, right in combinations(range(len(graphs)), 2):
        alignments[left, right] = align(graphs[left], graphs[right])
    return alignments


def join_schemas(
    alignments: Mapping[tuple[int, int], Alignment],
    min_probability: float = 0.5,
) -> tuple[SchemaTerm, ...]:
    """The classes and the properties that several graphs have, those of most graphs first, then by
    label."""
    terms = []
    for is_class in (True, False):
        pairs: list[_Pair] = []
        for (left, right), alignment in alignments.items():
            links = alignment.classes if is_class else alignment.relations
            pairs += _equal_pairs(links, left, right, min_probability)
        terms += [_write_term(members, pairs, is_class) for members in _join(pairs)]
    return tuple(sorted(terms, key=_term_order))


def schema_triples(terms: Iterable[SchemaTerm], base: str) -> Iterator[Triple]:
    """The schema as RDF: its properties and classes under ``base``, and what is below them.  A
    member of two steps is not among the statements, as RDF Schema has no word for it."""
    for term in terms:
        iri = f"{base}{local_name(term.label)}"
        below = f"{RDFS}subClassOf" if term.is_class else f"{RDFS}subPropertyOf"
        yield Triple(iri, TYPE, CLASS if term.is_class else PROPERTY)
        yield Triple(iri, LABEL, Literal(term.label))
        for member in term.members:
            name = member.name if term.is_class else _single_relation(member.name)
            if name and not name.startswith("_:"):
                yield Triple(name, below, iri)


def _single_relation(path: str) -> str:
    """The predicate of a path of one step forwards; ``""`` for another one."""
    steps = read_path(path)
    if len(steps) > 1 or steps[0].is_inverse:
        return ""
    return steps[0].predicate


def _equal_pairs(
    links: Iterable[SubLink],
    left: int,
    right: int,
    min_probability: float,
) -> Iterator[_Pair]:
    """The pairs of two graphs that are below each other; see the module."""
    below: dict[tuple[str, str], float] = {}
    above: dict[tuple[str, str], float] = {}
    for link in links:
        if link.probability < min_probability or link.evidence < MIN_EVIDENCE:
            continue
        if link.is_left:
            below[link.narrow, link.wide] = link.probability
        else:
            above[link.wide, link.narrow] = link.probability
    for names in sorted(below.keys() | above.keys()):
        probabilities = [side[names] for side in (below, above) if names in side]
        has_join = any("/<" in name or "/^" in name for name in names)
        if len(probabilities) == 2 or has_join:
            first, second = names
            yield _Pair(
                left=Member(left, first),
                right=Member(right, second),
                probability=min(probabilities),
                has_join=has_join,
            )


def _join(pairs: Iterable[_Pair]) -> list[list[Member]]:
    """The groups of members that the pairs join, without two of one graph."""
    groups: dict[Member, list[Member]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.order):
        left = groups.setdefault(pair.left, [pair.left])
        right = groups.setdefault(pair.right, [pair.right])
        if left is right:
            continue
        graphs = [member.graph for member in (*left, *right)]
        if len(set(graphs)) < len(graphs):
            continue
        left += right
        for member in right:
            groups[member] = left
    distinct = {id(group): sorted(group) for group in groups.values() if len(group) > 1}
    return sorted(distinct.values())


def _write_term(members: Sequence[Member], pairs: Iterable[_Pair], is_class: bool) -> SchemaTerm:
    joined = set(members)
    probabilities = []
    for pair in pairs:
        if pair.left in joined and pair.right in joined:
            probabilities.append(pair.probability)
    return SchemaTerm(
        label=_choose_label(members),
        members=tuple(members),
        probability=min(probabilities),
        is_class=is_class,
    )


def _choose_label(members: Sequence[Member]) -> str:
    """The local name that most members have, whatever its case; ties: that of the first graph."""
    names = [last_part(member.name) for member in members]
    counts = Counter(name.casefold() for name in names)
    return max(names, key=lambda name: counts[name.casefold()])


def _term_order(term: SchemaTerm) -> tuple[bool, int, str, tuple[Member, ...]]:
    return not term.is_class, -len(term.members), term.label, term.members
