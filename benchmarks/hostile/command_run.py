"""A command of forest-scrapy that is run in this process: what it says, and what it takes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any, NamedTuple

from benchmarks.hostile.crawl import usage
from forest_scrapy.commands.main import main as run_program


class CommandRun(NamedTuple):
    """``status``: 0, 1 or None; ``messages``: what it wrote to the standard error; ``usage``: that
    of ``crawl.usage``, its own processor time only."""

    status: object
    messages: str
    usage: dict[str, Any]


def run_command_line(arguments: Sequence[str], folder: str) -> CommandRun:
    """Run ``forest-scrapy`` with these arguments in a folder, which stays the working directory.
    Ends this process with the messages if there is a traceback or another status."""
    seconds_before = usage()["seconds"]
    os.chdir(folder)
    messages = io.StringIO()
    status: object = 0
    stderr = sys.stderr
    sys.stderr = messages
    try:
        with redirect_stdout(io.StringIO()):
            sys.argv = ["forest-scrapy", *arguments]
            run_program()
    except SystemExit as end:
        status = end.code
    finally:
        sys.stderr = stderr

    text = messages.getvalue()
    if status not in (0, 1, None) or "Traceback" in text:
        raise SystemExit(text)
    usage_of_command = usage()
    usage_of_command["seconds"] -= seconds_before
    return CommandRun(status, text, usage_of_command)
