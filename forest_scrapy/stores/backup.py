"""A copy of stores in one file: the rules with their corrections, what a person has said of pages,
and the history.

The file is an SQLite database with the tables of all stores, wherever these are.  Like a store it
has versions, so that a backup of an earlier release can be restored.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from forest_scrapy.stores.database import (
    BadStore,
    Database,
    NewerStore,
    StoreFailed,
    connect,
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
#: Rows refer to these, so they are copied last: a crawl may be writing.
_REFERRED_TABLES = ("hosts", "feeds")

#: A store's schema and its database.
Store = tuple[StoreSchema, Database]


def write_backup(path: str, stores: Sequence[Store]) -> dict[str, int]:
    """Write the rows of all tables to a file, in place of one with this name; the number of rows of
    each table.

    Crawls may be running.  The file takes its name when it is complete.  Raises ``BadStore`` and
    ``OSError``.  Cost: each row is read and written once.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    with TemporaryDirectory(dir=target.parent, prefix=".forest-backup-") as folder:
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

    ``replaces``: in place of all that the stores have; else they have to be empty.  Each store is
    written in one transaction.  Raises ``BadStore`` and ``OSError``, before anything is written for
    a file that is no backup, or of a newer release, and for stores that are not empty.
    """
    if not Path(path).is_file():
        raise BadStore(f"{path}: there is no such file; scrapy forest backup writes one")
    if not replaces:
        for schema, database in stores:
            _check_is_empty(schema, database)
    counts: dict[str, int] = {}
    with _open_backup(path, [schema for schema, _ in stores]) as backup:
        for schema, database in stores:
            counts |= _restore_store(schema, database, backup, path)
    return counts


def _check_is_empty(schema: StoreSchema, database: Database) -> None:
    for table, _ in _columns_to_copy(schema):
        if database.rows(f"SELECT 1 FROM {table} LIMIT 1"):
            raise BadStore(
                f"{database.name} is not empty: name --replace to put what was backed up in place"
                " of all that it has, or other stores"
            )


@contextmanager
def _open_backup(path: str, schemas: Sequence[StoreSchema]) -> Iterator[sqlite3.Connection]:
    """A copy of a backup, with the tables of this release."""
    with TemporaryDirectory(prefix="forest-restore-") as folder:
        copy = Path(folder) / "backup.db"
        copyfile(path, copy)
        with closing(connect(str(copy), 0)) as backup:
            try:
                versions = _read_versions(backup)
                for schema in schemas:
                    _bring_up_to_date(backup, schema, versions.get(schema.name))
            except NewerStore as error:
                raise NewerStore(f"{path}: {error}") from error
            except (sqlite3.Error, UnknownTables) as error:
                raise BadStore(f"{path} is no backup, or is damaged: {error}") from error
            yield backup


def _read_versions(backup: sqlite3.Connection) -> dict[str, int]:
    (owner,) = backup.execute("PRAGMA application_id").fetchone()
    if owner != _APPLICATION_ID:
        raise UnknownTables("it has tables of another program")
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
        raise error

    with store_errors(path):
        database.write(restore, failed)
    return counts
