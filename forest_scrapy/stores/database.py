"""The database of a store: its interface, and SQLite files, with settings that survive a killed
process.

Opening a file may create it, change its tables after a copy was made, or rename it, if it is
damaged or of another program, and begin a new one; what is done is logged.

The stores write their SQL once, in what SQLite and PostgreSQL have in common: ``?`` or ``:name``
for values, ``ON CONFLICT`` for rows that are there.  Their schemas are SQLite's;
``forest_scrapy.stores.postgresql`` translates the types.
"""

import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, unquote, urlsplit

from forest_scrapy.core.errors import ForestError
from forest_scrapy.input_files import START_SIZE, describe_start, open_file
from forest_scrapy.output_files import create_file
from forest_scrapy.stores.schemas import (
    StoreSchema,
    UnknownTables,
    compare_columns,
    describe_newer,
    find_missing_columns,
    read_tables,
    tables_of,
)

logger = logging.getLogger(__name__)


class BadStore(ForestError):
    """A store cannot be opened; the message names the file and the remedy."""


class StoreFailed(BadStore):
    """A store cannot be read or written any more: the disk is full, read-only or damaged."""


class SharedStoreFailed(StoreFailed):
    """A store on a server refuses to be read or written: a table or a right is missing."""


class ValueRefused(StoreFailed):
    """A store cannot take a value; everything else can be written."""


class StoreUnavailable(StoreFailed):
    """A store cannot be used for the moment: a server cannot be reached, a file is locked."""


class StoreLost(StoreFailed):
    """A store has been unavailable for longer than a crawl waits."""


class NewerStore(BadStore):
    """A store was written by a newer release; it is left as it is."""


class UnusableFile(ForestError):
    """The file is damaged, or is not a store of this kind and version."""


#: What each file of SQLite begins with.
SQLITE_START = b"SQLite format 3\0"
#: Values of a query, in its order or by name.
Values = Sequence[Any] | Mapping[str, Any]
_T = TypeVar("_T")


class Row(Protocol):
    """A row of a result."""

    def __getitem__(self, name: str, /) -> Any: ...

    def keys(self) -> Any: ...


class Database(Protocol):
    """The database of a store.  All methods raise ``StoreFailed``.  ``name``: what messages call
    it."""

    name: str

    @property
    def can_be_written(self) -> bool:
        """Whether the store was not opened only to be read."""

    def rows(self, query: str, values: Values = ()) -> Sequence[Row]:
        """The rows of a query."""

    def stream(self, query: str, values: Values = ()) -> Iterator[Row]:
        """The rows of a query one by one, for results of any size; nothing else may be executed
        meanwhile."""

    def execute(self, query: str, values: Values = ()) -> int:
        """Execute a statement; the number of rows changed."""

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
    ) -> int:
        """Insert rows with the ids that they have; their number."""

    def write(
        self,
        function: Callable[[], _T],
        failed: Callable[[StoreFailed], None] | None = None,
    ) -> _T | None:
        """Call a function that executes statements, in one transaction; its result.  In a crawl, or
        if a shared store is unavailable, it is called later, in its order; None.  ``failed`` is
        called with the error instead of raising it, in any thread."""

    def begin_crawl(self) -> None:
        """From now on the event loop does not wait for a file that another program has locked."""

    def unwritten(self) -> list[Callable[[], Any]]:
        """The functions that ``write`` has not called yet, in their order."""

    def failure(self) -> StoreFailed | None:
        """Why something could not be written; None if all was, or will be."""

    def seconds_unavailable(self) -> float | None:
        """For how long the store has been unavailable; None if it is there."""

    def counts(self) -> dict[str, int]:
        """What to add to the stats ``forest/store/<name>``."""

    def compact(self) -> None:
        """Give the space of deleted rows back."""

    def finish(self, waits: bool = True) -> list[Callable[[], Any]]:
        """End writing; what could not be written.  ``waits``: until all is written, but not for a
        store that is unavailable for too long."""

    def lose(self, writes: Sequence[Callable[[], Any]]) -> None:
        """Count and report writes that ``finish`` has returned."""

    def close(self) -> None:
        """Close the database; what was not written yet is written."""


