"""An alignment as text, as Turtle, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_scrapy.alignment.ontology import OWL, RDFS
from forest_scrapy.alignment.paris import Alignment, EntityLink, SubLink
from forest_scrapy.core.graph.property_paths import PropertyStep, read_path
from forest_scrapy.core.graph.triples import is_blank
from forest_scrapy.core.plurals import count

#: What is less probable is a comment in Turtle.
MIN_STATED = 0.5
_SUB_PROPERTY = "rdfs:subPropertyOf"
_SUB_CLASS = "rdfs:subClassOf"


def write_turtle(alignment: Alignment) -> Iterator[str]:
    """Lines of Turtle, with the probabilities as comments.

    What is less probable than not is a comment, and so is what Turtle cannot say: that a relation
    is below two steps, and what a blank node is.
    """
    yield f"@prefix owl: <{OWL}> .\n@prefix rdfs: <{RDFS}> .\n"
    for link in alignment.entities:
        statement = f"<{link.left}> owl:sameAs <{link.right}> ."
        is_named = not is_blank(link.left) and not is_blank(link.right)
        yield _write(statement, link.probability, "", is_named)
    for sub_link in alignment.relations:
        statement, is_statement = _write_relation(sub_link)
        yield _write(statement, sub_link.probability, _write_evidence(sub_link), is_statement)
    for sub_link in alignment.classes:
        statement = f"<{sub_link.narrow}> {_SUB_CLASS} <{sub_link.wide}> ."
        is_named = not is_blank(sub_link.narrow) and not is_blank(sub_link.wide)
        yield _write(statement, sub_link.probability, _write_evidence(sub_link), is_named)


def _write_evidence(link: SubLink) -> str:
    return f" of {link.evidence:.0f}"


def _write(
    statement: str,
    probability: float,
    evidence: str,
    is_statement: bool,
) -> str:
    is_stated = is_statement and probability >= MIN_STATED
    mark = "" if is_stated else "# "
    return f"{mark}{statement}  # {probability:.3f}{evidence}\n"


def _write_relation(link: SubLink) -> tuple[str, bool]:
    """The statement, and whether it is one of OWL."""
    narrow = read_path(link.narrow)
    wide = read_path(link.wide)
    if len(wide) > 1:
        return f"{link.narrow} {_SUB_PROPERTY} {link.wide} .", False

    predicate, is_inverse = wide[0]
    if len(narrow) == 1:
        differs = narrow[0].is_inverse != is_inverse
        wider = _write_step(PropertyStep(predicate, differs))
        return f"<{narrow[0].predicate}> {_SUB_PROPERTY} {wider} .", True

    # A chain below the inverse of a relation is below the relation if it is turned round.
    steps = _turn_round(narrow) if is_inverse else narrow
    chain = " ".join(_write_step(step) for step in steps)
    return f"<{predicate}> owl:propertyChainAxiom ( {chain} ) .", True


def _turn_round(path: Sequence[PropertyStep]) -> Sequence[PropertyStep]:
    return [PropertyStep(step.predicate, not step.is_inverse) for step in reversed(path)]


def _write_step(step: PropertyStep) -> str:
    if step.is_inverse:
        return f"[ owl:inverseOf <{step.predicate}> ]"
    return f"<{step.predicate}>"


def write_table(alignment: Alignment, max_entities: int = 20) -> Iterator[str]:
    """Lines for a person to read: relations and classes, and ``max_entities`` of the entities."""
    similar = "too many texts to compare"
    if alignment.similar is not None:
        similar = count(alignment.similar, "pair of similar texts", "pairs of similar texts")
    rounds = count(alignment.rounds, "round")
    yield f"{rounds}, {alignment.changed:.1%} changed in the last; {similar}\n"

    yield from _write_links("relations", alignment.relations)
    yield from _write_links("classes", alignment.classes)

    equal = count(len(alignment.entities), "equal entity", "equal entities")
    yield f"\n{equal}: P, left, right\n"
    entities = sorted(alignment.entities, key=_by_probability)
    for link in entities[:max_entities]:
        yield f"  {link.probability:.3f}  {link.left} = {link.right}\n"
    if len(entities) > max_entities:
        yield f"  and {len(entities) - max_entities} more\n"


def _write_links(title: str, links: Sequence[SubLink]) -> Iterator[str]:
    if links:
        yield f"\n{title}: P, from how many, which is below which\n"
    for link in links:
        yield f"  {link.probability:.3f}  {link.evidence:7.0f}  {link.narrow} ⊆ {link.wide}\n"


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
