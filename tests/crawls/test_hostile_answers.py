"""Answers made to harm a crawl: loops, private addresses, odd headers, and bombs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from .helpers import HTML, RSS, Item, Project, Server, rss, slow, story

LINK = "<link rel='alternate' type='application/rss+xml' href='{}'>"


#: Names of codecs that Python has, but that are not for text.
CODECS = [
    "hex",
    "idna",
    *(slow(name) for name in ("zip", "punycode", "undefined", "unicode_escape")),
]


def add_stories(server: Server, count: int = 4) -> list[str]:
    for number in range(count):
        server.add(f"/story/{number}", story(number))
    return [f"/story/{number}" for number in range(count)]


def test_a_feed_that_redirects_to_the_page_that_links_it(project: Project) -> None:
    with Server() as server:
        server.add("/", f"<head>{LINK.format('/feed')}{LINK.format('/other.html')}</head>")
        server.add("/other.html", f"<head>{LINK.format('/')}</head>")
        server.add("/feed", b"", status=302, headers={"Location": "/"})
        run = project.crawl("feeds", f"site={server.url}/", CLOSESPIDER_PAGECOUNT=50)
        assert len(server.requests) < 25  # the usual paths of feeds and sitemaps, each once
    assert run.status == 1  # the site has no feed
    assert run.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("kind", ["feed", slow("page")])
def test_local_files_are_not_read(project: Project, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_bytes(rss([Item("/secret", "The secret title", "The secret text")]))
    with Server() as server:
        paths = add_stories(server)
        host = server.url.removeprefix("http://")
        links = [secret.as_uri(), f"file://{host}{secret}", "javascript:alert(1)", "http://["]
        server.add("/feed.xml", rss([*links, *paths]), RSS)
        anchors = "".join(f"<a href='{link}'>x</a>" for link in [*links, *paths])
        feeds = "".join(LINK.format(link) for link in [*links, "/feed.xml"])
        server.add("/", f"<html><head>{feeds}</head><body>{anchors}</body></html>")
        if kind == "feed":
            run = project.crawl("feeds", f"site={server.url}/")
        else:
            run = project.crawl("site", f"url={server.url}/")
    assert (run.status, run.complaints) == (0, [])
    assert "secret" not in str(run.items)
    assert {"/story/0", "/story/1"} <= set(run.paths)


@pytest.mark.slow
def test_private_addresses_are_not_requested_from_a_public_start(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The public site is behind a proxy, which is the test's server."""
    with Server() as server:
        monkeypatch.setenv("http_proxy", server.url)
        paths = add_stories(server)
        server.add("/moved", b"", status=302, headers={"Location": "http://127.0.0.1:9/secret"})
        server.add("/secret", story(7))
        links = ["http://169.254.169.254/secret", "http://localhost/secret", "/moved"]
        server.add("/feed.xml", rss([*links, *paths]), RSS)
        run = project.crawl("feeds", "feeds=http://news.example/feed.xml", ROBOTSTXT_OBEY=True)
        assert not [url for url in server.requests if "secret" in url]
        allowed = project.crawl(
            "feeds", "feeds=http://news.example/feed.xml", FOREST_ALLOW_PRIVATE=True
        )
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == paths
    assert run.counted("failed") == {"private_address": 3}
    assert "/secret" in allowed.paths


@pytest.mark.slow
@pytest.mark.parametrize("spider", ["records", "site", "feeds"])
def test_a_page_whose_bytes_are_usual_is_tried_before_it_is_read(
    project: Project, spider: str
) -> None:
    """Lists in lists with the properties of items in items: looking for what the page lists took
    minutes, which two Ctrl-C did not end."""
    scopes = "".join(f"<ol itemscope itemtype=Article><li class=c{i}x>a" for i in range(280))
    nested = "<p>Boats are here.</p>" + scopes + "<i itemprop=author>A B" * 5_000
    with Server() as server:
        paths = add_stories(server)
        server.add("/nested", nested)
        server.add("/feed", rss(["/nested", *paths]), RSS)
        server.add("/", "".join(f"<a href={path}>x</a>" for path in ["/nested", *paths]))
        urls = [f"{server.url}{path}" for path in ["/nested", *paths]]
        argument = {
            "records": f"url={','.join(urls)}",
            "site": f"url={server.url}/",
            "feeds": f"feeds={server.url}/feed",
        }[spider]
        run = project.start(spider, argument, FOREST_PAGE_SECONDS=0.05).finish(60)
    assert run.status == 0
    assert run.counted("refused") == {"too_slow": 1}


