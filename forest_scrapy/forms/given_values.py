"""Values that a person has for a form, as those of an ontology that its records do not have
(thesis, section 3.7): which control each is put into."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_scrapy.core import ForestError
from forest_scrapy.forms.form import Control
from forest_scrapy.input_files import read_text

if TYPE_CHECKING:
    from forest_scrapy.forms.form_graph import FormGraph

#: Characters of the longest value that is tried: no control is for longer texts.
MAX_VALUE_LENGTH = 200

#: Values by the name of a control, or by the IRI of a predicate of the form's records.
NamedValues = Mapping[str, Sequence[str]]


#: The name of values that are of no control in particular.
ANY_CONTROL = ""
_REMEDY = 'give one value a line, or a JSON object with lists, such as {"city": ["Leeds", "York"]}'


class BadValues(ForestError, ValueError):
    """A file has no values for a form; the message names the remedy."""


def read_named_values(path: Path) -> NamedValues:
    """The values of a file: a JSON object with lists of texts, as ``scrapy forest align --values``
    writes it, or a list of texts, in JSON or one a line, whose name is ``ANY_CONTROL``.  Raises
    ``BadValues``."""
    try:
        text = read_text(path).removeprefix("\ufeff")
        named_values = _read_json(text)
    except JSONDecodeError as error:
        raise BadValues(f"-a values={path}: line {error.lineno}: {error.msg}: {_REMEDY}") from error
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", "") or error
        raise BadValues(f"-a values={path}: {reason}") from error

    if named_values is None:
        lines = [line.strip() for line in text.splitlines()]
        named_values = [line for line in lines if line]
    if isinstance(named_values, list):
        named_values = {ANY_CONTROL: named_values}
    if not _is_object_of_lists(named_values):
        raise BadValues(
            f"-a values={path}: not a JSON object with lists of texts, by the names of controls or"
            " by predicates, as scrapy forest align --values writes it, and no list of texts"
        )
    if not any(named_values.values()):
        raise BadValues(f"-a values={path}: there are no values in it: {_REMEDY}")
    distinct_values = {}
    for name, values in named_values.items():
        distinct_values[name] = tuple(dict.fromkeys(values))
    return distinct_values


def _read_json(text: str) -> Any:
    """The value of a text in JSON; None for a plain list, also one whose first line is in brackets,
    such as ``[2024] Owls``.  Raises ``JSONDecodeError``."""
    start = text.lstrip()[:1]
    if start == "{":
        return json.loads(text)
    if start != "[":
        return None
    first_line, *_ = text.strip().splitlines()
    is_line_in_brackets = "]" in first_line and not first_line.endswith(("]", "],"))
    return None if is_line_in_brackets else json.loads(text)


def _is_object_of_lists(named_values: object) -> bool:
    """Whether a JSON value is an object with lists of texts."""
    if not isinstance(named_values, dict):
        return False
    for values in named_values.values():
        if not isinstance(values, list):
            return False
        if not all(isinstance(value, str) for value in values):
            return False
    return True


def assign_values(
    named_values: NamedValues,
    graph: FormGraph,
) -> tuple[dict[str, list[str]], list[str]]:
    """The values by the control that they are put into, and the names that no control is known for.

    A name is that of a control, or the IRI of a predicate; values of a predicate are put into each
    control that was seen to search it, those of ``ANY_CONTROL`` into each that takes any text or
    has such options.  Of a choice only its options count.  Long texts are left out.
    """
    controls = {control.name: control for control in graph.form.controls}
    untyped_controls = [name for name, control in controls.items() if not control.type]
    controls_by_iri: dict[str, list[str]] = {}
    for predicate in graph.predicates:
        searching = controls_by_iri.setdefault(predicate.iri, [])
        for meaning in graph.meanings:
            if predicate.name in meaning.attributes:
                searching.append(meaning.control)

    assigned: dict[str, list[str]] = {}
    unknown = []
    for name, values in sorted(named_values.items()):
        control_names = [name] if name in controls else controls_by_iri.get(name, [])
        if name == ANY_CONTROL:
            control_names = untyped_controls
        if not control_names:
            unknown.append(name)
        for control_name in dict.fromkeys(control_names):
            control = controls[control_name]
            fitting = _fitting(control, values)
            control_values = assigned.setdefault(control_name, [])
            control_values.extend(fitting)

    for control_name, control_values in assigned.items():
        assigned[control_name] = list(dict.fromkeys(control_values))
    return assigned, unknown


def _fitting(control: Control, values: Sequence[str]) -> list[str]:
    """The values that a control can have: of a choice those of the options with these texts."""
    usable = []
    for value in values:
        is_short = len(value) <= MAX_VALUE_LENGTH
        if is_short and value.strip():
            usable.append(value)
    if control.kind == "text":
        return usable

    texts = {value.casefold() for value in usable}
    fitting = []
    for option, label in control.options:
        is_option = option.casefold() in texts
        is_label = label.casefold() in texts
        if is_option or is_label:
            fitting.append(option)
    return fitting
