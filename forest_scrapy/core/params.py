"""The parameters of learning, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Params"]


@dataclass(frozen=True)
class Params:
    """What a caller may choose.

    ``method``: a name from ``METHODS``, or ``auto``: ``trained`` for two or more pages,
    ``single`` for one.  ``pages``: learn from at most so many; FOREST's plateau is at 8 to 10
    (section 4).
    ``signifiers``: so many a page; quality falls below 5 and slightly above 20 (figure 6).
    ``measure``: what FOREST ranks by, ``J*U``, or ``J`` or ``U`` alone (figure 7).
    """

    method: str = "auto"
    pages: int = 10
    signifiers: int = 10
    measure: str = "J*U"
