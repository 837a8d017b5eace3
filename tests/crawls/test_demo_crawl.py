"""A crawl of the demo site, and what the next crawl reuses; also by this checkout's project."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from demo import DemoServer
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.items import Article

from .helpers import ROOT, Item, Project, Run, bigram_f1, rss

FIELDS = [field.name for field in fields(Article)]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def run(scratch: Project, demo: DemoServer) -> Run:
    return scratch.crawl("feeds", f"feeds={demo.feed_url}")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project of this checkout, copied so that nothing is written to it."""
    folder = tmp_path_factory.mktemp("checkout")
    scratch = Project(folder)
    for name in ("spiders", "pipelines"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "scrapy.cfg", folder)
    return scratch


@pytest.fixture(scope="module")
def checkout_run(checkout: Project) -> Run:
    return crawl_demo(checkout)


def crawl_demo(checkout: Project) -> Run:
    """Without an argument, the checkout's feeds spider serves and crawls the demo site."""
    return checkout.crawl(
        "feeds", STATS_CLASS="probes.JsonStats", TELNETCONSOLE_ENABLED=False, LOG_LEVEL="DEBUG"
    )


@pytest.mark.parametrize("name", ["run", "checkout_run"])
def test_writes_thirty_articles(name: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(name)
    assert (run.status, run.complaints) == (0, [])
    assert len(run.items) == len(set(run.paths)) == 30
    assert run.counted("articles") == {"trained": 30}
    assert run.counted("dropped") == {}
    assert run.stat("templates/learned") == 2
    assert "30 articles (trained 30) of 30 pages; 0 dropped; 2 wrappers learned" in run.log


@pytest.mark.slow
@pytest.mark.thorough
def test_the_next_crawl_gives_the_same_articles(checkout: Project, checkout_run: Run) -> None:
    again = crawl_demo(checkout)
    assert again.paths == checkout_run.paths
    assert again.stat("templates/loaded") == 2
    for path, item in checkout_run.by_path.items():
        assert without_port(again.by_path[path]) == without_port(item)


def without_port(item: dict[str, Any]) -> dict[str, Any]:
    """An article without what differs between two servers: the port, and when it was fetched."""
    text = re.sub(r"127\.0\.0\.1:\d+", "demo", json.dumps(item))
    return {**json.loads(text), "fetched_at": "", "etag": "", "change": {}}


def test_fields(run: Run, demo: DemoServer) -> None:
    for gold in demo.site.articles:
        item = run.by_path[gold.path]
        assert list(item) == FIELDS
        assert item["title"] == gold.title
        assert datetime.fromisoformat(item["published"]) == datetime.fromisoformat(gold.published)
        assert item["entry"]["tags"] == list(gold.tags)
        assert item["entry"]["description"][:40] == gold.text[:40]
        assert item["entry"]["feed"].endswith("/feed.xml")
        assert item["method"] == "trained"
        assert item["xpath"].startswith("//") and item["score"] > 0
        assert datetime.fromisoformat(item["fetched_at"]).tzinfo
        assert item["html"].startswith("<") and "<script" not in item["html"]
        captions = {image["caption"] for image in item["images"]}
        lines = block_text(parse_html(item["html"])).split("\n")
        assert [line for line in lines if line not in captions] == item["text"].split("\n")
        assert item["authors"] == list(gold.authors)
        assert item["tags"] == list(gold.tags)
        assert item["language"] == gold.language
        assert item["canonical_url"] == item["url"] and item["site_name"] == "The Harbour Gazette"
        assert item["sources"]["title"] in ("json-ld", "opengraph")
        assert item["wrapper_id"]


def test_templates_are_news_and_journal(run: Run, demo: DemoServer) -> None:
    paths = [article.path for article in demo.site.articles]
    sections = ("/news/", "/journal/")
    assert run.partition == {frozenset(p for p in paths if p.startswith(s)) for s in sections}


def test_text_is_the_article(run: Run, demo: DemoServer) -> None:
    scores = [bigram_f1(run.by_path[a.path]["text"], a.text) for a in demo.site.articles]
    assert mean(scores) > 0.85
    assert min(scores) > 0.6


def test_only_wrappers_history_and_digest_are_left(run: Run, scratch: Project) -> None:
    left = [path.name for path in (scratch.folder / ".scrapy" / "forest").iterdir()]
    assert sorted(left) == ["health.html", "health.json", "history.db", "wrappers.db"]


def test_next_crawl_uses_the_stored_wrappers_at_once(demo: DemoServer, tmp_path: Path) -> None:
    """Three pages, of templates that are learned from ten."""
    project = Project(tmp_path)
    chosen = [demo.site.articles[i] for i in (0, 1, 12)]
    extra = {"/three.xml": ("text/xml", rss(Item(article.path) for article in chosen))}
    with DemoServer(extra=extra) as server:
        run = project.crawl("feeds", f"feeds={server.feed_url}")
        stored = project.wrappers()
        again = project.crawl("feeds", f"feeds={server.url}/three.xml")
    assert (again.status, again.complaints) == (0, [])
    assert again.paths == sorted(article.path for article in chosen)
    assert again.counted("templates") == {"loaded": 2}
    assert again.counted("articles") == {"trained": 3}
    assert "pending; released" not in again.log
    for path, item in again.by_path.items():
        assert item["template_id"] == run.by_path[path]["template_id"]
    assert project.wrappers() == stored
