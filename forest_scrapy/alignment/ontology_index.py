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
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from forest_scrapy.alignment.facts import (
    Facts,
    Ints,
    chunks,
    inverse_functionalities,
    join_keys,
)
from forest_scrapy.alignment.ontology import (
    LITERAL_MARK,
    SUBCLASS,
    TYPE,
    ClassTable,
    Ontology,
    is_fact,
    literal_order,
    name_of,
)
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.stores.database import UnusableFile

_VERSION = 1
#: So many triples are read at once, and so many rows sorted.
_TRIPLES = 50_000
_ROWS = 4_000_000
#: So many names are held, so that those of a subject are not asked for again and again.
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

    def __init__(self, path: Path, order: _Numbers, numbers: _Numbers) -> None:
        self._database = _connect(path)
        self._order, self._numbers = order, numbers

    def __len__(self) -> int:
        return len(self._order)

    def names(self, nodes: Ints) -> list[str]:
        return [row[0] for row in self._rows("name", nodes)]

    def literals(self) -> Iterator[str]:
        for (name,) in self._database.execute(
            "SELECT name FROM terms WHERE is_entity = 0 ORDER BY name"
        ):
            yield name

    def values(self, nodes: Ints) -> list[Literal]:
        rows = self._rows("value, datatype, language", nodes)
        return [Literal(row[0], row[1] or None, row[2] or None) for row in rows]

    def number(self, name: str) -> int | None:
        row = self._database.execute(
            "SELECT id FROM terms WHERE is_entity = ? AND name = ?",
            (not name.startswith(LITERAL_MARK), name),
        ).fetchone()
        return None if row is None else int(self._numbers[row[0]])

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _rows(self, columns: str, nodes: Ints) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM terms WHERE id = ?"
        for row in self._order[nodes].tolist():
            yield self._database.execute(query, (row,)).fetchone()


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
    )
    return database


