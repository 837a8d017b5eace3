"""Print a table of a paper beside the figures that are measured here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A figure of a paper and its counterpart; ``""`` where there is none."""

    name: str
    published: str
    measured: str


def print_table(title: str, rows: Sequence[Row], difference: str) -> None:
    """A table, with what differs from the paper in the line below it."""
    width = max(len(row.name) for row in rows)
    print(f"\n{title}")
    print(f"{'':{width}s}  {'paper':>14s}  here")
    for row in rows:
        print(f"{row.name:{width}s}  {row.published or '-':>14s}  {row.measured or '-'}")
    print(f"Differs: {difference}")
