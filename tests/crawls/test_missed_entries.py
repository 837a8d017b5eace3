"""Entries that come and go between two polls of a feed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from .helpers import RSS, Item, Project, Server, rss, story

_START = datetime.now(UTC) - timedelta(hours=10)


def add_page(server: Server, path: str, numbers: range) -> None:
    items = []
    for number in reversed(numbers):
        server.add(f"/{number}", story(number))
        date = format_datetime(_START + timedelta(minutes=number))
        items.append(Item(f"{server.url}/{number}", f"Entry {number}", published=date))
    server.add(path, rss(items), RSS)


def test_what_is_lost_between_two_polls_is_said(project: Project, server: Server) -> None:
    arguments = (f"feeds={server.url}/rss", "only_new=yes")
    add_page(server, "/rss", range(10))
    first = project.crawl("feeds", *arguments)
    assert first.stat("feeds/missed") == 0
    add_page(server, "/rss", range(50, 60))
    second = project.crawl("feeds", *arguments)
    assert (second.stat("feeds/missed"), second.stat("feeds/gaps")) == (40, 1)
    assert "about 40 entries have come and gone" in second.log
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    (trouble,) = digest["troubles"]
    assert (trouble["kind"], "about 40 more" in trouble["text"]) == ("missed", True)
    add_page(server, "/rss", range(55, 65))
    third = project.crawl("feeds", *arguments)
    assert third.stat("feeds/missed") == 0
    (feed,) = json.loads(project.forest("feeds", "--json"))
    assert (feed["format"], feed["listed"], feed["missed"]) == ("rss20", 10, 40)


def test_older_pages_fill_the_gap(project: Project, server: Server) -> None:
    arguments = (f"feeds={server.url}/rss", "only_new=yes")
    add_page(server, "/rss", range(10))
    project.crawl("feeds", *arguments)
    for page, first in enumerate((30, 20, 10, 0), 1):
        add_page(server, "/rss" if page == 1 else f"/rss?page={page}", range(first, first + 10))
    second = project.crawl("feeds", *arguments)
    assert second.paths == sorted(f"/{number}" for number in range(10, 40))
    assert second.stat("feeds/missed") == second.stat("feeds/recovered") == 20
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []
    (feed,) = json.loads(project.forest("feeds", "--json"))
    assert feed["missed"] == 0


def test_the_tables_of_all_feeds(project: Project, server: Server) -> None:
    add_page(server, "/rss", range(10))
    add_page(server, "/other", range(20, 25))
    project.crawl("feeds", f"feeds={server.url}/rss,{server.url}/other")
    text = project.forest("feeds", "--summary")
    lines = [line.split() for line in text.splitlines()]
    assert ["RSS", "2.0", "2", "100.0%"] in lines
    host = server.url.removeprefix("http://")
    assert [host, "2", "1", "min", "0", "min"] in lines
    assert ["10", "1", "#" * 40] in lines
    assert ["1", "hour", *["100%"] * 5] in lines
    summary = json.loads(project.forest("feeds", "--summary", "--json"))
    assert summary["formats"] == {"RSS 2.0": 2}
    assert summary["intervals"]["median"] == [60, 60]
    shown = project.forest("feeds")
    assert f"{server.url}/rss\n  RSS 2.0, lists 10, 0% with full text" in shown
