"""Text that articles of two templates of a host have is left out, in whatever order they come."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from forest_scrapy import extract_pages
from forest_scrapy.core import Page
from tests.core.test_repeated import ASK, NEWS, SPORT, story

from .helpers import RSS, Item, Project, Run, Server, rss

SMALL = story(20, section="opinion")
PAGES = {page.url.removeprefix("http://a.example"): page for page in (*NEWS, *SPORT, SMALL)}


def write(page: Page) -> str:
    return html.tostring(page.root, encoding="unicode")


def texts(run: Run) -> dict[str, str]:
    assert run.complaints == []
    return {path: item["text"] for path, item in run.by_path.items()}


@pytest.mark.crawl
@pytest.mark.slow
def test_repeated_text(tmp_path: Path) -> None:
    """Two templates with enough pages to learn from, and a single page; the next crawl knows it."""
    found = []
    with Server() as server:
        server.add(
            "/feed.xml", rss([Item(path, page.declared.title) for path, page in PAGES.items()]), RSS
        )
        for path, page in PAGES.items():
            server.add(path, write(page))
        pages = [(f"{server.url}{path}", write(page)) for path, page in PAGES.items()]
        for number in (1, 2):
            source = random.Random(number)
            for path, answer in server.answers.items():
                server.answers[path] = replace(answer, delay=source.random() / 4)
            project = Project(tmp_path / str(number))
            feeds = f"feeds={server.url}/feed.xml"
            found += [texts(project.crawl("feeds", feeds, FOREST_PAGES=3)) for _ in range(2)]
        batch = {item.url: item.text for item in extract_pages(pages, are_articles=True)}
    first = found[0]
    assert first.keys() == PAGES.keys()
    assert not any(ASK in text for text in first.values())
    assert all(text.count(".") == 24 for text in first.values())
    assert all(one == first for one in found)
    assert {url.removeprefix(server.url): text for url, text in batch.items()} == first
