"""A store that several machines share: PostgreSQL, through SQLAlchemy.

Needs ``pip install 'forest-scrapy[postgresql]'``.  All tables are in the schema ``forest``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from threading import RLock
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Engine, TextClause, create_engine, make_url, text
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)

from forest_scrapy.stores.database import (
    PATIENCE,
    BadStore,
    NewerStore,
    Row,
    SharedStoreFailed,
    StoreFailed,
    StoreUnavailable,
    ValueRefused,
    Values,
    storable,
)
from forest_scrapy.stores.outage import Watchdog, WriteQueue
from forest_scrapy.stores.schemas import (
    Column,
    StoreSchema,
    UnknownTables,
    describe_newer,
    find_missing_columns,
    tables_of,
)

#: Seconds until a server that does not answer counts as unavailable.
_SECONDS = 10
#: Seconds between two attempts to connect.
_RETRY_INTERVAL = 1.0
#: Commits are not synced one by one: as with SQLite, they survive the death of a process, but the
#: last ones not that of the machine.
_OPTIONS = f"-c search_path=forest -c synchronous_commit=off -c statement_timeout={_SECONDS}s"
_CONNECT = {
    "options": _OPTIONS,
    "connect_timeout": _SECONDS,
    "tcp_user_timeout": 1000 * _SECONDS,
    "application_name": "forest-scrapy",
}
#: SQLite's types and PostgreSQL's.  Text is compared byte by byte in both.
_TYPES = (
    (r"INTEGER PRIMARY KEY( AUTOINCREMENT)?", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    (r" INTEGER\b", " BIGINT"),
    (r" BLOB\b", " BYTEA"),
    (r" TEXT\b", ' TEXT COLLATE "C"'),
    (r" WITHOUT ROWID", ""),
    (r"x''", "''"),
)
#: Classes and codes of PostgreSQL's errors that end by themselves: no connection, no resources,
#: shutdown, timeout, and a server that can only be read while another one takes over.
_UNAVAILABLE = ("08", "53", "57", "25006")
#: Two writers waited for each other; one of them has to try again.
_CONFLICTS = ("40001", "40P01")
_MAX_TRIES = 5
#: Classes of errors of single values, such as a URL that is too long for an index.
_REFUSED = ("22", "23", "54")
#: Rows are fetched some at a time, through a cursor of the server.
_STREAM = {"stream_results": True, "max_row_buffer": 500}
#: Held while tables are created: ``CREATE ... IF NOT EXISTS`` fails if two do so at a time.
_LOCK = 0x66727374

_COLUMNS = """
SELECT table_name, column_name,
    is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AS is_required
