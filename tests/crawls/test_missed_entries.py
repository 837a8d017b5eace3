"""Entries that come and go between two polls of a feed."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, story

_START = datetime.now(UTC) - timedelta(hours=10)


def add_page(server: Server, path: str, numbers: range) -> None:
    items = []
    for number in reversed(numbers):
        server.add(f"/{number}", story(number))
        date = format_datetime(_START + timedelta(minutes=number))
        items.append(Item(f"{server.url}/{number}", f"Entry {number}", published=date))
    server.add(path, rss(items), RSS)


@pytest.mark.slow
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


@pytest.mark.slow
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


def add_sitemap(server: Server, path: str, dates: dict[int, str]) -> None:
    urls = "".join(
        f"<url><loc>{server.url}/{number}</loc><lastmod>{date}</lastmod></url>"
        for number, date in dates.items()
    )
    server.add(path, f"<urlset>{urls}</urlset>", "application/xml")


def dates_of(numbers: range) -> dict[int, str]:
    return {n: (_START + timedelta(minutes=n)).isoformat() for n in numbers}


def overflow(server: Server, project: Project, *arguments: str) -> Run:
    """A crawl of a feed without older pages, of which 30 entries have come and gone."""
    feed = (f"feeds={server.url}/rss", "only_new=yes")
    add_page(server, "/rss", range(10))
    add_page(server, "/hidden", range(10, 40))
    project.crawl("feeds", *feed)
    add_page(server, "/rss", range(40, 50))
    server.requests.clear()
    return project.crawl("feeds", *feed, *arguments)


def test_sitemaps_fill_the_gap_of_a_feed_without_older_pages(
    project: Project, server: Server
) -> None:
    """Only pages of the time in which entries were missed are requested."""
    server.add("/robots.txt", f"Sitemap: {server.url}/index.xml", "text/plain")
    sitemaps = [("/new.xml", _START + timedelta(minutes=50)), ("/old.xml", _START)]
    rows = "".join(
        f"<sitemap><loc>{server.url}{path}</loc><lastmod>{date.isoformat()}</lastmod></sitemap>"
        for path, date in sitemaps
    )
    server.add("/index.xml", f"<sitemapindex>{rows}</sitemapindex>", "application/xml")
    old = (_START - timedelta(days=30)).isoformat()
    add_sitemap(server, "/new.xml", {**dates_of(range(5, 50)), 99: old})
    server.add("/99", story(99))
    second = overflow(server, project)
    assert second.paths == sorted(f"/{number}" for number in range(10, 50))
    assert (second.stat("feeds/missed"), second.stat("feeds/recovered")) == (30, 30)
    assert "/old.xml" not in server.requests and "/99" not in server.requests
    assert "about 30 entries have come and gone" in second.log
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []
    (feed,) = json.loads(project.forest("feeds", "--json"))
    assert (feed["missed"], feed["gaps"]) == (0, 0)


@pytest.mark.slow
def test_what_no_sitemap_has_is_still_missed(project: Project, server: Server) -> None:
    """The sitemap at the usual path has ten of thirty; the remedy names what may have the rest."""
    add_sitemap(server, "/sitemap.xml", dates_of(range(30, 40)))
    second = overflow(server, project)
    assert second.paths == sorted(f"/{number}" for number in range(30, 50))
    assert (second.stat("feeds/missed"), second.stat("feeds/recovered")) == (30, 10)
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    (trouble,) = digest["troubles"]
    assert "about 20 more entries" in trouble["text"]
    day = _START.date().isoformat()
    assert f"-a feeds={server.url}/rss -a older=20 -a since={day}" in trouble["remedy"]
    assert f"scrapy crawl site -a url={server.url}/ -a since={day}" in trouble["remedy"]


@pytest.mark.slow
def test_a_sitemap_without_pages_of_the_feed_fills_no_gap(project: Project, server: Server) -> None:
    """That of the authors comes first, and has pages from before."""
    last = (_START + timedelta(minutes=50)).isoformat()
    rows = "".join(
        f"<sitemap><loc>{server.url}/{name}.xml</loc><lastmod>{last}</lastmod></sitemap>"
        for name in ("authors", "posts")
    )
    server.add("/sitemap.xml", f"<sitemapindex>{rows}</sitemapindex>", "application/xml")
    old = (_START - timedelta(days=30)).isoformat()
    add_sitemap(server, "/authors.xml", {98: last, 99: old})
    add_sitemap(server, "/posts.xml", dates_of(range(5, 40)))
    second = overflow(server, project)
    assert {f"/{number}" for number in range(10, 40)} <= set(server.requests)
    assert (second.stat("feeds/missed"), second.stat("feeds/recovered")) == (30, 30)
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []


def add_feed(server: Server, path: str, dates: dict[int, datetime]) -> None:
    items = []
    for number, date in dates.items():
        server.add(f"/{number}", story(number))
        published = format_datetime(date)
        items.append(Item(f"{server.url}/{number}", f"Entry {number}", published=published))
    server.add(path, rss(items), RSS)


def test_a_sitemap_with_all_that_was_missed_and_nothing_else(
    project: Project, server: Server
) -> None:
    add_sitemap(server, "/sitemap.xml", dates_of(range(10, 50)))
    second = overflow(server, project)
    assert second.paths == sorted(f"/{number}" for number in range(10, 50))
    assert (second.stat("feeds/missed"), second.stat("feeds/recovered")) == (30, 30)
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []


@pytest.mark.slow
def test_a_site_whose_clock_is_ahead(project: Project, server: Server) -> None:
    """Its feed and its sitemap have dates of the future; all that was missed is found."""
    start = datetime.now(UTC) - timedelta(hours=1)
    dates = {number: start + timedelta(minutes=3 * number) for number in range(60)}
    feed = (f"feeds={server.url}/rss", "only_new=yes")
    add_feed(server, "/rss", {number: dates[number] for number in range(9, -1, -1)})
    project.crawl("feeds", *feed)

    add_feed(server, "/hidden", {number: dates[number] for number in range(10, 50)})
    add_feed(server, "/rss", {number: dates[number] for number in range(59, 49, -1)})
    rows = {number: dates[number].isoformat() for number in range(5, 60)}
    add_sitemap(server, "/sitemap.xml", rows)
    second = project.crawl("feeds", *feed)
    assert second.paths == sorted(f"/{number}" for number in range(10, 60))
    assert second.stat("feeds/missed") == second.stat("feeds/recovered") > 0
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []
    (row,) = json.loads(project.forest("feeds", "--json"))
    assert (row["missed"], row["gaps"]) == (0, 0)


@pytest.mark.slow
def test_feeds_of_one_site_read_its_sitemaps_once(project: Project, server: Server) -> None:
    """What one feed has missed is found though another feed of the site has led to it first."""
    feeds = (f"feeds={server.url}/rss,{server.url}/other", "only_new=yes")
    add_page(server, "/hidden", range(10, 40))
    for path in ("/rss", "/other"):
        add_page(server, path, range(10))
    project.crawl("feeds", *feeds)
    server.requests.clear()
    add_page(server, "/rss", range(40, 50))
    add_page(server, "/other", range(42, 52))
    add_sitemap(server, "/sitemap.xml", dates_of(range(5, 52)))
    second = project.crawl("feeds", *feeds)
    assert second.paths == sorted(f"/{number}" for number in range(10, 52))
    assert [server.requests.count(path) for path in ("/robots.txt", "/sitemap.xml")] == [1, 1]
    assert second.stat("feeds/recovered") == second.stat("feeds/missed") > 60
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    assert digest["troubles"] == []
    rows = json.loads(project.forest("feeds", "--json"))
    assert [(row["missed"], row["gaps"]) for row in rows] == [(0, 0), (0, 0)]


@pytest.mark.slow
def test_sitemaps_are_read_within_max_pages(project: Project, server: Server) -> None:
    add_sitemap(server, "/sitemap.xml", dates_of(range(5, 50)))
    second = overflow(server, project, "max_pages=15")
    assert second.paths == sorted(f"/{number}" for number in range(35, 50))
    assert (second.stat("feeds/missed"), second.stat("feeds/recovered")) == (30, 5)


@pytest.mark.slow
def test_a_feed_without_dates(project: Project, server: Server) -> None:
    arguments = (f"feeds={server.url}/rss", "only_new=yes")
    for numbers in (range(10), range(50, 60)):
        items = []
        for number in reversed(numbers):
            server.add(f"/{number}", story(number))
            items.append(Item(f"{server.url}/{number}", f"Entry {number}"))
        server.add("/rss", rss(items), RSS)
        run = project.crawl("feeds", *arguments)
        time.sleep(1)  # times of polls are whole seconds
    assert "entries have come and gone (its dates do not tell how many)" in run.log
    assert "at least 1 missed between polls, once" in project.forest("feeds")
    digest = json.loads((project.folder / ".scrapy/forest/health.json").read_text("utf-8"))
    (trouble,) = digest["troubles"]
    assert "more entries were published than it lists; its dates do not" in trouble["text"]


@pytest.mark.slow
def test_the_tables_of_all_feeds(project: Project, server: Server) -> None:
    add_page(server, "/rss", range(10))
    add_page(server, "/other", range(20, 25))
    feeds = f"feeds={server.url}/rss,{server.url}/other"
    project.crawl("feeds", f"{feeds},{server.url}/dead", FOREST_REPORT="report")
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
    assert "2 feeds: formats" in (project.folder / "report/index.html").read_text("utf-8")
    page = (project.folder / "report/feeds-of-the-history.html").read_text("utf-8")
    assert "<td>RSS 2.0</td>" in page and "<polyline" in page
    shown = project.forest("feeds")
    assert f"{server.url}/dead\n  never read\n" in shown
    assert "failed once (status 404)" in shown
    assert f"{server.url}/rss\n  RSS 2.0, lists 10, 0% with full text" in shown
