"""The history: pages, feeds and texts."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.changes import summarize_text
from forest_scrapy.stores import FeedRecord, HistoryStore, LatestArticle, PageRecord, history
from forest_scrapy.stores.database import BadStore
from forest_scrapy.stores.history_rows import _LAST_SECOND, MAX_FAILURES

from .helpers import FEED, make_record


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with closing(HistoryStore(str(tmp_path / "history.db"))) as opened:
        yield opened


def test_pages_are_read_as_written(store: HistoryStore) -> None:
    page = make_record(
        1,
        fetched=120,
        status=200,
        outcome="article",
        etag='"x"',
        last_modified="Sat, 01 Jun 2024 00:00:00 GMT",
        page_digest=b"12345678",
        entry_digest=b"87654321",
        text=summarize_text("An owl flew over the old harbour."),
        published=90,
        published_source="json-ld",
        entry_id="tag:1",
        template="t",
        wrapper="w",
        method="trained",
        fingerprint="00ff",
    )
    assert store.find(page.key) is None
    store.save(page, make_record(2))
    assert store.find(page.key) == page
    assert store.find(make_record(2).key) == make_record(2)
    changed = replace(page, status=404, outcome="gone", feed="")
    store.save(changed)
    assert store.find(page.key) == changed
    assert list(store.host_pages("a.example")) == [changed, make_record(2)]
    assert store.hosts() == {"a.example": 2}


def test_what_was_written_outlives_the_store(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(HistoryStore(str(tmp_path / "history.db"))) as store:
            known = store.find(make_record(1).key) or make_record(1)
            store.save(replace(known, failures=known.failures + 1))
    with closing(HistoryStore(str(tmp_path / "history.db"), must_exist=True)) as store:
        found = store.find(make_record(1).key)
        assert found is not None and found.failures == 2


def test_a_store_that_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="there is no history here yet"):
        HistoryStore(str(tmp_path / "none.db"), must_exist=True)


@pytest.mark.parametrize(
    ("values", "is_failing"),
    [
        ({}, True),
        ({"outcome": "article"}, False),
        ({"outcome": "article", "failures": 1}, True),
        ({"failures": MAX_FAILURES - 1}, True),
        ({"failures": MAX_FAILURES}, False),
        ({"outcome": "no_content"}, False),
    ],
)
def test_failing_pages(store: HistoryStore, values: dict[str, object], is_failing: bool) -> None:
    page = make_record(1, **values)
    store.save(page, make_record(2, feed="http://b.example/", outcome="article"))
    assert store.has_failing_pages(FEED) is page.is_failing is is_failing
    assert not store.has_failing_pages("http://b.example/")


def test_articles_of_a_feed(store: HistoryStore) -> None:
    store.save(
        make_record(1, published=10, outcome="article"),
        make_record(2, published=20, outcome="article"),
        make_record(3, published=30, outcome="article"),
        make_record(4, published=40, outcome="gone"),
        make_record(5, outcome="article"),
        make_record(6, published=50, outcome="article", feed="http://b.example/"),
    )
    assert [page.published for page in store.feed_pages(FEED, 20)] == [20, 30]


def test_only_the_latest_texts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_TEXTS", 2)
    with closing(HistoryStore(str(tmp_path / "history.db"))) as store:
        for number in (1, 2, 3, 1):
            store.save(make_record(number), text=f"text {number} \udc80é")
    with closing(HistoryStore(str(tmp_path / "history.db"))) as store:
        found = [store.text(make_record(number).key) for number in (1, 2, 3)]
        assert found == ["text 1 ?é", None, "text 3 ?é"]


def test_prune(store: HistoryStore) -> None:
    store.save(make_record(3, last_seen=10), make_record(1, last_seen=10), text="gone")
    store.save(make_record(2, last_seen=20), text="kept")
    assert store.prune(20) == 2
    assert [page.key for page in store.host_pages("a.example")] == [make_record(2).key]
    assert (store.text(make_record(1).key), store.text(make_record(2).key)) == (None, "kept")
    store.compact()
    assert store.prune(20) == 0


def test_prune_keeps_the_pages_of_a_feed_that_has_not_changed(store: HistoryStore) -> None:
    store.feeds.save(FeedRecord(FEED, polled=50, read=10))
    store.feeds.save(FeedRecord("http://old.example/", polled=10, read=10))
    store.save(make_record(1, last_seen=10), make_record(2, last_seen=9))
    assert store.prune(40) == 1
    assert [page.key for page in store.host_pages("a.example")] == [make_record(1).key]
    assert [feed.url for feed in store.feeds.all()] == [FEED]


@given(st.lists(st.integers(0, _LAST_SECOND)))
def test_feeds_are_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, dates: list[int]
) -> None:
    path = tmp_path_factory.mktemp("feeds") / "history.db"
    with closing(HistoryStore(str(path))) as store:
        feed = FeedRecord(FEED, '"x"', "then", 304, 1, 5, 4, 9, {"ttl": 60}, tuple(dates))
        store.feeds.save(FeedRecord(FEED))
        store.feeds.save(feed)
        found = store.feeds.find(FEED)
    assert found == replace(feed, dates=tuple(sorted(set(dates))[-200:]))


def test_a_store_that_cannot_be_written_gives_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "history.db"
    with closing(HistoryStore(str(path))) as store, closing(sqlite3.connect(path)) as other:
        store.database.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN EXCLUSIVE")
        store.save(make_record(1))
        store.save(make_record(2), feed=FeedRecord(FEED))
        store.save(make_record(1), text="text")
        other.rollback()
        assert store.find(make_record(1).key) is None
    assert caplog.text.count("The history cannot be written: ") == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
times = st.none() | st.integers(0, _LAST_SECOND)


@given(
    st.builds(
        PageRecord,
        *(st.binary(min_size=8, max_size=8).map(bytes.hex), texts, texts.filter(bool)),
        *(st.integers(0, _LAST_SECOND), st.integers(0, _LAST_SECOND), times, st.integers(0, 599)),
        failures=st.integers(0, 9),
        outcome=texts,
        text=texts.map(summarize_text),
        published=times,
        entry_id=texts.filter(bool),
        fingerprint=st.binary(max_size=8).map(bytes.hex),
    )
)
def test_any_page_is_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, page: PageRecord
) -> None:
    path = tmp_path_factory.mktemp("pages") / "history.db"
    with closing(HistoryStore(str(path))) as store:
        store.save(page)
        assert store.find(page.key) == page


def test_a_feed_is_claimed_by_one_process_until_it_ends(store: HistoryStore) -> None:
    assert store.claim_feed("a") and store.claim_feed("a")
    if not (pid := os.fork()):
        with closing(HistoryStore(store.database.name)) as other:
            os._exit(10 * other.claim_feed("a") + other.claim_feed("b"))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    assert store.claim_feed("b")


def test_a_file_of_claims_that_cannot_be_opened_keeps_no_feed_from_being_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "history.db.feeds").mkdir()  # or a file of another user
    with closing(HistoryStore(str(tmp_path / "history.db"))) as store:
        assert store.claim_feed("a") and store.claim_feed("b")
    (warning,) = [one.getMessage() for one in caplog.records]
    assert "history.db.feeds" in warning and "may read the same feeds" in warning


def test_what_was_kept_aside_does_not_replace_what_is_newer(tmp_path: Path) -> None:
    place = str(tmp_path / "history.db")
    pages = [PageRecord(f"0{i}", "a.example", f"http://a.example/{i}", 1, 1) for i in range(2)]

    def save(store: HistoryStore, page: PageRecord, title: str) -> None:
        values = {"url": page.url, "title": title}
        store.save(page, latest=LatestArticle(page.key, "a.example", 1, values=values))

    with closing(HistoryStore(place)) as store:
        save(store, replace(pages[0], last_seen=2), "Newer")
    with closing(HistoryStore(f"{place}.unwritten")) as aside:
        for page in pages:
            save(aside, page, "Older")
    with closing(HistoryStore(place)) as store:
        titles = {one.key: one.values["title"] for one in store.latest.read(9)}
        assert titles == {"00": "Newer", "01": "Older"}
        assert store.count_pages("a.example") == 2
