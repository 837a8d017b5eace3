"""An alignment as text, as Turtle, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from forest_scrapy.alignment.ontology import OWL, RDFS
from forest_scrapy.alignment.paris import Alignment, EntityLink, SubLink
from forest_scrapy.core.graph.property_paths import Step, read_path
from forest_scrapy.core.graph.triples import is_blank

#: What is less probable is a comment in Turtle.
LEAST_STATED = 0.5
_SUB_PROPERTY, _SUB_CLASS = "rdfs:subPropertyOf", "rdfs:subClassOf"


def write_turtle(alignment: Alignment) -> Iterator[str]:
    """Lines of Turtle, with the probabilities as comments.

    What is less probable than not is a comment, and so is what Turtle cannot say: that a relation
    is below two steps, and what a blank node is.
    """
    yield f"@prefix owl: <{OWL}> .\n@prefix rdfs: <{RDFS}> .\n"
    for one in alignment.entities:
        is_named = not is_blank(one.left) and not is_blank(one.right)
        yield _write(f"<{one.left}> owl:sameAs <{one.right}> .", one.probability, "", is_named)
    for link in alignment.relations:
        statement, is_statement = _write_relation(link)
        yield _write(statement, link.probability, f" of {link.evidence:.0f}", is_statement)
    for link in alignment.classes:
        statement = f"<{link.narrow}> {_SUB_CLASS} <{link.wide}> ."
        is_named = not is_blank(link.narrow) and not is_blank(link.wide)
        yield _write(statement, link.probability, f" of {link.evidence:.0f}", is_named)


def _write(statement: str, probability: float, evidence: str, is_statement: bool) -> str:
    mark = "" if is_statement and probability >= LEAST_STATED else "# "
    return f"{mark}{statement}  # {probability:.3f}{evidence}\n"


def _write_relation(link: SubLink) -> tuple[str, bool]:
    """The statement, and whether it is one of OWL."""
    narrow, wide = read_path(link.narrow), read_path(link.wide)
    if len(wide) > 1:
        return f"{link.narrow} {_SUB_PROPERTY} {link.wide} .", False
    predicate, is_back = wide[0]
    if len(narrow) == 1:
        wider = _write_step(Step(predicate, narrow[0].is_inverse != is_back))
        return f"<{narrow[0].predicate}> {_SUB_PROPERTY} {wider} .", True
    # A chain below the inverse of a relation is below the relation if it is turned round.
    turned = [Step(step.predicate, not step.is_inverse) for step in reversed(narrow)]
    chain = " ".join(map(_write_step, turned if is_back else narrow))
    return f"<{predicate}> owl:propertyChainAxiom ( {chain} ) .", True


def _write_step(step: Step) -> str:
    return f"[ owl:inverseOf <{step.predicate}> ]" if step.is_inverse else f"<{step.predicate}>"


def write_table(alignment: Alignment, most: int = 20) -> Iterator[str]:
    """Lines for a person to read: relations and classes, and ``most`` of the entities."""
    similar = "too many texts to compare" if alignment.similar is None else ""
    similar = similar or f"{alignment.similar} pairs of similar texts"
    yield f"{alignment.rounds} rounds, {alignment.changed:.1%} changed in the last; {similar}\n"
    for title, links in (("relations", alignment.relations), ("classes", alignment.classes)):
        if links:
            yield f"\n{title}: P, from how many, which is below which\n"
        for link in links:
            below = f"{link.narrow} ⊆ {link.wide}"
            yield f"  {link.probability:.3f}  {link.evidence:7.0f}  {below}\n"
    yield f"\n{len(alignment.entities)} equal entities: P, left, right\n"
    entities = sorted(alignment.entities, key=_by_probability)
    for one in entities[:most]:
        yield f"  {one.probability:.3f}  {one.left} = {one.right}\n"
    if len(entities) > most:
        yield f"  and {len(entities) - most} more\n"


def _by_probability(link: EntityLink) -> tuple[float, str]:
    return -link.probability, link.left


def to_dict(alignment: Alignment) -> dict[str, object]:
    """Values for JSON."""
    return {
        "rounds": alignment.rounds,
        "changed": alignment.changed,
        "similar": alignment.similar,
        "entities": [link._asdict() for link in alignment.entities],
        "relations": [link._asdict() for link in alignment.relations],
        "classes": [link._asdict() for link in alignment.classes],
    }
