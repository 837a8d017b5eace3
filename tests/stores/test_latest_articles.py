"""The latest articles of each source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.stores import HistoryStore, LatestArticle, PageRecord


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with closing(HistoryStore(str(tmp_path / "history.db"), feed_items=3)) as store:
        yield store


def save(store: HistoryStore, number: int, source: str = "a.example", **values: object) -> None:
    url = f"http://{source}/{number}"
    page = PageRecord(page_key(url), source, url, 0, 0, outcome="article")
    latest = LatestArticle(page.key, source, number, values={"url": url, **values})
    store.save(page, latest=latest)


def stored(store: HistoryStore, most: int = 9) -> list[str]:
    return [one.values["url"].removeprefix("http://") for one in store.latest.read(most)]


def check_latest(store: HistoryStore) -> None:
    for number in (1, 5, 2, 4, 3):
        save(store, number)
    save(store, 0, "b.example")
    assert stored(store, 2) == ["a.example/5", "a.example/4", "b.example/0"]
    store.latest.prune()
    assert stored(store) == ["a.example/5", "a.example/4", "a.example/3", "b.example/0"]
    (first, *_) = store.latest.read(1)
    changed = replace(first, updated=9, values={"url": first.values["url"], "title": "New"})
    store.save(latest=replace(changed, replaces=False))
    assert next(iter(store.latest.read(1))) == first
    store.save(latest=changed)
    assert next(iter(store.latest.read(1))) == changed
    store.save(PageRecord(first.key, "a.example", "http://a.example/5", 0, 0, outcome="gone"))
    assert "a.example/5" not in stored(store)
    store.prune(1)
    assert stored(store) == []


def test_the_latest_of_each_source_are_kept(store: HistoryStore) -> None:
    check_latest(store)


@pytest.mark.slow
def test_the_latest_are_kept_on_a_server(postgres: PostgresServer, uri: str) -> None:
    with closing(HistoryStore(uri, feed_items=3)) as store:
        check_latest(store)


def test_all_sources_together_have_a_limit(
    store: HistoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_scrapy.stores.latest_articles.MAX_ARTICLES", 2)
    for number in range(4):
        save(store, number, f"{number}.example")
    store.latest.prune()
    assert stored(store) == ["3.example/3", "2.example/2"]


def test_the_store_is_pruned_while_it_is_filled(
    store: HistoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_scrapy.stores.latest_articles._PRUNE_INTERVAL", 10)
    for number in range(20):
        save(store, number)
    assert len(stored(store, 99)) == 3


def test_none_is_kept_if_none_is_wanted(tmp_path: Path) -> None:
    with closing(HistoryStore(str(tmp_path / "history.db"), feed_items=0)) as store:
        save(store, 1)
        assert stored(store) == []


def test_rows_that_cannot_be_read_are_left_out(store: HistoryStore) -> None:
    for number in range(3):
        save(store, number)
    for id, value in ((1, b"x"), (2, None)):
        query = "UPDATE latest SET article = COALESCE(?, article), moment = ? WHERE id = ?"
        store.database.execute(query, (value, "soon", id))
    assert stored(store) == ["a.example/2"]


def test_what_a_store_could_not_write_is_recalled(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with closing(HistoryStore(f"{place}.unwritten")) as aside:
        save(aside, 1)
    with closing(HistoryStore(str(place))) as store:
        assert stored(store) == ["a.example/1"]