def open_ontology(folder: Path) -> Ontology:
    """The index in the folder.  Raises ``UnusableFile``."""
    try:
        meta = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        if meta["version"] != _VERSION:
            raise UnusableFile(f"{folder}: the index is of another version; delete it")
        arrays = {name: map_array(folder / name, dtype) for name, dtype in _ARRAYS.items()}
        terms = StoredTerms(folder / "terms.sqlite", arrays["order"], arrays["numbers"])
    except (OSError, ValueError, KeyError, TypeError, sqlite3.Error) as error:
        raise UnusableFile(f"{folder}: no index of an ontology ({error}); delete it") from error
    return Ontology(
        terms,
        meta["literals"],
        Facts(arrays["keys"], arrays["relations"]),
        tuple(meta["predicates"]),
        np.array(arrays["functionality"]),
        tuple(meta["classes"]),
        arrays["types"],
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
            literals, order = self._number(database)
        numbers = np.zeros(len(order) + 1, dtype=np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        order.tofile(self._folder / "order")
        numbers.tofile(self._folder / "numbers")
        predicates = sorted(self._predicates)
        self._sort_facts(numbers, predicates)
        types = map_array(self._folder / "type_rows", np.int32).reshape(-1, 2)
        class_keys = join_keys(types[:, 0].astype(np.int64), numbers[types[:, 1]].astype(np.int64))
        classes, keys = ClassTable(tuple(self._classes), class_keys, self._superclasses).close()
        keys.tofile(self._folder / "types")
        facts = Facts(
            map_array(self._folder / "keys", np.int64),
            map_array(self._folder / "relations", np.int32),
        )
        inverse_functionalities(facts, 2 * len(predicates)).tofile(self._folder / "functionality")
        for name in ("fact_rows", "type_rows"):
            (self._folder / name).unlink()
        meta = {
            "version": _VERSION,
            "literals": literals,
            "predicates": predicates,
            "classes": classes,
        }
        (self._folder / "index.json").write_text(json.dumps(meta), encoding="utf-8")

    def _write_rows(self, database: sqlite3.Connection, triples: Iterable[Triple]) -> None:
        """Write the rows of facts and types, and the names of the nodes."""
        iterator = iter(triples)
        with self._create("fact_rows") as facts, self._create("type_rows") as types:
            while block := list(islice(iterator, _TRIPLES)):
                fact_rows, type_rows = self._number_block(database, block)
                np.array(fact_rows, dtype=np.int32).tofile(facts)
                np.array(type_rows, dtype=np.int32).tofile(types)

    def _number_block(
        self, database: sqlite3.Connection, block: list[Triple]
    ) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
        named: list[tuple[str, str, str]] = []
        types: list[tuple[str, str]] = []
        literals: dict[str, Literal] = {}
        for subject, predicate, node in block:
            if predicate == TYPE and isinstance(node, str):
                types.append((node, subject))
            elif predicate == SUBCLASS and isinstance(node, str):
                self._superclasses.setdefault(subject, set()).add(node)
            elif is_fact(predicate):
                name = name_of(node)
                named.append((subject, predicate, name))
                if isinstance(node, Literal):
                    literals[name] = min(node, literals.get(name, node), key=literal_order)
        names = {name for subject, _, name in named for name in (subject, name)}
        names.update(subject for _, subject in types)
        self._add_names(database, names, literals)
        numbers = self._rows
        facts = [
            (numbers[s], self._predicates.setdefault(p, len(self._predicates)), numbers[o])
            for s, p, o in named
        ]
        classes = [(self._classes.setdefault(c, len(self._classes)), numbers[x]) for c, x in types]
        return facts, classes

    def _add_names(
        self, database: sqlite3.Connection, names: set[str], literals: dict[str, Literal]
    ) -> None:
        """Give the names rows.  Literals are written again, for the least value is kept."""
        if len(self._rows) > _NAMES:
            self._rows = {name: row for name, row in self._rows.items() if name in names}
        entities = sorted(names - literals.keys() - self._rows.keys())
        database.executemany(_ADD, ((1, name, None, None, None) for name in entities))
        database.executemany(
            _ADD, ((0, name, *literal_order(literal)) for name, literal in sorted(literals.items()))
        )
        query = "SELECT id FROM terms WHERE is_entity = ? AND name = ?"
        for name in sorted(names - self._rows.keys()):
            row = database.execute(query, (not name.startswith(LITERAL_MARK), name)).fetchone()
            self._rows[name] = row[0]

    def _number(self, database: sqlite3.Connection) -> tuple[int, _Numbers]:
        """The number of literals, and the rows of all nodes in the order of their numbers."""
        (literals,) = database.execute("SELECT count(*) FROM terms WHERE is_entity = 0").fetchone()
        rows = database.execute("SELECT id FROM terms ORDER BY is_entity, name")
        return literals, np.fromiter((row[0] for row in rows), dtype=np.int32)

    def _sort_facts(self, numbers: _Numbers, predicates: list[str]) -> None:
        """Write the rows of all nodes, range by range; the rows are read once for each range."""
        places = {name: i for i, name in enumerate(predicates)}
        renumbered = np.array([places[name] for name in self._predicates], dtype=np.int32)
        rows = map_array(self._folder / "fact_rows", np.int32).reshape(-1, 3)
        sizes = np.zeros(len(numbers) - 1, dtype=np.int64)
        for part in _parts(len(rows)):
            for column in (0, 2):
                sizes += np.bincount(numbers[rows[part, column]], minlength=len(sizes))
        with self._create("keys") as keys, self._create("relations") as relations:
            for nodes in chunks(sizes, _ROWS):
                found = [
                    _select(rows[part], nodes, numbers, renumbered) for part in _parts(len(rows))
                ]
                columns = (np.concatenate([one[i] for one in found]) for i in range(3))
                facts = Facts.of_rows(*columns)
                facts.keys.tofile(keys)
                facts.relations.tofile(relations)

    def _create(self, name: str) -> BinaryIO:
        return (self._folder / name).open("wb")


def _parts(count: int) -> Iterator[slice]:
    return (slice(first, first + _ROWS) for first in range(0, count, _ROWS))


def _select(
    rows: _Numbers, nodes: slice, numbers: _Numbers, predicates: _Numbers
) -> tuple[Ints, Ints, Ints]:
    """The facts, and inverse facts, of the rows whose node is in the range."""
    subjects, objects = numbers[rows[:, 0]], numbers[rows[:, 2]]
    relations = 2 * predicates[rows[:, 1]].astype(np.int64)
    direct = (objects >= nodes.start) & (objects < nodes.stop)
    back = (subjects >= nodes.start) & (subjects < nodes.stop)
    return (
        np.concatenate([objects[direct], subjects[back]]).astype(np.int64),
        np.concatenate([subjects[direct], objects[back]]).astype(np.int64),
        np.concatenate([relations[direct], relations[back] + 1]),
    )


def map_array(path: Path, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """The numbers of a file, mapped into memory to be read."""
    return np.memmap(path, dtype=dtype, mode="r") if path.stat().st_size else np.empty(0, dtype)
