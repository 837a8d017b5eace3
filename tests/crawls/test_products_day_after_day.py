"""A shop, or a forum, that is crawled again: what is new, has changed or is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.core.records.shop import LAMPS, list_html, product_html

from .helpers import Project, Run, Server, story
from .test_resumed import JOB, KILL

OWL = LAMPS[0]


def add_shop(server: Server, declares: bool = True) -> None:
    server.add("/lamps", list_html(LAMPS))
    for lamp in LAMPS:
        server.add(f"/p/{lamp.key}", product_html(lamp, declares=declares))


def crawl_shop(project: Project, server: Server, kinds: str = "product", **settings: Any) -> Run:
    run = project.crawl(
        "records",
        f"url={server.url}/lamps",
        FOREST_KINDS=kinds,
        **{"FOREST_ONLY_NEW": True, **settings},
    )
    assert (run.status, run.complaints) == (0, [])
    return run


def kinds_of(run: Run) -> dict[str, str]:
    return {path: item["change"]["kind"] for path, item in run.by_path.items()}


@pytest.mark.parametrize("declares", [True, False])
def test_what_is_the_same_is_not_emitted_again(
    declares: bool, project: Project, server: Server
) -> None:
    add_shop(server, declares)
    first = crawl_shop(project, server, "product,listing")
    assert set(kinds_of(first).values()) == {"new"}
    assert len(first.items) == len(LAMPS) + 1
    second = crawl_shop(project, server, "product,listing")
    assert second.items == []
    assert second.stat("dropped/unchanged") == len(LAMPS) + 1
    assert "nothing is new or has changed since the last crawl" in second.log
    everything = crawl_shop(project, server, "product,listing", FOREST_ONLY_NEW=False)
    assert len(everything.items) == len(LAMPS) + 1
    assert set(kinds_of(everything).values()) == {"unchanged"}


def test_a_price_that_has_changed(project: Project, server: Server) -> None:
    add_shop(server)
    crawl_shop(project, server)
    cheap_owl = replace(OWL, shown="999,00 €", price="999.00")
    for lamp in (cheap_owl, OWL, cheap_owl, OWL):
        server.add(f"/p/{OWL.key}", product_html(lamp, declares=True))
        (item,) = crawl_shop(project, server).items
        price = {"from": "1299.00", "to": "999.00"}
        if lamp is OWL:
            price = {"from": "999.00", "to": "1299.00"}
        assert item["price"] == lamp.price
        change = item["change"]
        assert change.pop("since") > "20"
        assert change == {"kind": "changed", "fields": {"price": price}}


def test_a_product_that_is_gone_and_returns(project: Project, server: Server) -> None:
    add_shop(server)
    crawl_shop(project, server)
    server.add(f"/p/{OWL.key}", "", status=410)
    for _ in range(2):
        run = project.crawl(
            "records", f"url={server.url}/lamps", FOREST_KINDS="product", FOREST_ONLY_NEW=True
        )
        if run.items:
            (gone,) = run.items
            assert (gone["type"], gone["name"], gone["change"]["kind"]) == ("product", "", "gone")
            assert gone["url"] == f"{server.url}/p/{OWL.key}"
    assert run.items == []
    assert f"gone  {server.url}/p/{OWL.key}" in project.forest("history", "127.0.0.1")
    add_shop(server)
    (item,) = crawl_shop(project, server).items
    assert (item["name"], item["change"]["kind"]) == (OWL.name, "returned")


def test_products_of_a_crawl_without_only_new_are_known(project: Project, server: Server) -> None:
    add_shop(server)
    assert len(crawl_shop(project, server, FOREST_ONLY_NEW=False).items) == len(LAMPS)
    assert crawl_shop(project, server).items == []


def test_the_pages_as_articles(project: Project, server: Server) -> None:
    """They are new when they become articles for the first time, and products again after that."""
    server.add("/", "".join(f'<p><a href="/{n}">{n}</a></p>' for n in range(6)))
    for number in range(6):
        server.add(f"/{number}", story(number))
    spider = ("site", f"url={server.url}/")
    first = project.crawl(*spider, FOREST_KINDS="page", FOREST_ONLY_NEW=True)
    assert {item["type"] for item in first.items} == {"page"}
    assert set(kinds_of(first).values()) == {"new"}
    articles = project.crawl(*spider, FOREST_KINDS="article", FOREST_ONLY_NEW=True)
    assert len(articles.items) == 6
    assert set(kinds_of(articles).values()) == {"new"}
    assert project.crawl(*spider, FOREST_KINDS="article", FOREST_ONLY_NEW=True).items == []


def test_an_unchanged_list_and_one_with_another_price(project: Project, server: Server) -> None:
    add_shop(server)
    crawl_shop(project, server, "listing")
    server.add("/lamps", list_html((*LAMPS[:-1], replace(LAMPS[-1], shown="20,00 €"))))
    (item,) = crawl_shop(project, server, "listing").items
    assert item["change"]["kind"] == "changed"
    assert "20.00" in item["change"]["inserted"][0]


def test_versions_of_a_product(project: Project, server: Server, tmp_path: Path) -> None:
    add_shop(server)
    crawl_shop(project, server)
    server.add(f"/p/{OWL.key}", product_html(replace(OWL, shown="999,00 €", price="999.00"), True))
    crawl_shop(project, server)
    url = f"{server.url}/p/{OWL.key}"
    shown = project.forest("versions", url)
    assert f"new, 1299.00 EUR, {OWL.name!r}" in shown
    assert f"changed, 999.00 EUR, {OWL.name!r}" in shown
    assert "price: '1299.00' -> '999.00'" in shown
    diff = project.forest("versions", url, "--diff")
    assert "-price: 1299.00" in diff and "+price: 999.00" in diff
    assert "authors" not in diff


def thread_html(posts: int) -> str:
    rows = "".join(
        f'<div class="post"><b class="author">user{n}</b><time>2024-05-{n + 10} 10:00</time>'
        f"<p>Post {n} says that the lamp of user{n * 7} needs another bulb, and that the shade of"
        f" paper number {n * 13} should be kept away from the heat of it for some hours.</p></div>"
        for n in range(posts)
    )
    return f"<html lang=en><title>Bulbs</title><body><h1>Bulbs</h1>{rows}</body></html>"


def test_a_thread_with_another_post(project: Project, server: Server) -> None:
    spider = ("records", f"url={server.url}/topic")
    for posts, kinds in ((6, ["new"]), (6, []), (7, ["changed"]), (7, [])):
        server.add("/topic", thread_html(posts))
        run = project.crawl(*spider, FOREST_KINDS="thread", FOREST_ONLY_NEW=True)
        assert (run.status, run.complaints) == (0, [])
        assert [item["change"]["kind"] for item in run.items] == kinds
        if kinds == ["changed"]:
            assert "user42" in " ".join(run.items[0]["change"]["inserted"])


def test_products_of_a_history_of_an_earlier_version(project: Project, server: Server) -> None:
    """It did not write what products are compared by: they are new once."""
    add_shop(server)
    crawl_shop(project, server)
    store = project.folder / ".scrapy/forest/history.db"
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("UPDATE pages SET fields = '{}', wrapper = '', template = '', text = x''")
        database.execute("DELETE FROM versions")
    again = crawl_shop(project, server)
    assert set(kinds_of(again).values()) == {"new"} and len(again.items) == len(LAMPS)
    assert crawl_shop(project, server).items == []


@pytest.mark.parametrize("kill_at", [3, 6])
def test_products_of_a_killed_crawl(tmp_path: Path, server: Server, kill_at: int) -> None:
    add_shop(server)
    project = Project(tmp_path / "p", {"kill.py": KILL}, EXTENSIONS={"kill.Kill": 0})
    settings: dict[str, Any] = {"FOREST_KINDS": "product", "FOREST_ONLY_NEW": True}
    job = {**settings, **JOB}
    spider = ("records", f"url={server.url}/lamps")
    assert project.crawl(*spider, KILL_AT=kill_at, **job).status != 0
    resumed = project.crawl(*spider, **job)
    assert sorted(item["name"] for item in resumed.items) == sorted(lamp.name for lamp in LAMPS)
    assert project.crawl(*spider, **settings).items == []
