"""The cells of the fault matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Cell:
    """A crawl of the demo that is stopped, each time later, and then resumed if it has a
    JOBDIR.

    ``stops``: one for each run; ``moment``: the share of the articles that are requested when
    the first run is stopped.
    """

    stops: tuple[str, ...]
    moment: float
    has_job: bool
    format: str

    @property
    def name(self) -> str:
        job = "JOBDIR" if self.has_job else "-"
        return f"{', '.join(self.stops)} | {self.moment:.0%} | {job} | {self.format}"

    def moments(self) -> list[float]:
        """The share of the articles that are requested at each stop."""
        step = (0.95 - self.moment) / len(self.stops)
        return [self.moment + step * i for i in range(len(self.stops))]


_ONE = ("int", "term", "int+int", "int+kill", "kill", "pagecount", "itemcount")
_TWO: tuple[tuple[str, ...], ...] = (
    ("kill", "int"),
    ("int", "kill"),
    ("kill", "kill"),
    ("term", "kill"),
    ("kill", "pagecount"),
    ("int+kill", "int"),
)
_THREE: tuple[tuple[str, ...], ...] = (
    ("kill", "int", "kill"),
    ("int", "kill", "int"),
    ("kill", "kill", "kill"),
    ("kill", "itemcount", "int+kill"),
)
_GRACEFUL = ("int", "term", "pagecount", "itemcount", "timeout")
_APPENDED = ("jsonl", "csv")
_ALL = (*_APPENDED, "json", "xml")


def matrix() -> Iterator[Cell]:
    """All cells.  A kill without a JOBDIR is left out: nothing is left of that crawl."""
    for stop, moment, format in product(_ONE, (0.15, 0.5, 0.9), _APPENDED):
        yield Cell((stop,), moment, True, format)
    for stops, moment, format in product(_TWO, (0.15, 0.6), _APPENDED):
        yield Cell(stops, moment, True, format)
    for stops, format in product(_THREE, _APPENDED):
        yield Cell(stops, 0.2, True, format)
    for stop, format in product(_GRACEFUL, _ALL):
        yield Cell((stop,), 0.5, False, format)


def quick_matrix() -> Iterator[Cell]:
    """A few of the cells, of all kinds."""
    yield Cell(("int",), 0.5, True, "csv")
    yield Cell(("int+kill",), 0.9, True, "jsonl")
    yield Cell(("kill",), 0.5, True, "csv")
    yield Cell(("kill", "pagecount"), 0.15, True, "jsonl")
    yield Cell(("kill", "int", "kill"), 0.2, True, "csv")
    yield Cell(("itemcount",), 0.5, False, "json")
