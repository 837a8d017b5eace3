"""The index of an ontology on disk, for alignment of graphs that do not fit into memory.

A folder: the names of the nodes in SQLite, and facts as arrays in files that are mapped into
memory.  While it is built, a few hundred megabytes and 16 bytes a node are held.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from forest_scrapy.alignment.facts import (
    Bools,
    Facts,
    Ints,
    chunks,
    inverse_functionalities,
    join_keys,
)
from forest_scrapy.alignment.ontology import (
    LITERAL_MARK,
    ClassTable,
    Ontology,
    SortedTriples,
    literal_order,
)
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.input_files import read_text
from forest_scrapy.stores.database import UnusableFile

_VERSION = 1
#: The number of triples that are read, and of rows that are sorted, at once.
_TRIPLES = 50_000
_ROWS = 4_000_000
#: So many names are held, so that those of a subject are not looked up again and again.
_NAMES = 200_000

_SCHEMA = """
CREATE TABLE terms (
    id INTEGER PRIMARY KEY, is_entity INTEGER NOT NULL, name TEXT NOT NULL,
    value TEXT, datatype TEXT, language TEXT, UNIQUE (is_entity, name)
)
"""
_ADD = """
INSERT INTO terms (is_entity, name, value, datatype, language) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (is_entity, name) DO UPDATE SET
    value = excluded.value, datatype = excluded.datatype, language = excluded.language
WHERE (excluded.value, excluded.datatype, excluded.language) < (value, datatype, language)
"""
_Numbers = npt.NDArray[np.int32]
_ARRAYS: dict[str, type[np.generic]] = {
    "order": np.int32,  # the rows of the nodes in the database
    "numbers": np.int32,  # the nodes of the rows
    "keys": np.int64,
    "relations": np.int32,
    "functionality": np.float64,
    "types": np.int64,
}


class StoredTerms:
    """The names of nodes in a database.  ``order``: the rows of the nodes; ``numbers``: the nodes
    of the rows."""

    def __init__(
        self,
        path: Path,
        order: _Numbers,
        numbers: _Numbers,
    ) -> None:
        self._database = _connect(path)
        self._order = order
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._order)

    def names(self, nodes: Ints) -> list[str]:
        return [name for (name,) in self._rows("name", nodes)]

    def literals(self) -> Iterator[str]:
        query = "SELECT name FROM terms WHERE is_entity = 0 ORDER BY name"
        for (name,) in self._database.execute(query):
            yield name

    def values(self, nodes: Ints) -> list[Literal]:
        literals = []
        for value, datatype, language in self._rows("value, datatype, language", nodes):
            literal = Literal(value, datatype or None, language or None)
            literals.append(literal)
        return literals

    def number(self, name: str) -> int | None:
        row = _find_row(self._database, name)
        if row is None:
            return None
        return int(self._numbers[row])

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _rows(self, columns: str, nodes: Ints) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM terms WHERE id = ?"
        for row in self._order[nodes].tolist():
            yield self._database.execute(query, (row,)).fetchone()


def _find_row(database: sqlite3.Connection, name: str) -> int | None:
    """The row of a name."""
    is_entity = not name.startswith(LITERAL_MARK)
    query = "SELECT id FROM terms WHERE is_entity = ? AND name = ?"
    result = database.execute(query, (is_entity, name)).fetchone()
    if result is None:
        return None
    return int(result[0])


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
    )
    return database


def open_ontology(folder: Path) -> Ontology:
    """The index in the folder.  Raises ``UnusableFile``."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    try:
        meta = json.loads(read_text(folder / "index.json"))
        if meta["version"] != _VERSION:
            raise UnusableFile(f"{folder}: the index is of another version; delete it")
        for name, dtype in _ARRAYS.items():
            arrays[name] = map_array(folder / name, dtype)
        terms = StoredTerms(
            folder / "terms.sqlite",
            order=arrays["order"],
            numbers=arrays["numbers"],
        )
    except (OSError, ValueError, KeyError, TypeError, sqlite3.Error) as error:
        raise UnusableFile(f"{folder}: no index of an ontology ({error}); delete it") from error
    return Ontology(
        terms=terms,
        literal_count=meta["literals"],
        facts=Facts(arrays["keys"], arrays["relations"]),
        relations=tuple(meta["predicates"]),
        inverse_functionality=np.array(arrays["functionality"]),
        classes=tuple(meta["classes"]),
        types=arrays["types"],
    )


