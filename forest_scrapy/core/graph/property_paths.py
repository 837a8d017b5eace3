"""Paths of properties in the syntax of SPARQL, such as ``^<urn:created>/<urn:name>``."""

from __future__ import annotations

import re
from typing import NamedTuple

_STEP = re.compile(r"(\^?)<([^<>]*)>")


class PropertyStep(NamedTuple):
    """A step of a path: a relation, or its inverse."""

    predicate: str
    is_inverse: bool


def read_path(path: str) -> tuple[PropertyStep, ...]:
    """The steps of a path.

    >>> read_path("^<urn:created>/<urn:name>")
    (PropertyStep(predicate='urn:created', is_inverse=True), \
PropertyStep(predicate='urn:name', is_inverse=False))
    """
    steps = _STEP.findall(path)
    return tuple(PropertyStep(iri, is_inverse=bool(mark)) for mark, iri in steps)
