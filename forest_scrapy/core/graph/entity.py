"""An entity and its parts, of which statements are collected."""

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
from forest_scrapy.core.graph.vocabulary import ELEMENTS, LABEL, PROPERTY, SCHEMA, TERMS, TYPE

#: The roles that attributes of records have, and the terms for these.
ROLE_TERMS = {
    "title": f"{SCHEMA}name",
    "url": f"{SCHEMA}url",
    "author": f"{ELEMENTS}creator",
    "date": f"{TERMS}date",
}
_NUMBERS = frozenset(("number", "price", "position"))


@dataclass
class Entity:
    """Collects statements: about ``iri``, and about its parts, in one list."""

    iri: str
    triples: list[Triple] = field(default_factory=list)

    def say(self, predicate: str, *objects: str | Literal | None) -> None:
        """State the predicate of each object that is there."""
        self.triples += [Triple(self.iri, predicate, one) for one in objects if one]

    def schema(self, term: str, *objects: str | Literal | None) -> None:
        """State a property of schema.org."""
        self.say(f"{SCHEMA}{term}", *objects)

    def is_a(self, kind: str) -> None:
        """State the class, one of schema.org."""
        self.say(TYPE, f"{SCHEMA}{kind}")

    def part(self, name: str, kind: str = "") -> Entity:
        """A part of the entity, whose statements go to the same list."""
        part = self.other(part_iri(self.iri, name))
        if kind:
            part.is_a(kind)
        return part

    def other(self, iri: str) -> Entity:
        """Another entity, whose statements go to the same list."""
        return Entity(iri, self.triples)

    def has_values(self, base: str, values: object) -> None:
        """State the attributes of a record: objects with ``name``, ``value``, ``type`` and
        ``unit``.  ``base``: the page whose properties these are."""
        for one in objects_of(values):
            name = one.get("name")
            if not isinstance(name, str) or not name.strip():
                continue
            self._has_value(base, name, typed_value(one))
            if unit := text_literal(one.get("unit")):
                self._has_value(base, f"{name}, unit", unit)

    def has_extra(self, base: str, extra: object) -> None:
        """State what a spider knows besides: JSON values by name; of objects only their texts."""
        for name, value in extra.items() if isinstance(extra, Mapping) else ():
            for one in value if isinstance(value, list | tuple) else (value,):
                if literal := plain_literal(one):
                    self._has_value(base, str(name), literal)

    def _has_value(self, base: str, name: str, value: str | Literal | None) -> None:
        if value is None:
            return
        predicate = property_iri(base, name)
        if name not in ROLE_TERMS:
            declared = self.other(predicate)
            declared.say(TYPE, PROPERTY)
            declared.say(LABEL, text_literal(name))
        self.say(predicate, value)


def property_iri(base: str, name: str) -> str:
    """The property of an attribute of the records of a page: a term for its role, which is then its
    name, else one of the page's own.

    >>> property_iri("https://a.example/find", "title")
    'https://schema.org/name'
    >>> property_iri("https://a.example/find", "Publisher")
    'https://a.example/find#Publisher'
    """
    return ROLE_TERMS.get(name) or part_iri(base, local_name(name))


def typed_value(one: Mapping[str, Any]) -> str | Literal | None:
    """The value of an attribute of an item, by its type."""
    kind, value = one.get("type"), one.get("value")
    if kind in ("url", "image"):
        return web_iri(value) or text_literal(value)
    if kind == "date":
        return date_literal(value)
    return number_literal(value) if kind in _NUMBERS else plain_literal(value)


def objects_of(values: object) -> Sequence[Mapping[str, Any]]:
    """The objects of a list; nothing for another value."""
    found = values if isinstance(values, list | tuple) else ()
    return [one for one in found if isinstance(one, Mapping)]


def texts_of(values: object) -> list[str]:
    """The texts of a list, each once; nothing for another value."""
    found = values if isinstance(values, list | tuple) else ()
    return list(dict.fromkeys(one for one in found if isinstance(one, str) and one.strip()))
