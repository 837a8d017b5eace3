"""Threads of a spider of one's own, which yields every page as one that may be no article."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import Project, Server
from .test_records_spider import posts_of, thread_html

_SPIDER = """
import scrapy
from forest_scrapy import ArticlePage

class ForumSpider(scrapy.Spider):
    name = "forum"

    def parse(self, response):
        page = ArticlePage.from_response(response)
        page.is_article = False
        yield page

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)
"""


@pytest.mark.slow
def test_crawls_of_the_same_threads_store_one_template(tmp_path: Path, server: Server) -> None:
    # So many links that the threads do not look like articles.
    links = "".join(f"<li><a href=/u/{n}>All the posts of the user {n}</a>" for n in range(90))
    paths = ("lantern", "quarry", "meadow")
    for path in paths:
        html = thread_html(path, posts_of(path, 1, 5))
        server.add(f"/t/{path}", html.replace("</ul>", f"{links}</ul>"))
    project = Project(tmp_path / "own", {"own.py": _SPIDER}, SPIDER_MODULES=["own"])
    urls = f"urls={','.join(f'{server.url}/t/{path}' for path in paths)}"
    kinds = {"FOREST_KINDS": "article,thread,product,listing"}
    runs = [project.crawl("forum", urls, **kinds) for _ in range(3)]
    assert [len(run.items) for run in runs] == [3, 3, 3]
    assert "are not articles" in runs[0].log
    assert len(project.wrappers()) == 1
    assert [run.stat("records/thread") for run in runs] == [1, 0, 0]
    assert len({item["template_id"] for run in runs for item in run.items}) == 1
    assert not any("looks like an article" in run.log for run in runs)
