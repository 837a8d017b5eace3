"""Requests that spider middlewares drop, which Scrapy does not tell: each has an outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import RSS, Item, Project, Server, rss, story_title
from .test_resumed import serve_stories

LONG = f"/story/long?{'q' * 3000}"
TEXT = " ".join(f"&lt;p&gt;{sentence} of the long story.&lt;/p&gt;" for sentence in ("Owls",) * 40)


def test_an_item_of_a_feed_whose_url_is_too_long_is_an_article_of_its_entry(
    project: Project, server: Server
) -> None:
    serve_stories(server, 9)
    items = [Item(f"/story/{number}", story_title(number)) for number in range(9)]
    items.insert(3, Item(LONG, "A long story", TEXT))
    server.add("/feed.xml", rss(items), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed.xml")
    assert (run.status, len(run.items)) == (0, 10)
    (item,) = (item for item in run.items if item["title"] == "A long story")
    assert (item["method"], item["status"]) == ("entry", 0)
    assert run.counted("failed") == {"url_too_long": 1}
    assert "1 page failed (the URL has more than 2083 characters, URLLENGTH_LIMIT: 1)" in run.log


def test_a_link_that_is_too_long_is_counted(project: Project, server: Server) -> None:
    links = "".join(
        f"<li><a href='{path}'>{story_title(number)}</a> about owls, number {number}</li>"
        for number, path in enumerate([LONG, *(f"/story/{number}" for number in range(9))])
    )
    serve_stories(server, 9)
    server.add("/", f"<html><body><ul>{links}</ul></body></html>")
    run = project.crawl("site", f"url={server.url}/")
    assert run.status == 0
    assert run.counted("failed") == {"url_too_long": 1}


def test_feeds_and_start_pages_that_are_too_long_are_counted(
    project: Project, server: Server
) -> None:
    run = project.crawl("feeds", f"feeds={server.url}{LONG}")
    assert run.status == 1
    assert run.stat("feeds/failed") == 1
    assert "1 feed failed" in run.log


@pytest.mark.slow
def test_links_that_are_too_deep_are_skipped(project: Project, server: Server) -> None:
    serve_stories(server, 6)
    links = "".join(f"<a href='/story/{number}'>{number}</a>" for number in range(6))
    server.add("/", f"<html><body>{links}<a href='/more'>more</a></body></html>")
    server.add("/more", "<html><body><a href='/more/1'>1</a><a href='/more/2'>2</a></body></html>")
    run = project.crawl("site", f"url={server.url}/", DEPTH_LIMIT=1)
    assert run.status == 0
    assert run.counted("skipped") == {"by_middleware": 2}
    assert run.counted("failed") == {}


FORM = """<html><body><form action='/find'><input type=search name=q><input type=hidden name=state
value='{state}'><button>Search</button></form></body></html>"""


def test_a_form_whose_probes_are_too_long_says_so(project: Project, server: Server) -> None:
    pytest.importorskip("form2request")
    server.add("/", FORM.format(state="s" * 3000))
    run = project.crawl("form", f"url={server.url}/")
    assert run.stat("form/too_long") > 0
    assert run.stat("form/failed") == 0


def test_what_middlewares_of_the_project_do_to_requests_is_no_drop(
    tmp_path: Path, server: Server
) -> None:
    """One changes URLs, and hands requests on when all are there."""
    code = """
class Change:
    async def process_spider_output(self, response, result):
        requests = [output async for output in result]
        for output in requests:
            if hasattr(output, "callback"):
                output = output.replace(url=output.url + "?changed=1")
            yield output
"""
    settings = {"SPIDER_MIDDLEWARES": {"own.Change": 950}}
    project = Project(tmp_path / "p", {"own.py": code}, **settings)
    run = project.crawl("feeds", serve_stories(server, 9))
    assert (run.status, len(run.items), run.counted("failed")) == (0, 9, {})
    assert run.counted("skipped") == {}
