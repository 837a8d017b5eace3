"""The tables of a store, their versions, and the steps from each version to the next.

A store outlives the release that has written it.  Its version is a number: in SQLite
``PRAGMA user_version``, in PostgreSQL a row of the table ``store_versions``.  Stores that were
written before versions were counted have the version 1.  Whoever changes a table adds a
``Migration``.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

from forest_scrapy.core.errors import ForestError


class UnknownTables(ForestError):
    """The tables of a store are neither those of a schema nor can they be made so."""


@dataclass(frozen=True)
class Migration:
    """The step from one version of a store's tables to the next: statements in the SQL that SQLite
    and PostgreSQL have in common, with SQLite's types."""

    statements: tuple[str, ...]


@dataclass(frozen=True)
class StoreSchema:
    """The tables of a store that lasts over releases.

    ``name``: of the store, as in messages and backups.  ``tables``: the statements that create all
    tables of the newest version, if they are not there.  ``migrations``: the first leads from
    version 1 to 2.  ``rescued_tables``: those whose rows are taken over from a damaged file, above
    all what a person has said.
    """

    name: str
    tables: str
    migrations: tuple[Migration, ...] = ()
    rescued_tables: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        """The version of the tables that this release uses."""
        return 1 + len(self.migrations)

    def statements_from(self, version: int) -> Iterator[str]:
        """The statements that lead from a version to the newest one."""
        for migration in self.migrations[version - 1 :]:
            yield from migration.statements


@dataclass(frozen=True)
class Column:
    """A column of a table: its name and type in SQLite, and its default as SQL, if it has one.
    ``is_required``: a row needs a value for it."""

    name: str
    type: str = "TEXT"
    default: str | None = None
    is_required: bool = False
    is_key: bool = False

    @property
    def definition(self) -> str:
        """The column as ``ALTER TABLE ... ADD COLUMN`` has it.

        >>> Column("due", "INTEGER").definition, Column("url", "TEXT", "''").definition
        ('due INTEGER', "url TEXT NOT NULL DEFAULT ''")
        """
        declared = f"{self.name} {self.type}"
        return declared if self.default is None else f"{declared} NOT NULL DEFAULT {self.default}"


#: The columns of tables, by name.
Tables = Mapping[str, Mapping[str, Column]]

_READ_COLUMNS = """
SELECT tables.name AS table_name, columns.* FROM sqlite_master AS tables,
    pragma_table_info(tables.name) AS columns
WHERE tables.type IN ('table', 'view') AND tables.name NOT LIKE 'sqlite%'
"""


def read_tables(database: sqlite3.Connection) -> dict[str, dict[str, Column]]:
    """The tables of a database."""
    tables: dict[str, dict[str, Column]] = {}
    for row in database.execute(_READ_COLUMNS):
        is_key = bool(row["pk"])
        has_default = row["dflt_value"] is not None
        column = Column(
            name=row["name"],
            type=row["type"] or "TEXT",
            default=row["dflt_value"],
            is_required=bool(row["notnull"]) and not has_default,
            is_key=is_key,
        )
        tables.setdefault(row["table_name"], {})[column.name] = column
    return tables


def tables_of(schema: str) -> dict[str, dict[str, Column]]:
    """The tables that a schema creates."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        database.executescript(schema)
        return read_tables(database)


def find_missing_columns(tables: Tables, schema: str) -> list[tuple[str, Column]]:
    """The columns that tables lack, each with its table; whole tables that are missing are not
    among them.

    Raises ``UnknownTables`` if one cannot be added, because rows need a value, or if a table has
    another column for which they need one.
    """
    missing: list[tuple[str, Column]] = []
    for table, columns in tables_of(schema).items():
        if table not in tables:
            continue
        for name, column in columns.items():
            if name in tables[table]:
                continue
            if column.is_required or column.is_key:
                raise UnknownTables(f"its table {table} has no column {name}")
            missing.append((table, column))
        for name, column in tables[table].items():
            if name not in columns and column.is_required:
                raise UnknownTables(f"its table {table} has another column, {name}")
    return missing


def compare_columns(tables: Tables, schema: str) -> str:
    """What tables lack, or have beside what a schema creates; ``""`` if they are as it creates
    them.  Tables that are missing do not count."""
    for table, columns in tables_of(schema).items():
        if table not in tables:
            continue
        missing = sorted(columns.keys() - tables[table].keys())
        if missing:
            return f"its table {table} has no column {missing[0]}"
        additional = sorted(tables[table].keys() - columns.keys())
        if additional:
            return f"its table {table} has another column, {additional[0]}"
    return ""


def describe_newer(written_version: int, known_version: int) -> str:
    """What is wrong with a store of a newer release, and what to do."""
    return (
        f"it was written by a newer version of forest-scrapy (its tables have version"
        f" {written_version}, this one knows {known_version}) and is left as it is: upgrade"
        " forest-scrapy, or name another store"
    )
