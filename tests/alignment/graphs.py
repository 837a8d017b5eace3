"""Small graphs for the tests, and the equations of the paper written down plainly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import product
from math import prod

from hypothesis import strategies as st

from forest_scrapy.alignment.ontology import name_of
from forest_scrapy.core.graph import Literal, Triple

#: A fact of the paper: r(x, y), also of inverse relations.
Fact = tuple[str, str, str]


def library() -> tuple[list[Triple], list[Triple]]:
    """Records of books with titles and authors, and an ontology that has two thirds of them, whose
    books are created by persons with names."""
    places = ("Hamlet", "Macbeth", "Othello", "Lear", "Tempest", "Odyssey", "Emma", "Dracula")
    records, ontology = [], []
    for number, (part, place) in enumerate(product(range(5), places)):
        author = number % 8
        title, name = f"{place} volume {part}", f"Writer {chr(65 + author) * 3}son"
        record, book = f"urn:record:{number}", f"urn:book:{number}"
        person = f"urn:person:{author}"
        records += [
            Triple(record, TYPE, "urn:Record"),
            Triple(record, "urn:td1", Literal(title)),
            Triple(record, "urn:td2", Literal(name)),
            Triple(record, "urn:td3", Literal("In stock")),
        ]
        if number % 3:
            ontology += [
                Triple(book, TYPE, "urn:Book"),
                Triple(person, TYPE, "urn:Person"),
                Triple(book, "urn:title", Literal(title.upper(), language="en")),
                Triple(person, "urn:created", book),
                Triple(person, "urn:name", Literal(name)),
            ]
    return records, ontology


TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def both_ways(triples: Iterable[Triple]) -> set[Fact]:
    """The facts r(x, y) and their inverses, with literals in their normal form."""
    facts = set()
    for subject, predicate, node in triples:
        if predicate != TYPE:
            facts.add((predicate, subject, name_of(node)))
            facts.add((f"^{predicate}", name_of(node), subject))
    return facts


def inverse(relation: str) -> str:
    return relation[1:] if relation.startswith("^") else f"^{relation}"


def functionality(facts: set[Fact]) -> dict[str, float]:
    """Equation 2: #x ∃y r(x, y) / #x, y r(x, y)."""
    subjects, sizes = defaultdict(set), defaultdict(int)
    for relation, x, _ in facts:
        subjects[relation].add(x)
        sizes[relation] += 1
    return {relation: len(subjects[relation]) / sizes[relation] for relation in sizes}


def equal_entities(
    left: set[Fact],
    right: set[Fact],
    equal: dict[tuple[str, str], float],
    in_right: dict[tuple[str, str], float],
    in_left: dict[tuple[str, str], float],
) -> dict[tuple[str, str], float]:
    """Equation 13, for all pairs of entities."""
    fun, other_fun = functionality(left), functionality(right)
    factors: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (r, x, y), (other_r, other_x, other_y) in product(left, right):
        p = equal.get((y, other_y), 0.0)
        if p and not x.startswith('"') and not other_x.startswith('"'):
            factors[x, other_x] += [
                1 - in_left.get((other_r, r), 0.0) * fun[inverse(r)] * p,
                1 - in_right.get((r, other_r), 0.0) * other_fun[inverse(other_r)] * p,
            ]
    return {pair: 1 - prod(values) for pair, values in factors.items()}


def contained(
    left: set[Fact], right: set[Fact], equal: dict[tuple[str, str], float]
) -> dict[tuple[str, str], float]:
    """Equation 12, for all pairs of relations."""
    others = defaultdict(list)
    for (node, other), p in equal.items():
        others[node].append((other, p))
    held: dict[tuple[str, str], float] = defaultdict(float)
    possible: dict[str, float] = defaultdict(float)
    relations = {relation for relation, _, _ in right}
    for r, x, y in left:
        pairs = [(a, b, p * q) for a, p in others[x] for b, q in others[y]]
        possible[r] += 1 - prod(1 - p for _, _, p in pairs)
        for other in relations:
            true = prod(1 - p for a, b, p in pairs if (other, a, b) in right)
            held[r, other] += 1 - true
    return {(r, s): held[r, s] / possible[r] for r, s in held if held[r, s]}


#: Small graphs with few names, so that much is shared.
GRAPHS = st.lists(
    st.builds(
        Triple,
        st.sampled_from(["urn:a", "urn:b", "urn:c", "urn:d"]),
        st.sampled_from(["urn:p", "urn:q", "urn:r"]),
        st.one_of(
            st.sampled_from(["urn:a", "urn:b", "urn:c"]),
            st.builds(Literal, st.sampled_from(["one", "two", "three", "four"])),
        ),
    ),
    min_size=1,
    max_size=14,
)
