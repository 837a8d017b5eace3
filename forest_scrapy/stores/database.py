"""The database of a store: its interface, and SQLite files, with settings that survive a killed
process.

The stores write their SQL once, in what SQLite and PostgreSQL have in common: ``?`` or ``:name``
for values, ``ON CONFLICT`` for rows that are there.  Their schemas are SQLite's;
``forest_scrapy.stores.postgresql`` translates the types.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, unquote, urlsplit

from forest_scrapy.core.errors import ForestError

logger = logging.getLogger(__name__)


class BadStore(ForestError):
    """A store cannot be opened; the message names the file and the remedy."""


class StoreFailed(BadStore):
    """A store cannot be read or written any more: the disk is full, read-only or damaged."""


class SharedStoreFailed(StoreFailed):
    """A store on a server refuses to be read or written: a table or a right is missing."""


class StoreAway(StoreFailed):
    """A shared store cannot be reached for the moment."""


class UnusableFile(ForestError):
    """The file is damaged, or is not a store of this kind and version."""


#: Values of a query, in its order or by name.
Values = Sequence[Any] | Mapping[str, Any]
_T = TypeVar("_T")


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


@dataclass(frozen=True)
class StoreKind:
    """The tables of a store, and how it is used.

    ``version``: of the schema.  ``is_exclusive``: one process at a time.  ``is_scratch``: the
    file is of no use when the process has ended, so nothing is written for its sake.
    """

    schema: str
    version: int = 0
    is_exclusive: bool = False
    is_scratch: bool = False


@contextmanager
def store_errors(place: str = "") -> Iterator[None]:
    """Raise ``StoreFailed`` for an error of SQLite; its message begins with ``place``.  Reading,
    too, can fail on a full disk, where SQLite makes room in memory by writing."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreFailed(f"{place}: {error}" if place else str(error)) from error


def read_rows(database: sqlite3.Connection, query: str, values: Values) -> list[sqlite3.Row]:
    """The rows of a query.  Raises ``StoreFailed``."""
    with store_errors("cannot read the store"):
        return database.execute(query, values).fetchall()


#: ``PRAGMA application_id`` of the files: "frst".
_APPLICATION_ID = 0x66727374
#: Files that SQLite keeps beside a database.
_SUFFIXES = ("", "-wal", "-shm", "-journal")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def open_database(location: str, kind: StoreKind, may_rename: bool = True) -> sqlite3.Connection:
    """Open the file ``location``, a path or ``sqlite:///path``; creates its folders and tables.

    A file that is damaged or of another program is renamed, with a warning, unless ``may_rename``
    is False.  A file that cannot be written is opened to be read.  The write-ahead log is not
    synced at each commit: a commit survives the death of the process, but not of the machine.
    Raises ``BadStore``.
    """
    path = _read_location(location)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            return _open(path, kind)
        except UnusableFile as error:
            if not may_rename:
                raise
            name = _set_aside(path)
            logger.warning("%s: %s; it is now named %s, and a new one is used", path, error, name)
            return _open(path, kind)
    except (OSError, ValueError, sqlite3.Error, UnusableFile) as error:
        code = _primary_code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BadStore(
                f"{path} is in use by another crawl; wait for its end, or name another JOBDIR"
            ) from error
        if code in _CANNOT_WRITE and not kind.is_exclusive and Path(path).is_file():
            return _open_read_only(path, error)
        raise BadStore(f"{path}: {error}; is the folder writable? Name another file") from error


def store_exists(location: str) -> bool:
    """Whether the file that ``open_database`` would open exists.  Raises ``BadStore``."""
    return Path(_read_location(location)).exists()


def _open(path: str, kind: StoreKind) -> sqlite3.Connection:
    """Raises ``UnusableFile``, ``sqlite3.Error``, ``ValueError``."""
    database = sqlite3.connect(
        path,
        isolation_level=None,
        timeout=0 if kind.is_exclusive else 30,
        check_same_thread=False,  # Scrapy's shell runs a crawler in another thread
    )
    database.row_factory = sqlite3.Row
    try:
        if kind.is_exclusive:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
        if kind.is_scratch:
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("PRAGMA synchronous = OFF")
        _check_owner(database, kind.version)  # before anything is written
        if not kind.is_scratch:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(kind.schema)
        _check_health(database)
    except BaseException as error:
        database.close()
        if _primary_code(error) in _DAMAGED:
            raise UnusableFile(f"it is damaged ({error})") from error
        raise
    return database


def _open_read_only(path: str, reason: Exception) -> sqlite3.Connection:
    logger.warning("%s can only be read (%s): nothing is stored in it", path, reason)
    uri = f"file:{quote(str(Path(path).absolute()))}?immutable=1"
    try:
        database = sqlite3.connect(uri, uri=True, isolation_level=None)
        database.row_factory = sqlite3.Row
        _check_health(database)
    except (sqlite3.Error, UnusableFile) as error:
        raise BadStore(f"{path}: {error}, and it cannot be renamed; name another file") from error
    return database


def _primary_code(error: BaseException) -> int:
    """SQLite's error code without the details in its upper bits; 0 for other errors."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _set_aside(path: str) -> str:
    """Rename a file and what SQLite keeps beside it; the new name.  Raises ``OSError``."""
    number = 1
    while Path(name := f"{path}.unusable-{number}").exists():
        number += 1
    for suffix in _SUFFIXES:
        if Path(path + suffix).exists():
            Path(path + suffix).rename(name + suffix)
    return name


def _read_location(location: str) -> str:
    """The path of a location."""
    if "://" not in location:
        path = location
    elif urlsplit(location).scheme != "sqlite":
        scheme = urlsplit(location).scheme
        raise BadStore(
            f"{location!r}: there is no store for {scheme!r}; use sqlite:///PATH, or"
            " postgresql+psycopg://USER@HOST/NAME for a shared one"
        )
    else:
        head, _, path = location.partition(":///")
        path = unquote(path) if head == "sqlite" else ""
    if not path:
        raise BadStore(f"{location!r} does not name a file; use sqlite:///PATH, with three slashes")
    return path


def _check_owner(database: sqlite3.Connection, version: int) -> None:
    """Mark a new file as ours; raises ``UnusableFile`` if it has other tables."""
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    has_tables = database.execute("SELECT 1 FROM sqlite_master").fetchone()
    if has_tables and owner != _APPLICATION_ID:
        raise UnusableFile("it has tables of another program")
    if has_tables and database.execute("PRAGMA user_version").fetchone()[0] != version:
        raise UnusableFile("it was written by another version")
    if not has_tables:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {version}")


def _check_health(database: sqlite3.Connection) -> None:
    """Raises ``UnusableFile`` if a part of the file cannot be read."""
    result = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != "ok":
        raise UnusableFile(f"it is damaged ({result})")


class SqliteDatabase:
    """A ``Database`` in a file of this machine, which is never away."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        with store_errors():
            return self.connection.execute(query, values).fetchall()

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        with store_errors():
            yield from self.connection.execute(query, values)

    def execute(self, query: str, values: Values = ()) -> int:
        with store_errors():
            return self.connection.execute(query, values).rowcount

    def write(self, function: Callable[[], _T]) -> _T | None:
        with store_errors(), self.connection:  # commits, or rolls back
            self.connection.execute("BEGIN IMMEDIATE")
            return function()

    def seconds_away(self) -> float | None:
        return None

    def counts(self) -> dict[str, int]:
        return {}

    def compact(self) -> None:
        self.execute("VACUUM")

    def close(self) -> None:
        self.connection.close()
