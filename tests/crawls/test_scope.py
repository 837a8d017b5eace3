"""Which pages are crawled: the arguments allow, deny, since, until, match, language, max_pages and
max_depth."""

from __future__ import annotations

import pytest

from .helpers import RSS, Project, Run, Server, story

DAYS = {0: "01 May", 1: "02 May", 2: "03 May", 3: "04 May", 4: "05 May"}


def feed(paths: dict[str, str]) -> bytes:
    """A feed of pages with their dates of publication."""
    items = "".join(
        f"<item><link>{path}</link><title>Item</title>"
        + (f"<pubDate>{day} 2024 12:00:00 GMT</pubDate>" if day else "")
        + "</item>"
        for path, day in paths.items()
    )
    return f'<rss version="2.0"><channel>{items}</channel></rss>'.encode()


def dated(number: int, day: str = "") -> str:
    meta = f"<meta property='article:published_time' content='{day}T12:00:00Z'></head>"
    return story(number).replace("</head>", meta) if day else story(number)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    project = Project(tmp_path_factory.mktemp("scope"))
    with Server() as server:
        for number in range(12):
            server.add(f"/news/{number}", dated(number))
        server.add("/news/10", dated(10, "2024-05-01"))
        server.add("/news/11", dated(11, "2024-05-03"))
        links = "".join(f"<p><a href='/news/{i}'>{i}</a></p>" for i in range(6, 9))
        server.add("/news/5", story(5).replace("</body>", links + "</body>"))
        entries = {f"/news/{number}": day for number, day in DAYS.items()}
        feeds = {
            "dates": {**entries, "/news/9": "", "/news/10": "", "/news/11": ""},
            "urls": {f"/news/{i}?utm_source=rss": "" for i in range(12)} | {"/other": ""},
            "links": {"/news/5": "", "/news/0": ""},
        }
        for name, paths in feeds.items():
            server.add(f"/{name}.xml", feed(paths), RSS)

        def crawl(name: str, *arguments: str) -> Run:
            return project.crawl("feeds", f"feeds={server.url}/{name}.xml", *arguments)

        return {
            "dates": crawl("dates", "since=2024-05-02", "until=2024-05-04"),
            "urls": crawl("urls", "allow=/news/", "deny=/[135]\\b", "max_pages=4"),
            "links": crawl("links", "max_depth=1", "max_pages=4"),
            "topic": crawl("dates", "match=/paragraph [0-9] of [24]\\./", "language=en,de"),
            "site": project.crawl(
                "site", f"url={server.url}/news/5", "deny=/news/7", "max_pages=3", "max_depth=1"
            ),
        }


@pytest.mark.slow
def test_the_crawls_end_well(runs: dict[str, Run]) -> None:
    assert {name: (run.status, run.complaints) for name, run in runs.items()} == {
        name: (0, []) for name in runs
    }


def test_dates_of_feeds_and_of_pages(runs: dict[str, Run]) -> None:
    run = runs["dates"]
    assert run.paths == ["/news/1", "/news/11", "/news/2", "/news/3", "/news/9"]
    assert run.counted("skipped") == {"too_old": 1, "too_new": 1}
    assert run.counted("dropped") == {"too_old": 1}  # only the page itself has a date


def test_articles_about_a_topic(runs: dict[str, Run]) -> None:
    run = runs["topic"]
    assert run.counted("dropped") == {"no_match": 6}
    assert run.paths == ["/news/2", "/news/4"]
    assert run.counted("dropped") == {"no_match": 6}


def test_patterns_of_urls_and_the_number_of_pages(runs: dict[str, Run]) -> None:
    run = runs["urls"]
    assert run.paths == ["/news/0", "/news/2", "/news/4", "/news/6"]
    assert run.counted("skipped") == {"not_allowed": 1, "denied": 3, "max_pages": 5}


def test_the_depth_of_links(runs: dict[str, Run]) -> None:
    run = runs["links"]
    assert run.paths == ["/news/0", "/news/5", "/news/6"]
    assert run.stat("links/followed") == 2  # the first link is to the home page, which is missing


def test_the_site_spider_has_the_same_arguments(runs: dict[str, Run]) -> None:
    run = runs["site"]
    assert run.stat("pages/spooled") == 2
    assert run.counted("failed") == {"status_404": 1}
    assert run.stat("skipped/denied") == 1
