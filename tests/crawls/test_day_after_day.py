"""Crawls of the same feed on several days, of a site that changes meanwhile."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import urlsplit

import feedparser
import pytest
from exporters.helpers import feed_problems

from .helpers import RSS, Item, Project, Run, Server, rss, story, story_title

FEED = "/feed.xml"
HISTORY = ".scrapy/forest/history.db"


class Site:
    """A site with a feed, whose pages can be changed."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.items: dict[int, Item] = {}

    def publish(self, number: int, description: str = "A description", date: str = "") -> None:
        date = date or f"{number + 1:02} Jun 2024 08:00:00 GMT"
        path = f"/plain/{number}"
        self.items[number] = Item(path, story_title(number), description, date)
        self.show(number, story(number).replace("</h1>", f"</h1><time>{date}</time>"))

    def publish_entry(self, number: int, title: str, description: str = "A description") -> None:
        """Another entry of the page, which stays as it is."""
        date = f"{number + 1:02} Jun 2024 08:00:00 GMT"
        self.items[number] = Item(f"/plain/{number}", title, description, date)

    def show(self, number: int, page: str) -> None:
        self.server.add(f"/plain/{number}", page, headers={"ETag": f'"{hash(page)}"'})

    def body(self, number: int) -> str:
        return self.server.answers[f"/plain/{number}"].body.decode()

    def crawl(self, project: Project, *arguments: str, **settings: str) -> Run:
        feed = rss(self.items.values())
        self.server.add(FEED, feed, RSS, headers={"ETag": f'"{hash(feed)}"'})
        self.server.requests.clear()
        return project.crawl("feeds", f"feeds={self.server.url}{FEED}", *arguments, **settings)

    @property
    def asked(self) -> list[str]:
        return [path for path in self.server.requests if path.startswith("/plain/")]


@pytest.fixture
def site(server: Server) -> Site:
    site = Site(server)
    for number in range(12):
        site.publish(number)
    return site


def kinds(run: Run) -> dict[str, str]:
    return {path: item["change"]["kind"] for path, item in run.by_path.items()}


@pytest.mark.slow
def test_a_site_over_five_days(site: Site, project: Project) -> None:
    first = site.crawl(project)
    assert set(kinds(first).values()) == {"new"} and len(first.items) == 12

    second = site.crawl(project, "only_new=yes")
    assert (second.status, second.complaints, second.items) == (0, [], [])
    assert [path for path in site.server.requests if path != "/robots.txt"] == [FEED]
    assert second.counted("history") == {"feeds_not_modified": 1}

    site.publish(12)
    site.publish(3, "An updated description")
    site.show(3, site.body(3).replace("Paragraph 2 of 3.", "Paragraph two of three was corrected."))
    site.publish(4, "Another description")
    advert = "<div class='side'><p>Buy a boat today, for a price never seen before.</p></div>"
    site.show(4, site.body(4).replace("</body>", f"{advert}</body>"))
    del site.items[8], site.server.answers["/plain/8"]
    third = site.crawl(project, "only_new=yes")
    assert sorted(site.asked) == ["/plain/12", "/plain/3", "/plain/4", "/plain/8"]
    assert kinds(third) == {"/plain/12": "new", "/plain/3": "changed", "/plain/8": "gone"}
    change = third.by_path["/plain/3"]["change"]
    assert change["inserted"] == ["two of three was corrected."]
    assert change["deleted"] == ["2 of 3."]
    assert 0 < change["share"] < 0.3 and change["since"]
    assert third.counted("dropped") == {"unchanged": 1}

    fourth = site.crawl(project, "only_new=yes")
    assert (fourth.items, site.asked) == ([], [])

    fifth = site.crawl(project)
    texts = {path: item["text"] for path, item in first.by_path.items()}
    texts |= {path: item["text"] for path, item in third.by_path.items() if item["text"]}
    del texts["/plain/8"]
    assert {path: item["text"] for path, item in fifth.by_path.items()} == texts
    assert set(kinds(fifth).values()) == {"unchanged"}


