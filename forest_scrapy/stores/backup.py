"""A copy of stores in one file: the rules with their corrections, what a person has said of pages,
and the history.

The file is an SQLite database with the tables of all stores, wherever these are.  Like a store it
has versions, so that a backup of an earlier release can be restored.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from forest_scrapy.input_files import START_SIZE, describe_start
from forest_scrapy.stores.database import (
    SQLITE_START,
    STORE_ID,
    BadStore,
    Database,
    NewerStore,
    StoreFailed,
    connect,
    is_file_of,
    store_errors,
)
from forest_scrapy.stores.schemas import (
    StoreSchema,
    UnknownTables,
    describe_newer,
    find_missing_columns,
    read_tables,
    tables_of,
)

#: ``PRAGMA application_id`` of backups: "frbk".
_APPLICATION_ID = 0x6672626B
_STORES = """
CREATE TABLE backed_up_stores (
    store TEXT PRIMARY KEY, version INTEGER NOT NULL, saved_at TEXT NOT NULL
);
"""
#: Where the ``PRAGMA application_id`` is in a file of SQLite, with its highest byte first.
_PLACE_OF_ID = slice(68, 72)
_HOW_TO_BACK_UP = "scrapy forest backup FILE writes a backup"
#: Rows refer to these, so they are copied last: a crawl may be writing.
_REFERRED_TABLES = ("hosts", "feeds")

#: A store's schema and its database.
Store = tuple[StoreSchema, Database]


def write_backup(path: str, stores: Sequence[Store]) -> dict[str, int]:
    """Write the rows of all tables to a file, in place of one with this name; the number of rows of
    each table.

    Crawls may be running.  The file takes its name when it is complete.  Raises ``BadStore``, also
    for the name of a store, and ``OSError``.  Cost: each row is read and written once.
    """
    target = Path(path)
    if target.is_dir():
        raise BadStore(f"{path} is a folder; name a file in it, such as forest-backup.db")
    _check_is_no_store(target, stores)
    counts: dict[str, int] = {}
    with _folder_beside(target) as folder:
        part = Path(folder) / target.name
        with store_errors(path), closing(connect(str(part), 0)) as backup:
            backup.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            backup.executescript(_STORES)
            with backup:
                backup.execute("BEGIN")
                for schema, database in stores:
                    counts |= _copy_store(schema, database, backup)
        part.replace(target)
    return counts


def _folder_beside(target: Path) -> TemporaryDirectory[str]:
    """A temporary folder in that of a file, which is made if it is missing.  Raises ``BadStore``,
    which names the file."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return TemporaryDirectory(dir=target.parent, prefix=".forest-backup-")
    except OSError as error:
        raise BadStore(
            f"{target} cannot be written: no file can be made in {target.parent}"
            f" ({error.strerror}); name a file in another folder"
        ) from error


def _check_is_no_store(target: Path, stores: Sequence[Store]) -> None:
    """Raises ``BadStore`` if a backup would take the place of a store, one of these or another."""
    is_store = any(is_file_of(database.name, target) for _, database in stores)
    if not is_store and target.is_file():
        with target.open("rb") as stream:
            start = stream.read(START_SIZE)
        store_id = STORE_ID.to_bytes(4, "big")
        is_store = start.startswith(SQLITE_START) and start[_PLACE_OF_ID] == store_id
    if is_store:
        raise BadStore(
            f"{target} is a store of forest-scrapy, which a backup would replace; name another"
            " file, such as forest-backup.db"
        )


def _copy_store(
    schema: StoreSchema,
    database: Database,
    backup: sqlite3.Connection,
) -> dict[str, int]:
    for statement in schema.tables.split(";"):
        if statement.strip():
            backup.execute(statement)
    saved_at = datetime.now(UTC).isoformat(timespec="seconds")
    backup.execute(
        "INSERT INTO backed_up_stores (store, version, saved_at) VALUES (?, ?, ?)",
        (schema.name, schema.version, saved_at),
    )
    counts = {}
    for table, names in _columns_to_copy(schema):
        listed = ", ".join(names)
        marks = ", ".join("?" * len(names))
        insert = f"INSERT INTO {table} ({listed}) VALUES ({marks})"
        counts[table] = 0
        for row in database.stream(f"SELECT {listed} FROM {table}"):
            backup.execute(insert, [row[name] for name in names])
            counts[table] += 1
    return counts


def _columns_to_copy(schema: StoreSchema) -> list[tuple[str, list[str]]]:
    """The tables, in the order in which they are copied, and the names of their columns."""
    tables = tables_of(schema.tables)
    ordered = sorted(tables, key=lambda table: (table in _REFERRED_TABLES, table))
    return [(table, list(tables[table])) for table in ordered]


def restore_backup(path: str, stores: Sequence[Store], replaces: bool = False) -> dict[str, int]:
    """Write the rows of a backup into stores; the number of rows of each table.

    See ``open_backup`` and ``OpenBackup.restore``.
    """
    with open_backup(path, [schema for schema, _ in stores]) as backup:
        return backup.restore(stores, replaces)


@dataclass(frozen=True)
class OpenBackup:
    """A copy of the backup at ``path``, with the tables of this release."""

    path: str
    connection: sqlite3.Connection

    def restore(self, stores: Sequence[Store], replaces: bool = False) -> dict[str, int]:
        """Write the rows into stores; the number of rows of each table.

        ``replaces``: in place of all that the stores have; else they have to be empty.  Each store
        is written in one transaction.  Raises ``BadStore``, for stores that are not empty before
        anything is written; the message names those that are written, if there are some.
        """
        if not replaces:
            for schema, database in stores:
                _check_is_empty(schema, database)
        counts: dict[str, int] = {}
        written: list[str] = []
        for schema, database in stores:
            try:
                counts |= _restore_store(schema, database, self.connection, self.path)
            except BadStore as error:
                raise StoreFailed(_describe_failure(error, schema, written)) from error
            written.append(f"the {schema.name} in {database.name}")
        return counts


