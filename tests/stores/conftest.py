from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.stores import RulesStore, Spool


@pytest.fixture
def uri(postgres: PostgresServer) -> Iterator[str]:
    """The URI of a database without tables."""
    yield postgres.uri
    with closing(RulesStore(postgres.uri, "typed")) as store:
        store.database.execute("DROP SCHEMA forest CASCADE")


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "spool.db")


@pytest.fixture
def spool(location: str) -> Iterator[Spool]:
    with closing(Spool(location)) as spool:
        yield spool