FROM information_schema.columns WHERE table_schema = 'forest'
"""
_VERSIONS = """
CREATE TABLE IF NOT EXISTS store_versions (store TEXT PRIMARY KEY, version INTEGER NOT NULL);
"""
_SAVE_VERSION = """
INSERT INTO store_versions (store, version) VALUES (?, ?)
ON CONFLICT (store) DO UPDATE SET version = excluded.version
"""

_T = TypeVar("_T")


class SharedDatabase:
    """A ``Database`` on a server.

    While the server is unavailable, reads raise ``StoreUnavailable`` and writes are kept in memory;
    another thread tries to connect and then writes them in their order.  Until that is done, the
    store counts as unavailable, so what is read includes what was written.
    """

    def __init__(
        self,
        location: str,
        schema: StoreSchema,
        missing: str = "",
        seconds: float = PATIENCE,
    ) -> None:
        """Connect, and create the tables; see ``open_store``."""
        self._engine, self.name = _make_engine(location)
        self._lock = RLock()
        self._connection: Connection | None = None
        self._watchdog: Watchdog | None = None
        self._is_closed = False
        self._outage = WriteQueue(
            name=f"The shared store {self.name}",
            reconnect=self._reconnect,
            write=self._transaction,
            patience=seconds,
            retry=_RETRY_INTERVAL,
        )
        try:
            self._reconnect()
            self._create(schema, missing)
        except NewerStore:
            self.close()
            raise
        except (SQLAlchemyError, StoreFailed) as error:
            self.close()
            raise BadStore(f"{self.name}: {_error_message(error)}") from error

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        return self._execute(query, values).mappings().all()

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        self._execute("BEGIN", ())  # the server's cursor ends with the transaction
        try:
            with closing(self._execute(query, values, _STREAM)) as result:
                yield from result.mappings()
        except DBAPIError as error:
            raise self._translate(error) from error
        finally:
            if self._connection is not None:
                self._execute("ROLLBACK", ())

    def execute(self, query: str, values: Values = ()) -> int:
        return self._execute(query, values).rowcount

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
    ) -> int:
        has_ids = "id" in columns
        overriding = " OVERRIDING SYSTEM VALUE" if has_ids else ""
        marks = ", ".join("?" * len(columns))
        query = f"INSERT INTO {table} ({', '.join(columns)}){overriding} VALUES ({marks})"
        number = 0
        for row in rows:
            self.execute(query, row)
            number += 1
        if number and has_ids:  # the next rows get ids above these
            sequence = f"pg_get_serial_sequence('forest.{table}', 'id')"
            self.execute(f"SELECT setval({sequence}, MAX(id)) FROM {table}")
        return number

    def write(
        self,
        function: Callable[[], _T],
        failed: Callable[[StoreFailed], None] | None = None,
    ) -> _T | None:
        return self._outage.write(function, failed)

    @property
    def can_be_written(self) -> bool:
        return True

    def begin_crawl(self) -> None:
        """Nothing: the event loop writes, for at most 3 seconds."""

    def unwritten(self) -> list[Callable[[], Any]]:
        return self._outage.unwritten()

    def failure(self) -> StoreFailed | None:
        return self._outage.failure

    def seconds_unavailable(self) -> float | None:
        with suppress(StoreFailed):  # an outage begins
            self._execute("SELECT 1", ())
        return self._outage.seconds

    def counts(self) -> dict[str, int]:
        return self._outage.counts()

    def compact(self) -> None:
        """Nothing: PostgreSQL does it by itself."""

    def finish(self, waits: bool = True) -> list[Callable[[], Any]]:
        return self._outage.end(waits)

    def lose(self, writes: Sequence[Callable[[], Any]]) -> None:
        self._outage.lose(writes)

    def close(self) -> None:
        unwritten = self.finish()
        if unwritten:
            self.lose(unwritten)
        with self._lock:  # the thread of the outage may be connecting
            self._is_closed = True
        self._disconnect()

    def _execute(
        self,
        query: str,
        values: Values,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> CursorResult[Any]:
        if self._outage.is_on and not self._outage.is_this_thread:
            raise StoreUnavailable(f"{self.name} is away")
        with self._lock:
            try:
                if self._connection is None or self._watchdog is None:
                    raise StoreUnavailable(f"{self.name} is away")
                with self._watchdog:
                    return self._connection.execute(
                        _make_statement(query),
                        _named_values(values),
                        execution_options=options,
                    )
            except DBAPIError as error:
                raise self._translate(error) from error

    def _transaction(self, function: Callable[[], _T]) -> _T:
        """The result of the function.  Raises ``StoreFailed``."""
        with self._lock:
            for _ in range(_MAX_TRIES - 1):
                try:
                    return self._attempt(function)
                except _Conflict:
                    continue
            return self._attempt(function)

    def _attempt(self, function: Callable[[], _T]) -> _T:
        self._execute("BEGIN", ())
        try:
            result = function()
            self._execute("COMMIT", ())
        except BaseException:
            if self._connection is not None:
                self._execute("ROLLBACK", ())
            raise
        return result

    def _translate(self, error: DBAPIError) -> StoreFailed:
        code = getattr(error.orig, "sqlstate", None) or ""
        is_lost = isinstance(error, OperationalError | InterfaceError) and not code
        if error.connection_invalidated or is_lost or code.startswith(_UNAVAILABLE):
            self._disconnect()
            unavailable = StoreUnavailable(_error_message(error))
            self._outage.begin(unavailable)
            return unavailable
        if code in _CONFLICTS:
            return _Conflict(_error_message(error))
        kind = ValueRefused if code.startswith(_REFUSED) else SharedStoreFailed
        return kind(f"{self.name}: {_error_message(error)}")

    def _reconnect(self) -> None:
        """Raises ``StoreUnavailable``."""
        try:
            connection = self._engine.connect()
            driver: Any = connection.connection.driver_connection
            watchdog = Watchdog(driver.fileno())
        except (SQLAlchemyError, OSError) as error:
            raise StoreUnavailable(_error_message(error)) from error
        with self._lock:
            self._connection = connection
            self._watchdog = watchdog
            is_closed = self._is_closed
        if is_closed:
            self._disconnect()
            raise StoreUnavailable(f"{self.name} is closed")

    def _disconnect(self) -> None:
        with self._lock:
            connection = self._connection
            self._connection = None
            watchdog = self._watchdog
            self._watchdog = None
        if watchdog is not None:
            watchdog.close()
        if connection is not None:
            connection.invalidate()
            connection.close()
        self._engine.dispose()

    def _create(self, schema: StoreSchema, missing: str) -> None:
        """Create the tables that are not there yet, and change those of an earlier version; needs
        no rights if nothing is to be done."""
        tables = self._read_tables()
        version = self._read_version(tables, schema)
        lacks_tables = not tables.keys() >= tables_of(schema.tables).keys()
        try:
            lacks_columns = bool(find_missing_columns(tables, schema.tables))
        except UnknownTables as error:
            raise StoreFailed(
                f"{error}: the schema forest is of another version; name another database, or"
                " rename the schema, so that a new one is made"
            ) from error
        if version == schema.version and not lacks_tables and not lacks_columns:
            return
        if missing and lacks_tables:
            raise StoreFailed(missing)
        self._transaction(lambda: self._change_tables(schema))

    def _change_tables(self, schema: StoreSchema) -> None:
        self._execute("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
        self._execute("CREATE SCHEMA IF NOT EXISTS forest", ())
        tables = self._read_tables()
        version = self._read_version(tables, schema)
        is_new = tables.keys().isdisjoint(tables_of(schema.tables))
        if not is_new:
            for statement in schema.statements_from(version):
                self._execute(translate_types(statement), ())
        for table, column in find_missing_columns(self._read_tables(), schema.tables):
            definition = translate_types(f" {column.definition}")
            self._execute(f"ALTER TABLE {table} ADD COLUMN{definition}", ())
        for statement in translate_types(schema.tables + _VERSIONS).split(";"):
            if statement.strip():
                self._execute(statement, ())
        self._execute(_SAVE_VERSION, (schema.name, schema.version))

    def _read_tables(self) -> dict[str, dict[str, Column]]:
        tables: dict[str, dict[str, Column]] = {}
        for row in self.rows(_COLUMNS):
            column = Column(row["column_name"], is_required=row["is_required"])
            tables.setdefault(row["table_name"], {})[column.name] = column
        return tables

    def _read_version(self, tables: Mapping[str, object], schema: StoreSchema) -> int:
        """The version of the tables of a store; 1 if versions were not counted when they were
        made.  Raises ``NewerStore``."""
        if "store_versions" not in tables:
            return 1
        rows = self.rows("SELECT version FROM store_versions WHERE store = ?", (schema.name,))
        version = int(rows[0]["version"]) if rows else 1
        if version > schema.version:
            raise NewerStore(f"{self.name}: {describe_newer(version, schema.version)}")
        return version


def set_newer_schema_aside(location: str, schema: StoreSchema) -> str:
    """Rename the schema ``forest``, with all stores in it, if the tables of this one are of a newer
    version; the new name, ``""`` if it keeps its own.  A server that does not answer, or has no
    such tables, is left to whoever opens the store.  Raises ``BadStore``."""
    with _connecting(location) as connection:
        try:
            query = text("SELECT version FROM forest.store_versions WHERE store = :store")
            version = connection.execute(query, {"store": schema.name}).scalar()
        except SQLAlchemyError:
            return ""
        if version is None or version <= schema.version:
            return ""
        taken = set(connection.execute(text("SELECT nspname FROM pg_namespace")).scalars())
        name = f"forest_version_{version}"
        number = 1
        while name in taken:
            number += 1
            name = f"forest_version_{version}_{number}"
        connection.execute(text(f"ALTER SCHEMA forest RENAME TO {name}"))
        return name


def take_back_schema(location: str, name: str) -> None:
    """Undo ``set_newer_schema_aside``; what has been made in the place of the schema is deleted.
    Raises ``BadStore``."""
    with _connecting(location) as connection, connection.begin():
        connection.execute(text("DROP SCHEMA IF EXISTS forest CASCADE"))
        connection.execute(text(f"ALTER SCHEMA {name} RENAME TO forest"))


@contextmanager
def _connecting(location: str) -> Iterator[Connection]:
    """A connection of its own; ``BadStore`` for errors of the server."""
    engine, server = _make_engine(location)
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise BadStore(f"{server}: {_error_message(error)}") from error
    finally:
        engine.dispose()


class _Conflict(StoreFailed):
    """The transaction has to be tried again."""


def translate_types(statements: str) -> str:
    """Statements with PostgreSQL's types in place of SQLite's."""
    for pattern, replacement in _TYPES:
        statements = re.sub(pattern, replacement, statements)
    return statements


def _make_engine(location: str) -> tuple[Engine, str]:
    """The engine, and its URI without the password.  Raises ``BadStore``, and ``ImportError``
    without the driver."""
    try:
        url = make_url(location)
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername != "postgresql+psycopg":
            raise BadStore("a shared store is named postgresql+psycopg://USER@HOST/NAME")
        # Statements commit by themselves, except between BEGIN and COMMIT.
        engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args=_CONNECT)
    except (ArgumentError, ValueError):
        raise BadStore(
            "FOREST_STORE or FOREST_HISTORY is not a URI such as"
            " postgresql+psycopg://USER@HOST/NAME"
        ) from None
    return engine, url.render_as_string(hide_password=True)


@lru_cache(maxsize=256)
def _make_statement(query: str) -> TextClause:
    """The query with a name for each ``?``.

    >>> print(_make_statement("SELECT ? + ?"))
    SELECT :v0 + :v1
    """
    parts = query.split("?")
    named = parts[0]
    for number, part in enumerate(parts[1:]):
        named += f":v{number}{part}"
    return text(named)


def _named_values(values: Values) -> dict[str, Any]:
    """The values by name.  PostgreSQL stores no NUL in texts."""
    if isinstance(values, Mapping):
        named = dict(values)
    else:
        named = {f"v{number}": value for number, value in enumerate(values)}
    for name, value in named.items():
        if isinstance(value, str):
            value = value.replace("\0", "")
        named[name] = storable(value)
    return named


def _error_message(error: Exception) -> str:
    """The first line of what the server or the driver says."""
    text = str(getattr(error, "orig", None) or error).strip()
    return text.split("\n")[0]
