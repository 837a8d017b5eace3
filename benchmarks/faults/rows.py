"""The rows of the fault table."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.faults.jobs import Outcome

HEADER = (
    "| stops | moment | JOBDIR | export | fetched | articles | drops | left | lost | doubled |"
    " exit |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Row:
    """A crawl's name (four columns) and outcome.  ``problem``: what else is wrong."""

    name: str
    outcome: Outcome
    lost: int
    problem: str = ""

    @property
    def is_good(self) -> bool:
        """Whether nothing was lost or doubled."""
        return not (self.lost or self.outcome.doubled or self.problem)

    def __str__(self) -> str:
        outcome = self.outcome
        drops = ", ".join(f"{name} {n}" for name, n in sorted(outcome.drops.items())) or "-"
        exits = " ".join([*map(str, outcome.exits), self.problem and f"**{self.problem}**"])
        return (
            f"| {self.name} | {outcome.fetched} | {len(outcome.urls)} | {drops} | {outcome.left} |"
            f" {self.lost} | {outcome.doubled} | {exits.strip()} |"
        )
