"""Processes that a test starts: those it does not wait for, and how each of them ends."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.support import starter

pytestmark = pytest.mark.crawl


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[starter.Started]:
    """A process that would run for ten minutes, and has ended before this fixture does."""
    code = "import time; time.sleep(600)"
    with (tmp_path / "log").open("wb") as log:
        process = starter.start(["-c", code], tmp_path, {"PATH": ""}, log, log)
    yield process
    assert process.returncode == -signal.SIGKILL


def test_a_process_that_a_test_leaves_is_killed(sleeper: starter.Started) -> None:
    assert sleeper.poll() is None


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("pass", 0, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit(-1)", 255, ""),
        ("raise SystemExit('no such page')", 1, "no such page\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
    ],
)
def test_the_status_is_that_of_the_program(
    tmp_path: Path, code: str, status: int, error: str
) -> None:
    done = starter.run(["-c", code], tmp_path, {"PATH": ""})
    assert (done.returncode, done.stderr) == (status, error)


@pytest.mark.parametrize(
    ("code", "status", "name"),
    [("1 / 0", 1, "ZeroDivisionError"), ("raise KeyboardInterrupt", -signal.SIGINT, "Keyboard")],
)
def test_an_error_is_written(tmp_path: Path, code: str, status: int, name: str) -> None:
    done = starter.run(["-c", code], tmp_path, {"PATH": ""})
    assert done.returncode == status
    assert done.stderr.startswith("Traceback") and name in done.stderr


def test_the_end_is_that_of_a_python_process(tmp_path: Path) -> None:
    """Threads end first, then come the functions of atexit, and what is written when an object is
    freed; no output is lost."""
    code = """
import atexit, threading, time

class Cycle:
    def __init__(self):
        self.cycle = self
    def __del__(self):
        print("freed")

Cycle()
atexit.register(print, "atexit")
threading.Timer(0.05, lambda: print("thread")).start()
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("program")
"""
    done = starter.run(["-c", code], tmp_path, {"PATH": ""})
    assert done.stdout.split() == ["program", "thread", "atexit", "freed"]
    assert (done.returncode, done.stderr) == (0, "")
