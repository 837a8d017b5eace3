"""Two sites on two ports of one host, and one store."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from .helpers import RSS, Item, Project, Server, rss, story, story_title

FIRST_NUMBERS = range(12)
SECOND_NUMBERS = range(20, 32)
FIRST_LATER_NUMBERS = range(40, 44)
SECOND_LATER_NUMBERS = range(50, 54)


def add_stories(server: Server, numbers: range, layout: str) -> str:
    """Publish stories of a layout; the URL of their feed."""
    items = []
    for number in numbers:
        server.add(f"/{layout}/{number}", story(number, layout))
        items.append(Item(f"/{layout}/{number}", story_title(number)))
    server.add("/feed.xml", rss(items), RSS)
    return f"{server.url}/feed.xml"


def forget_ports(project: Project) -> None:
    """Make the store one that was written before ports were stored."""
    database = sqlite3.connect(project.folder / ".scrapy/forest/wrappers.db")
    with closing(database), database:
        database.execute("UPDATE template_rules SET port = NULL")


@pytest.mark.slow
def test_sites_on_two_ports_have_their_own_rules(project: Project, server: Server) -> None:
    with Server() as second_server:
        first_feed = add_stories(server, FIRST_NUMBERS, "plain")
        second_feed = add_stories(second_server, SECOND_NUMBERS, "fancy")
        first_run = project.crawl("feeds", f"feeds={first_feed}")
        second_run = project.crawl("feeds", f"feeds={second_feed}")
        assert first_run.stat("templates/learned") == second_run.stat("templates/learned") == 1
        assert second_run.stat("templates/loaded") == 0
        assert "redesigned" not in second_run.log

        add_stories(server, FIRST_LATER_NUMBERS, "plain")
        add_stories(second_server, SECOND_LATER_NUMBERS, "fancy")
        both_run = project.crawl("feeds", f"feeds={first_feed},{second_feed}")
        assert both_run.stat("templates/loaded") == 2
        assert both_run.stat("templates/learned") == both_run.stat("wrappers/misfits") == 0
        assert "redesigned" not in both_run.log
        assert all(item["text"].count("Paragraph") == 6 for item in both_run.items)
        ids = {run.items[0]["template_id"] for run in (first_run, second_run)}
        assert {item["template_id"] for item in both_run.items} == ids

        all_shown = project.forest("show", "127.0.0.1")
        assert "127.0.0.1: 2 templates" in all_shown
        for run, site in ((first_run, server), (second_run, second_server)):
            template_id = run.items[0]["template_id"]
            assert f"template {template_id} of {site.url.removeprefix('http://')}" in all_shown
            shown = project.forest("show", f"{site.url}/")
            assert f": 1 template\n\ntemplate {template_id}\n" in shown

        forget_ports(project)
        with Server() as third_server:
            third_feed = add_stories(third_server, FIRST_LATER_NUMBERS, "plain")
            third_run = project.crawl("feeds", f"feeds={third_feed}")
            assert third_run.stat("templates/loaded") == 2
            assert third_run.items[0]["template_id"] == first_run.items[0]["template_id"]
