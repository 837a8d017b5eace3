"""The templates do not depend on the order in which the pages come."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from forest_scrapy.demo import DemoServer, build_site
from tests.core.helpers import score_texts

from .helpers import RSS, Item, Project, Run, rss

ORDERS = ("sorted", "shuffled", "reversed")


@pytest.fixture(scope="module")
def crawls(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Run, list[tuple[Any, ...]]]]:
    """A crawl for each order, page by page, and the rows of its wrapper store."""
    articles = sorted(build_site("http://demo").articles, key=lambda article: article.path)
    items = [Item(article.path, article.title, article.text[:200]) for article in articles]
    shuffled = random.Random(3).sample(items, len(items))
    feeds = dict(zip(ORDERS, (items, shuffled, items[::-1]), strict=True))
    extra = {f"/{name}.xml": (RSS, rss(feed)) for name, feed in feeds.items()}
    with DemoServer(extra=extra) as server, ThreadPoolExecutor(2) as pool:

        def crawl(name: str) -> tuple[Run, list[tuple[Any, ...]]]:
            project = Project(tmp_path_factory.mktemp(name))
            url = f"{server.url}/{name}.xml"
            run = project.crawl("feeds", f"feeds={url}", CONCURRENT_REQUESTS=1)
            return run, project.wrappers()

        return dict(zip(ORDERS, pool.map(crawl, ORDERS), strict=True))


@pytest.mark.parametrize("name", ORDERS[1:])
def test_same_templates(crawls: dict[str, tuple[Run, list[tuple[Any, ...]]]], name: str) -> None:
    first, first_wrappers = crawls["sorted"]
    other, other_wrappers = crawls[name]
    assert first.complaints == other.complaints == []
    assert [item["url"] for item in first.items] != [item["url"] for item in other.items]
    # The wrappers depend on which ten pages of a template came first; their templates do not.
    ids = [row[:3] for row in first_wrappers]
    assert len(ids) == 2 and [row[:3] for row in other_wrappers] == ids
    assert len(first.partition) == 2
    for path, item in first.by_path.items():
        assert other.by_path[path]["template_id"] == item["template_id"]
        assert score_texts(item["text"], other.by_path[path]["text"]) > 0.85
