"""The product: what is extracted from a page about one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Product"]


@dataclass
class Product:
    """The product of a page; texts are ``""`` if unknown.

    ``price``: a decimal number such as ``1299.00``; ``currency``: its ISO 4217 code;
    ``availability``: the name that schema.org has for it, such as ``InStock``.  ``images``:
    absolute URLs, the main one first.  ``attributes``: objects such as the rows of a table of
    technical data, with ``name`` and ``value`` as the page has them, ``type`` (``price``,
    ``number``, ``date``, ``url`` or ``text``) and ``unit``: the currency of a price (ISO 4217), the
    unit of a number.  ``text``: the main text of the page.  ``sources``: for
    each field that has a value, where it is from: ``json-ld``, ``microdata``, ``meta``,
    ``template`` (a place that was learned from the pages of the template) or ``page``.
    """

    url: str
    name: str = ""
    price: str = ""
    currency: str = ""
    availability: str = ""
    sku: str = ""
    brand: str = ""
    images: list[str] = field(default_factory=list)
    description: str = ""
    attributes: list[dict[str, str]] = field(default_factory=list)
    text: str = ""
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""
    sources: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The product as JSON values."""
        return asdict(self)
