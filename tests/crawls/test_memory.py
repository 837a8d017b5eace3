"""Memory does not grow with the number of pages."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, story, story_title

#: Both are many more than a template waits for.
FEW, MANY = 400, 1000
pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Run]:
    padding = "<!-- as long as usual pages -->" * 1500
    with Server() as server, ThreadPoolExecutor(2) as pool:
        for number in range(MANY):
            server.add(f"/story/{number}", story(number) + padding)

        def crawl(pages: int) -> Run:
            items = [Item(f"/story/{i}", story_title(i)) for i in range(pages)]
            server.add(f"/{pages}.xml", rss(items), RSS)
            project = Project(tmp_path_factory.mktemp("memory"))
            feeds = f"feeds={server.url}/{pages}.xml"
            return project.crawl("feeds", feeds, LOG_LEVEL="INFO", CONCURRENT_REQUESTS=8)

        return dict(zip((FEW, MANY), pool.map(crawl, (FEW, MANY)), strict=True))


@pytest.mark.parametrize("pages", [FEW, MANY])
def test_all_pages_are_exported(runs: dict[int, Run], pages: int) -> None:
    assert (runs[pages].status, runs[pages].complaints) == (0, [])
    assert len(runs[pages].items) == pages
    assert runs[pages].stat("templates/learned") == 1
    assert len(runs[pages].partition) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_peak_does_not_grow_with_the_pages(runs: dict[int, Run]) -> None:
    growth = runs[MANY].stats["peak_kb"] - runs[FEW].stats["peak_kb"]
    assert growth < 25_000, f"{growth} KB"
