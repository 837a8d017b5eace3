"""The progress line of a batch on a terminal."""

from __future__ import annotations

from shutil import get_terminal_size
from time import monotonic
from typing import TextIO

__all__ = ["NoProgress", "TerminalProgress", "describe_progress"]

#: Seconds between two updates.
_INTERVAL = 0.5
#: Moves to the start of the line and erases it.
_ERASE = "\r\x1b[K"
#: What a stage does, and what it counts.
_STAGES = {
    "read": ("reading", "pages"),
    "plan": ("finding templates", "hosts"),
    "collect": ("copying pages to learn from", "pages"),
    "learn": ("learning wrappers", "hosts"),
    "extract": ("extracting", "pages"),
}


class NoProgress:
    """Shows nothing."""

    def begin(self, stage: str, total: int | None) -> None:
        pass

    def advance(self, number: int) -> None:
        pass


class TerminalProgress:
    """Keeps a line at the bottom of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stage, self._total = "read", None
        self._done = self._before = 0
        self._start = self._shown = 0.0

    def begin(self, stage: str, total: int | None) -> None:
        self._stage, self._total = stage, total  # type: ignore[assignment]
        self._done = self._before = 0
        self._start, self._shown = monotonic(), 0.0

    def advance(self, number: int) -> None:
        self._done += number
        now = monotonic()
        if now - self._start < 0.001:  # what an earlier run has done
            self._before = self._done
        if now - self._shown > _INTERVAL:
            self._shown = now
            rate = (self._done - self._before) / max(now - self._start, 0.001)
            line = describe_progress(self._stage, self._done, self._total, rate)
            self._stream.write(_ERASE + line[: get_terminal_size().columns - 1])
            self._stream.flush()

    def close(self) -> None:
        """Erase the line."""
        self._stream.write(_ERASE)
        self._stream.flush()


def describe_progress(stage: str, done: int, total: int | None, rate: float) -> str:
    """The state of a stage in one line; ``rate``: a second.

    >>> describe_progress("extract", 1200, 20000, 400.0)
    'extracting: 1,200 of 20,000 pages, 400 pages/s, 47 s left'
    """
    verb, noun = _STAGES[stage]
    of = f" of {total:,}" if total is not None else ""
    left = ""
    if total is not None and rate > 0:
        seconds = round(max(total - done, 0) / rate)
        minutes, hours = seconds // 60, seconds // 3600
        duration = f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
        left = f", {duration if minutes else f'{seconds} s'} left"
    return f"{verb}: {done:,}{of} {noun}, {rate:,.0f} {noun}/s{left}"
