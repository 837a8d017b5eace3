"""Opening a store of any kind by its location, and stores in SQLite files."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from forest_scrapy.stores.database import (
    PATIENCE,
    BadStore,
    Database,
    Row,
    StoreFailed,
    StoreUnavailable,
    ValueRefused,
    Values,
    connect,
    is_locked,
    lasting_kind,
    open_database,
    storable_values,
    store_exists,
)
from forest_scrapy.stores.outage import WriteQueue
from forest_scrapy.stores.schemas import StoreSchema

_T = TypeVar("_T")

#: Errors of single values, such as a text that is too long.
_REFUSED = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError)
#: Seconds for which the event loop waits for a file that is locked.
_SECONDS_OF_LOOP = 0.1
#: The same for the thread that writes.
_SECONDS_OF_THREAD = 1.0
#: Seconds between two attempts of the latter.
_RETRY_INTERVAL = 0.1


def open_store(
    location: str,
    schema: StoreSchema,
    missing: str = "",
    must_fit: str = "",
    seconds: float = PATIENCE,
) -> Database:
    """Open or create a store: ``postgresql+psycopg://USER@HOST/NAME``, or a file as for
    ``open_database``.

    ``missing``: the message if the store is not there but must be; ``must_fit``: what to do if it
    cannot be used, so that it is not replaced; ``seconds``: how long it may be unavailable.  Raises
    ``BadStore``.
    """
    if location.startswith("postgresql"):
        try:
            from forest_scrapy.stores.postgresql import SharedDatabase

            return SharedDatabase(location, schema, missing, seconds)
        except ImportError:
            raise BadStore(
                "a store in PostgreSQL needs pip install 'forest-scrapy[postgresql]'"
            ) from None
    if missing:
        must_fit = must_fit or "name another file"
        if not store_exists(location):
            raise BadStore(f"{location}: {missing}")
    connection = open_database(location, lasting_kind(schema), must_fit, seconds)
    return SqliteDatabase(connection, seconds)


class SqliteDatabase:
    """A ``Database`` in a file of this machine.

    In a crawl, while another program has locked the file, reads raise ``StoreUnavailable`` after a
    moment, and a thread tries the writes again, through a connection of its own.
    """

    def __init__(self, connection: sqlite3.Connection, seconds: float = PATIENCE) -> None:
        self.connection = connection
        self.name = connection.execute("PRAGMA database_list").fetchone()["file"]
        self._writer: sqlite3.Connection | None = None
        self._queue: WriteQueue | None = None
        self._seconds = seconds

    @property
    def can_be_written(self) -> bool:
        (is_read_only,) = self.connection.execute("PRAGMA query_only").fetchone()
        return not is_read_only

    def begin_crawl(self) -> None:
        if not self.can_be_written:
            return
        self.connection.execute(f"PRAGMA busy_timeout = {int(1000 * _SECONDS_OF_LOOP)}")
        self._queue = WriteQueue(
            name=f"The store {self.name}",
            reconnect=self._check,
            write=self._transaction,
            patience=self._seconds,
            retry=_RETRY_INTERVAL,
        )

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        with self._errors():
            return self._connection.execute(query, storable_values(values)).fetchall()

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        with self._errors():
            # Not "yield from", which closes the cursor, and fails if the database is closed before.
            for row in self._connection.execute(query, storable_values(values)):  # noqa: UP028
                yield row

    def execute(self, query: str, values: Values = ()) -> int:
        with self._errors():
            return self._connection.execute(query, storable_values(values)).rowcount

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
    ) -> int:
        marks = ", ".join("?" * len(columns))
        query = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        number = 0
        for row in rows:
            self.execute(query, row)
            number += 1
        return number

    def write(
        self,
        function: Callable[[], _T],
        failed: Callable[[StoreFailed], None] | None = None,
    ) -> _T | None:
        if self._queue is not None:
            return self._queue.write(function, failed)
        try:
            return self._transaction(function)
        except StoreFailed as error:
            if failed is None:
                raise
            failed(error)
            return None

    def unwritten(self) -> list[Callable[[], Any]]:
        if self._queue:
            return self._queue.unwritten()
        return []

    def failure(self) -> StoreFailed | None:
        if self._queue:
            return self._queue.failure
        return None

    def seconds_unavailable(self) -> float | None:
        if self._queue is None:
            return None
        with suppress(StoreFailed):  # if it is locked, an outage begins
            self.rows("SELECT 1 FROM sqlite_master")
        return self._queue.seconds

    def counts(self) -> dict[str, int]:
        if self._queue:
            return self._queue.counts()
        return {}

    def compact(self) -> None:
        self.execute("VACUUM")

    def finish(self, waits: bool = True) -> list[Callable[[], Any]]:
        unwritten = self._queue.end(waits) if self._queue else []
        if self._writer is not None and not unwritten:  # else the thread may be using it
            self._writer.close()
            self._writer = None
        return unwritten

    def lose(self, writes: Sequence[Callable[[], Any]]) -> None:
        if self._queue is not None:
            self._queue.lose(writes)

    def close(self) -> None:
        unwritten = self.finish()
        if unwritten:
            self.lose(unwritten)
        self.connection.close()

    @property
    def _is_writing(self) -> bool:
        return self._queue is not None and self._queue.is_this_thread

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        if not self._is_writing:
            if self._queue and self._queue.is_on:
                raise StoreUnavailable(f"{self.name} is locked")
            return self.connection
        if self._writer is None:
            self._writer = connect(self.name, _SECONDS_OF_THREAD)
            self._writer.execute("PRAGMA synchronous = NORMAL")
        return self._writer

    def _transaction(self, function: Callable[[], _T]) -> _T:
        with self._errors(), self._connection as connection:  # commits, or rolls back
            connection.execute("BEGIN IMMEDIATE")
            return function()

    def _check(self) -> None:
        """Raises ``StoreUnavailable`` if the file cannot be read."""
        self.rows("SELECT 1 FROM sqlite_master")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise ``StoreFailed`` for errors of SQLite."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._translate(error) from error

    def _translate(self, error: sqlite3.Error) -> StoreFailed:
        """The error of a store; if the file is locked in a crawl, an outage begins."""
        if isinstance(error, _REFUSED):
            return ValueRefused(f"{self.name}: {error}")
        if not is_locked(error):
            return StoreFailed(f"{self.name}: {error}")
        message = f"{self.name} is locked by another program"
        if self._queue is None:
            return StoreFailed(f"{message}; end that, and try again")
        unavailable = StoreUnavailable(message)
        self._queue.begin(unavailable)
        return unavailable