def write_ontology(folder: Path, triples: Iterable[Triple]) -> Ontology:
    """Index the triples in the folder, which must not exist, and open it.

    The result is the same as in memory, whatever the order of the triples.  What was written is
    removed if the triples cannot be read.
    """
    folder.mkdir(parents=True)
    try:
        _Writer(folder).write(triples)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(folder)
        raise
    return open_ontology(folder)


class _Writer:
    """Writes an index: first rows with preliminary numbers, then sorted ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._predicates: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._superclasses: dict[str, set[str]] = {}
        self._rows: dict[str, int] = {}

    def write(self, triples: Iterable[Triple]) -> None:
        with closing(_connect(self._folder / "terms.sqlite")) as database:
            database.execute(_SCHEMA)
            self._write_rows(database, triples)
            database.commit()
            literal_count = _count_literals(database)
            order = _read_order(database)

        node_count = len(order)
        numbers = np.zeros(node_count + 1, dtype=np.int32)
        numbers[order] = np.arange(node_count, dtype=np.int32)
        order.tofile(self._folder / "order")
        numbers.tofile(self._folder / "numbers")

        predicates = sorted(self._predicates)
        self._sort_facts(numbers, predicates)
        facts = Facts(
            map_array(self._folder / "keys", np.int64),
            map_array(self._folder / "relations", np.int32),
        )
        functionality = inverse_functionalities(facts, 2 * len(predicates))
        functionality.tofile(self._folder / "functionality")
        classes = self._sort_types(numbers)

        for name in ("fact_rows", "type_rows"):
            (self._folder / name).unlink()
        meta = {
            "version": _VERSION,
            "literals": literal_count,
            "predicates": predicates,
            "classes": classes,
        }
        index_file = self._folder / "index.json"
        index_file.write_text(json.dumps(meta), encoding="utf-8")

    def _write_rows(self, database: sqlite3.Connection, triples: Iterable[Triple]) -> None:
        """Write the rows of facts and types, and the names of the nodes."""
        iterator = iter(triples)
        with self._create("fact_rows") as facts, self._create("type_rows") as types:
            while block := list(islice(iterator, _TRIPLES)):
                rows = self._number_block(database, block)
                fact_rows = np.array(rows.facts, dtype=np.int32)
                fact_rows.tofile(facts)
                type_rows = np.array(rows.types, dtype=np.int32)
                type_rows.tofile(types)

    def _number_block(self, database: sqlite3.Connection, block: list[Triple]) -> _Rows:
        """The rows of some triples with preliminary numbers."""
        parts = SortedTriples.read(block)
        for name, superclasses in parts.superclasses.items():
            class_superclasses = self._superclasses.setdefault(name, set())
            class_superclasses.update(superclasses)
        self._add_names(database, parts.node_names(), parts.literals)

        facts = []
        for subject, predicate, node in parts.facts:
            subject_row = self._rows[subject]
            relation = self._predicates.setdefault(predicate, len(self._predicates))
            object_row = self._rows[node]
            facts.append((subject_row, relation, object_row))

        types = []
        for class_, instance in parts.types:
            class_number = self._classes.setdefault(class_, len(self._classes))
            instance_row = self._rows[instance]
            types.append((class_number, instance_row))
        return _Rows(facts, types)

    def _add_names(
        self,
        database: sqlite3.Connection,
        names: set[str],
        literals: dict[str, Literal],
    ) -> None:
        """Give the names rows.  Literals are written again, for the least value counts."""
        if len(self._rows) > _NAMES:
            self._rows = {name: row for name, row in self._rows.items() if name in names}

        new_names = names - self._rows.keys()
        new_entities = new_names - literals.keys()
        entity_rows = []
        for name in sorted(new_entities):
            entity_rows.append((1, name, None, None, None))
        database.executemany(_ADD, entity_rows)

        literal_rows = []
        for name, literal in sorted(literals.items()):
            row_values = literal_order(literal)
            literal_rows.append((0, name, *row_values))
        database.executemany(_ADD, literal_rows)

        for name in sorted(new_names):
            row = _find_row(database, name)
            assert row is not None, "names were written above"
            self._rows[name] = row

    def _sort_types(self, numbers: _Numbers) -> tuple[str, ...]:
        """Write the types of all nodes, with superclasses; the names of the classes."""
        rows = map_array(self._folder / "type_rows", np.int32).reshape(-1, 2)
        class_numbers = rows[:, 0].astype(np.int64)
        instance_rows = rows[:, 1]
        instances = numbers[instance_rows].astype(np.int64)
        table = ClassTable(
            names=tuple(self._classes),
            keys=join_keys(class_numbers, instances),
            superclasses=self._superclasses,
        )
        classes, types = table.close()
        types.tofile(self._folder / "types")
        return classes

    def _sort_facts(self, numbers: _Numbers, predicates: list[str]) -> None:
        """Write the rows of all nodes, range by range; the rows are read once for each range."""
        number_of = {name: number for number, name in enumerate(predicates)}
        relations_in_order = [number_of[name] for name in self._predicates]
        relations_of = np.array(relations_in_order, dtype=np.int32)
        parts = self._fact_parts()

        sizes = np.zeros(len(numbers) - 1, dtype=np.int64)
        for part in parts:
            for column in (0, 2):
                nodes = numbers[part[:, column]]
                sizes += np.bincount(nodes, minlength=len(sizes))

        with self._create("keys") as keys, self._create("relations") as relations:
            for node_range in chunks(sizes, _ROWS):
                selected = []
                for part in parts:
                    columns = _select(part, node_range, numbers, relations_of)
                    selected.append(columns)
                facts = Facts.of_rows(
                    nodes=np.concatenate([columns.nodes for columns in selected]),
                    ends=np.concatenate([columns.ends for columns in selected]),
                    relations=np.concatenate([columns.relations for columns in selected]),
                )
                facts.keys.tofile(keys)
                facts.relations.tofile(relations)

    def _fact_parts(self) -> list[_Numbers]:
        """The rows of facts in parts of ``_ROWS``."""
        rows = map_array(self._folder / "fact_rows", np.int32).reshape(-1, 3)
        parts = []
        for first in range(0, len(rows), _ROWS):
            part = rows[first : first + _ROWS]
            parts.append(part)
        return parts

    def _create(self, name: str) -> BinaryIO:
        path = self._folder / name
        return path.open("wb")


@dataclass(frozen=True)
class _Rows:
    """Facts as subject, relation and object, and types as class and instance, by number."""

    facts: list[tuple[int, int, int]]
    types: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class _FactColumns:
    """Nodes, the other ends of their facts, and the relations."""

    nodes: Ints
    ends: Ints
    relations: Ints


def _count_literals(database: sqlite3.Connection) -> int:
    query = "SELECT count(*) FROM terms WHERE is_entity = 0"
    (count,) = database.execute(query).fetchone()
    return int(count)


def _read_order(database: sqlite3.Connection) -> _Numbers:
    """The rows of all nodes in the order of their numbers."""
    rows = database.execute("SELECT id FROM terms ORDER BY is_entity, name")
    return np.fromiter((row for (row,) in rows), dtype=np.int32)


def _select(
    rows: _Numbers,
    node_range: slice,
    numbers: _Numbers,
    relations_of: _Numbers,
) -> _FactColumns:
    """The facts, and inverse facts, of the rows whose node is in the range."""
    subjects = numbers[rows[:, 0]]
    predicates = relations_of[rows[:, 1]]
    objects = numbers[rows[:, 2]]
    is_direct = _is_in_range(objects, node_range)
    is_inverse = _is_in_range(subjects, node_range)

    nodes = np.concatenate([objects[is_direct], subjects[is_inverse]])
    ends = np.concatenate([subjects[is_direct], objects[is_inverse]])
    relations = 2 * predicates.astype(np.int64)
    direct_relations = relations[is_direct]
    inverse_relations = relations[is_inverse] + 1
    return _FactColumns(
        nodes=nodes.astype(np.int64),
        ends=ends.astype(np.int64),
        relations=np.concatenate([direct_relations, inverse_relations]),
    )


def _is_in_range(nodes: _Numbers, node_range: slice) -> Bools:
    is_after_start = nodes >= node_range.start
    is_before_stop = nodes < node_range.stop
    is_inside: Bools = is_after_start & is_before_stop
    return is_inside


def map_array(path: Path, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """The numbers of a file, mapped into memory to be read."""
    if not path.stat().st_size:
        return np.empty(0, dtype)
    return np.memmap(path, dtype=dtype, mode="r")