@pytest.mark.slow
def test_robots_txt_is_obeyed_unless_the_project_says_otherwise(tmp_path: Path) -> None:
    default = Project(tmp_path / "default")
    settings = default.folder / "settings.py"
    lines = settings.read_text().splitlines(keepends=True)
    settings.write_text("".join(line for line in lines if "ROBOTSTXT" not in line))
    with Server() as server:
        paths = add_stories(server)
        server.add("/robots.txt", "User-agent: *\nDisallow: /story/2", "text/plain")
        server.add("/feed.xml", rss(paths), RSS)
        run = default.crawl("feeds", f"feeds={server.url}/feed.xml")
        asked = list(server.requests)
        free = Project(tmp_path / "free").crawl("feeds", f"feeds={server.url}/feed.xml")
    assert {item["url"][-1]: item["status"] for item in run.items} == {
        **dict.fromkeys("013", 200),
        "2": 0,  # what the feed says of it
    }
    assert "/story/2" not in asked
    assert free.paths == paths


def test_header_bytes_that_are_not_utf_8(project: Project) -> None:
    headers = {"X-Odd": "caf\xe9", "ETag": "\xff"}
    with Server() as server:
        paths = add_stories(server)
        for path in paths:
            server.add(path, server.answers[path].body, headers=headers)
        server.add("/feed.xml", rss(paths), RSS, headers=headers)
        run = project.crawl("feeds", f"feeds={server.url}/feed.xml")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == paths
    assert run.items[0]["etag"] == "\xff"


@pytest.mark.parametrize("name", CODECS)
def test_codecs_that_are_no_encodings(project: Project, name: str) -> None:
    with Server() as server:
        paths = add_stories(server)
        server.add("/story/0", story(0), f"text/html; charset={name}")
        meta = f"<head><meta charset={name}>"
        server.add("/story/1", story(1).replace("<head>", meta), "text/html")
        server.add("/feed.xml", rss(paths), f"application/rss+xml; charset={name}")
        run = project.crawl("feeds", f"feeds={server.url}/feed.xml", "follow=1")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == paths


