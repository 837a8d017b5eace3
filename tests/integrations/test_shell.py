"""The article of a response at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawls.helpers import Project, environment
from scrapy.http import HtmlResponse, TextResponse
from scrapy.settings import Settings

import forest_scrapy
from benchmarks.support import starter
from demo import DemoServer

HTML = (
    "<html><head><title>Owls of the harbour</title></head><body><h1>Owls of the harbour</h1>"
    + "".join(
        f"<p>The owls, which nobody had counted since the year {1990 + i}, sat on the cranes again,"
        " and the harbour master wrote down each of them with care.</p>"
        for i in range(6)
    )
    + "</body></html>"
)


def test_a_page_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    response = HtmlResponse("https://a.example/owls", body=HTML.encode(), encoding="utf-8")
    found = forest_scrapy.article(response, settings=Settings())
    assert isinstance(found, forest_scrapy.Article)
    assert (found.title, found.method) == ("Owls of the harbour", "single")
    assert found.text.count("harbour master") == 6
    assert list(tmp_path.iterdir()) == []
    other = TextResponse("https://a.example/owls.txt", body=b"owls", encoding="utf-8")
    assert forest_scrapy.article(other, settings=Settings()) is None


@pytest.mark.slow
@pytest.mark.crawl
def test_in_the_shell(tmp_path: Path) -> None:
    """With the stored wrapper of the page's template; the project's exports stay as they are."""
    feeds = {"kept.jsonl": {"format": "jsonlines", "overwrite": True}}
    project = Project(tmp_path / "project", FEEDS=feeds)
    with DemoServer() as demo:
        path = demo.site.articles[0].path
        run = project.crawl("feeds", f"feeds={demo.feed_url}")
        exported = (project.folder / "kept.jsonl").read_text()
        code = "article(response).wrapper_id"
        command = ["-m", "scrapy", "shell", demo.url + path, "-c", code]
        done = starter.run(command, project.folder, environment())
    assert done.stdout.split()[-1] == run.by_path[path]["wrapper_id"], done.stderr
    assert exported
    assert (project.folder / "kept.jsonl").read_text() == exported
