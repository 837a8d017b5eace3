"""The same pages give the same items, whichever way they come in.

A crawl, ``forest-scrapy extract``, ``extract_pages`` and Spark's tasks learn from the same pages.
scrapy-poet's provider, ``scrapy parse`` and ``extract --wrappers`` cannot wait for other pages:
they use the rules that the crawl has stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from itemadapter import ItemAdapter

from benchmarks.support import starter
from forest_scrapy import RawPage, extract_pages
from forest_scrapy.core import PAGE_METHODS, Entry
from forest_scrapy.responses.notes import PageNotes
from forest_scrapy.settings import read_settings
from tests.commands.test_main import PROGRAM
from tests.core.records.shop import LAMPS, list_html, product_html
from tests.core.test_extraction_pages import PRICING
from tests.crawls.helpers import (
    RSS,
    Project,
    Server,
    environment,
    read_items,
    slow,
    story,
    thorough,
)
from tests.crawls.helpers import story_title as title_of
from tests.crawls.test_records_spider import forum_pages

pytestmark = pytest.mark.crawl

STORIES = 12
#: What only some ways know: when a page was fetched, what an earlier crawl knew of it, and under
#: which URLs it was found.
_OF_ONE_WAY = ("fetched_at", "change", "other_urls", "dateDownloaded")

ALL_KINDS = "article,thread,product,listing,page"
COMBINATIONS = (
    {},
    {"KINDS": ALL_KINDS, "COMMENTS": "True"},
    {"METHOD": "mss", "FORMATS": "text,markdown", "CAPTIONS": "inline"},
    {"METHOD": "coverage", "COMMENTS": "True", "ITEM": "zyte", "FORMATS": "text,html,markdown"},
    {"METHOD": "sigfeed", "KINDS": "article,product", "FORMATS": "text,html"},
    {"KINDS": "article,thread,page", "ITEM": "zyte"},
)
#: How many of them are in a newcomer's run, and in CI; releases have them all.
_DEFAULT = 1
_IN_CI = 3

POET = """
from scrapy import Spider
from scrapy_poet import DummyResponse

from forest_scrapy import Article


