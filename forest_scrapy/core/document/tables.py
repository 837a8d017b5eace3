"""Tables that a browser would not show as they are: something is between their cells."""

from __future__ import annotations

__all__ = ["HOLDERS", "PARTS", "TABLE_TAGS", "Table", "is_misplaced"]

#: The parts of a table, and the elements each may be a child of.
PARTS = {
    "caption": ("table",),
    "thead": ("table",),
    "tbody": ("table",),
    "tfoot": ("table",),
    "tr": ("table", "thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
}
#: The elements that hold parts only, and no text.
HOLDERS = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
#: A table and its parts.
TABLE_TAGS = frozenset(("table", *PARTS))


class Table:
    """A table that is being written: where its tags are in the markup, and whether only what may
    be between them is there."""

    __slots__ = ("_tags", "is_valid")

    def __init__(self) -> None:
        self.is_valid = True
        self._tags: list[tuple[int, str]] = []

    def note_tag(self, position: int, mark: str) -> None:
        """A tag of the table or a part is written next; ``mark``: what it would be as ``div``."""
        self._tags.append((position, mark))

    def close(self, out: list[str]) -> None:
        """Turn an invalid table into plain blocks: a browser would show what is between its cells
        before the table."""
        if not self.is_valid:
            for position, mark in self._tags:
                out[position] = mark


def is_misplaced(tag: str, parent: str) -> bool:
    """Whether an element may not be a child of ``parent``, as far as tables go.

    >>> is_misplaced("td", "tr"), is_misplaced("td", "div"), is_misplaced("p", "tr")
    (False, True, True)
    """
    return parent not in PARTS[tag] if tag in PARTS else parent in HOLDERS
