"""Values of items as tables and XML documents hold them, without ``None`` and Python literals."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["plain_text", "plain_value", "table_value"]

#: Characters that XML 1.0 does not allow, also not as a reference.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def table_value(value: Any) -> Any:
    """A value for a cell: lists and objects as JSON, an empty string for None.

    >>> table_value({"a": None}), table_value([{"url": "é"}]), table_value(None), table_value(2)
    ('{"a": null}', '[{"url": "é"}]', '', 2)
    """
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else value


def plain_value(value: Any) -> Any:
    """A value for XML: an empty string for None, also inside lists and objects, ``true`` and
    ``false`` for booleans, and no characters that XML does not allow.

    >>> plain_value({"a": None, "b": ["x\\x00", True]})
    {'a': '', 'b': ['x', 'true']}
    """
    if isinstance(value, Mapping):
        return {name: plain_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    if isinstance(value, bool):
        return str(value).lower()
    return plain_text(value) if isinstance(value, str) else "" if value is None else value


def plain_text(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NOT_XML.sub("", text)