def _describe_failure(error: BadStore, schema: StoreSchema, written: Sequence[str]) -> str:
    """What became of the stores when one of them could not be written."""
    if not written:
        return f"{error}; the stores are as they were"
    return (
        f"{error}; the {schema.name} is as it was, but already restored is"
        f" {' and '.join(written)}: restore again with --replace"
    )


def _check_is_empty(schema: StoreSchema, database: Database) -> None:
    for table, _ in _columns_to_copy(schema):
        if database.rows(f"SELECT 1 FROM {table} LIMIT 1"):
            raise BadStore(
                f"{database.name} is not empty: name --replace to put what was backed up in place"
                " of all that it has, or other stores"
            )


@contextmanager
def open_backup(path: str, schemas: Sequence[StoreSchema]) -> Iterator[OpenBackup]:
    """The backup in a file, all of whose rows can be read.  No store has to be open for it.

    Raises ``BadStore`` for a file that is no backup, with what it is, that is damaged, or that is
    of a newer release; ``OSError`` for one that cannot be read.  Cost: the file is copied and read.
    """
    _check_is_database(path)
    with TemporaryDirectory(prefix="forest-restore-") as folder:
        copy = Path(folder) / "backup.db"
        copyfile(path, copy)
        with closing(connect(str(copy), 0)) as backup:
            _check_is_backup(path, backup)
            try:
                _check_pages(backup)
                versions = _read_versions(backup)
                for schema in schemas:
                    _bring_up_to_date(backup, schema, versions.get(schema.name))
                    _read_all_rows(backup, schema)
            except NewerStore as error:
                raise NewerStore(f"{path}: {error}") from error
            except (sqlite3.Error, UnknownTables) as error:
                raise BadStore(
                    f"{path} is a backup, but damaged: {error}; the stores are as they were"
                ) from error
            yield OpenBackup(path, backup)


def _check_is_database(path: str) -> None:
    file = Path(path)
    if file.is_dir():
        raise BadStore(f"{path} is a folder; name the file in it that scrapy forest backup wrote")
    if not file.is_file():
        raise BadStore(f"{path}: there is no such file; scrapy forest backup writes one")
    with file.open("rb") as stream:
        start = stream.read(START_SIZE)
    if not start.startswith(SQLITE_START):
        raise BadStore(f"{path} is no backup: it is {describe_start(start)}; {_HOW_TO_BACK_UP}")


def _check_is_backup(path: str, database: sqlite3.Connection) -> None:
    try:
        (owner,) = database.execute("PRAGMA application_id").fetchone()
    except sqlite3.Error as error:
        raise BadStore(f"{path} is no backup, or is damaged: {error}") from error
    if owner == STORE_ID:
        raise BadStore(
            f"{path} is no backup: it is a store of forest-scrapy, which FOREST_STORE or"
            f" FOREST_HISTORY can name; {_HOW_TO_BACK_UP}"
        )
    if owner != _APPLICATION_ID:
        raise BadStore(
            f"{path} is no backup: it is a database of another program; {_HOW_TO_BACK_UP}"
        )


def _check_pages(backup: sqlite3.Connection) -> None:
    """Raise ``UnknownTables`` if the file is damaged."""
    (message,) = backup.execute("PRAGMA quick_check(1)").fetchone()
    if message != "ok":
        raise UnknownTables(str(message))


def _read_all_rows(backup: sqlite3.Connection, schema: StoreSchema) -> None:
    """Raises ``sqlite3.Error`` if a row cannot be read."""
    for table, names in _columns_to_copy(schema):
        for _ in backup.execute(f"SELECT {', '.join(names)} FROM {table}"):
            pass


def _read_versions(backup: sqlite3.Connection) -> dict[str, int]:
    rows = backup.execute("SELECT store, version FROM backed_up_stores")
    return {row["store"]: row["version"] for row in rows}


def _bring_up_to_date(
    backup: sqlite3.Connection,
    schema: StoreSchema,
    version: int | None,
) -> None:
    """Change the tables of a store in a backup to the newest version."""
    if version is None:
        raise UnknownTables(f"it has no {schema.name}")
    if version > schema.version:
        raise NewerStore(describe_newer(version, schema.version))
    for statement in schema.statements_from(version):
        backup.execute(statement)
    for table, column in find_missing_columns(read_tables(backup), schema.tables):
        backup.execute(f"ALTER TABLE {table} ADD COLUMN {column.definition}")
    backup.executescript(schema.tables)


def _restore_store(
    schema: StoreSchema,
    database: Database,
    backup: sqlite3.Connection,
    path: str,
) -> dict[str, int]:
    counts: dict[str, int] = {}

    def restore() -> None:
        for table, names in _columns_to_copy(schema):
            database.execute(f"DELETE FROM {table}")
            rows = backup.execute(f"SELECT {', '.join(names)} FROM {table}")
            counts[table] = database.insert_rows(table, names, (tuple(row) for row in rows))

    def failed(error: StoreFailed) -> None:
        raise StoreFailed(f"{path} cannot be restored: {error}") from error

    with store_errors(path):
        database.write(restore, failed)
    if database.unwritten():
        database.finish(waits=False)  # the backup will be closed, so it cannot be done later
        raise StoreFailed(f"{path} cannot be restored: {database.name} is away")
    return counts
