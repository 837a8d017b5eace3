"""Limits of processor time that hold on a slow and on a busy machine, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

#: The loop that tells the machine's pace, and the processor time in seconds that it takes on a
#: machine with nothing else to do.
_STEPS = 1_000_000
_IDLE_SECONDS = 0.05


def _reference_seconds() -> float:
    """The processor time of the loop."""
    start = process_time()
    total = 0
    for step in range(_STEPS):
        total += step
    return process_time() - start


@contextmanager
def limited_effort(seconds: float) -> Iterator[None]:
    """What is done inside takes at most ``seconds`` of processor time on an idle machine.

    For hostile input, which took minutes once. A limit is some ten times of what is needed, and
    grows with what the machine needs more for a loop of known length at the time of the test.
    """
    start = process_time()
    yield
    taken = process_time() - start
    if taken > seconds:
        pace = max(1.0, _reference_seconds() / _IDLE_SECONDS)
        assert taken <= seconds * pace, f"{taken:.1f} s, and the machine is {pace:.1f} times slower"
