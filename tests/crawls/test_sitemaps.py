"""Crawls that begin at sitemaps."""

from __future__ import annotations

import gzip
from urllib.parse import urlsplit

import pytest

from .helpers import Project, Run, Server, story

XML = "application/xml"
NEWS = (
    "<news:news><news:publication_date>{date}</news:publication_date>"
    "<news:title>News {number}</news:title></news:news>"
)


def pages(rows: list[tuple[str, str, str]]) -> str:
    """A sitemap of paths, dates of change, and further elements."""
    urls = "".join(
        f"<url><loc>{path}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}{more}</url>"
        for path, date, more in rows
    )
    return f"<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>{urls}</urlset>"


def index(*paths: str, date: str = "") -> str:
    changed = f"<lastmod>{date}</lastmod>" if date else ""
    rows = "".join(f"<sitemap><loc>{path}</loc>{changed}</sitemap>" for path in paths)
    return f"<sitemapindex>{rows}</sitemapindex>"


@pytest.fixture(scope="module")
def server() -> Server:
    with Server() as running:
        for number in range(12):
            running.add(f"/story/{number}", story(number))
        for number in range(3):
            links = "".join(f"<li><a href='/story/{i}'>Story {i} of all</a></li>" for i in range(9))
            running.add(
                f"/list/{number}", f"<html><body><h1>All</h1><ul>{links}</ul></body></html>"
            )
        news = [
            (f"/story/{i}", "", NEWS.format(date=f"2024-05-0{i + 1}", number=i)) for i in range(4)
        ]
        plain = [(f"/story/{i}", f"2024-06-0{i}", "") for i in range(4, 8)]
        listings = [(f"/list/{i}", "2024-06-09", "") for i in range(3)]
        running.add("/robots.txt", "User-agent: *\nAllow: /\nSitemap: /index.xml\n", "text/plain")
        running.add("/index.xml", index("/news.xml", "/plain.xml.gz", "/index.xml", "/no.xml"), XML)
        running.add("/news.xml", pages(news), XML)
        packed = gzip.compress(pages([*plain, *listings]).encode())
        running.add("/plain.xml.gz", packed, "application/gzip")
        running.add("/old.xml", index("/never.xml", date="2023-01-01"), XML)
        running.add("/never.xml", pages([("/story/11", "", "")]), XML)
        running.add("/", "<html><body><p>Welcome</p></body></html>")
        many = [(f"/many/{i}", f"20{i % 20:02}-01-01", "") for i in range(9_990)]
        newest = [(f"/story/{i}", "2030-01-01", "") for i in range(10)]
        running.add("/many.xml", pages([*many, *newest]), XML)
        running.add("/broken.xml", "<urlset><url><loc>/story/9</loc></url><url><loc>", XML)
        running.add("/none.xml", "<html><p>Not found", XML)
        yield running


@pytest.fixture(scope="module")
def site(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A site without a feed, whose robots.txt names a sitemap."""
    project = Project(tmp_path_factory.mktemp("site"))
    return project.crawl("feeds", f"site={server.url}/", "since=2024-05-02", RETRY_TIMES=0)


@pytest.mark.slow
def test_the_sitemaps_of_a_site_without_a_feed(site: Run) -> None:
    assert site.status == 0
    assert site.paths == [f"/story/{number}" for number in range(1, 8)]
    assert site.counted("sitemaps") == {"read": 3, "urls": 15, "failed": 1, "skipped": 0}
    assert site.stat("skipped/too_old") == 1
    assert site.stat("dropped/not_article") == 3


def test_news_sitemaps_have_entries(site: Run) -> None:
    news, plain = site.by_path["/story/3"], site.by_path["/story/4"]
    assert news["entry"]["title"] == "News 3"
    assert news["published"] == "2024-05-04"
    assert plain["entry"] is None


def test_a_sitemap_that_the_connection_cuts_is_read_as_far_as_it_comes(
    server: Server, project: Project
) -> None:
    whole = pages([(f"/story/{number}", "", "") for number in range(3)]).encode()
    server.add("/cut.xml", whole, XML, cut=whole.index(b"/story/2") + 5)
    server.add("/whole.xml", whole + b" " * 9, XML, cut=len(whole))
    for name, paths, warnings in (("cut", 2, 1), ("whole", 3, 0)):
        run = project.crawl("feeds", f"sitemap={server.url}/{name}.xml", RETRY_TIMES=0)
        assert run.counted("sitemaps") == {"read": 1, "urls": paths}
        assert run.log.count("is cut off after 2 URLs; the next crawl reads it again") == warnings


@pytest.mark.slow
def test_a_large_sitemap(server: Server, project: Project) -> None:
    """10,000 URLs: the newest first, and no more than wanted."""
    before = len(server.requests)
    run = project.crawl("feeds", f"sitemap={server.url}/many.xml", "max_pages=10")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == [f"/story/{number}" for number in range(10)]
    assert run.counted("sitemaps") == {"read": 1, "urls": 10_000}
    assert run.stat("skipped/max_pages") == 9_990
    assert len(server.requests) - before == 11


def test_the_site_spider_and_sitemaps_that_are_none(server: Server, project: Project) -> None:
    names = ("old.xml", "broken.xml", "none.xml")
    sitemaps = ",".join(f"{server.url}/{name}" for name in names)
    run = project.crawl(
        "site", f"sitemap={sitemaps}", f"article={server.url}/story/8", "since=2024-01-01",
        "max_depth=0",
    )  # fmt: skip
    assert run.status == 0
    assert "Traceback" not in run.log
    assert run.paths == ["/story/8", "/story/9"]
    assert run.counted("sitemaps") == {"read": 2, "urls": 2, "skipped": 1, "unreadable": 1}
    assert "/none.xml: not a sitemap" in run.log
    assert not any(urlsplit(path).path == "/never.xml" for path in server.requests)
