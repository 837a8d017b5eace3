"""Values of the core as JSON: frozen dataclasses of texts, numbers, tuples and other such values.

One codec for all of them, by msgspec, which checks the types.  What is written leaves out the
fields that have their default, so that a person can read it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

import msgspec

from forest_scrapy.core.errors import BadRules

_T = TypeVar("_T")
#: The path of the whole value in the messages of msgspec.
_ROOT = "$"


def to_json(value: Any, whole: bool = False) -> Any:
    """The value as JSON has it: objects for dataclasses, without the fields that have their
    default unless ``whole``, and lists for tuples.

    >>> from forest_scrapy.core.page.page import Entry
    >>> to_json(Entry(title="Owls", tags=("birds",)))
    {'title': 'Owls', 'tags': ['birds']}
    """
    if isinstance(value, str):  # most values are
        return value
    if is_dataclass(value):
        data = {}
        for field in fields(value):
            field_value = getattr(value, field.name)
            if whole or field_value != _default(field):
                data[field.name] = to_json(field_value, whole)
        return data
    if isinstance(value, Mapping):
        return {name: to_json(item, whole) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item, whole) for item in value]
    return value


def from_json(
    kind: type[_T],
    data: Any,
    ignore_unknown: bool = False,
    path: str = _ROOT,
) -> _T:
    """The value that ``to_json`` was called on.

    Raises ``BadRules``, with the path of what is wrong, for a missing key, a value of another type,
    and, unless ``ignore_unknown``, a key that ``kind`` does not have: it may be misspelt.  Fields
    that have their default are not in ``vars()`` of the value; ``asdict`` and ``fields`` have them.
    ``path``: where the data are in a larger JSON value.

    >>> from forest_scrapy.core.page.page import Entry
    >>> from_json(Entry, {"title": 1})
    Traceback (most recent call last):
    forest_scrapy.core.errors.BadRules: Expected `str`, got `int` - at `$.title`
    """
    try:
        value = msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message = _place(str(error), path)
        raise BadRules(message) from None
    if not ignore_unknown:
        _refuse_unknown(data, value, path)
    return value


def dumps(value: Any) -> str:
    """The value as indented JSON; equal values give the same text."""
    return json.dumps(to_json(value), ensure_ascii=False, indent=2) + "\n"


def loads(kind: type[_T], text: str) -> _T:
    """The value of ``dumps``; raises ``BadRules``, also for a text that is not JSON."""
    return from_json(kind, read_object(text))


def read_object(text: str) -> dict[str, Any]:
    """A JSON object; raises ``BadRules`` for another text.

    >>> read_object('{"format": 2}')
    {'format': 2}
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRules(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadRules("rules are a JSON object")
    return data


def _place(message: str, path: str) -> str:
    """The message of msgspec, with the path of what it is about in the larger value.

    >>> _place("Expected `str`, got `int` - at `$.title`", "$.entry")
    'Expected `str`, got `int` - at `$.entry.title`'
    >>> _place("Expected `object`, got `int`", "$.entry")
    'Expected `object`, got `int` - at `$.entry`'
    """
    if path == _ROOT:
        return message
    reason, _, inner_path = message.partition(f" - at `{_ROOT}")
    return f"{reason} - at `{path}{inner_path or '`'}"


def _default(field: Field[Any]) -> Any:
    if field.default_factory is MISSING:
        return field.default
    return field.default_factory()


def _refuse_unknown(data: Any, value: Any, path: str) -> None:
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        unknown = sorted(data.keys() - set(names))
        if unknown:
            allowed = ", ".join(names)
            raise BadRules(f"{unknown[0]!r} is not one of {allowed} - at `{path}`")
        for name, item in data.items():
            field_value = getattr(value, name)
            _refuse_unknown(item, field_value, f"{path}.{name}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        pairs = zip(data, value, strict=True)
        for i, (item, item_value) in enumerate(pairs):
            _refuse_unknown(item, item_value, f"{path}[{i}]")
