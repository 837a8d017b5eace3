"""The progress of a batch in a terminal."""

from __future__ import annotations

from io import StringIO

import pytest

from forest_scrapy.batch import progress
from forest_scrapy.batch.progress import TerminalProgress, describe_stage


class Clock:
    """Seconds, which a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    return clock


@pytest.mark.parametrize(
    ("remaining", "duration"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (7260, "2 h 1 min")],
)
def test_the_time_that_is_left_is_in_one_or_two_units(remaining: int, duration: str) -> None:
    text = describe_stage("plan", 10, 10 + remaining, 1.0)
    assert text.endswith(f"hosts, 1 hosts/s, {duration} left")


def test_without_a_total_or_a_rate_no_time_is_left() -> None:
    assert describe_stage("read", 5, None, 2.0) == "reading: 5 pages, 2 pages/s"
    assert describe_stage("read", 5, 9, 0.0) == "reading: 5 of 9 pages, 0 pages/s"


def test_pages_of_an_earlier_run_are_no_part_of_the_rate(clock: Clock) -> None:
    stream = StringIO()
    terminal = TerminalProgress(stream)
    terminal.begin("extract", 1000)
    terminal.advance(500)
    clock.now += 10
    terminal.advance(100)
    assert "600 of 1,000 pages, 10 pages/s, 40 s left" in stream.getvalue()


def test_the_line_is_erased_at_the_end(clock: Clock) -> None:
    stream = StringIO()
    terminal = TerminalProgress(stream)
    clock.now += 10
    terminal.advance(1)
    shown = stream.getvalue()
    terminal.close()
    assert shown.strip()
    assert stream.getvalue() != shown
