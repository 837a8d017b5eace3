"""Entries of feeds that link one page, or none: each is an article by itself, once."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from .helpers import RSS, Project, Run, Server, story, wait_until

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

ATOM = "http://www.w3.org/2005/Atom"
CHANNEL = "<rss version='2.0'><channel><title>Harbour talk</title><link>{url}/show</link>{items}"


def episode(number: int, link: str = "/show", text: str = "") -> str:
    words = text or f"In episode {number} we talk of boats, nets and the weather of week {number}."
    linked = f"<link>{link}</link>" if link else ""
    return (
        f"<item><title>Episode {number}</title>{linked}<guid isPermaLink='false'>ep{number}</guid>"
        f"<description>{words}</description>"
        f"<pubDate>Mon, {number:02} Jan 2024 08:30:00 GMT</pubDate>"
        f"<enclosure url='/audio/{number}.mp3' type='audio/mpeg' length='100'/></item>"
    )


def publish(server: Server, *items: str, path: str = "/feed.xml") -> None:
    server.add(path, CHANNEL.format(url=server.url, items="".join(items)), RSS)


@pytest.fixture
def site() -> Iterator[Server]:
    with Server() as server:
        server.add("/show", story(3))
        publish(server, *map(episode, range(1, 9)))
        yield server


def kinds(run: Run) -> dict[str, str]:
    return {item["title"]: item["change"]["kind"] for item in run.items}


def test_episodes_are_articles_over_several_crawls(site: Server, project: Project) -> None:
    feed = f"feeds={site.url}/feed.xml"
    first = project.crawl("feeds", feed, "only_new=yes")
    assert kinds(first) == {f"Episode {number}": "new" for number in range(1, 9)}
    assert len({item["url"] for item in first.items}) == 8
    for item in first.items:
        number = item["title"].rpartition(" ")[2]
        assert (item["method"], item["status"]) == ("entry", 0)
        assert item["url"] == f"{site.url}/show#:~:entry=ep{number}"
        assert [file["url"] for file in item["audios"]] == [f"{site.url}/audio/{number}.mp3"]
        assert f"weather of week {number}." in item["text"]
    assert first.stat("refused/no_page") == first.stat("articles/entry") == 8
    assert "Traceback" not in first.log
    assert project.crawl("feeds", feed, "only_new=yes").items == []

    # One is edited, one new; of the others only one is left.
    edited = episode(8, text="A correction: the boats of this week were ferries, all nine of them.")
    publish(site, episode(9), edited, episode(7))
    third = project.crawl("feeds", feed, "only_new=yes")
    assert kinds(third) == {"Episode 8": "changed", "Episode 9": "new"}

    # The feed has one entry now, which links the page that all have linked.
    publish(site, episode(10))
    fourth = project.crawl("feeds", feed, "only_new=yes")
    assert kinds(fourth) == {"Episode 10": "new"}
    assert "/show" not in site.requests

    url = first.items[0]["url"]
    why = project.forest("why", url)
    assert "result: an article" in why
    assert "it has no page of its own" in why
    assert "scrapy forest why:" not in why
    assert "Traceback" not in why
    assert "new" in project.forest("versions", url)


def test_entries_without_links_and_places_of_one_page(site: Server, project: Project) -> None:
    publish(site, *[episode(number, link="") for number in range(1, 4)], path="/none.xml")
    notes = [episode(number, link=f"/log#v{number}") for number in range(1, 4)]
    publish(site, *notes, path="/log.xml")
    feeds = f"feeds={site.url}/none.xml,{site.url}/log.xml"
    exports = json.dumps({"all.rss": {"format": "rss"}})
    run = project.crawl("feeds", feeds, out="-", FEEDS=exports)
    assert run.status == 0
    text = (project.folder / "all.rss").read_text()
    assert text.count("<item>") == 6
    assert f"<link>{site.url}/log#v2:~:entry=ep2</link>" in text
    assert "/log" not in site.requests


def test_a_killed_crawl_has_each_episode_once(site: Server, project: Project) -> None:
    publish(site, *[episode(number % 28 + 1).replace("ep", f"e{number}p") for number in range(400)])
    feed = f"feeds={site.url}/feed.xml"
    settings = {"JOBDIR": "job"}
    crawling = project.start("feeds", feed, out="all.jsonl", **settings)
    wait_until(lambda: crawling.log().count("Scraped from") > 40)
    crawling.send(signal.SIGKILL)
    crawling.finish()
    run = project.crawl("feeds", feed, out="all.jsonl", **settings)
    urls = [item["url"] for item in run.items]
    assert len(urls) == len(set(urls)) == 400
    again = project.crawl("feeds", feed, out="all.jsonl", **settings)
    assert len(again.items) == 400


def test_an_entry_that_moves_to_an_older_page_is_known(site: Server, project: Project) -> None:
    def publish_pages(first: tuple[int, ...], second: tuple[int, ...]) -> None:
        older = f"<a:link xmlns:a='{ATOM}' rel='next' href='{site.url}/2.xml'/>"
        publish(site, older, *(episode(number, link="") for number in first))
        publish(site, *(episode(number, link="") for number in second), path="/2.xml")

    publish_pages((4, 3), (2, 1))
    site.add("/old.xml", "", status=301, headers={"Location": "/feed.xml"})
    feed = f"feeds={site.url}/old.xml"
    first = project.crawl("feeds", feed, "only_new=yes", "older=1")
    assert len(first.items) == 4
    assert {item["url"].partition("#")[0] for item in first.items} == {f"{site.url}/old.xml"}

    publish_pages((6, 5), (4, 3))
    second = project.crawl("feeds", feed, "only_new=yes", "older=1")
    assert kinds(second) == {"Episode 5": "new", "Episode 6": "new"}
