"""An entity and its parts, about which statements are collected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.core.graph.iris import local_name, part_iri, web_iri
from forest_scrapy.core.graph.literals import (
    date_literal,
    number_literal,
    plain_literal,
    text_literal,
)
from forest_scrapy.core.graph.triples import Literal, Triple
from forest_scrapy.core.graph.vocabulary import (
    ELEMENTS,
    LABEL,
    PROPERTY,
    SCHEMA,
    TERMS,
    TYPE,
)

#: The roles that attributes of records have, and the terms for these.
ROLE_TERMS = {
    "title": f"{SCHEMA}name",
    "url": f"{SCHEMA}url",
    "author": f"{ELEMENTS}creator",
    "date": f"{TERMS}date",
}
_NUMBER_TYPES = frozenset(("number", "price", "position"))


@dataclass
class Entity:
    """Collects statements: about ``iri``, and about its parts, in one list."""

    iri: str
    triples: list[Triple] = field(default_factory=list)

    def state(self, predicate: str, *objects: str | Literal | None) -> None:
        """State the predicate of each object that is not empty."""
        for node in objects:
            if node:
                triple = Triple(self.iri, predicate, node)
                self.triples.append(triple)

    def schema(self, term: str, *objects: str | Literal | None) -> None:
        """State a property of schema.org."""
        self.state(f"{SCHEMA}{term}", *objects)

    def text(self, term: str, value: object, language: object = None) -> None:
        """State a property of schema.org whose value is a text, which may have a language."""
        self.schema(term, text_literal(value, language))

    def date(self, term: str, value: object) -> None:
        """State a property of schema.org whose value is a date or a time."""
        self.schema(term, date_literal(value))

    def number(self, term: str, value: object) -> None:
        """State a property of schema.org whose value is a number."""
        self.schema(term, number_literal(value))

    def is_a(self, kind: str) -> None:
        """State the class, one of schema.org."""
        self.state(TYPE, f"{SCHEMA}{kind}")

    def part(self, name: str, kind: str = "") -> Entity:
        """A part of the entity, whose statements go to the same list."""
        iri = part_iri(self.iri, name)
        part = self.entity(iri)
        if kind:
            part.is_a(kind)
        return part

    def entity(self, iri: str) -> Entity:
        """Another entity, whose statements go to the same list."""
        return Entity(iri, self.triples)

    def has_values(self, base: str, values: object) -> None:
        """State the attributes of a record: objects with ``name``, ``value``, ``type`` and
        ``unit``.  ``base``: the page whose properties these are."""
        for attribute in objects_of(values):
            name = attribute.get("name")
            if not isinstance(name, str) or not name.strip():
                continue
            self._has_value(base, name, typed_value(attribute))
            unit = text_literal(attribute.get("unit"))
            self._has_value(base, f"{name}, unit", unit)

    def has_extra(self, base: str, extra: object) -> None:
        """State what a spider adds to an item: JSON values by name; nested objects are left out."""
        if not isinstance(extra, Mapping):
            return
        for name, value in extra.items():
            values = value if isinstance(value, list | tuple) else (value,)
            for member in values:
                literal = plain_literal(member)
                self._has_value(base, str(name), literal)

    def _has_value(
        self,
        base: str,
        name: str,
        value: str | Literal | None,
    ) -> None:
        if value is None:
            return
        predicate = property_iri(base, name)
        if name not in ROLE_TERMS:
            declared = self.entity(predicate)
            declared.state(TYPE, PROPERTY)
            declared.state(LABEL, text_literal(name))
        self.state(predicate, value)


def property_iri(base: str, name: str) -> str:
    """The property of an attribute of the records of a page: a term for its role, which is then its
    name, else one of the page's own.

    >>> property_iri("https://a.example/find", "title")
    'https://schema.org/name'
    >>> property_iri("https://a.example/find", "Publisher")
    'https://a.example/find#Publisher'
    """
    role_term = ROLE_TERMS.get(name)
    if role_term:
        return role_term
    return part_iri(base, local_name(name))


def typed_value(attribute: Mapping[str, Any]) -> str | Literal | None:
    """The value of an attribute of an item, by its type."""
    kind = attribute.get("type")
    value = attribute.get("value")
    if kind in ("url", "image"):
        return web_iri(value) or text_literal(value)
    if kind == "date":
        return date_literal(value)
    if kind in _NUMBER_TYPES:
        return number_literal(value)
    return plain_literal(value)


def objects_of(values: object) -> Sequence[Mapping[str, Any]]:
    """The objects of a list; nothing for another value."""
    if not isinstance(values, list | tuple):
        return []
    return [member for member in values if isinstance(member, Mapping)]


def texts_of(values: object) -> list[str]:
    """The texts of a list, each once; nothing for another value."""
    if not isinstance(values, list | tuple):
        return []
    texts = []
    for member in values:
        if isinstance(member, str) and member.strip():
            texts.append(member)
    return list(dict.fromkeys(texts))
