"""What a spider knows besides of a page comes with its item."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from benchmarks.support.starter import run
from forest_scrapy.items import ArticlePage, BadExtra

from .helpers import Project, Server, environment, story

_SPIDER = """
import scrapy
from forest_scrapy import ArticlePage

class OwnSpider(scrapy.Spider):
    name = "own"

    def parse(self, response, category="none"):
        yield ArticlePage.from_response(response, extra={"category": category})

    async def start(self):
        for i in range(int(self.first), int(self.first) + 4):
            url = f"{self.site}/{i}"
            yield scrapy.Request(url, cb_kwargs={"category": f"category {i}"})
"""
_COLUMNS = ("url", "extra")


def make_project(tmp_path: Path, server: Server) -> Project:
    for i in range(8):
        server.add(f"/{i}", story(i))
    return Project(tmp_path / "own", {"own.py": _SPIDER}, SPIDER_MODULES=["own"])


def test_extra_rides_along(tmp_path: Path, server: Server) -> None:
    project = make_project(tmp_path, server)
    for first in (0, 4):  # pages that wait for their template, and pages that do not
        done = project.crawl("own", f"site={server.url}", f"first={first}")
        assert done.complaints == []
        found = {path: item["extra"] for path, item in done.by_path.items()}
        assert found == {f"/{i}": {"category": f"category {i}"} for i in range(first, first + 4)}


def test_a_page_is_tried_with_scrapy_parse(tmp_path: Path, server: Server) -> None:
    project = make_project(tmp_path, server)
    project.crawl("own", f"site={server.url}", "first=0")
    command = ["-m", "scrapy", "parse", f"{server.url}/7", "--spider", "own", "--pipelines"]
    shown = run([*command, "--nocolour"], project.folder, environment())
    assert shown.returncode == 0
    assert "'method': 'trained'" in shown.stdout
    assert "Paragraph 5 of 7" in shown.stdout


def test_extra_must_be_json() -> None:
    response = HtmlResponse("https://a.example/", body=b"<p>Owls")
    with pytest.raises(BadExtra, match="must be JSON values"):
        ArticlePage.from_response(response, extra={"when": object()})
