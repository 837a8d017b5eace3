"""Invalid settings and arguments end the crawl before it begins, with one line that says why."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .helpers import Project, Run

SETTINGS = {
    ("FOREST_PAGES", "abc"): "an integer from 2",
    ("FOREST_PAGES", "1"): "an integer from 2",
    ("FOREST_METHOD_OPTIONS", "foo"): """a dict, or JSON such as {"signifiers": 10}""",
    ("FOREST_DISTANCE", "cp"): "use FOREST_METHOD_OPTIONS = {'distance': 'cp'}",
    ("FOREST_PAGE", "5"): "FOREST_PAGE is not a setting; did you mean FOREST_PAGES?",
    ("FOREST_STORE", "redis://127.0.0.1/0"): "there is no store for 'redis'; use sqlite:///PATH",
    ("TWISTED_REACTOR", "twisted.internet.selectreactor.SelectReactor"): "the asyncio reactor",
}

#: Nothing is fetched: the crawls end before.
FEED = "feeds=http://127.0.0.1:1/feed.xml"

ARGUMENTS = {
    ("feeds", "feeds=ftp://a.example/feed"): "'ftp://a.example/feed' is not an http or https URL",
    ("feeds", "feeds_file=nowhere.txt"): "nowhere.txt: No such file or directory",
    ("feeds", "follow=far"): "-a follow=far: must be an integer from 0",
    ("feeds", "follow=2"): "-a feeds=URL, a file with -a feeds_file=PATH, a site with -a site=",
    ("site", "follow=2"): "name the site, scrapy crawl site -a url=URL, or one of",
    ("feeds", "feed=http://127.0.0.1:1/"): "has no such argument; did you mean feeds?",
    ("site", "max_page=3"): "has no such argument; did you mean max_pages?",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Run]:
    project = Project(tmp_path_factory.mktemp("wrong"))
    with ThreadPoolExecutor(2) as pool:
        running = {
            **{(n, v): pool.submit(project.crawl, "feeds", FEED, **{n: v}) for n, v in SETTINGS},
            **{(s, a): pool.submit(project.crawl, s, a) for s, a in ARGUMENTS},
        }
        return {key: future.result() for key, future in running.items()}


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_wrong_setting(runs: dict[tuple[str, str], Run], name: str, value: str) -> None:
    run = runs[name, value]
    assert run.status != 0
    last = run.log.rstrip().splitlines()[-1]
    assert SETTINGS[name, value] in last
    if name not in ("FOREST_STORE", "FOREST_PAGE", "FOREST_DISTANCE"):
        assert f"{name} = {value!r} cannot be used" in last
    assert name == "TWISTED_REACTOR" or "Traceback" not in run.log
    assert run.items == []


@pytest.mark.parametrize(("spider", "argument"), ARGUMENTS)
def test_wrong_argument(runs: dict[tuple[str, str], Run], spider: str, argument: str) -> None:
    run = runs[spider, argument]
    assert run.status != 0
    assert ARGUMENTS[spider, argument] in run.log.rstrip().splitlines()[-1]
    assert "Traceback" not in run.log


def test_store_that_cannot_be_opened(project: Project) -> None:
    """(A file that is no store is renamed: tests/stores/test_database.py.)"""
    project.write("occupied", "not a folder")
    run = project.crawl("feeds", FEED, FOREST_STORE=str(Path(project.folder, "occupied/w.db")))
    assert run.status != 0
    assert "is the folder writable" in run.log.rstrip().splitlines()[-1]
    assert "Traceback" not in run.log