@pytest.mark.slow
def test_a_correction_within_hours_although_the_feed_is_the_same(
    site: Site, project: Project
) -> None:
    """As if the first crawl had been two hours ago."""
    today = format_datetime(datetime.now(UTC))
    for number in range(12):
        site.publish(number, date=today)
    site.crawl(project, "only_new=yes")
    site.show(3, site.body(3).replace("Paragraph 2 of 3.", "Paragraph two of three was corrected."))
    with closing(sqlite3.connect(project.folder / HISTORY)) as history, history:
        history.execute("UPDATE pages SET first_seen = first_seen - 7200, fetched = fetched - 7200")
    second = site.crawl(project, "only_new=yes")
    assert kinds(second) == {"/plain/3": "changed"}
    assert second.counted("history") == {"feeds_not_modified": 1, "not_modified": 11, "changed": 1}
    third = site.crawl(project, "only_new=yes")
    assert (third.items, site.asked) == ([], [])


@pytest.mark.slow
def test_failed_pages_are_requested_again(site: Site, project: Project) -> None:
    page = site.body(5)
    site.server.add("/plain/5", "", status=500)
    first = site.crawl(project)
    assert first.by_path["/plain/5"]["method"] == "entry"
    second = site.crawl(project, "only_new=yes")
    assert set(site.asked) == {"/plain/5"} and second.items == []
    site.show(5, page)
    third = site.crawl(project, "only_new=yes")
    assert (site.asked, kinds(third)) == (["/plain/5"], {"/plain/5": "changed"})
    assert "If-None-Match" not in site.server.asked_with[FEED]
    fourth = site.crawl(project, "only_new=yes")
    assert (site.asked, fourth.items) == ([], [])


@pytest.mark.slow
def test_an_article_whose_page_fails_stays_what_it_was(site: Site, project: Project) -> None:
    first = site.crawl(project)
    page = site.body(5)
    site.publish(5, "Another description")
    site.server.add("/plain/5", "", status=500)
    assert site.crawl(project, "only_new=yes").items == []
    site.show(5, page)
    assert site.crawl(project, "only_new=yes").items == []
    assert site.asked == ["/plain/5"]
    again = site.crawl(project)
    assert again.by_path["/plain/5"]["text"] == first.by_path["/plain/5"]["text"]


@pytest.mark.slow
def test_pages_are_requested_conditionally_if_they_have_an_etag(
    site: Site, project: Project
) -> None:
    site.crawl(project)
    for number in (1, 2):
        site.items[number] = Item(site.items[number].link, "Another title in the feed")
    site.server.add("/plain/2", site.body(2))
    run = site.crawl(project, "only_new=yes")
    assert run.items == [] and sorted(site.asked) == ["/plain/1", "/plain/2"]
    assert run.counted("history") == {"not_modified": 1, "skipped": 10, "unchanged": 1}
    assert site.crawl(project, "only_new=yes").items == site.asked == []


@pytest.mark.slow
def test_a_server_whose_last_modified_is_wrong(site: Site, project: Project) -> None:
    """A date that stays the same, one that is always new, and none: all changes are found."""
    dates = {1: "Mon, 03 Jun 2024 08:00:00 GMT", 2: "Fri, 01 Jan 2038 00:00:00 GMT", 3: ""}
    pages = {number: site.body(number) for number in dates}

    def serve(number: int, page: str) -> None:
        headers = {"Last-Modified": dates[number]} if dates[number] else {}
        site.server.add(f"/plain/{number}", page, headers=headers)

    for number, page in pages.items():
        serve(number, page)
    first = site.crawl(project)
    assert first.by_path["/plain/1"]["last_modified"] and len(first.items) == 12
    for number, page in pages.items():
        site.items[number] = Item(site.items[number].link, f"Another title of {number}")
        serve(number, page.replace("Paragraph 2 of", "The corrected second paragraph of"))
    second = site.crawl(project, "only_new=yes")
    assert kinds(second) == dict.fromkeys((f"/plain/{number}" for number in dates), "changed")


def test_an_argument_that_is_neither_yes_nor_no(site: Site, project: Project) -> None:
    run = site.crawl(project, "only_new=maybe")
    assert "-a only_new=maybe: must be yes or no" in run.log
    assert site.server.requests == []


