"""The set and the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import Run, run_benchmark, write_bench_set


@pytest.fixture(scope="session")
def bench_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set that tests only read."""
    return write_bench_set(tmp_path_factory.mktemp("demo_set"))


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    """A set of the test's own, to break."""
    folder = tmp_path / "set"
    folder.mkdir()
    return write_bench_set(folder)


@pytest.fixture
def run() -> Run:
    return run_benchmark
