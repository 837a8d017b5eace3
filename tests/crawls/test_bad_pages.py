"""Feed items that are not proper HTML pages: each has an outcome, none causes a traceback."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from .helpers import HTML, RSS, Item, Project, Run, Server, rss, story, story_title

DESCRIPTION = "A description from the feed"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89" + bytes(500)
DESCRIBED = ["/empty", "/blank", "/zip", "/png", "/pdf", "/huge"]
GERMAN = "Die Möwen überquerten bei Sonnenaufgang die Mündung, während die Fähre wartete."


def pack_zip() -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "text " * 200)
    return packed.getvalue()


def german_page() -> str:
    paragraphs = f"<p>{GERMAN}</p>" * 4
    return f"<html><body><h1>Möwen</h1><div class='a'>{paragraphs}</div></body></html>"


def description(path: str) -> str:
    return GERMAN if path in ("/wrong", "/latin1") else DESCRIPTION


def large_page(size: int) -> str:
    """A page of at least ``size`` bytes that contains its feed description."""
    row = "<p>" + " ".join(f"word{i} of the page" for i in range(500)) + "</p>"
    rows = row * (size // len(row) + 1)
    return f"<html><body><div class='t'><h1>{DESCRIPTION}</h1>{rows}</div></body></html>"


def add_bad_pages(server: Server) -> None:
    server.add("/empty", b"")
    server.add("/blank", b" \n\t ")
    server.add("/large", large_page(700_000))
    server.add("/huge", large_page(6_100_000))
    server.add("/deep", "<div>" * 5000 + f"Deep: {DESCRIPTION}" + "</div>" * 5000)
    server.add("/text", "Nothing but one line of text without any markup")
    server.add("/xml", '<?xml version="1.0"?><a><b>A description from the feed, in XML</b></a>')
    server.add("/png", PNG)
    server.add("/zip", pack_zip())
    server.add("/pdf", b"%PDF-1.4\n" + bytes(range(256)) * 4, "application/pdf")
    server.add("/wrong", german_page().encode("latin-1"), "text/html; charset=utf-8")
    server.add("/latin1", german_page().encode("latin-1"), "text/html")
    server.add("/error", "Sorry", status=500)
    server.add("/moved", "", status=302, headers={"Location": "/story/1"})
    server.add("/cut", story(99).encode() * 3, HTML, cut=2000)
    server.add("/reset", story(98), HTML, cut=0)
    server.add("/loop", "", status=302, headers={"Location": "/loop"})


BAD = [
    *("/empty", "/blank", "/large", "/huge", "/deep", "/text", "/xml", "/png", "/zip", "/pdf"),
    *("/wrong", "/latin1", "/error", "/moved", "/cut", "/reset", "/loop"),
]
GOOD = [f"/story/{number}" for number in range(12)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    project = Project(tmp_path_factory.mktemp("bad"))
    with Server() as server:
        add_bad_pages(server)
        for number, path in enumerate(GOOD):
            server.add(path, story(number))
        items = [Item(path, story_title(number), DESCRIPTION) for number, path in enumerate(GOOD)]
        items += [Item(path, f"The bad page {path[1:]}", description(path)) for path in BAD]
        server.add("/feed.xml", rss(items), RSS)
        yield project.crawl(
            "feeds", f"feeds={server.url}/feed.xml",
            FOREST_MAX_BYTES=6_000_000, FOREST_PAGE_SECONDS=60, RETRY_TIMES=0,
            DOWNLOAD_FAIL_ON_DATALOSS=True,
        )  # fmt: skip


def test_no_traceback(run: Run) -> None:
    """The only complaints are those of Scrapy about failed downloads."""
    assert run.status == 0
    downloads = ("downloadermiddlewares.retry]", "handlers.http11]")
    assert [line for line in run.complaints if not any(d in line for d in downloads)] == []


def test_every_item_has_an_outcome(run: Run) -> None:
    outcomes = {stage: sum(run.counted(stage).values()) for stage in ("articles", "dropped")}
    assert sum(outcomes.values()) == len(GOOD) + len(BAD), outcomes
    assert len(run.items) == outcomes["articles"]
    assert max(Counter(run.paths).values()) == 1


def test_good_pages_are_not_affected(run: Run) -> None:
    templates = set()
    for number, path in enumerate(GOOD):
        item = run.by_path[path]
        assert item["method"] == "trained"
        assert f"Paragraph 5 of {number}." in item["text"]
        assert "All rights reserved" not in item["text"]
        templates.add(item["template_id"])
    assert len(templates) == 1


@pytest.mark.parametrize("path", DESCRIBED)
def test_the_feed_entry_stands_in_for_a_page_that_cannot_be_read(run: Run, path: str) -> None:
    item = run.by_path[path]
    assert item["method"] == "description"
    assert item["text"] == f"The bad page {path[1:]}\n{DESCRIPTION}"
    assert item["html"] == f"<p>The bad page {path[1:]}</p>\n<p>{DESCRIPTION}</p>"
    assert (item["xpath"], item["template_id"]) == ("", "")


def test_refusals_are_counted_by_reason(run: Run) -> None:
    assert run.counted("refused") == {
        "empty": 2,
        "not_html": 3,
        "too_large": 1,
        "not_fetched": sum(run.counted("failed").values()),
    }


def test_failures_are_counted_by_reason(run: Run) -> None:
    failed = run.counted("failed")
    assert failed.pop("status_500") == 1
    assert sum(failed.values()) == 2, failed  # the two connections that were closed too early


def test_redirect_to_another_item_is_fetched_once(run: Run) -> None:
    assert run.stats["dupefilter/filtered"] == 2  # this one, and the page that redirects to itself
    assert run.counted("dropped") == {"duplicate": 2}
    assert "/moved" not in run.paths and "/loop" not in run.paths


def test_encodings(run: Run) -> None:
    """Scrapy detects the encoding if none is declared, and uses the declared one even if it is
    wrong."""
    assert GERMAN in run.by_path["/latin1"]["text"]
    assert "bei Sonnenaufgang" in run.by_path["/wrong"]["text"]


@pytest.mark.parametrize("path", ["/large", "/deep", "/text", "/xml"])
def test_odd_pages_give_an_article(run: Run, path: str) -> None:
    assert run.by_path[path]["text"]


def test_bad_pages_without_a_feed_are_dropped(tmp_path: Path) -> None:
    """Pages of the project's own spider have no feed entry that stands in."""
    spider = """
from forest_scrapy import ArticlePage
from scrapy import Spider


class Own(Spider):
    name = "own"

    def parse(self, response):
        yield ArticlePage.from_response(response)
"""
    project = Project(
        tmp_path / "p", {"own.py": spider}, SPIDER_MODULES=["own"], FOREST_MAX_BYTES=6_000_000
    )
    with Server() as server:
        add_bad_pages(server)
        server.add("/void", "<html><body><div><img src='a.png'></div></body></html>")
        paths = [*DESCRIBED, "/void"]
        project.write("own.py", spider + f"    start_urls = {[server.url + p for p in paths]!r}\n")
        run = project.crawl("own")
    assert (run.status, run.complaints, run.items) == (0, [], [])
    assert run.counted("dropped") == {"empty": 2, "not_html": 3, "too_large": 1, "no_content": 1}


