"""The parameters of learning."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Params"]


@dataclass(frozen=True)
class Params:
    """The parameters of learning.

    - ``method``: a name from ``METHODS``, or ``auto``: ``trained`` for two or more pages,
      ``single`` for one.
    - ``pages``: the largest number of pages to learn from; FOREST gains nothing beyond 8 to 10
      (section 4).
    - ``signifiers``: the number of signifiers per page; F1 falls below 5 and slightly above 20
      (figure 6).
    - ``measure``: what FOREST ranks by: ``J*U``, or ``J`` or ``U`` alone (figure 7).
    """

    method: str = "auto"
    pages: int = 10
    signifiers: int = 10
    measure: str = "J*U"