@pytest.mark.slow
@pytest.mark.parametrize("packed", [True, slow(False)])
def test_the_size_of_pages_and_feeds_is_bounded_while_they_are_fetched(
    project: Project, packed: bool
) -> None:
    """The feed entry stands in for a page; the other feed is read."""
    size = 30_000_000
    body = gzip.compress(bytes(size)) if packed else b"<p>a" * (size // 4)
    options = {"headers": {"Content-Encoding": "gzip"}} if packed else {}
    with Server() as server:
        paths = add_stories(server)
        server.add("/bomb.html", body, HTML, **options)
        server.add("/bomb.xml", body, RSS, **options)
        server.add("/feed.xml", rss([Item("/bomb.html", "A bomb", "Described here"), *paths]), RSS)
        run = project.crawl(
            "feeds", f"feeds={server.url}/bomb.xml,{server.url}/feed.xml", FOREST_MAX_BYTES=500_000
        )
    assert run.status == 0
    assert "Traceback" not in run.log
    assert run.paths == ["/bomb.html", *paths]
    assert run.by_path["/bomb.html"]["text"] == "A bomb\nDescribed here"
    assert run.counted("refused") == {"too_large": 1}
    assert run.counted("feeds") == {"failed": 1, "read": 1, "items": 5}


SLOW = {
    "attributes": b"<p " + b" ".join(b"a%d" % i for i in range(1_000_000)) + b">",
    "hidden": b"<p " + b" ".join(b"a%d='</p>'" % i for i in range(60_000)) + b">",
    "paragraphs": b"<p>a" * 72_000,
    "breaks": b"<br>" * 1_000_000,
    "siblings": b"<div>a</div>" * 400_000,
    "word": b"<p>" + b"a" * 9_000_000,
    "classes": b"".join(b"<i class=c%dz>a</i>" % i for i in range(300_000)),
    "deep": b"<div>a " * 2_000 + b"<p>x y z" * 5_000,
}


@pytest.mark.slow
def test_slow_pages_are_dropped_once(project: Project) -> None:
    """A feed entry stands in for every second one; the next run does not read them again."""
    with Server() as server:
        paths = add_stories(server)
        for name, body in SLOW.items():
            server.add(f"/{name}", b"<html><body>" + body)
        described, others = list(SLOW)[::2], list(SLOW)[1::2]
        items = [Item(f"/{name}", "A slow page", "Described here") for name in described]
        server.add("/feed.xml", rss([*paths, *items]), RSS)
        anchors = "".join(f"<a href='/{name}'>x</a>" for name in others)
        server.add("/story/0", story(0).replace("</body>", f"{anchors}</body>"))
        start = ("feeds", f"feeds={server.url}/feed.xml", "follow=1")
        # "deep" takes about as long as the default limit of one second.
        settings = {"JOBDIR": "job", "FOREST_PAGE_SECONDS": 0.2}
        run, again = (project.crawl(*start, **settings) for _ in range(2))
    assert (again.status, again.complaints, again.items) == (0, [], [])
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == sorted([*paths, *(f"/{name}" for name in described)])
    assert run.counted("refused") == {"too_slow": len(SLOW)}
    assert run.log.count("it takes too long (FOREST_PAGE_SECONDS=") == len(SLOW)
    assert run.stat("dropped/too_slow") == len(others)
    assert run.stats["peak_kb"] < 500_000


@pytest.mark.slow
def test_slow_pages_among_threads_and_products_are_dropped_once(project: Project) -> None:
    """The spider looks for lists and next pages, but not on pages that take too long."""
    names = ["attributes", "classes", "deep"]
    with Server() as server:
        for name in names:
            server.add(f"/{name}", b"<html><body>" + SLOW[name])
        urls = ",".join(f"{server.url}/{name}" for name in names)
        # "deep" takes 1.4 to 2.6 s, less than the default limit of 3 s; here the limit is 0.3 s.
        run = project.crawl("records", f"url={urls}", FOREST_PAGE_SECONDS=0.1)
    assert (run.status, run.items) == (0, [])
    assert run.counted("refused") == run.counted("dropped") == {"too_slow": 3}
    assert run.log.count("it takes too long (FOREST_PAGE_SECONDS=") == 3
    assert run.stats["elapsed_time_seconds"] < 120


@pytest.mark.slow
def test_a_slow_feed_is_stopped(project: Project) -> None:
    attributes = b" ".join(b"a%d='1'" % i for i in range(100_000))
    with Server() as server:
        paths = add_stories(server)
        server.add("/slow.xml", b"<rss><channel " + attributes + b">" + rss(paths), RSS)
        server.add("/feed.xml", rss(paths), RSS)
        run = project.crawl("feeds", f"feeds={server.url}/slow.xml,{server.url}/feed.xml")
    assert run.status == 0
    (complaint,) = run.complaints
    assert "slow.xml: takes more than 1.0 s (FOREST_PAGE_SECONDS) to read" in complaint
    assert run.paths == paths


def test_a_page_with_a_few_nul_bytes_is_html(project: Project) -> None:
    with Server() as server:
        paths = add_stories(server)
        server.add("/story/0", story(0).replace("<html", "\0<html").replace("harbour", "har\0bour"))
        server.add("/feed.xml", rss(paths), RSS)
        run = project.crawl("feeds", f"feeds={server.url}/feed.xml")
    assert (run.status, run.complaints) == (0, [])
    assert run.by_path["/story/0"]["method"] == "trained"
