"""The values of records: what a wrapper finds on a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Record", "Value"]


@dataclass(frozen=True)
class Value:
    """A value of an attribute.  ``name``: the attribute's, such as ``author`` or ``date``, or the
    label, column or internal path of one without a role; ``type`` as in ``Attribute``; ``text``: as
    the page has it, dates as ISO 8601, URLs absolute, prices as decimal numbers, numbers without
    their unit.  ``unit``: the currency of a price (ISO 4217), the unit of a number."""

    name: str
    type: str
    text: str
    unit: str = ""


@dataclass(frozen=True)
class Record:
    """A record of a page.

    ``position``: from 1, in the order of the page.  ``text``: its text, one line per block, and
    ``html`` the same as HTML that is safe to show; both without quotes and replies.  ``quote``:
    the text it quotes.  ``reply_to``: the position of the record that contains it, or that
    it links to as the one it replies to; None if there is none.
    """

    position: int
    text: str
    html: str = field(default="", repr=False)
    quote: str = ""
    reply_to: int | None = None
    values: tuple[Value, ...] = ()

    def get(self, name: str) -> str:
        """The first value of the attribute; ``""`` if the record has none.

        >>> Record(1, "Hello", values=(Value("author", "author", "Ana"),)).get("author")
        'Ana'
        """
        return next((value.text for value in self.values if value.name == name), "")

    def describe(self) -> dict[str, Any]:
        """The record as a post or a comment: its text with the author and the date."""
        return {
            "position": self.position,
            "author": self.get("author"),
            "date": self.get("date"),
            "text": self.text,
            "html": self.html,
            "quote": self.quote,
            "reply_to": self.reply_to,
        }

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON values."""
        return {**asdict(self), "values": [asdict(value) for value in self.values]}