@pytest.mark.slow
def test_an_article_is_gone_when_that_is_exported(site: Site, project: Project) -> None:
    site.crawl(project)
    del site.items[8], site.server.answers["/plain/8"]
    site.server.add(FEED, rss(site.items.values()), RSS)
    feed = f"feeds={site.server.url}{FEED}"
    failing = {"ITEM_PIPELINES": '{"own.Failing": 1}'}
    project.write("own.py", "class Failing:\n    def process_item(self, item):\n        1 / 0\n")
    assert project.crawl("feeds", feed, "only_new=yes", **failing).items == []
    assert kinds(site.crawl(project, "only_new=yes")) == {"/plain/8": "gone"}
    assert site.crawl(project, "only_new=yes").items == site.asked == []


@pytest.mark.slow
@pytest.mark.thorough
def test_a_correction_by_hand_is_no_change_of_the_publisher(site: Site, project: Project) -> None:
    """The corrected texts are emitted once, with another kind of change; so is what is undone."""
    site.crawl(project)
    host = "127.0.0.1"
    [(template, rules)] = json.loads(project.forest("show", host, "--json")).items()
    rules["article"]["drop"] = ["(//p)[2]"]
    edit = {"host": host, "template": template, "rules": rules}
    file = project.write("edit.json", json.dumps(edit))
    assert "edited by hand" in project.forest("import", str(file), str(file.with_name("1.log")))
    site_name = site.server.url.removeprefix("http://")
    assert f"template {template}, edited by hand" in project.forest("show", site_name)
    corrected = site.crawl(project, "only_new=yes")
    assert set(kinds(corrected).values()) == {"wrapper"} and len(corrected.items) == 12
    assert all(one["change"]["deleted"] and one["change"]["since"] for one in corrected.items)
    project.forest("undo", host)
    undone = site.crawl(project, "only_new=yes")
    assert set(kinds(undone).values()) == {"wrapper"} and len(undone.items) == 12
    assert kinds(site.crawl(project)) == dict.fromkeys(undone.by_path, "unchanged")


@pytest.mark.slow
def test_two_crawls_at_a_time_emit_each_article_once(site: Site, project: Project) -> None:
    feed = rss(site.items.values())
    site.server.add(FEED, feed, RSS, delay=1.0)
    arguments = (f"feeds={site.server.url}{FEED}", "only_new=yes")
    runs = [one.finish() for one in [project.start("feeds", *arguments) for _ in range(2)]]
    assert sorted(len(run.items) for run in runs) == [0, 12]
    assert [run.status for run in runs] == [0, 0]
    assert sum(run.counted("feeds").get("read_elsewhere", 0) for run in runs) == 1
    assert sum("is left to another crawl" in run.log for run in runs) == 1


@pytest.mark.slow
def test_feeds_are_kept_up_to_date_by_the_hour(site: Site, project: Project) -> None:
    """``-o`` twice, ``-O`` with ``only_new``, and the rolling feed: one valid document each, with a
    corrected article in its place, without a teaser as full text, and without one that is gone."""
    feeds = {"a.atom": {"format": "atom"}, "o.rss": {"format": "rss", "overwrite": True}}
    options = {"FEEDS": json.dumps({**feeds, "-": {"format": "jsonlines"}})}
    names = ("a.atom", "o.rss", "full.xml")
    teaser = "Only a description"
    site.publish(12, teaser)
    site.server.add("/plain/12", "", status=404)
    for day in range(3):
        if day == 1:
            site.publish(3, "An updated description")
            site.show(3, site.body(3).replace("Paragraph 2 of 3.", "Paragraph two of three."))
            del site.items[8], site.server.answers["/plain/8"]
        run = site.crawl(project, "only_new=yes", **options)
        assert (run.status, run.items == []) == (0, day == 2)
        assert project.forest("feed", "-o", "full.xml") == ""
        for name in names:
            document = (project.folder / name).read_bytes()
            assert feed_problems(document) == set()
            entries = {urlsplit(one.link).path: one for one in feedparser.parse(document).entries}
            is_left_out = day > 0 and name == "full.xml"
            assert len(entries) == 13 - is_left_out and ("/plain/8" not in entries) == is_left_out
            assert not entries["/plain/12"].get("content")
            assert entries["/plain/12"].summary == teaser
            assert ("two of three" in entries["/plain/3"].content[0].value) == (day > 0)
