"""Fixtures of the crawl tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import DemoServer

from .helpers import Project, Server


def pytest_itemcollected(item: pytest.Item) -> None:
    """Called for the tests of this folder only."""
    item.add_marker(pytest.mark.crawl)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with the add-on and nothing else."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def demo() -> Iterator[DemoServer]:
    """The demo site, for tests that do not look at the requests it gets."""
    with DemoServer() as server:
        yield server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running
