"""Colours on a terminal."""

from __future__ import annotations

import os
import re
import sys

__all__ = ["colour_lines"]

_BOLD, _GREEN, _YELLOW, _END = "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
#: The starts of lines, and the colour of the line.
_STARTS = (
    (re.compile(r"(wrapper|page by page|ranking of patterns.*)$"), _BOLD),
    (re.compile(r" *(keep \d+ |kept: |first: |last: )"), _GREEN),
    (re.compile(r" *(drop \d+ |dropped by )"), _YELLOW),
)


def colour_lines(text: str, force: bool = False) -> str:
    """The output of ``explain`` with headings in bold, what is kept in green and what is dropped in
    yellow, if standard output is a terminal and ``NO_COLOR`` is not set, or if ``force`` is given.

    >>> colour_lines("page by page\\n    dropped by drop 1: 'x'\\n", force=True)
    "\\x1b[1mpage by page\\x1b[0m\\n\\x1b[33m    dropped by drop 1: 'x'\\x1b[0m\\n"
    """
    if not force and (os.environ.get("NO_COLOR") or not sys.stdout.isatty()):
        return text
    return "".join(map(_colour, text.splitlines(keepends=True)))


def _colour(line: str) -> str:
    for start, colour in _STARTS:
        if start.match(line):
            return f"{colour}{line.rstrip()}{_END}\n"
    return line
