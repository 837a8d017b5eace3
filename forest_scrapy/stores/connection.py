"""What the stores that outlive a crawl need of a database, and its embedded form, SQLite.

The stores write their SQL once, in what SQLite and PostgreSQL have in common: ``?`` or ``:name``
for values, ``ON CONFLICT`` for rows that are there.  Their schemas are SQLite's;
``forest_scrapy.stores.shared`` translates the types.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from forest_scrapy.stores.database import StoreFailed

__all__ = ["Database", "Row", "SqliteDatabase", "StoreAway", "Values"]

#: Values of a query, in its order or by name.
Values = Sequence[Any] | Mapping[str, Any]
_T = TypeVar("_T")


class StoreAway(StoreFailed):
    """A shared store cannot be reached for the moment."""


class Row(Protocol):
    """A row of a result."""

    def __getitem__(self, name: str, /) -> Any: ...

    def keys(self) -> Any: ...


class Database(Protocol):
    """The database of a store.  All methods raise ``StoreFailed``."""

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        """The rows of a query."""

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        """The rows of a query one by one, for results of any size; nothing else may be executed
        meanwhile."""

    def execute(self, query: str, values: Values = ()) -> int:
        """Execute a statement; the number of rows changed."""

    def write(self, function: Callable[[], _T]) -> _T | None:
        """Call a function that executes statements, in one transaction; its result.  If a shared
        store is away, it is called later; None."""

    def seconds_away(self) -> float | None:
        """For how long the store has been away; None if it is there."""

    def counts(self) -> dict[str, int]:
        """What to add to the stats ``forest/store/<name>``."""

    def compact(self) -> None:
        """Give the space of deleted rows back."""

    def close(self) -> None:
        """Close the database; what was not written yet is written."""


class SqliteDatabase:
    """A ``Database`` in a file of this machine, which is never away."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        try:
            return self.connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise _failed(error) from error

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        try:
            yield from self.connection.execute(query, values)
        except sqlite3.Error as error:
            raise _failed(error) from error

    def execute(self, query: str, values: Values = ()) -> int:
        try:
            return self.connection.execute(query, values).rowcount
        except sqlite3.Error as error:
            raise _failed(error) from error

    def write(self, function: Callable[[], _T]) -> _T | None:
        with self._transaction():
            return function()

    def seconds_away(self) -> float | None:
        return None

    def counts(self) -> dict[str, int]:
        return {}

    def compact(self) -> None:
        self.execute("VACUUM")

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with self.connection:  # commits, or rolls back
                self.connection.execute("BEGIN IMMEDIATE")
                yield
        except sqlite3.Error as error:
            raise _failed(error) from error


def _failed(error: sqlite3.Error) -> StoreFailed:
    return StoreFailed(str(error))
