"""``scrapy crawl site``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from forest_scrapy.demo import DemoServer

from .helpers import Project, Run, Server

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
        return project, project.crawl("site", arguments[name])

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
    assert run.status == 0
    assert "Traceback" not in run.log
    assert run.counted("failed") == {"status_404": 1}
