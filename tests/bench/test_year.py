"""The simulated year: a few days of it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("time_machine")

from benchmarks.year import simulate


@pytest.mark.slow
def test_two_days_of_two_sites(tmp_path: Path) -> None:
    runs, year = simulate(tmp_path, days=2, number=2, seed=1, every=1)
    assert year.checker.finish(len(runs) - 1) == []
    assert [run.fault for run in runs if run.fault][:4] == ["kill", "limit", "overlap", "back"]
    assert sum(run.items for run in runs) > 30
