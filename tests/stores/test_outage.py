"""Stores in a PostgreSQL server that is away."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord, RulesStore
from forest_scrapy.stores.database import StoreUnavailable

from .helpers import FEED, HOST, make_fingerprint, make_record

RULES = TemplateRules(Wrapper("forest", ("//p",)))


def wait_until(is_true: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_writes_are_kept_while_the_store_is_away(
    postgres: PostgresServer, uri: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RulesStore(uri, "typed")) as rules, closing(HistoryStore(uri)) as history:
        history.save(make_record(1))
        postgres.stop()
        try:
            assert rules.load(HOST) == []
            for number in range(2, 6):
                history.save(make_record(number, last_seen=number))
            history.save(make_record(5, last_seen=9), feed=FeedRecord(FEED))
            history.save(make_record(1), text="text")
            assert rules.save(HOST, "t", RULES, [make_fingerprint()]) == 0
            assert history.find(make_record(1).key) == make_record(1)  # it waits to be written
            assert history.find(make_record(6).key) is history.text(make_record(1).key) is None
            with pytest.raises(StoreUnavailable):
                history.find(make_record(6).key, is_needed=True)
            assert list(history.feed_pages(FEED, 0)) == []
            assert not history.has_failing_pages(FEED)
            assert history.feeds.find(FEED) == FeedRecord(FEED)
            assert history.feeds.find("http://other.example/feed") is None
            assert isinstance(history.database.seconds_unavailable(), float)
            assert caplog.text.count("is away") == 2  # one line for each store
        finally:
            postgres.start()
        for store in (rules, history):
            wait_until(lambda store=store: store.database.seconds_unavailable() is None)  # type: ignore[misc]
        assert history.find(make_record(5).key) == make_record(5, last_seen=9)
        assert history.text(make_record(1).key) == "text"
        (template,) = rules.load(HOST)
        assert (template.rules, template.fingerprints) == (RULES, (make_fingerprint(),))
        assert history.database.counts() == {"outages": 1, "kept": 6}
        assert len(re.findall("kept writes? done", caplog.text)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("on_loop", [True, False])
def test_a_server_that_hangs_is_away(
    uri: str, on_loop: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process for the connection is stopped: no timeout of the server's ends the statement."""
    limits = {"_SECONDS": 3600 if on_loop else 3, "_SECONDS_OF_LOOP": 1}
    for name, seconds in limits.items():
        monkeypatch.setattr(f"forest_scrapy.stores.outage.{name}", seconds)
    with closing(HistoryStore(uri)) as history:
        history.save(make_record(1))
        process = int(history.database.rows("SELECT pg_backend_pid() AS id")[0]["id"])
        os.kill(process, signal.SIGSTOP)
        try:

            async def find() -> PageRecord | None:
                return history.find(make_record(1).key)

            key = make_record(1).key
            assert (asyncio.run(find()) if on_loop else history.find(key)) is None
            history.save(make_record(2))
            wait_until(lambda: history.database.seconds_unavailable() is None)
            assert history.find(make_record(2).key) == make_record(2)
            assert history.database.counts()["kept"] == 1
        finally:
            os.kill(process, signal.SIGCONT)


def test_a_store_that_is_closed_while_it_is_away_waits(postgres: PostgresServer, uri: str) -> None:
    history = HistoryStore(uri)
    postgres.stop()
    try:
        history.save(make_record(1))
    finally:
        postgres.start()
    history.close()
    with closing(HistoryStore(uri)) as again:
        assert again.find(make_record(1).key) == make_record(1)


def test_what_cannot_be_written_in_the_end_is_counted(
    postgres: PostgresServer,
    uri: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("forest_scrapy.stores.outage.MAX_KEPT", 2)
    history = HistoryStore(uri, seconds=0.1)
    postgres.stop()
    try:
        for number in range(3):
            history.save(make_record(number))
        history.close()
    finally:
        postgres.start()
    assert history.database.counts() == {"outages": 1, "kept": 2, "lost": 3}
    assert "is still away: 2 writes are lost" in caplog.text


def test_what_a_server_that_is_away_does_not_take_is_kept_for_the_next_crawl(
    postgres: PostgresServer, uri: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = tmp_path / "kept.unwritten"
    history = HistoryStore(uri, seconds=0.1, aside=str(place))
    postgres.stop()
    try:
        history.save(make_record(1), feed=FeedRecord(FEED), text="text")
        history.close()
        assert "1 write is kept in " in caplog.text
    finally:
        postgres.start()
    with closing(HistoryStore(uri, aside=str(place))) as history:
        assert history.find(make_record(1).key) == make_record(1)
        assert history.text(make_record(1).key) == "text"
        assert history.feeds.find(FEED) == FeedRecord(FEED)
    assert not place.exists()
    assert history.database.counts() == {}


def test_what_was_kept_stays_if_the_server_goes_away_again(
    postgres: PostgresServer, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, hosts = tmp_path / "kept.unwritten", HistoryStore.hosts
    with closing(HistoryStore(str(place))) as kept:
        kept.save(make_record(1))

    def stop(store: HistoryStore) -> dict[str, int]:
        """While the kept file is read."""
        postgres.stop()
        return hosts(store)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(HistoryStore, "hosts", stop)
            HistoryStore(uri, seconds=0.1, aside=str(place)).close()
    finally:
        postgres.start()
    with closing(HistoryStore(uri, aside=str(place))) as history:
        assert history.find(make_record(1).key) == make_record(1)
    assert not place.exists()
