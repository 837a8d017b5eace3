"""One article once, whatever URLs lead to it; canonical URLs that are wrong are ignored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .helpers import RSS, Project, Run, Server, rss, story


def page(number: int, canonical: str = "", template: str = "plain") -> str:
    link = f"<link rel='canonical' href='{canonical}'></head>" if canonical else "</head>"
    return story(number, template).replace("</head>", link)


#: Pages by path: the number of the story, its canonical URL, and its template.
PAGES = {
    "/a": (0, "", "plain"),
    "/moved-here": (1, "/moved-here", "plain"),
    "/b": (2, "/b", "plain"),
    "/b/amp": (2, "/b", "fancy"),
    "/c/print": (3, "/c", "plain"),
    "/c": (3, "", "plain"),
    "/d": (4, "", "plain"),
    "/copy-of-d": (4, "", "plain"),
    # Canonical URLs that name the home page, one page for several articles, and each other.
    "/home-1": (5, "/", "plain"),
    "/home-2": (6, "/", "plain"),
    "/same-1": (7, "/same-1", "plain"),
    "/same-2": (8, "/same-1", "plain"),
    "/loop-1": (9, "/loop-2", "plain"),
    "/loop-2": (10, "/loop-1", "plain"),
    "/twin-1": (11, "/twin-2", "plain"),
    "/twin-2": (11, "/twin-1", "plain"),
}
LINKS = [
    *("/a?utm_source=rss&utm_medium=feed", "/a/", "/a?fbclid=x", "/moved", "/b", "/b/amp"),
    *("/c/print", "/c", "/d", "/copy-of-d", "/home-1", "/home-2", "/same-1", "/same-2"),
    *("/loop-1", "/loop-2", "/twin-1", "/twin-2"),
]


@pytest.fixture(scope="module")
def server_and_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Server, Run]:
    project = Project(tmp_path_factory.mktemp("duplicates"))
    with Server() as server:
        for path, (number, canonical, template) in PAGES.items():
            server.add(path, page(number, canonical, template))
        server.add("/moved", "", status=301, headers={"Location": "/moved-here"})
        server.add("/one.xml", rss([server.url + link for link in LINKS]), RSS)
        server.add("/two.xml", rss(["/b?utm_campaign=two"]), RSS)
        feeds = f"feeds={server.url}/one.xml,{server.url}/two.xml"
        # One at a time, in the order of the feeds.
        run = project.crawl("feeds", feeds, CONCURRENT_REQUESTS=1, FOREST_PAGES=30)
    return server, run


@pytest.fixture(scope="module")
def run(server_and_run: tuple[Server, Run]) -> Run:
    return server_and_run[1]


def stories(run: Run) -> dict[int, list[str]]:
    """The paths of the articles, by the number of their story."""
    found: dict[int, list[str]] = {}
    for path in run.paths:
        found.setdefault(PAGES[path.rstrip("/")][0], []).append(path)
    return found


def test_every_article_once(run: Run) -> None:
    assert (run.status, run.complaints) == (0, [])
    assert {number: len(paths) for number, paths in stories(run).items()} == dict.fromkeys(
        range(12), 1
    )


def test_duplicates_are_counted(run: Run) -> None:
    assert run.counted("duplicates") == {"url": 3, "canonical": 3, "text": 1}
    assert run.counted("dropped") == {"duplicate": 4}
    assert run.stat("canonicals/ignored") >= 3


def test_urls_of_one_page_are_requested_once(server_and_run: tuple[Server, Run]) -> None:
    server, _ = server_and_run
    paths = [path.partition("?")[0].rstrip("/") for path in server.requests]
    assert (paths.count("/a"), paths.count("/b"), paths.count("/moved-here")) == (1, 1, 1)


def test_other_urls(server_and_run: tuple[Server, Run]) -> None:
    server, run = server_and_run
    a, moved = (
        {url.removeprefix(server.url) for url in run.by_path[path]["other_urls"]}
        for path in ("/a", "/moved-here")
    )
    assert a == {"/a/", "/a?fbclid=x"}
    assert moved == {"/moved"}
    article = run.by_path["/a"]
    assert article["url"] == f"{server.url}/a"
    assert article["fetched_url"] == f"{server.url}/a?utm_source=rss&utm_medium=feed"
    assert run.by_path["/moved-here"]["fetched_url"] == ""


def test_wrong_canonical_urls_are_removed(run: Run) -> None:
    for path in ("/home-1", "/home-2"):
        assert run.by_path[path]["canonical_url"] == ""
        assert "canonical_url" not in run.by_path[path]["sources"]
    named = [run.by_path[f"/{name}"]["canonical_url"] for name in ("same-1", "same-2")]
    assert sum(bool(url) for url in named) == 1
    assert "is another page: ignored" in run.log


FAILS = """
class Fails:
    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        pipeline.settings = crawler.settings
        return pipeline

    def process_item(self, item):
        if self.settings.getbool("FAILS"):
            raise RuntimeError("no")
        return item
"""


@pytest.mark.slow
def test_a_copy_of_an_article_that_was_not_exported_is_no_duplicate(
    tmp_path: Path, server: Server
) -> None:
    project = Project(tmp_path / "p", {"own.py": FAILS}, ITEM_PIPELINES={"own.Fails": 900})
    for path in ("/first", "/copy", "/second-copy"):
        server.add(path, story(1))
    server.add("/feed.xml", rss(["/first"]), RSS)
    job: dict[str, Any] = {"JOBDIR": "job", "CONCURRENT_REQUESTS": 1}
    failed = project.crawl("feeds", f"feeds={server.url}/feed.xml", FAILS=True, **job)
    assert failed.counted("dropped") == {"error": 1}
    server.add("/feed.xml", rss(["/copy"]), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed.xml", **job)
    assert run.paths == ["/copy"]
    server.add("/feed.xml", rss(["/second-copy"]), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed.xml", **job)
    assert run.paths == [] and run.counted("dropped") == {"duplicate": 1}


@pytest.mark.slow
@pytest.mark.parametrize("copies_first", [True, False])
def test_an_original_is_no_duplicate_of_its_copy_on_another_site(
    project: Project, server: Server, copies_first: bool
) -> None:
    """The copies name the originals as canonical; a second copy is a duplicate."""
    with Server("localhost") as copier:
        originals = [f"{server.url}/o/{number}" for number in range(6)]
        copies = [f"{copier.url}/{site}/{number}" for site in "cd" for number in range(6)]
        for number, original in enumerate(originals):
            server.add(f"/o/{number}", page(number, original))
            for site in "cd":
                copier.add(f"/{site}/{number}", page(number, original, "fancy"))
        server.add("/copies.xml", rss(copies), RSS)
        server.add("/originals.xml", rss(originals), RSS)
        names = ["copies", "originals"]
        for name in names if copies_first else reversed(names):
            run = project.crawl(
                "feeds", f"feeds={server.url}/{name}.xml", out="all.jsonl", JOBDIR="job"
            )
    assert run.status == 0
    found = {item["url"] for item in run.items}
    assert set(originals) <= found
    assert len(run.items) == len(found) == (12 if copies_first else 6)
