"""The pages of threads and articles that are held in the spool."""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext

from forest_scrapy.stores import Spool
from forest_scrapy.stores.held_pages import HELD_PAGES_SCHEMA, HeldPage, HeldPageTable

from .helpers import make_spooled


def hold(spool: Spool, key: str, following: str = "", is_first: bool = False) -> None:
    spool.add(make_spooled(key))
    spool.make_ready(key, "t")
    page = HeldPage(key, key, following, is_first, not following, {"key": key})
    spool.held_pages.add(page)


def keys(spool: Spool, start: str, most: int = 10) -> str:
    return "".join(page.key for page in spool.held_pages.chain(start, most))


def test_a_chain_from_any_of_its_pages(spool: Spool) -> None:
    for key, following in ("cd", "ab", "bc", "d "):
        hold(spool, key, following.strip(), key == "a")
    assert [keys(spool, key) for key in "abcd"] == ["abcd"] * 4
    assert keys(spool, "x") == ""
    assert keys(spool, "a", 2) == "ab"


def test_a_page_that_was_reached_by_a_redirect(spool: Spool) -> None:
    hold(spool, "a", "b", is_first=True)
    spool.add(make_spooled("z"))
    spool.held_pages.add(HeldPage("z", "b", "", False, True, {}))
    assert keys(spool, "z") == keys(spool, "a") == "az"


def test_the_cost_of_a_long_chain() -> None:
    """In steps of SQLite's virtual machine: not in proportion to all pages for each."""
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    database.executescript(HELD_PAGES_SCHEMA)
    table, steps = HeldPageTable(database, nullcontext), []
    for number in range(400):
        page = HeldPage(f"{number:03d}", "", f"{number + 1:03d}", not number, False, {})
        table.add(page)
    database.set_progress_handler(lambda: steps.append(1), 100)
    assert len(table.chain("399", 1_000)) == 400
    assert 10 < len(steps) < 1_000
    database.close()


def test_pages_in_a_circle(spool: Spool) -> None:
    for key, following in ("ab", "bc", "ca"):
        hold(spool, key, following)
    assert keys(spool, "b") in ("abc", "bca", "cab")
    assert spool.release_held() == 1
    assert len(spool.ready_keys(10)) == 1


def test_released_pages_are_the_first_of_their_chains(spool: Spool) -> None:
    for key, following in ("ab", "bc", "ef", "g "):
        hold(spool, key, following.strip())
    assert spool.release_held() == 3
    assert spool.ready_keys(10) == ["a", "e", "g"]


def test_no_page_is_in_two_items(spool: Spool) -> None:
    for key, following in ("ac", "bc", "c "):
        hold(spool, key, following.strip(), key != "c")
    chain = spool.held_pages.chain("a", 10)
    spool.held_pages.claim("a", chain)
    assert [page.key for page in chain] == ["a", "c"]
    assert keys(spool, "b") == "b"
    assert spool.held_pages.carried_by("a") == ["c"]
    spool.finish("c", "dropped", "joined")
    spool.finish("a", "article", "thread")
    assert spool.held_pages.count() == 1
    assert spool.pending() == 1


def test_a_restart_forgets_what_was_on_its_way(location: str) -> None:
    with closing(Spool(location)) as spool:
        hold(spool, "a", "b", is_first=True)
        hold(spool, "b")
        spool.release_held()
        spool.held_pages.claim("b", spool.held_pages.chain("b", 10))
    with closing(Spool(location)) as again:
        assert again.ready_keys(10) == again.waiting_hosts() == []
        assert keys(again, "a") == "ab"
        assert again.pending() == 2
