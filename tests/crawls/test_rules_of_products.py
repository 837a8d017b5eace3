"""The rules of products and lists that crawls store: who uses them, and their page objects."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.core.exports.test_page_object import run_tests
from tests.core.records.shop import LAMPS, list_html, product_html

from .helpers import Project, Run, Server, slow, story
from .test_resumed import JOB, KILL

#: Values that tell when the crawl was.
_TIMES = ("fetched_at", "change")
ALL_PAGES: dict[str, Any] = {"FOREST_ONLY_NEW": False}


def add_shop(server: Server, declares: bool, stories: int = 0) -> None:
    """A feed that lists eight lamps, and stories if there are some; two lists of lamps."""
    paths = []
    for lamp in LAMPS:
        server.add(f"/p/{lamp.key}", product_html(lamp, declares=declares))
        paths.append(f"/p/{lamp.key}")
    for number in range(stories):
        server.add(f"/story/{number}", story(number))
        paths.append(f"/story/{number}")
    server.add("/lamps", list_html(LAMPS[:4], "/lamps?page=2"))
    server.add("/lamps?page=2", list_html(LAMPS[4:]))
    entries = "".join(f"<item><link>{server.url}{path}</link></item>" for path in paths)
    feed = f"<rss version='2.0'><channel>{entries}</channel></rss>"
    server.add("/feed", feed, "application/rss+xml")


def crawl_feed(project: Project, server: Server, kinds: str) -> Run:
    run = project.crawl("feeds", f"feeds={server.url}/feed", FOREST_KINDS=kinds, **ALL_PAGES)
    assert (run.status, run.complaints) == (0, [])
    return run


def values_of(run: Run) -> dict[str, dict[str, Any]]:
    """The items by their paths, without the times of this crawl."""
    values = {}
    for item in run.items:
        path = item["url"].partition("//")[2].partition("/")[2]
        values[path] = {name: item[name] for name in item if name not in _TIMES}
    return values


@pytest.mark.parametrize(
    ("kinds", "declares"),
    [("product", False), ("article,product", True)],
)
def test_the_next_crawl(kinds: str, declares: bool, project: Project, server: Server) -> None:
    add_shop(server, declares, stories=6 if "article" in kinds else 0)
    first = crawl_feed(project, server, kinds)
    products = [item for item in first.items if "price" in item]
    assert {item["name"]: item["price"] for item in products} == {
        lamp.name: lamp.price for lamp in LAMPS
    }
    assert "of kind product" in first.log
    rows = project.wrappers()

    second = crawl_feed(project, server, kinds)
    assert values_of(second) == values_of(first)
    assert "of kind product" not in second.log
    assert second.stat("templates/loaded") == len(rows)
    assert project.wrappers() == rows


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["product", "article,product"])
def test_page_objects_after_a_crawl(kinds: str, project: Project, server: Server) -> None:
    add_shop(server, declares=False, stories=6)
    products = [item for item in crawl_feed(project, server, kinds).items if "price" in item]
    (template_id,) = {item["template_id"] for item in products}
    pages = [f"{server.url}/p/{lamp.key}" for lamp in LAMPS[:3]]
    template = ["--template", template_id]
    shown = project.forest("show", server.url, *template)
    assert f"for crawls with FOREST_KINDS={kinds}" in shown
    assert "product, learned from 8 pages" in shown
    assert "product, template " in project.forest("why", pages[0])
    assert f"template {template_id} is one of products" in project.forest(
        "explain", "--stored", *pages
    )
    output = ["--format", "web-poet", "-o", "poet/", "--pages", *pages]
    assert "with tests of 3 pages" in project.forest("export", server.url, *template, *output)
    absent = project.folder / "absent"
    absent.mkdir()
    (absent / "forest_scrapy.py").write_text("raise ImportError('it is not installed')\n", "utf-8")
    done = run_tests(project.folder / "poet", absent)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("kinds", "other_kinds"),
    [
        ("article", "article,product"),
        slow("product", "article"),
        slow("article,product", "product"),
    ],
)
def test_crawls_for_other_kinds_do_not_use_them(
    kinds: str, other_kinds: str, tmp_path: Path, server: Server
) -> None:
    """What a crawl gives is the same after a crawl for other kinds, and what that has stored
    stays."""
    add_shop(server, declares=False, stories=4)
    alone = crawl_feed(Project(tmp_path / "alone"), server, other_kinds)
    project = Project(tmp_path / "project")
    crawl_feed(project, server, kinds)
    rows = project.wrappers()
    assert rows
    assert values_of(crawl_feed(project, server, other_kinds)) == values_of(alone)
    assert set(rows) <= set(project.wrappers())


def test_a_list_and_its_products(project: Project, server: Server) -> None:
    """Pages that no feed lists, of which some look like articles."""
    add_shop(server, declares=False)
    runs = []
    for _ in range(2):
        run = project.crawl(
            "records", f"url={server.url}/lamps", FOREST_KINDS="product,listing", **ALL_PAGES
        )
        assert (run.status, run.complaints, len(run.items)) == (0, [], 10)
        runs.append(run)
    first, second = runs
    assert values_of(second) == values_of(first)
    assert ("of kind product" in first.log, "of kind listing" in first.log) == (True, True)
    assert "of kind " not in second.log


@pytest.mark.slow
def test_any_order_of_arrival(tmp_path: Path, server: Server) -> None:
    add_shop(server, declares=False, stories=6)
    results = []
    for number in range(3):
        source = random.Random(number)
        for path, answer in server.answers.items():
            server.answers[path] = replace(answer, delay=source.random() / 4)
        project = Project(tmp_path / str(number))
        run = crawl_feed(project, server, "article,product")
        results.append((values_of(run), project.wrappers()))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("kill_at", [4, 12])
def test_a_killed_crawl(tmp_path: Path, server: Server, kill_at: int) -> None:
    add_shop(server, declares=False, stories=6)
    project = Project(tmp_path / "p", {"kill.py": KILL}, EXTENSIONS={"kill.Kill": 0})
    settings = {**JOB, "FOREST_KINDS": "article,product", "CONCURRENT_REQUESTS": 1}
    feeds = f"feeds={server.url}/feed"
    assert project.crawl("feeds", feeds, KILL_AT_PAGE=kill_at, **settings).status != 0
    resumed = project.crawl("feeds", feeds, **settings)
    assert resumed.status == 0
    prices = {item["name"]: item["price"] for item in resumed.items if "price" in item}
    assert prices == {lamp.name: lamp.price for lamp in LAMPS}
    assert len(resumed.items) == len(LAMPS) + 6


def test_articles_of_a_store_of_an_earlier_version(project: Project, server: Server) -> None:
    """Their rules do not name kinds, and crawls with products use them."""
    add_shop(server, declares=False, stories=6)
    first = crawl_feed(project, server, "article,product")
    store = project.folder / ".scrapy/forest/wrappers.db"
    with closing(sqlite3.connect(store)) as database, database:
        for table in ("template_rules", "rules_versions"):
            for template_id, text in database.execute(f"SELECT template, rules FROM {table}"):
                rules = json.loads(text)
                if rules.pop("kinds") and "product" in rules["records"]:
                    database.execute(f"DELETE FROM {table} WHERE template = ?", (template_id,))
                old_text = json.dumps(rules)
                database.execute(
                    f"UPDATE {table} SET rules = ? WHERE template = ?", (old_text, template_id)
                )
    (old_row,) = project.wrappers()
    second = crawl_feed(project, server, "article,product")
    assert second.stat("templates/loaded") == 1
    assert values_of(second) == values_of(first)
    assert old_row in project.wrappers() and len(project.wrappers()) == 2


def test_products_that_show_no_price_any_more(project: Project, server: Server) -> None:
    """The rules are learned again from pages that they do not fit."""
    add_shop(server, declares=False)
    crawl_feed(project, server, "product")
    for lamp in LAMPS:
        page = re.sub(r"[0-9.,]+ €", "ask us", product_html(lamp))
        server.add(f"/p/{lamp.key}", page)
    settings: dict[str, Any] = {**ALL_PAGES, "FOREST_KINDS": "product"}
    run = project.crawl("feeds", f"feeds={server.url}/feed", **settings)
    assert {item["name"] for item in run.items} == {lamp.name for lamp in LAMPS}
    assert run.stat("templates/redesigned") == 1
    (complaint,) = run.complaints
    assert "was redesigned: no product was found on" in complaint
