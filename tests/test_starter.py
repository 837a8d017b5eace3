"""Processes that a test starts and does not wait for."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import starter

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
