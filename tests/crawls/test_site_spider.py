"""``scrapy crawl site``."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from demo import DemoServer
from forest_scrapy.stores import RulesStore

from .helpers import RSS, Item, Project, Run, Server, rss, slow, story, story_title

STARTS = ("home", "news", "journal")


@pytest.fixture(scope="module")
def site_runs(
    tmp_path_factory: pytest.TempPathFactory, demo: DemoServer
) -> dict[str, tuple[Project, Run]]:
    """Crawls that start at the home page, and at an article of each template."""
    first = {
        name: next(a.path for a in demo.site.articles if a.path.startswith(f"/{name}/"))
        for name in ("news", "journal")
    }
    arguments = {name: f"article={demo.url}{path}" for name, path in first.items()}
    arguments["home"] = f"url={demo.url}/"

    def crawl(name: str) -> tuple[Project, Run]:
        project = Project(tmp_path_factory.mktemp(name))
        return project, project.crawl("site", arguments[name], "feed=no")

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(STARTS, pool.map(crawl, STARTS), strict=True))


@pytest.mark.parametrize("name", STARTS)
def test_all_articles_and_nothing_else(
    site_runs: dict[str, tuple[Project, Run]], demo: DemoServer, name: str
) -> None:
    _, run = site_runs[name]
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == sorted(article.path for article in demo.site.articles)
    assert run.stat("dropped/not_article") > 5
    assert run.stat("templates/by_content") == len(run.partition) == 2
    assert {item["method"] for item in run.items} == {"trained"}
    assert " are articles (" in run.log and " are not articles (" in run.log


def test_start_page_that_cannot_be_fetched(project: Project) -> None:
    with Server() as server:
        run = project.crawl("site", f"url={server.url}/nothing", RETRY_TIMES=0)
    assert run.status == 1
    assert "Traceback" not in run.log
    assert run.counted("failed") == {"status_404": 1}


def make_site(server: Server, feed: bytes, kind: str = RSS) -> None:
    """A home page that links 12 articles, 12 other pages of their template, and a feed."""
    links = "".join(f"<li><a href='/{i}'>{story_title(i)}</a></li>" for i in range(24))
    server.add("/", f"<link rel=alternate type={RSS.split(';')[0]} href=/feed><ul>{links}</ul>")
    for i in range(24):
        server.add(f"/{i}", story(i))
    server.add("/feed", feed, kind)


def items_of(server: Server) -> bytes:
    elsewhere = Item("http://127.0.0.9:9/away", title="Away")
    return rss([elsewhere, *(Item(f"{server.url}/{i}", title=f"Entry {i}") for i in range(12))])


def test_the_feed_of_the_site_is_evidence(project: Project, server: Server) -> None:
    make_site(server, items_of(server))
    run = project.crawl("site", f"url={server.url}/")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == sorted(f"/{i}" for i in range(24))
    entries = {path: item["entry"] for path, item in run.by_path.items()}
    assert all(entries[f"/{i}"]["title"] == f"Entry {i}" for i in range(12))
    assert all(entries[f"/{i}"] is None for i in range(12, 24))
    assert run.stat("feeds/items") == 13
    assert run.counted("templates").get("by_content", 0) == 0
    assert run.counted("failed") == {}  # no other site is requested


@pytest.mark.slow
def test_without_the_feed_of_the_site(project: Project, server: Server) -> None:
    make_site(server, items_of(server))
    run = project.crawl("site", f"url={server.url}/", "feed=no")
    assert run.paths == sorted(f"/{i}" for i in range(24))
    assert all(item["entry"] is None for item in run.items)
    assert run.stat("templates/by_content") == 1
    assert "/feed" not in server.requests


def test_signifiers_may_come_from_the_links_that_pages_were_requested_for(
    project: Project, server: Server
) -> None:
    """The pages do not link each other, and there is no feed: only the home page has the links."""
    make_site(server, b"")
    options = {"source": "links"}
    run = project.crawl(
        "site",
        f"url={server.url}/",
        "feed=no",
        FOREST_METHOD="forest",
        FOREST_METHOD_OPTIONS=json.dumps(options),
    )
    assert run.paths == sorted(f"/{i}" for i in range(24))
    assert {item["method"] for item in run.items} == {"forest"}
    folder = project.folder / ".scrapy/forest"
    with closing(RulesStore(str(folder / "wrappers.db"), "typed")) as store:
        (host,) = store.hosts()
        (template,) = store.load_named(host)
        assert template.rules is not None
        assert template.rules.wrapper.evidence.signifiers == "links"


@pytest.mark.parametrize("body", [b"<p>No feed", *(slow(body) for body in (b"", None))])
def test_links_are_followed_if_the_feed_cannot_be_read(
    project: Project, server: Server, body: bytes | None
) -> None:
    make_site(server, body or b"")
    if body is None:
        del server.answers["/feed"]
    run = project.crawl("site", f"url={server.url}/", RETRY_TIMES=0)
    assert run.paths == sorted(f"/{i}" for i in range(24))
    assert run.status == 0 and "Traceback" not in run.log


def test_what_is_not_html_is_no_page(project: Project, server: Server) -> None:
    make_site(server, items_of(server))
    files = {
        "/a": ("application/json", "{}"),
        "/b": ("text/plain", "text " * 300),
        "/c": ("text/html", items_of(server).decode()),
        "/d": ("text/xml", "<urlset/>"),
    }
    for path, (kind, body) in files.items():
        server.add(path, body, kind)
    links = "".join(f"<a href={path}>file</a>" for path in [*files, *(f"/{i}" for i in range(24))])
    server.add("/", links)
    run = project.crawl("site", f"url={server.url}/")
    assert run.paths == sorted(f"/{i}" for i in range(24))
    assert run.counted("refused") == {"not_html": 4}


def test_no_article_and_what_to_do(project: Project, server: Server) -> None:
    server.add("/", "<ul>" + "".join(f"<li><a href='/tag/{i}'>{i}</a></li>" for i in range(9)))
    for i in range(9):
        server.add(f"/tag/{i}", f"<ul><li><a href='/'>{i}</a></ul>")
    run = project.crawl("site", f"url={server.url}/")
    assert (run.status, run.items) == (0, [])
    assert "looks like an article" in run.log and "-a article=URL" in run.log


@pytest.mark.parametrize(("argument", "hosts"), [("", 2), slow("whole_domain=yes", 3)])
def test_the_site_is_the_host_of_the_start_page(
    project: Project, server: Server, monkeypatch: pytest.MonkeyPatch, argument: str, hosts: int
) -> None:
    """With and without ``www.``; not the other hosts of its domain, unless they are asked for."""
    monkeypatch.setenv("http_proxy", server.url)
    urls = [f"http://{host}town-register.org/page" for host in ("", "www.", "docs.")]
    links = "".join(f"<a href='{url}'>Page</a>" for url in urls)
    server.add("http://town-register.org/", f"<html><body>{links}</body></html>")
    for number, url in enumerate(urls):
        server.add(url, story(number))
    arguments = filter(None, ["url=http://town-register.org/", "feed=no", argument])
    run = project.crawl("site", *arguments, RETRY_TIMES=0, FOREST_ALLOW_PRIVATE=True)
    asked = {url for url in server.requests if url.endswith("/page")}
    # The pages with and without "www." are one.
    assert len(asked) == hosts - 1, run.log[-2000:]
    assert ("http://docs.town-register.org/page" in asked) == bool(argument)