@dataclass(frozen=True)
class StoreKind:
    """The tables of a store, and how it is used.

    ``version``: of the tables; a file of another version cannot be used.  ``is_exclusive``: one
    process at a time.  ``is_scratch``: the file is of no use when the process has ended, so nothing
    is written for its sake.  ``lasting``: of a store that lasts over releases, whose tables are
    changed to the newest version when it is opened; see ``lasting_kind``.
    """

    schema: str
    version: int = 0
    is_exclusive: bool = False
    is_scratch: bool = False
    lasting: StoreSchema | None = None


def lasting_kind(schema: StoreSchema) -> StoreKind:
    """The kind of a store that lasts over releases."""
    return StoreKind(schema.tables, schema.version, lasting=schema)


@contextmanager
def store_errors(place: str = "") -> Iterator[None]:
    """Raise ``StoreFailed`` for an error of SQLite; its message begins with ``place``.  Reading,
    too, can fail on a full disk, where SQLite makes room in memory by writing."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreFailed(f"{place}: {error}" if place else str(error)) from error


#: The integers that databases can store.
_MIN_INTEGER = -(2**63)
_MAX_INTEGER = 2**63 - 1


def storable(value: Any) -> Any:
    """The value as databases can store it: a text without lone surrogates, an integer of at most
    64 bits.

    >>> storable("a \\ud800"), storable(10**30) == 2**63 - 1
    ('a ?', True)
    """
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return max(_MIN_INTEGER, min(value, _MAX_INTEGER))
    return value


def storable_values(values: Values) -> Values:
    """All values of a query as ``storable`` gives them."""
    if isinstance(values, Mapping):
        return {name: storable(value) for name, value in values.items()}
    return [storable(value) for value in values]


def read_rows(
    database: sqlite3.Connection,
    query: str,
    values: Values,
) -> list[sqlite3.Row]:
    """The rows of a query.  Raises ``StoreFailed``."""
    with store_errors("cannot read the store"):
        return database.execute(query, values).fetchall()


#: Seconds for which a store may be unavailable.
PATIENCE = 60.0
#: Seconds after which it is said that a file is locked.
_SECONDS_IN_SILENCE = 1.0
#: Seconds for which a file that another crawl creates may be empty.
_SECONDS_OF_CREATION = 0.1
#: ``PRAGMA application_id`` of the files: "frst".
STORE_ID = 0x66727374
#: Files that SQLite keeps beside a database.
_SUFFIXES = ("", "-wal", "-shm", "-journal")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def is_locked(error: BaseException) -> bool:
    """Whether an error of SQLite is that another program uses the file."""
    return _primary_code(error) in _LOCKED


def open_database(
    location: str,
    kind: StoreKind,
    must_fit: str = "",
    seconds: float = PATIENCE,
) -> sqlite3.Connection:
    """Open the file ``location``, a path or ``sqlite:///path``; creates its folders and tables.

    A file that is damaged or of another program is renamed, with a warning, unless it ``must_fit``,
    which says what to do then; what can be read of its ``rescued_tables`` is taken over.  A file of
    an earlier version is copied, then its tables are changed.  A file that cannot be written is
    opened to be read.  One that another program has locked is waited for, for so many seconds.  The
    write-ahead log is not synced at each commit: a commit survives the death of the process, but
    not of the machine.  Raises ``BadStore``; ``NewerStore`` for a file of a newer version.
    """
    path = read_location(location)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        _check_links(path)
        if kind.is_scratch:
            os.close(create_file(Path(path), 0o600))
        else:
            _warn_if_empty(path)
        try:
            return _open_when_free(path, kind, seconds)
        except UnusableFile as error:
            if must_fit:
                raise
            name = _set_aside(path)
            logger.warning("%s: %s; it is now named %s, and a new one is used", path, error, name)
            database = _open_when_free(path, kind, seconds)
            if kind.lasting is not None:
                _take_over(name, database, kind.lasting)
            return database
    except UnusableFile as error:
        other_file = _describe_other_file(path)
        raise BadStore(f"{path}: {error}{other_file}; {must_fit}") from error
    except (OSError, ValueError, sqlite3.Error) as error:
        if is_locked(error):
            raise BadStore(_describe_lock(path, kind)) from error
        cannot_write = _primary_code(error) in _CANNOT_WRITE
        if cannot_write and not kind.is_exclusive and Path(path).is_file():
            return _open_read_only(path, kind, error)
        raise BadStore(f"{path}: {error}; is the folder writable? Name another file") from error


def _describe_other_file(path: str) -> str:
    """What a file is that is no database, to be added to why it cannot be used."""
    with suppress(OSError), open_file(path) as file:
        start = file.read(START_SIZE)
        if not start.startswith(SQLITE_START):
            return f", or another file: {describe_start(start)}"
    return ""


def _check_links(path: str) -> None:
    """Raises ``OSError`` if what SQLite would write beside a file is a link: in a folder that
    others may write to it could lead to any file."""
    for suffix in _SUFFIXES[1:]:
        if Path(path + suffix).is_symlink():
            raise OSError(errno.ELOOP, "it is a link; remove it", path + suffix)


def _warn_if_empty(path: str) -> None:
    """An empty file is what a full disk leaves, or a copy that has failed."""
    if _is_empty(path):
        sleep(_SECONDS_OF_CREATION)
    if _is_empty(path):
        logger.warning(
            "%s is empty: what was stored in it is not known any more; if the disk was full, put a"
            " copy of the file in its place and start again",
            path,
        )


def _is_empty(path: str) -> bool:
    """Whether there is a file, and nothing in it nor in its log."""
    if not Path(path).is_file():
        return False
    for file in (Path(path), Path(f"{path}-wal")):
        if file.exists() and file.stat().st_size:
            return False
    return True


def _open_when_free(
    path: str,
    kind: StoreKind,
    seconds: float,
) -> sqlite3.Connection:
    """Open a file as soon as no other program has locked it."""
    if kind.is_exclusive:
        return _open(path, kind, 0)
    try:
        return _open(path, kind, min(_SECONDS_IN_SILENCE, seconds))
    except sqlite3.Error as error:
        if not is_locked(error) or seconds <= _SECONDS_IN_SILENCE:
            raise
    logger.warning("%s is locked by another program: waiting up to %g s", path, seconds)
    return _open(path, kind, seconds - _SECONDS_IN_SILENCE)


def _describe_lock(path: str, kind: StoreKind) -> str:
    if kind.is_exclusive:
        return f"{path} is in use by another crawl; wait for its end, or name another JOBDIR"
    return f"{path} is locked by another program; end that, or name another file"


def store_exists(location: str) -> bool:
    """Whether something has the name of the file that ``open_database`` would open; also a link
    that leads nowhere, which opening it names.  Raises ``BadStore``."""
    return os.path.lexists(read_location(location))


def connect(
    place: str,
    seconds: float,
    is_uri: bool = False,
) -> sqlite3.Connection:
    """A connection whose statements wait so long for a file that is locked, and commit by
    themselves.  Bytes of texts that are not UTF-8 are replaced."""
    database = sqlite3.connect(
        place,
        uri=is_uri,
        isolation_level=None,
        timeout=seconds,
        check_same_thread=False,  # Scrapy's shell runs a crawler in another thread
    )
    database.row_factory = sqlite3.Row
    database.text_factory = _read_text
    return database


def _read_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _open(
    path: str,
    kind: StoreKind,
    seconds: float,
) -> sqlite3.Connection:
    """Raises ``UnusableFile``, ``sqlite3.Error``, ``ValueError``."""
    database = connect(path, seconds)
    try:
        if kind.is_exclusive:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
        if kind.is_scratch:
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("PRAGMA synchronous = OFF")
        _check_owner(database, path, kind)  # before anything is written
        if not kind.is_scratch:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
        if kind.lasting is None:
            _check_columns(database, kind.schema)
        else:
            _migrate(database, path, kind.lasting)
        database.executescript(kind.schema)
        _check_health(database)
    except BaseException as error:
        database.close()
        if _primary_code(error) in _DAMAGED:
            raise UnusableFile(f"it is damaged ({error})") from error
        raise
    return database


def _open_read_only(path: str, kind: StoreKind, reason: Exception) -> sqlite3.Connection:
    logger.warning("%s can only be read (%s): nothing is stored in it", path, reason)
    uri = f"file:{quote(str(Path(path).absolute()))}?immutable=1"
    try:
        database = connect(uri, 0, is_uri=True)
        database.execute("PRAGMA query_only = ON")
        _check_health(database)
        if kind.lasting is not None and _is_earlier(database, kind.lasting):
            raise UnusableFile("its tables are of an earlier version and cannot be changed")
    except (sqlite3.Error, UnusableFile, UnknownTables) as error:
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
    rename_database(path, name)
    return name


def set_newer_aside(path: str, schema: StoreSchema) -> str:
    """Rename a store in a file, and what SQLite keeps beside it, if its tables are of a newer
    version; the new name, ``""`` if it keeps its own.  What is no store keeps it.  Raises
    ``OSError``."""
    if not Path(path).is_file():
        return ""
    try:
        with closing(connect(path, _SECONDS_IN_SILENCE)) as database:
            (owner,) = database.execute("PRAGMA application_id").fetchone()
            version = _read_version(database)
    except sqlite3.Error:  # opening it says what is wrong
        return ""
    if owner != STORE_ID or version <= schema.version:
        return ""
    name = _name_of_version(path, version)
    rename_database(path, name)
    return name


def rename_database(path: str, name: str) -> None:
    """Rename a file and what SQLite keeps beside it.  Raises ``OSError``."""
    for suffix in _SUFFIXES:
        file = Path(path + suffix)
        if file.exists():
            file.rename(name + suffix)


def is_file_of(database_path: str, path: Path) -> bool:
    """Whether a path is that of a database, or of what SQLite keeps beside it."""
    for suffix in _SUFFIXES:
        file = Path(database_path + suffix)
        if path.resolve() == file.resolve():
            return True
        do_exist = path.exists() and file.exists()
        if do_exist and path.samefile(file):
            return True
    return False


def read_location(location: str) -> str:
    """The path of a location."""
    path = location
    if "://" in location:
        scheme = urlsplit(location).scheme
        if scheme != "sqlite":
            raise BadStore(
                f"{location!r}: there is no store for {scheme!r}; use sqlite:///PATH, or"
                " postgresql+psycopg://USER@HOST/NAME for a shared one"
            )
        start, _, quoted_path = location.partition(":///")
        path = unquote(quoted_path) if start == "sqlite" else ""
    if not path:
        raise BadStore(f"{location!r} does not name a file; use sqlite:///PATH, with three slashes")
    return path


def _check_owner(database: sqlite3.Connection, path: str, kind: StoreKind) -> None:
    """Mark a new file as ours; raises ``UnusableFile`` if it has other tables, or those of another
    version that cannot be changed, and ``NewerStore``."""
    (owner,) = database.execute("PRAGMA application_id").fetchone()
    if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute(f"PRAGMA application_id = {STORE_ID}")
        database.execute(f"PRAGMA user_version = {kind.version}")
        return
    if owner != STORE_ID:
        raise UnusableFile("it has tables of another program")
    written_version = _read_version(database)
    if kind.lasting is None:
        if written_version != kind.version:
            raise UnusableFile("it was written by another version")
    elif written_version > kind.version:
        raise NewerStore(f"{path}: {describe_newer(written_version, kind.version)}")


def _read_version(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def _check_columns(database: sqlite3.Connection, schema: str) -> None:
    """Raises ``UnusableFile`` if a table has other columns."""
    problem = compare_columns(read_tables(database), schema)
    if problem:
        raise UnusableFile(problem)


def _is_earlier(database: sqlite3.Connection, schema: StoreSchema) -> bool:
    """Whether the tables have to be changed.  Raises ``UnknownTables``."""
    tables = read_tables(database)
    is_earlier = max(1, _read_version(database)) < schema.version
    lacks_table = not tables.keys() >= tables_of(schema.tables).keys()
    return is_earlier or lacks_table or bool(find_missing_columns(tables, schema.tables))


def _migrate(database: sqlite3.Connection, path: str, schema: StoreSchema) -> None:
    """Change the tables of a file to the newest version, after a copy of it was made; in one
    transaction.  Raises ``UnusableFile`` and ``sqlite3.Error``."""
    try:
        if _is_up_to_date(database, schema):
            return
        database.execute("BEGIN IMMEDIATE")  # another crawl may be doing the same
        with database:  # commits, or rolls back
            if not _is_up_to_date(database, schema):
                _change_tables(database, path, schema)
    except UnknownTables as error:
        raise UnusableFile(str(error)) from error


def _is_up_to_date(database: sqlite3.Connection, schema: StoreSchema) -> bool:
    """Whether a file has the newest version and no table lacks a column.  Raises
    ``UnknownTables``."""
    if _read_version(database) != schema.version:
        return False
    return not find_missing_columns(read_tables(database), schema.tables)


def _change_tables(database: sqlite3.Connection, path: str, schema: StoreSchema) -> None:
    version = max(1, _read_version(database))  # 0: written before versions were counted
    statements = list(schema.statements_from(version))
    copy = ""
    if statements or find_missing_columns(read_tables(database), schema.tables):
        copy = _copy_file(path, version)
        logger.info(
            "%s: its tables are changed from version %d to %d; a copy of it as it was is %s",
            path,
            version,
            schema.version,
            copy,
        )
    try:
        for statement in statements:
            database.execute(statement)
        changed_tables = read_tables(database)
        for table, column in find_missing_columns(changed_tables, schema.tables):
            database.execute(f"ALTER TABLE {table} ADD COLUMN {column.definition}")
    except sqlite3.Error as error:
        if _primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        raise BadStore(
            f"{path}: its tables cannot be changed from version {version} to {schema.version}"
            f" ({error}); it is as it was, and {copy} is a copy of it"
        ) from error
    database.execute(f"PRAGMA user_version = {schema.version}")


def _copy_file(path: str, version: int) -> str:
    """Copy a database as it is, what is in its log, too; the name of the copy."""
    name = _name_of_version(path, version)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(name)) as target:
        source.backup(target)
    return name


def _name_of_version(path: str, version: int) -> str:
    """A name that no file has yet for a database with tables of this version."""
    name = f"{path}.version-{version}"
    number = 1
    while Path(name).exists():
        number += 1
        name = f"{path}.version-{version}-{number}"
    return name


def _take_over(path: str, database: sqlite3.Connection, schema: StoreSchema) -> None:
    """Copy what can be read of a file's ``rescued_tables`` into a new database."""
    counts: dict[str, int] = {}
    uri = f"file:{quote(str(Path(path).absolute()))}?mode=ro"
    try:
        with closing(connect(uri, 0, is_uri=True)) as source:
            (owner,) = source.execute("PRAGMA application_id").fetchone()
            if owner == STORE_ID:
                for table in schema.rescued_tables:
                    counts[table] = _copy_rows(source, database, table)
    except sqlite3.Error as error:
        logger.info("Nothing can be read of %s (%s)", path, error)
    rescued = []
    for table, number in counts.items():
        if number:
            rescued.append(f"{number} of {table}")
    if rescued:
        logger.warning("Rows that were taken over from %s: %s", path, ", ".join(rescued))


def _copy_rows(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table that can be read, from its start and from its end, as far as these
    are not damaged; their number."""
    (before,) = target.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    source_columns = read_tables(source).get(table, {})
    target_columns = read_tables(target)[table]
    shared_names = source_columns.keys() & target_columns.keys()
    names = ", ".join(sorted(shared_names))
    marks = ", ".join("?" * len(shared_names))
    insert = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error):  # the rest of the table cannot be read
            for row in source.execute(f"SELECT {names} FROM {table} ORDER BY 1 {order}"):
                target.execute(insert, tuple(row))
    (after,) = target.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    return int(after) - int(before)


def _check_health(database: sqlite3.Connection) -> None:
    """Raises ``UnusableFile`` if a part of the file cannot be read."""
    (result,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise UnusableFile(f"it is damaged ({result})")
