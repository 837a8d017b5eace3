"""Values that a person has for a form, as those of an ontology that its records do not have
(thesis, section 3.7): which control each is put into."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forest_scrapy.core import ForestError
from forest_scrapy.forms.form import Control
from forest_scrapy.input_files import read_text

if TYPE_CHECKING:
    from forest_scrapy.forms.form_graph import FormGraph

#: Characters of the longest value that is tried: no control is for longer texts.
_LONGEST = 200

#: Values by the name of a control, or by the IRI of a predicate of the form's records.
Given = Mapping[str, Sequence[str]]


class BadValues(ForestError, ValueError):
    """A file has no values for a form; the message names the remedy."""


def read_values(path: Path) -> Given:
    """The values of a file, as ``scrapy forest align --values`` writes it: a JSON object with lists
    of texts.  Raises ``BadValues``."""
    try:
        found = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise BadValues(f"-a values={path}: {getattr(error, 'strerror', '') or error}") from error
    is_valid = isinstance(found, dict) and all(
        isinstance(values, list) and all(isinstance(one, str) for one in values)
        for values in found.values()
    )
    if not is_valid:
        raise BadValues(
            f"-a values={path}: not a JSON object with lists of texts, by the names of controls or"
            " by predicates, as scrapy forest align --values writes it"
        )
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


def assign_values(given: Given, graph: FormGraph) -> tuple[dict[str, list[str]], list[str]]:
    """The values by the control that they are put into, and the names that no control is known for.

    A name is that of a control, or the IRI of a predicate; values of a predicate are put into each
    control that was seen to search it.  Of a choice only its options count.  Long texts are left
    out.
    """
    controls = {one.name: one for one in graph.form.controls}
    searched: dict[str, list[str]] = {}
    for one in graph.predicates:
        about = [mean.control for mean in graph.meanings if one.name in mean.attributes]
        searched.setdefault(one.iri, []).extend(about)
    assigned: dict[str, list[str]] = {}
    unknown = []
    for name in sorted(given):
        names = [name] if name in controls else searched.get(name, [])
        for own in dict.fromkeys(names):
            assigned.setdefault(own, []).extend(_fitting(controls[own], given[name]))
        if not names:
            unknown.append(name)
    return {name: list(dict.fromkeys(values)) for name, values in assigned.items()}, unknown


def _fitting(control: Control, values: Sequence[str]) -> list[str]:
    """The values that a control can have: of a choice those of the options with these texts."""
    values = [value for value in values if value.strip() and len(value) <= _LONGEST]
    if control.kind == "text":
        return values
    wanted = {value.casefold() for value in values}
    return [
        value for value, text in control.options if {value.casefold(), text.casefold()} & wanted
    ]
