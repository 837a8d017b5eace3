"""Histories with values that no crawl has written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.core.changes import summarize_text
from forest_scrapy.stores import BatchStore, FeedRecord, HistoryStore, RulesStore, Spool
from forest_scrapy.stores.database import BadStore

from .helpers import FEED, HOST, make_record

REMEDY = "repair it"
PAGE = make_record(
    1, outcome="article", fetched=100, published=90, text=summarize_text("An owl."), etag='"x"'
)
COLUMNS = {
    "pages": (
        *("host", "url", "first_seen", "last_seen", "fetched", "status", "failures", "outcome"),
        *("etag", "last_modified", "page_digest", "entry_digest", "text", "published"),
        *("published_source", "modified", "modified_source", "feed", "entry_id", "template"),
        *("wrapper", "method", "fingerprint"),
    ),
    "feeds": (
        *("url", "etag", "last_modified", "status", "failures", "polled", "read", "due"),
        *("hints", "dates"),
    ),
    "hosts": ("name",),
    "texts": ("text",),
}
ODD = (
    *(-1, -(2**63), 2**63 - 1, 1.5, float("inf"), float("nan"), "", "abc", "1e999", b"", b"\xff"),
    *("[" * 5000, '{"ttl": "x"}', '{"ttl": -1}', "[1]", "NaN", b"\x00" * 9),
)
odd = st.sampled_from(ODD) | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.binary(max_size=9)


def make_history(path: Path) -> None:
    with closing(HistoryStore(str(path))) as store:
        store.save(make_record(2, first_seen=50), feed=FeedRecord(FEED, polled=5, dates=(1, 2)))
        store.save(PAGE, text="An owl.")


def change(path: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement, values)


def use(store: HistoryStore) -> None:
    """All that a crawl does."""
    for key in (PAGE.key, make_record(2).key):
        store.find(key)
        store.text(key)
    store.feeds.find(FEED)
    store.has_failing_pages(FEED)
    assert len([*store.host_pages(HOST), *store.feed_pages(FEED, 0), *store.feeds.all()]) < 9
    store.hosts()
    feed = FeedRecord(FEED, polled=7)
    store.save(make_record(3), replace(PAGE, last_seen=500), feed=feed, text="Two owls.")


@pytest.fixture(scope="module")
def history_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("history") / "h.db"
    make_history(path)
    return path.read_bytes()


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(st.sampled_from([(table, name) for table, names in COLUMNS.items() for name in names]), odd)
def test_an_odd_value_costs_at_most_its_row(
    tmp_path_factory: pytest.TempPathFactory,
    history_bytes: bytes,
    column: tuple[str, str],
    value: Any,
) -> None:
    path, (table, name) = tmp_path_factory.mktemp("odd") / "h.db", column
    path.write_bytes(history_bytes)
    row = {"pages": f"x'{PAGE.key}'", "texts": f"x'{PAGE.key}'"}.get(table)
    where = f" WHERE key = {row}" if row else ""
    change(path, f"UPDATE OR IGNORE {table} SET {name} = ?{where}", values=(value,))
    with closing(HistoryStore(str(path))) as store:
        found = store.find(PAGE.key)
        if table == "pages" and name not in ("host", "url", "outcome"):
            assert found is not None
            assert (found.outcome, found.url) == ("article", PAGE.url)
        if table != "hosts":
            assert store.find(make_record(2).key) is not None
        use(store)
        assert store.find(PAGE.key) == replace(PAGE, last_seen=500)
        assert store.text(PAGE.key) == "Two owls."
        assert store.feeds.find(FEED) == FeedRecord(FEED, polled=7)


@pytest.mark.parametrize("value", ["abc", b"\xff", None, 2**63 - 1, -7])
def test_odd_values_in_all_columns(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "h.db"
    make_history(path)
    with closing(sqlite3.connect(path)) as database, database:
        for table in ("pages", "feeds"):
            for name in set(COLUMNS[table]) - {"url", "host", "outcome"}:
                database.execute(f"UPDATE OR IGNORE {table} SET {name} = ?", (value,))
    with closing(HistoryStore(str(path))) as store:
        found = store.find(PAGE.key)
        assert found is not None
        assert (found.outcome, found.url) == ("article", PAGE.url)
        assert found.failures >= 0
        use(store)


OTHER_TEXTS = [
    "DROP TABLE texts",
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, key BLOB, text BLOB, mine TEXT NOT NULL)",
]
RENAMED = "ALTER TABLE pages RENAME COLUMN status TO got"


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ([RENAMED], "its table pages has no column status"),
        (OTHER_TEXTS, "its table texts has another column, mine"),
        (["DROP TABLE pages", "CREATE VIEW pages AS SELECT 1 AS key"], "pages has no column .*"),
        (["PRAGMA application_id = 7"], "it has tables of another program"),
    ],
)
def test_a_history_of_other_tables(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, statements: list[str], problem: str
) -> None:
    """It is not replaced if the crawl depends on it."""
    path = tmp_path / "h.db"
    make_history(path)
    change(path, *statements)
    with pytest.raises(BadStore, match=rf"h\.db: .*{problem}; {REMEDY}"):
        HistoryStore(str(path), must_fit=REMEDY)
    with closing(HistoryStore(str(path))) as store:
        use(store)
    assert problem.removesuffix(" .*") in caplog.text
    assert "h.db.unusable-1" in caplog.text


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        pytest.param(lambda data: b"", "h.db is empty: what was stored", id="empty"),
        pytest.param(lambda data: data[: len(data) // 2], "it is damaged", id="half"),
        pytest.param(lambda data: data[:50], "it is damaged", id="the start"),
        pytest.param(lambda data: b"{}" * 999, "it is damaged", id="another file"),
    ],
)
@pytest.mark.parametrize(
    "open_it",
    [
        lambda path: HistoryStore(path),
        lambda path: RulesStore(path, "typed"),
        lambda path: Spool(path),
        lambda path: BatchStore(path),
    ],
)
def test_a_damaged_file_is_named(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[bytes], bytes],
    problem: str,
    open_it: Callable[[str], Any],
) -> None:
    path = tmp_path / "h.db"
    make_history(path)
    path.write_bytes(damage(path.read_bytes()))
    open_it(str(path)).close()
    assert problem in caplog.text


def test_a_new_file_gives_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        make_history(tmp_path / "h.db")
    assert caplog.text == ""


@pytest.mark.slow
def test_a_server_with_other_tables(postgres: PostgresServer, uri: str) -> None:
    with closing(HistoryStore(uri)) as store:
        store.database.execute(RENAMED.replace("pages", "forest.pages"))
    with pytest.raises(BadStore, match=r"its table pages has no column status: .* another version"):
        HistoryStore(uri)
    RulesStore(uri, "typed").close()


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"{}", "JSON, such as an export"), (b"a b", "a text"), (b"%PDF", "a PDF document")],
)
def test_a_file_that_is_no_database_is_told_by_its_kind(
    tmp_path: Path,
    content: bytes,
    kind: str,
) -> None:
    path = tmp_path / "h.db"
    path.write_bytes(content * 999)
    with pytest.raises(BadStore) as raised:
        HistoryStore(str(path), must_fit="name another file")
    assert str(raised.value) == (
        f"{path}: it is damaged (file is not a database), or another file: {kind};"
        " name another file"
    )
