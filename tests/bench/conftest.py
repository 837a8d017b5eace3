"""The set and the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sets.demo_set import write_demo_set

from .helpers import Run, run_benchmark


@pytest.fixture(scope="session")
def bench_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of 30 articles in two templates and 10 other pages, which tests only read."""
    return write_demo_set(tmp_path_factory.mktemp("demo_set"))


@pytest.fixture(scope="session")
def small_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of 12 articles in one template and 10 other pages, which tests only read."""
    return write_demo_set(tmp_path_factory.mktemp("small_set"), articles=12)


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    """The small set as a copy that the test may change."""
    folder = tmp_path / "set"
    folder.mkdir()
    return write_demo_set(folder, articles=12)


@pytest.fixture
def run() -> Run:
    return run_benchmark
