"""Triples of RDF as plain values, so that the core needs no library for RDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A value that is not an entity: its text, and the IRI of its datatype or a language tag.

    >>> Literal("Hamlet", language="en")
    Literal(value='Hamlet', datatype=None, language='en')
    """

    value: str
    datatype: str | None = None
    language: str | None = None


class Triple(NamedTuple):
    """A statement.  The subject is an IRI or a blank node (``_:name``), the predicate an IRI, the
    object either of these or a literal."""

    subject: str
    predicate: str
    object: str | Literal


def is_blank(node: str | Literal) -> bool:
    """Whether the node is a blank node.

    >>> is_blank("_:b1"), is_blank("https://example.org/b1"), is_blank(Literal("_:b1"))
    (True, False, False)
    """
    return isinstance(node, str) and node.startswith("_:")