@pytest.mark.slow
def test_large_page_does_not_block_the_event_loop(tmp_path: Path) -> None:
    beat = """
import asyncio
import time

from scrapy import signals


class Heart:
    @classmethod
    def from_crawler(cls, crawler):
        heart = cls()
        heart.stats = crawler.stats
        crawler.signals.connect(heart.opened, signal=signals.spider_opened)
        crawler.signals.connect(heart.closed, signal=signals.spider_closed)
        return heart

    def opened(self):
        self.task = asyncio.ensure_future(self.beat())

    def closed(self):
        self.task.cancel()

    async def beat(self):
        while True:
            before = time.thread_time()  # a busy machine does not count
            await asyncio.sleep(0.01)
            self.stats.max_value("longest_block", time.thread_time() - before)
"""
    project = Project(tmp_path / "p", {"own.py": beat}, EXTENSIONS={"own.Heart": 1})
    with Server() as server:
        rows = "".join(f"<p>Word{i} and word{i + 1} were here.</p>" for i in range(12_000))
        server.add("/large", f"<html><body><div class='t'>{rows}</div></body></html>")
        server.add("/feed.xml", rss([Item("/large", "The large page", DESCRIPTION)]), RSS)
        run = project.crawl("feeds", f"feeds={server.url}/feed.xml", FOREST_PAGE_SECONDS=60)
    assert run.items[0]["method"] != "description"
    assert run.stats["longest_block"] < 0.5


def test_a_challenge_among_the_pages_of_a_site_is_blocked(project: Project) -> None:
    challenge = "<title>Just a moment...</title><h1>Site</h1><p>Checking your browser.</p>"
    notice = "<h1>Site</h1><p>JavaScript is disabled. Please enable JavaScript to read on.</p>"
    with Server() as server:
        links = "".join(f"<li><a href='/{n}'>{story_title(n)}</a></li>" for n in range(8))
        links += "<li><a href=/challenge>Owls</a></li><li><a href=/notice>Mice</a></li>"
        server.add("/", f"<ul>{links}</ul>")
        server.add("/challenge", challenge)
        server.add("/notice", notice)
        for number in range(8):
            server.add(f"/{number}", story(number))
        run = project.crawl("site", f"url={server.url}/", "feed=no")
    assert len(run.items) == 8
    assert run.stat("dropped/blocked") == 2
