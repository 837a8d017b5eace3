"""Pages that are kept for the next crawls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.stores import RulesStore, SpooledPage

from .helpers import HOST, make_fingerprint, make_spooled


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RulesStore]:
    with closing(RulesStore(str(tmp_path / "wrappers.db"), "typed")) as store:
        yield store


def page(number: int, body: bytes = b"<p>A page") -> SpooledPage:
    return make_spooled(
        f"k{number:02}",
        entry=Entry("A title", tags=("a", "b")),
        headers=[("Content-Type", "text/html")],
        fetched_at=f"2026-01-{number + 1:02}T00:00:00+00:00",
        body=body,
    )


def test_a_page_is_loaded_as_it_was(store: RulesStore) -> None:
    given = (make_fingerprint(1, 2), page(1, b"<p>\x00\xff" * 1000))
    store.kept_pages.keep([given])
    assert store.kept_pages.load(HOST) == [given]
    assert store.kept_pages.load("b.example") == []


def test_the_latest_pages_of_a_host_are_kept(store: RulesStore) -> None:
    store.kept_pages.keep((make_fingerprint(n), page(n)) for n in range(15))
    store.kept_pages.keep((make_fingerprint(n), page(n)) for n in range(10, 25))
    kept = [one.key for _, one in store.kept_pages.load(HOST)]
    assert kept == [f"k{number:02}" for number in range(5, 25)]


def test_large_pages_are_not_kept(store: RulesStore) -> None:
    store.kept_pages.keep([(make_fingerprint(1), page(1, bytes(2_000_000)))])
    assert store.kept_pages.load(HOST) == []


def test_pages_are_deleted(store: RulesStore) -> None:
    store.kept_pages.keep((make_fingerprint(n), page(n)) for n in range(3))
    store.kept_pages.delete(HOST, ["k00", "k02", "unknown"])
    assert [one.key for _, one in store.kept_pages.load(HOST)] == ["k01"]
