"""The versions of articles: what is kept of them, and how long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.core.changes import TextSummary
from forest_scrapy.stores import HistoryStore, PageVersion

from .helpers import make_record

KEY = f"{1:024x}"
FILE = "history.db"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with closing(HistoryStore(str(tmp_path / FILE), max_versions=4)) as opened:
        yield opened


def make_version(number: int, key: str = KEY, **values: Any) -> PageVersion:
    """A version that was seen at this time; ``values`` are other values."""
    url = f"http://a.example/{int(key, 16)}"
    article = {"url": url, "title": f"Title {number}", "text": f"Text {number}", "tags": ["a"]}
    version = PageVersion(key, number, number, "changed", values=article, digest=b"%d" % number)
    return replace(version, **values)


def save(store: HistoryStore, *versions: PageVersion) -> None:
    for version in versions:
        number = int(version.key, 16)
        store.save(make_record(number, outcome="article"), version=version)


def numbers(store: HistoryStore, key: str = KEY) -> list[int]:
    return [version.first_seen for version in store.versions.of_page(key)]


def test_a_version_is_read_as_it_was_written(store: HistoryStore) -> None:
    values = {"url": "http://a.example/1", "text": "Owls \U0001f989", "links": [{"text": "a"}]}
    version = make_version(
        7, change={"share": 0.5}, status=203, values=values, text_digest=b"\x00\xff"
    )
    save(store, version)
    assert store.versions.of_page(KEY) == (version,)
    assert store.versions.latest_article(KEY) == version


def test_the_same_version_is_extended(store: HistoryStore) -> None:
    save(store, make_version(1), replace(make_version(1), first_seen=5, last_seen=5))
    (version,) = store.versions.of_page(KEY)
    assert (version.first_seen, version.last_seen) == (1, 5)
    save(store, make_version(9, kind="unchanged"))
    (version,) = store.versions.of_page(KEY)
    assert (version.kind, version.last_seen) == ("changed", 9)
    store.save(make_record(1), seen_again=12)
    store.save(make_record(1), seen_again=3)  # the clock goes back
    (version,) = store.versions.of_page(KEY)
    assert version.last_seen == 12


def test_an_article_that_is_unchanged_is_the_first_version_if_none_is_kept(
    store: HistoryStore,
) -> None:
    """As after an upgrade."""
    save(store, make_version(1, kind="unchanged"))
    assert [version.kind for version in store.versions.of_page(KEY)] == ["unchanged"]
    store.save(make_record(2), seen_again=12)
    assert store.versions.of_page(f"{2:024x}") == ()


def test_the_first_and_the_latest_versions_are_kept(store: HistoryStore) -> None:
    save(store, *(make_version(number) for number in range(1, 9)))
    assert numbers(store) == [1, 6, 7, 8]


def test_an_article_that_returns_is_another_version(store: HistoryStore) -> None:
    gone = make_version(2, kind="gone", digest=b"", values={"url": "http://a.example/1"})
    save(store, make_version(1), gone, replace(gone, last_seen=3))
    save(store, make_version(1, first_seen=4, last_seen=4, kind="returned"))
    kinds = [version.kind for version in store.versions.of_page(KEY)]
    assert kinds == ["changed", "gone", "returned"]
    latest = store.versions.latest_article(KEY)
    assert latest is not None and latest.first_seen == 4


def test_what_was_seen_longest_ago_is_deleted_first(tmp_path: Path) -> None:
    location = str(tmp_path / FILE)
    with closing(HistoryStore(location, max_version_bytes=1200)) as store:
        for number in range(1, 9):
            save(store, make_version(number, f"{number:024x}"))
        store.save(make_record(1), seen_again=20)
    with closing(HistoryStore(location)) as store:
        kept = [number for number in range(1, 9) if store.versions.of_page(f"{number:024x}")]
        assert kept == [1, 4, 5, 6, 7, 8]
        (total,) = store.database.rows("SELECT SUM(size) AS n FROM versions")
        assert 900 < total["n"] <= 1200


def test_of_one_version_the_latest_is_kept(tmp_path: Path) -> None:
    with closing(HistoryStore(str(tmp_path / FILE), max_versions=1)) as store:
        save(store, make_version(1), make_version(2), make_version(3))
        assert numbers(store) == [3]


def test_versions_that_are_there_stay_as_they_are_if_none_is_wanted(tmp_path: Path) -> None:
    location = str(tmp_path / FILE)
    version = make_version(1)
    with closing(HistoryStore(location)) as store:
        save(store, version)
    with closing(HistoryStore(location, max_versions=0)) as store:
        save(store, make_version(5), make_version(6, kind="unchanged"))
        store.save(make_record(1, outcome="article"), seen_again=7)
        assert store.versions.of_page(KEY) == (version,)


def test_a_version_with_another_text_is_not_extended(tmp_path: Path) -> None:
    """None was stored when the text changed."""
    with closing(HistoryStore(str(tmp_path / FILE))) as store:
        save(store, make_version(1, text_digest=b"old"))
        page = make_record(1, outcome="article", text=TextSummary(b"new"))
        store.save(page, seen_again=7)
        (version,) = store.versions.of_page(KEY)
        assert version.last_seen == 1
        store.save(page, version=make_version(8, kind="unchanged", text_digest=b"new"))
        store.save(page, seen_again=9)
        store.save(replace(page, outcome="gone"), seen_again=10)
        spans = [(version.first_seen, version.last_seen) for version in store.versions.of_page(KEY)]
        assert spans == [(1, 1), (8, 9)]


def test_a_url_is_found_with_its_letters(store: HistoryStore) -> None:
    key = f"{2:024x}"
    save(store, make_version(1, values={"url": "http://a.example/Owl"}))
    save(store, make_version(2, key, values={"url": "http://a.example/owl"}))
    assert store.versions.find_key("http://a.example/Owl") == KEY
    assert store.versions.find_key("http://a.example/owl") == key
    assert store.versions.find_key("http://a.example/OWL") == ""


def test_versions_that_were_kept_aside_do_not_follow_later_ones(tmp_path: Path) -> None:
    location = str(tmp_path / FILE)
    with closing(HistoryStore(location)) as store:
        save(store, make_version(1), make_version(9))
    with closing(HistoryStore(f"{location}.unwritten")) as aside:
        save(aside, make_version(4), make_version(5), make_version(12))
        save(aside, make_version(3, f"{2:024x}"))
    with closing(HistoryStore(location)) as store:
        assert numbers(store) == [1, 9, 12]
        assert numbers(store, f"{2:024x}") == [3]


def test_what_was_kept_aside_is_there_once_though_it_is_recalled_twice(tmp_path: Path) -> None:
    """The crawl was killed before the file was deleted."""
    location = str(tmp_path / FILE)
    aside_location = f"{location}.unwritten"
    versions = [make_version(1), make_version(2), make_version(3)]
    for _ in range(2):
        with closing(HistoryStore(aside_location)) as aside:
            save(aside, *versions)
        with closing(HistoryStore(location)) as store:
            assert numbers(store) == [1, 2, 3]


def test_none_is_kept_if_none_is_wanted(tmp_path: Path) -> None:
    with closing(HistoryStore(str(tmp_path / FILE), max_versions=0)) as store:
        save(store, make_version(1), make_version(2, kind="unchanged"))
        assert store.versions.of_page(KEY) == ()


def test_the_versions_of_a_host_are_in_order(store: HistoryStore) -> None:
    for number in (2, 1, 3):
        key = f"{number:024x}"
        save(store, make_version(number, key), make_version(number + 10, key))
    save(store, make_version(5))
    versions = store.versions.of_host("a.example")
    places = [(version.url[-1], version.first_seen) for version in versions]
    assert places == [("1", 1), ("1", 11), ("1", 5), ("2", 2), ("2", 12), ("3", 3), ("3", 13)]
    assert list(store.versions.of_host("b.example")) == []


def check_keys(store: HistoryStore) -> None:
    url = "http://a.example/100%_\u00e9'\\"
    values = {"title": "A title", "url": url}
    save(store, make_version(1), make_version(2, f"{2:024x}", values=values))
    assert store.versions.find_key(url) == f"{2:024x}"
    assert store.versions.find_key("http://a.example/1") == KEY
    assert store.versions.find_key("http://a.example/100__e'") == ""
    assert store.versions.find_key("http://a.example/") == ""


def test_a_page_is_found_by_the_url_of_its_article(store: HistoryStore) -> None:
    check_keys(store)


def test_versions_are_deleted_with_their_page(store: HistoryStore) -> None:
    save(store, make_version(1))
    assert store.prune(10**9) == 1
    assert store.versions.of_page(KEY) == ()


@pytest.mark.parametrize("column", ["fields", "content", "change", "kind", "first_seen"])
@pytest.mark.parametrize("value", ["", "[]", "x", 7, b"\xff"])
def test_rows_that_cannot_be_read_are_left_out(
    store: HistoryStore, column: str, value: object
) -> None:
    save(store, make_version(1), make_version(2))
    store.database.execute(f"UPDATE versions SET {column} = ? WHERE id = 1", (value,))
    assert numbers(store)[-1] == 2


def test_values_that_json_does_not_have_are_texts(store: HistoryStore) -> None:
    values = {"url": "http://a.example/1", "extra": {"path": Path("a")}}
    save(store, make_version(1, values=values))
    (version,) = store.versions.of_page(KEY)
    assert version.values["extra"] == {"path": "a"}


def test_versions_that_could_not_be_written_are_written_later(
    tmp_path: Path, store: HistoryStore
) -> None:
    aside = tmp_path / f"{FILE}.unwritten"
    with closing(HistoryStore(str(aside))) as unwritten:
        save(unwritten, make_version(1), make_version(2))
    store.close()
    with closing(HistoryStore(str(tmp_path / FILE))) as again:
        assert numbers(again) == [1, 2]


def test_versions_in_a_shared_store(postgres: PostgresServer, uri: str) -> None:
    with closing(HistoryStore(uri, max_versions=3, max_version_bytes=700)) as store:
        save(store, *(make_version(number) for number in range(1, 7)))
        assert numbers(store) == [1, 5, 6]
        save(store, make_version(6, last_seen=9), make_version(10, kind="gone", digest=b""))
        assert [version.last_seen for version in store.versions.of_page(KEY)] == [1, 9, 10]
        save(store, *(make_version(number, f"{number:024x}") for number in range(20, 26)))
        assert len(list(store.versions.of_host("a.example"))) == 9
        store.versions.prune()
        (total,) = store.database.rows("SELECT SUM(size) AS n FROM versions")
        assert 500 < total["n"] <= 700
        assert store.versions.of_page(KEY) == ()
        store.prune(10**9)
        check_keys(store)


def test_a_shared_history_of_an_earlier_release_is_changed(
    postgres: PostgresServer, uri: str
) -> None:
    with closing(HistoryStore(uri)) as store:
        save(store, make_version(1))
        for statement in (
            "DROP TABLE versions",
            "ALTER TABLE pages DROP COLUMN fields",
            "UPDATE store_versions SET version = 1 WHERE store = 'history'",
        ):
            store.database.execute(statement)
    with closing(HistoryStore(uri)) as store:
        page = store.find(KEY)
        assert page is not None and page.outcome == "article"
        assert page.fields == {}
        save(store, make_version(2))
        assert numbers(store) == [2]


def test_a_version_in_which_nothing_was_told_to_have_changed_is_no_change(
    store: HistoryStore,
) -> None:
    page = make_record(1, outcome="article", template="t")
    store.save(page, version=make_version(1, text_digest=b"old"))
    store.save(page, version=make_version(8, kind="unchanged", text_digest=b"new"))
    store.save(page, version=make_version(9, text_digest=b"newer"))
    assert list(store.versions.spans()) == [("a.example", "t", ((1, 8), (9, 9)))]
