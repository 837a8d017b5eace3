"""A crawl that polls feeds when they are due, until it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .helpers import RSS, Crawling, Item, Project, Server, rss, story, story_title, wait_until


def publish(server: Server, numbers: range, description: str = "A description") -> None:
    for number in numbers:
        if f"/plain/{number}" not in server.answers:
            server.add(f"/plain/{number}", story(number))
    items = [Item(f"/plain/{number}", story_title(number), description) for number in numbers]
    feed = rss(items)
    server.add("/feed.xml", feed, RSS, headers={"ETag": f'"{hash(feed)}"'})


@contextmanager
def watching(project: Project, feed: str, **settings: Any) -> Iterator[Crawling]:
    """A crawl that watches a feed; it is killed if the test fails."""
    crawling = project.start("feeds", feed, "watch=yes", **settings)
    try:
        yield crawling
    finally:
        if not crawling.is_over():
            crawling.send(signal.SIGKILL)
            crawling.finish()


def polls(server: Server) -> int:
    return server.requests.count("/feed.xml")


@pytest.mark.slow
def test_feeds_are_polled_until_the_crawl_is_stopped(project: Project, server: Server) -> None:
    publish(server, range(11))
    feed = f"feeds={server.url}/feed.xml"
    limits = {"FOREST_POLL_LEAST": 1, "FOREST_POLL_GREATEST": 2}
    with watching(project, feed, **limits) as crawling:
        wait_until(lambda: crawling.log().count("Scraped from") >= 11, 60)
        wait_until(lambda: polls(server) >= 3, 60)

        publish(server, range(12))
        wait_until(lambda: crawling.log().count("Scraped from") >= 12, 60)

        text = story(3).replace("Paragraph 2 of 3.", "Paragraph two of three was corrected.")
        server.add("/plain/3", text)
        publish(server, range(12), "Another description")
        wait_until(lambda: crawling.log().count("Scraped from") >= 13, 60)
        crawling.send(signal.SIGINT)
        run = crawling.finish()
    assert run.complaints == []
    assert [item["change"]["kind"] for item in run.items] == ["new"] * 12 + ["changed"]
    assert run.items[-1]["url"].endswith("/plain/3")
    assert run.items[-1]["change"]["inserted"] == ["two of three was corrected."]


def test_what_is_not_due_is_not_polled_after_a_restart(project: Project, server: Server) -> None:
    publish(server, range(3))
    feed = f"feeds={server.url}/feed.xml"
    project.crawl("feeds", feed)
    assert polls(server) == 1
    with watching(project, feed) as crawling:
        wait_until(lambda: "Watching 1 feed; due now: 0" in crawling.log(), 60)
        crawling.send(signal.SIGINT)
        assert crawling.finish().items == []
    assert polls(server) == 1
