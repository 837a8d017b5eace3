"""The command that compares confidence with F1."""

from __future__ import annotations

from pathlib import Path

from ..helpers import Run


def test_the_command_prints_a_table(small_set: Path, run: Run) -> None:
    done = run("quality.confidence", small_set, "--worst", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "All, by tenths of confidence" in done.stdout
    assert run("quality.confidence", small_set, "--folds", "1").returncode == 2
