"""Exports with a file for each site: any hosts, and any number of them."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import feedparser
import pytest

from .helpers import Project, Server, read_items, thorough
from .test_resumed import KILL, serve_stories, story_paths

SPIDER = """
import resource

from scrapy import Spider

resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


class ManySites(Spider):
    name = "many"
    start_urls = ["data:,"]

    def parse(self, response):
        for number, url in enumerate(URLS):
            yield {"url": url, "title": f"Owl {number}", "text": "Owls."}
"""
HOSTILE = [
    "http://%(x)s.example/1",
    "http://%s%d.example/1",
    "http://100%.example/1",
    f"http://{'a.' * 120}example.org:80/1",
    f"http://{'b' * 266}/1",
    f"http://{'u' * 300}:secret@127.0.0.1:80/1",
    "http://user:secret@127.0.0.1/1",
    "http://../1",
    "http://..%2f..%2fup.example/1",
    "http://[::1]/1",
    "http://[bad/1",
    "http:///1",
    "not a url",
    "http://nul\0.example/1",
    "http://b\u00fccher.example/1",
    f"http://{chr(0xFC) * 200}/1",
    "http://con/1",
]


def project_with(tmp_path: Path, urls: list[str]) -> Project:
    return Project(tmp_path / "p", {"own.py": f"URLS = {urls!r}\n{SPIDER}"}, SPIDER_MODULES=["own"])


def titles(folder: Path) -> Counter[str]:
    lines = [
        line for path in folder.iterdir() for line in path.read_text("utf-8").splitlines() if line
    ]
    return Counter(json.loads(line)["title"] for line in lines)


def test_hosts_that_are_no_names_of_files(tmp_path: Path) -> None:
    urls = [*HOSTILE, *(f"http://a{number}.example/1" for number in range(20))]
    project = project_with(tmp_path, urls)
    feeds = json.dumps({"sites/100/%(name)s-%(site)s.jsonl": {"format": "jsonlines"}})
    run = project.crawl("many", out="-", FEEDS=feeds)
    assert (run.status, run.complaints) == (0, [])
    folder = project.folder / "sites/100"
    assert titles(folder) == Counter(f"Owl {number}" for number in range(len(urls)))
    names = [path.name for path in folder.iterdir()]
    assert all(name.startswith("many-") and len(name.encode()) <= 140 for name in names)
    assert not any("secret" in name for name in names)


@pytest.mark.parametrize("mode", ["append", thorough("overwrite")])
def test_more_sites_than_files_may_be_open(tmp_path: Path, mode: str) -> None:
    """Each has two articles, the second after its file was closed."""
    sites = [f"http://a{number}.example" for number in range(400)]
    urls = [f"{site}/{number}" for number in range(2) for site in sites]
    project = project_with(tmp_path, urls)
    is_new = mode == "overwrite"
    feeds: dict[str, Any] = {
        f"{format}/%(site)s.{format}": {"format": format, "overwrite": is_new}
        for format in ("jsonl", "csv", "xml", "rss")
    }
    run = project.crawl("many", out="-", FEEDS=json.dumps(feeds))
    assert (run.status, run.complaints) == (0, [])
    assert titles(project.folder / "jsonl") == Counter(f"Owl {number}" for number in range(800))
    for path in (project.folder / "csv").iterdir():
        assert path.read_text("utf-8").splitlines()[0] == "url,title,text"
        assert len(path.read_text("utf-8").splitlines()) == 3
    for path in (project.folder / "xml").iterdir():
        assert path.read_text("utf-8").count("<item>") == 2
    for path in (project.folder / "rss").iterdir():
        assert len(feedparser.parse(path.read_bytes()).entries) == 2


@pytest.mark.slow
def test_what_a_killed_crawl_wrote_to_the_file_of_a_site_is_known(
    tmp_path: Path, server: Server
) -> None:
    """It is killed before the first commit after the file was opened."""
    code = f"from forest_scrapy.crawl import recovery\n\nrecovery.DELAY = 1000\n{KILL}"
    project = Project(tmp_path / "p", {"own.py": code}, EXTENSIONS={"own.Kill": 900})
    feed = serve_stories(server, 24)
    feeds = json.dumps({"sites/%(site)s.jsonl": {"format": "jsonlines"}})
    options = {"out": "-", "FEEDS": feeds, "JOBDIR": "job"}
    assert project.crawl("feeds", feed, KILL_AT=5, **options).status == -signal.SIGKILL
    project.write("own.py", KILL)
    run = project.crawl("feeds", feed, KILL_AT=0, **options)
    assert (run.status, run.complaints) == (0, [])
    (path,) = (project.folder / "sites").iterdir()
    urls = sorted(item["url"] for item in read_items(path))
    assert urls == [f"{server.url}{story}" for story in story_paths(24)]


def test_an_export_with_files_of_sites_that_cannot_be_resumed_is_named(tmp_path: Path) -> None:
    project = project_with(tmp_path, ["http://a.example/1"])
    feeds = json.dumps({"sites/%(site)s.xml": {"format": "xml"}})
    run = project.crawl("many", out="-", FEEDS=feeds, JOBDIR="job")
    (line,) = run.complaints
    assert "sites/%(site)s.xml is written as xml: if the crawl is killed and resumed" in line
