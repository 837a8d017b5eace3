"""Hypothesis settings: the same examples in every run, and no deadline; a PostgreSQL server; no
process outlives its test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from benchmarks.support import starter
from benchmarks.support.postgres import PostgresServer, find_programs

settings.register_profile("full", max_examples=30, deadline=None, derandomize=True, database=None)
settings.register_profile("quick", settings.get_profile("full"), max_examples=15)
# Tests start hundreds of processes: each would compile the project again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))  # CI: slow ones draw all


def pytest_runtest_teardown() -> None:
    """Called before the fixtures of the test end."""
    starter.kill_running()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server, which a test must leave running."""
    if find_programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgresServer() as server:
        yield server
