"""Attributes of records as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core.document.json_values import read_choice, read_texts
from forest_scrapy.core.errors import BadWrapper

__all__ = ["ROLES", "TYPES", "Attribute"]

#: The types of which the best attribute has the name of its type.
ROLES = ("author", "date", "title", "price")
#: The types of attributes.
TYPES = (*ROLES, "position", "number", "image", "url", "reply-to", "text")


@dataclass(frozen=True)
class Attribute:
    """An attribute of records.

    ``path``: its record internal path, with the number of the column for cells of tables without
    attributes; ``@name`` at the end for an attribute of the element.  ``type``: one of ``TYPES``.
    ``reply-to`` is a link to an earlier record of the page.
    ``name``: the type of the best author, date, title and price, and of the URL that the title
    links to; else the label, the column, or the path.  ``share``: of the records that have it.
    ``label``: what the pages call it, ``""`` if unknown.  ``by_label``: whether the path holds
    several attributes that only their labels tell apart.
    """

    name: str
    type: str
    path: str
    share: float = 1.0
    label: str = ""
    by_label: bool = False

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attribute:
        """The attribute of a JSON object; ``BadWrapper`` for a value of another type."""
        one = cls(**data)
        read_texts("attributes", [one.name, one.path, one.label])
        read_choice("type", one.type, TYPES)
        if not isinstance(one.share, (int, float)) or not isinstance(one.by_label, bool):
            raise BadWrapper(f"attributes: {one.share!r} or {one.by_label!r} is of another type")
        return one
