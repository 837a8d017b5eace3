"""Stores in a file that another program has locked."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.stores import FeedRecord, HistoryStore, RulesStore
from forest_scrapy.stores.database import BadStore, StoreFailed, StoreUnavailable
from forest_scrapy.stores.opening import SqliteDatabase
from forest_scrapy.stores.outage import WriteQueue

from .helpers import ALL, FEED, HOST, locked, make_fingerprint, make_record

#: Seconds: less than a store waits for a lock outside of a crawl, more than a busy machine takes.
WAIT = 30.0
RULES = TemplateRules(Wrapper("forest", ("//p",)))


def took(function: Callable[[], object]) -> float:
    """The seconds of a call."""
    start = time.monotonic()
    function()
    return time.monotonic() - start


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("journal", ["WAL", pytest.param("DELETE", marks=pytest.mark.slow)])
def test_a_crawl_does_not_wait_for_a_file_that_can_only_be_read(
    tmp_path: Path, journal: str
) -> None:
    """``DELETE``: as on a network drive, where there is no write-ahead log."""
    path, old, new = tmp_path / "h.db", make_record(1), make_record(2)
    with closing(HistoryStore(str(path))) as history:
        history.save(old)
        history.database.execute(f"PRAGMA journal_mode = {journal}")
        history.database.begin_crawl()
        with locked(path):
            assert took(lambda: history.save(new, feed=FeedRecord(FEED))) < WAIT
            assert took(lambda: history.save(make_record(2, last_seen=300))) < WAIT
            assert history.find(new.key) == make_record(2, last_seen=300)
            assert history.feeds.find(FEED) == FeedRecord(FEED)
            assert history.database.seconds_unavailable() is not None
            assert took(lambda: history.find(old.key)) < WAIT
        wait_until(lambda: history.database.seconds_unavailable() is None)
        assert history.find(new.key) == make_record(2, last_seen=300)
    with closing(HistoryStore(str(path))) as again:
        assert [one.key for one in again.host_pages(HOST)] == [old.key, new.key]
        assert again.feeds.find(FEED) == FeedRecord(FEED)


def test_a_crawl_does_not_wait_for_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path, page = tmp_path / "h.db", make_record(1)
    with closing(HistoryStore(str(path))) as history:
        history.save(page)
        history.database.execute("PRAGMA journal_mode = DELETE")
        history.database.begin_crawl()
        with locked(path, ALL):
            assert took(lambda: history.find(page.key)) < WAIT
            assert history.find(page.key) is None
            with pytest.raises(StoreUnavailable, match="locked"):
                history.find(page.key, is_needed=True)
            assert isinstance(history.database.seconds_unavailable(), float)
        wait_until(lambda: history.database.seconds_unavailable() is None)
        assert history.find(page.key) == page
        assert history.database.counts() == {"outages": 1}


def test_wrappers_of_a_file_that_is_locked_are_stored_later(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with closing(RulesStore(str(path), "typed")) as rules:
        rules.database.begin_crawl()
        with locked(path):
            assert rules.save(HOST, "t", RULES, [make_fingerprint()]) == 1
            rules.save_edited(HOST, "t", RULES)
    with closing(RulesStore(str(path), "typed")) as rules:
        (template,) = rules.load(HOST)
        assert (template.rules, template.fingerprints) == (RULES, (make_fingerprint(),))
        assert [one.version for one in rules.versions(HOST, "t")] == [1]


def test_what_cannot_be_written_in_the_end_is_written_by_the_next_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, newer = tmp_path / "h.db", make_record(2, last_seen=900)
    history = HistoryStore(str(path), seconds=0.2)
    history.database.begin_crawl()
    with locked(path):
        history.save(make_record(1), feed=FeedRecord(FEED, polled=5), text="text")
        history.save(make_record(2))
        assert took(history.close) < 20
    assert "2 writes are kept in " in caplog.text
    assert history.database.counts().get("lost") is None
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM pages").fetchone() == (0,)
    with closing(HistoryStore(str(path), must_exist=True)) as command:
        assert command.find(newer.key) is None  # only a crawl writes
        command.save(newer)
    with closing(HistoryStore(str(path))) as again:
        assert again.find(make_record(1).key) == make_record(1)
        assert again.text(make_record(1).key) == "text"
        assert again.feeds.find(FEED) == FeedRecord(FEED, polled=5)
        assert again.find(newer.key) == newer
    assert [one.name for one in tmp_path.iterdir()] == ["h.db"]


@pytest.mark.slow
def test_a_command_waits_for_a_file_that_is_locked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "h.db"
    with closing(HistoryStore(str(path))) as history:
        history.database.execute("PRAGMA journal_mode = DELETE")
    with locked(path, ALL) as process:
        assert process.stdin is not None
        with pytest.raises(BadStore, match="is locked by another program; end that, or"):
            HistoryStore(str(path), seconds=0.2)
        timer = threading.Timer(1.3, process.stdin.close)
        timer.start()
        HistoryStore(str(path), seconds=30).close()
        timer.join()
    assert "h.db is locked by another program: waiting up to 30 s" in caplog.text
    with (
        closing(HistoryStore(str(path), seconds=0.2)) as history,
        locked(path),
        pytest.raises(StoreFailed, match="locked by another program; end that, and try again"),
    ):
        history.prune(5)


def test_a_write_that_fails_for_good_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(HistoryStore(str(tmp_path / "h.db"))) as history:
        history.database.begin_crawl()
        history.database.connection.execute("DROP TABLE hosts")
        history.save(make_record(1))
        history.save(make_record(2))
        wait_until(lambda: not history.database.unwritten())
        assert "no such table" in str(history.database.failure())
    assert caplog.text.count("The history cannot be written: ") == 1


def test_a_value_that_cannot_be_stored_costs_only_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(HistoryStore(str(tmp_path / "h.db"))) as history:
        history.database.begin_crawl()
        assert isinstance(history.database, SqliteDatabase)
        history.database.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 9_000)
        history.save(make_record(1, entry_id="a" * 10_000))
        history.save(make_record(2))
        assert history.database.unwritten() == []
        assert [one.key for one in history.host_pages(HOST)] == [make_record(2).key]
        assert history.database.failure() is None
    assert "too big; the next crawl will request this page or feed again" in caplog.text


def test_texts_and_numbers_beyond_what_can_be_stored(tmp_path: Path) -> None:
    feed = FeedRecord(f"{FEED}\ud800", due=10**30)
    with closing(HistoryStore(str(tmp_path / "h.db"))) as history:
        history.save(make_record(1, entry_id="\ud800", published=-(10**30)), feed=feed)
        assert history.feeds.find(feed.url) == FeedRecord(f"{FEED}?")
        (page,) = history.host_pages(HOST)
        assert (page.entry_id, page.published) == ("?", None)


def test_what_is_not_locked_is_written_at_once(tmp_path: Path) -> None:
    """The spool may say that a page is done as soon as its article was noted: after a kill the
    history has it."""
    path, page = tmp_path / "h.db", make_record(1)
    with closing(HistoryStore(str(path))) as history, closing(HistoryStore(str(path))) as other:
        history.database.begin_crawl()
        for i in range(100):
            page = make_record(1, last_seen=200 + i)
            history.save(page)
            assert other.find(page.key) == page


def test_what_waits_can_be_read_while_it_is_written() -> None:
    queue = WriteQueue("The store", lambda: None, lambda write: write(), 30, 0.1)
    for _ in range(3_000):
        queue.put(lambda: time.sleep(0.0001))
    for _ in range(100):
        queue.unwritten()
    assert queue.end() == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE template_rules SET rules = x'ff' WHERE template = 't'",
        "UPDATE template_rules SET fit = '{' WHERE template = 't'",
        "UPDATE template_rules SET fit = '[7]' WHERE template = 't'",
        "UPDATE wrapper_fingerprints SET features = 'x' WHERE template = 't'",
    ],
)
def test_an_odd_row_of_wrappers_costs_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    with closing(RulesStore(str(tmp_path / "w.db"), "typed")) as rules:
        for id in ("t", "u"):
            rules.save(HOST, id, RULES, [make_fingerprint()])
        rules.database.execute(change)
        assert [one.id for one in rules.load(HOST)] == ["u"]
        assert f"Stored wrapper t of {HOST}: " in caplog.text
        assert rules.save(HOST, "t", RULES, [make_fingerprint()]) == 1


def test_rows_that_are_not_all_read_do_not_outlive_the_store(tmp_path: Path) -> None:
    """As with ``scrapy forest history | head``."""
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.row_factory = sqlite3.Row
    database = SqliteDatabase(connection)
    rows = database.stream("SELECT 1 AS n UNION SELECT 2")
    assert next(rows)["n"] == 1
    connection.close()
    rows.close()  # type: ignore[attr-defined]