class PoetSpider(Spider):
    name = "poet"

    def __init__(self, urls, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = urls.split()

    def parse(self, response: DummyResponse, article: Article):
        yield article
"""
POET_SETTINGS = {
    "SPIDER_MODULES": ["stories"],
    "SCRAPY_POET_PROVIDERS": {"forest_scrapy.integrations.poet.ArticleProvider": 500},
}


def story_html(number: int) -> str:
    """An article with a date, an author, a picture with a caption, and up to three comments."""
    rows = "".join(
        f'<li class="comment" id="c-{number}{i}"><b class="author">user{i}</b>'
        f"<time>{i + 1} May 2024, 10:15</time>"
        f"<p>Story {number} reminds me of {i + 2} others that were told here last year.</p></li>"
        for i in range(number % 4)
    )
    head = (
        f"<p class='byline'>By <a rel='author' href='/by/{number % 3}'>Ana Bo{number % 3}</a>, "
        f"<time datetime='2024-05-{number + 1:02}T10:00:00+00:00'>May {number + 1}</time></p>"
    )
    figure = (
        f"<figure><img src='/img/{number}.jpg' alt='A boat'>"
        f"<figcaption>Boat {number} in the harbour at dawn</figcaption></figure>"
    )
    page = story(number).replace("<div class='text'>", f"<div class='text'>{head}")
    first = f"Paragraph 0 of {number}.</p>"
    page = page.replace(first, f"{first}{figure}")
    return page.replace("</body>", f"<ol class=comments>{rows}</ol></body>")


def story_pages() -> dict[str, str]:
    return {f"/story/{number}": story_html(number) for number in range(STORIES)}


def site_pages(kinds: str) -> dict[str, str]:
    """The pages by path: the stories, and for other kinds a forum and a shop; and a page that links
    them all."""
    pages = story_pages()
    if kinds != "article":
        lamps = {f"/p/{lamp.key}": product_html(lamp) for lamp in LAMPS}
        lists = {"/lamps": list_html(LAMPS[:4], "/more"), "/more": list_html(LAMPS[4:])}
        pages |= {**forum_pages(), **lamps, **lists, "/pricing": PRICING}
    links = "".join(f"<li><a href='{path}'>Page {path}</a></li>" for path in pages)
    return {"/": f"<html lang=en><body><h1>All pages</h1><ul>{links}</ul></body></html>", **pages}


@dataclass(frozen=True)
class Site:
    """A site that is served, and a project whose crawls have the settings of a combination."""

    server: Server
    project: Project
    pages: Mapping[str, str]
    settings: Mapping[str, str]

    @property
    def options(self) -> list[str]:
        return [option for pair in self.settings.items() for option in ("-s", "=".join(pair))]

    @property
    def store(self) -> str:
        return str(self.project.folder / ".scrapy" / "forest" / "wrappers.db")

    @property
    def learns_by_page(self) -> bool:
        """Whether the method looks at each page by itself, so that nothing is stored."""
        return self.settings.get("FOREST_METHOD") in PAGE_METHODS

    def url(self, path: str) -> str:
        return f"{self.server.url}{path}"

    def run(self, *command: str) -> None:
        done = starter.run(command, self.project.folder, environment())
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == 0, done.stderr


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """The site for the combination that is the parameter."""
    settings = {f"FOREST_{name}": value for name, value in request.param.items()}
    pages = site_pages(settings.get("FOREST_KINDS", "article"))
    modules = {"stories/__init__.py": "", "stories/spider.py": POET}
    addons = {"forest_scrapy.Addon": 500, "scrapy_poet.Addon": 300}
    project = Project(tmp_path / "project", modules, ADDONS=addons, **POET_SETTINGS)
    with Server() as server:
        for path, html in pages.items():
            server.add(path, html)
        yield Site(server, project, pages, settings)


def by_path(items: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The comparable part of each item by its path, as JSON has it."""
    found = {}
    for item in items:
        parts = urlsplit(item["url"])
        path = f"{parts.path}?{parts.query}".rstrip("?")
        assert path not in found
        found[path] = json.loads(json.dumps(comparable(item)))
    return found


def comparable(value: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: part for name, part in value.items() if name not in _OF_ONE_WAY}
    if metadata := kept.get("metadata"):
        kept["metadata"] = comparable(metadata)
    return kept


def crawl(site: Site) -> dict[str, dict[str, Any]]:
    run = site.project.crawl("site", f"url={site.url('/')}", "follow=1", **site.settings)
    assert (run.status, run.complaints) == (0, [])
    return by_path(run.items)


def extract(site: Site, *options: str) -> dict[str, dict[str, Any]]:
    """``forest-scrapy extract``."""
    lines = [json.dumps({"url": site.url(path), "html": html}) for path, html in site.pages.items()]
    site.project.write("pages.jsonl", "\n".join(lines))
    site.run(*PROGRAM, "extract", "pages.jsonl", "-o", "out.jsonl", *options, *site.options)
    return by_path(read_items(site.project.folder / "out.jsonl"))


def pages_in_python(site: Site) -> dict[str, dict[str, Any]]:
    """``extract_pages``."""
    pages = [RawPage(site.url(path), html) for path, html in site.pages.items()]
    found = extract_pages(pages, read_settings(site.settings))
    return by_path(ItemAdapter(item).asdict() for item in found)


def spark(site: Site) -> dict[str, dict[str, Any]]:
    """What Spark's tasks do, without Spark."""
    pd = pytest.importorskip("pandas", reason="Spark's tasks need pandas")
    from forest_scrapy.core.page.urls import host_with_port, page_key
    from forest_scrapy.integrations import spark_tasks as tasks

    settings = read_settings(site.settings)
    urls = [site.url(path) for path in site.pages]
    frame = pd.DataFrame({
        "url": urls, "html": [html.encode() for html in site.pages.values()], "status": 200,
        "fetched_at": "", "headers": None, "error": "", "is_text": True,
        "host": host_with_port(urls[0]), "key": [page_key(url) for url in urls], "part": 0,
    })  # fmt: skip
    plan = tasks.learn_host(frame, settings, False)
    parts = tasks.extract_parts(frame, plan, settings, False)
    groups = [group for _, group in parts[parts["reason"] == ""].groupby(["host", "part"])]
    joined = [tasks.join_parts(group, settings) for group in groups]
    return by_path(json.loads(text) for one in joined for text in one["item"])


def poet(site: Site, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The articles that scrapy-poet provides."""
    urls = " ".join(map(site.url, paths))
    run = site.project.crawl("poet", f"urls={urls}", **site.settings)
    assert (run.status, run.complaints) == (0, [])
    return by_path(run.items)


def parse(site: Site, path: str, spider: Sequence[str] = (), **notes: Any) -> dict[str, Any]:
    """What ``scrapy parse`` makes of a page."""
    spider = spider or ("--spider", "site", "-a", f"url={site.url('/')}")
    meta = ("--meta", json.dumps(PageNotes(**notes).to_meta())) if notes else ()
    out = site.project.folder / "parsed.jsonl"
    out.unlink(missing_ok=True)
    command = ["scrapy", "parse", *spider, "-c", "parse_page", "--noitems", "--nolinks"]
    site.run("-m", *command, *meta, "-o", out.name, *site.options, site.url(path))
    return by_path(read_items(out))[path]


def cases() -> list[Any]:
    named = [pytest.param(one, id=" ".join(one.values()) or "default") for one in COMBINATIONS]
    in_ci = [pytest.param(*one.values, id=one.id, marks=pytest.mark.slow) for one in named]
    all_marks = (pytest.mark.slow, pytest.mark.thorough)
    of_releases = [pytest.param(*one.values, id=one.id, marks=all_marks) for one in named]
    return named[:_DEFAULT] + in_ci[_DEFAULT:_IN_CI] + of_releases[_IN_CI:]


@pytest.mark.parametrize("site", cases(), indirect=True)
def test_the_same_items(site: Site) -> None:
    crawled = crawl(site)
    kinds = site.settings.get("FOREST_KINDS", "article").split(",")
    paths = expected_paths(kinds)
    assert paths <= crawled.keys()
    assert extract(site) == crawled
    assert pages_in_python(site) == crawled
    assert spark(site) == crawled
    stories = [path for path in story_pages() if "article" in kinds]
    threads = [path for path in paths if path.startswith("/t/")]
    stored = extract(site, "--wrappers", site.store)
    known = {path: item for path, item in crawled.items() if path in (*stories, *threads)}
    if site.learns_by_page:
        known = {path: without_template(item) for path, item in known.items()}
    assert {path: stored[path] for path in known} == known
    if stories:
        assert poet(site, stories) == {path: known[path] for path in stories}
        assert parse(site, stories[3]) == known[stories[3]]
        assert_wanted(site, crawled[stories[3]])
    if single := [path for path in threads if len(crawled[path]["pages"]) == 1]:
        assert parse(site, single[0]) == known[single[0]]


def assert_wanted(site: Site, story: Mapping[str, Any]) -> None:
    """The article has what the settings say."""
    rest, text = story.get("metadata", story), story.get("articleBody", story.get("text"))
    has_comments = site.settings.get("FOREST_COMMENTS") == "True"
    assert len(rest.get("comments") or ()) == (3 if has_comments else 0)
    is_inline = site.settings.get("FOREST_CAPTIONS") == "inline"
    assert ("Boat 3 in the harbour" in text) == is_inline
    assert bool(rest.get("markdown")) == ("markdown" in site.settings.get("FOREST_FORMATS", ""))


def expected_paths(kinds: Sequence[str]) -> set[str]:
    """The paths of the pages of these kinds; the pages of a thread are one item, at the first."""
    by_kind = {
        "article": set(story_pages()),
        "thread": {path for path in forum_pages() if path.startswith("/t/") and "?" not in path},
        "product": {f"/p/{lamp.key}" for lamp in LAMPS},
        "listing": {"/lamps", "/more"},
        "page": {"/pricing"},
    }
    return set().union(*(by_kind[kind] for kind in kinds))


def without_template(item: dict[str, Any]) -> dict[str, Any]:
    """An item by a method that looks at each page by itself: nothing is stored of its template."""
    if "metadata" in item:
        return {**item, "metadata": {**item["metadata"], "template_id": None}}
    return {**item, "template_id": ""}


ENTRIES = [
    {"FEED_FIELDS": "True", "METHOD": "forest"},
    slow({"FEED_FIELDS": "False", "COMMENTS": "True"}),
    thorough({"FEED_FIELDS": "True", "METHOD": "sigfeed", "FORMATS": "text"}),
    thorough({"FEED_FIELDS": "False", "CAPTIONS": "inline", "ITEM": "zyte"}),
]


def entry_of(number: int) -> Entry:
    """The feed entry of a story."""
    return Entry(
        title=f"{title_of(number)}, says the feed",
        description=f"Boats {number}",
        published=f"2024-05-{number + 1:02}T10:00:00+00:00",
        author="Cy Dee",
        tags=("boats",),
    )


def feed_of(paths: Sequence[str]) -> str:
    rows = ""
    for number, path in enumerate(paths):
        one = entry_of(number)
        rows += (
            f"<item><title>{one.title}</title><link>{path}</link><author>{one.author}</author>"
            f"<description>{one.description}</description><category>{one.tags[0]}</category>"
            f"<pubDate>{number + 1:02} May 2024 10:00:00 +0000</pubDate></item>"
        )
    return f'<rss version="2.0"><channel><title>Feed</title>{rows}</channel></rss>'


@pytest.mark.slow
@pytest.mark.parametrize("site", ENTRIES, indirect=True)
def test_the_same_items_with_feed_entries(site: Site) -> None:
    """A crawl of a feed, and ``scrapy parse`` with the entry of the page."""
    paths = list(story_pages())
    site.server.add("/feed.xml", feed_of(paths), RSS)
    feed = f"feeds={site.url('/feed.xml')}"
    run = site.project.crawl("feeds", feed, **site.settings)
    crawled = by_path(run.items)
    assert crawled.keys() == set(paths)
    for number in (1, 3):
        item = crawled[paths[number]]
        entry = Entry.from_dict(item.get("metadata", item)["entry"])
        assert (entry.title, entry.author) == (entry_of(number).title, "Cy Dee")
        spider = ("--spider", "feeds", "-a", feed)
        expected = without_template(item) if site.learns_by_page else item
        assert parse(site, paths[number], spider, entry=entry) == expected
