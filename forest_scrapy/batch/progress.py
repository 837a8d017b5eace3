"""The progress of a batch, shown in a terminal or not at all."""

from time import monotonic
from typing import TextIO

from forest_scrapy.core.plurals import count
from forest_scrapy.output_files import INTERVAL, TerminalLine

#: What each stage does, and what it counts.
_STAGES = {
    "read": ("reading", "page"),
    "plan": ("finding templates", "host"),
    "collect": ("copying pages to learn from", "page"),
    "learn": ("learning wrappers", "host"),
    "extract": ("extracting", "page"),
}
#: Seconds from the begin of a stage in which only that comes which an earlier run has done.
_RESUMING = 0.001


class NoProgress:
    """Shows nothing."""

    def begin(self, stage: str, total: int | None) -> None:
        pass

    def advance(self, number: int) -> None:
        pass


class TerminalProgress:
    """Keeps a line at the bottom of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._line = TerminalLine(stream)
        self.begin("read", None)

    def begin(self, stage: str, total: int | None) -> None:
        self._stage = stage
        self._total = total
        self._start = monotonic()
        self._shown_at = 0.0
        #: The pages or hosts of the stage so far, and those of an earlier run.
        self._number = 0
        self._resumed = 0

    def advance(self, number: int) -> None:
        self._number += number
        now = monotonic()
        seconds = now - self._start
        if seconds < _RESUMING:
            self._resumed = self._number
        if now - self._shown_at > INTERVAL:
            self._shown_at = now
            rate = (self._number - self._resumed) / max(seconds, _RESUMING)
            text = describe_stage(self._stage, self._number, self._total, rate)
            self._line.show(text)

    def close(self) -> None:
        """Erase the line."""
        self._line.erase()


def describe_stage(
    stage: str,
    number: int,
    total: int | None,
    rate: float,
) -> str:
    """The state of a stage in one line; ``rate``: a second.

    >>> describe_stage("extract", 1200, 20000, 400.0)
    'extracting: 1,200 of 20,000 pages, 400 pages/s, 47 s left'
    """
    verb, noun = _STAGES[stage]
    text = f"{verb}: "
    if total is None:
        text += count(number, noun, spec=",")
    else:
        text += f"{number:,} of {count(total, noun, spec=',')}"
    text += f", {rate:,.0f} {noun}s/s"
    if total is not None and rate > 0:
        remaining = max(total - number, 0)
        text += f", {_describe_duration(round(remaining / rate))} left"
    return text


def _describe_duration(seconds: int) -> str:
    minutes = seconds // 60
    hours = minutes // 60
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds} s"
