"""Texts of pages in the log, and in the line of the terminal, do not control a terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import StringIO

import pytest

from forest_scrapy.crawl.log_filters import escape_log
from forest_scrapy.output_files import TerminalLine

ATTACK = "\x1b]0;owned\x07\x1b[2J\u202e"
ESCAPED = r"\u001b]0;owned\u0007\u001b[2J\u202e"


@pytest.fixture
def stream() -> Iterator[StringIO]:
    """What a handler of the root logger writes."""
    handler = logging.StreamHandler(StringIO())
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    yield handler.stream
    logging.getLogger().removeHandler(handler)


def test_the_log(stream: StringIO) -> None:
    escape_log()
    escape_log()
    logger = logging.getLogger("any.spider")
    logger.warning("Feed %s: %d items", ATTACK, 3)
    try:
        raise ValueError(ATTACK)
    except ValueError:
        logger.exception("Cannot read\n%s", "a page")
    written = stream.getvalue()
    assert written.startswith(f"WARNING: Feed {ESCAPED}: 3 items\nERROR: Cannot read\na page\n")
    assert f"ValueError: {ESCAPED}" in written
    assert "\x1b" not in written and "\u202e" not in written


def test_the_line_of_a_terminal() -> None:
    stream = StringIO()
    TerminalLine(stream).show(ATTACK)
    assert stream.getvalue().removeprefix("\r\x1b[K") == ESCAPED
