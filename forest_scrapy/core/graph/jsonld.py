"""JSON-LD: entities as objects (JSON-LD 1.1, W3C 2020).

rdflib's writer gives the values of an entity in another order each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from forest_scrapy.core.graph.triples import Literal, Triple
from forest_scrapy.core.graph.vocabulary import PREFIXES, SCHEMA, TYPE, shorten

_PLAIN = re.compile(r"(?:[a-z]+:)?[A-Za-z][A-Za-z0-9]*")


_OTHER_PREFIXES = {prefix: iri for prefix, iri in PREFIXES.items() if iri != SCHEMA}

#: The context of the objects: terms of schema.org have no prefix.
CONTEXT = {
    "@vocab": SCHEMA,
    **_OTHER_PREFIXES,
}


def write_entities(triples: Iterable[Triple]) -> list[dict[str, Any]]:
    """The subjects of the statements as objects for a document with ``CONTEXT``, in the order of
    the statements.

    >>> write_entities([Triple("urn:a", f"{SCHEMA}name", Literal("Owls", language="en"))])
    [{'@id': 'urn:a', 'name': {'@value': 'Owls', '@language': 'en'}}]
    """
    values_by_entity: dict[str, dict[str, list[Any]]] = {}
    for subject, predicate, node in triples:
        if predicate == TYPE and isinstance(node, str):
            name = "@type"
            value = _term(node)
        else:
            name = _term(predicate)
            value = _write_value(node)
        values = values_by_entity.setdefault(subject, {})
        values.setdefault(name, []).append(value)

    entities = []
    for iri, values in values_by_entity.items():
        entity: dict[str, Any] = {"@id": iri}
        for name, members in values.items():
            if len(members) == 1:
                entity[name] = members[0]
            else:
                entity[name] = members
        entities.append(entity)
    return entities


def _write_value(node: str | Literal) -> Any:
    if isinstance(node, str):
        return {"@id": node}
    if node.language:
        return {"@value": node.value, "@language": node.language}
    if node.datatype:
        datatype = _term(node.datatype)
        return {"@value": node.value, "@type": datatype}
    return node.value


def _term(iri: str) -> str:
    """The IRI of a property, class or type as the context shortens it."""
    short = shorten(iri)
    short = short.removeprefix("schema:")
    if _PLAIN.fullmatch(short):
        return short
    return iri
