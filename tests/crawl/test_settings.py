"""Settings and arguments that cannot be used end the crawl before it begins, and say why."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from .helpers import Project, Run

SETTINGS = {
    ("FOREST_PAGES", "abc"): "a whole number from 2",
    ("FOREST_PAGES", "1"): "a whole number from 2",
    ("FOREST_DISTANCE", "foo"): "one of typed, cp, cps, ctss",
    ("FOREST_THRESHOLD", "2"): "a number from 0 to 1, or None to find the cut",
    ("FOREST_PAGE", "5"): "one of FOREST_PAGES, FOREST_METHOD",
    ("FOREST_STORE", "redis://127.0.0.1/0"): "there is no store for 'redis'; use sqlite:///PATH",
    ("TWISTED_REACTOR", "twisted.internet.selectreactor.SelectReactor"): "the asyncio reactor",
}

ARGUMENTS = {
    ("feeds", "feeds=ftp://example.org/feed"): "'ftp://example.org/feed' is no http or https URL",
    ("feeds", "feeds_file=nowhere.txt"): "nowhere.txt: No such file or directory",
    ("feeds", "follow=far"): "-a follow=far: must be a whole number from 0",
    ("site", "follow=2"): "name the article to start from: scrapy crawl site -a url=URL",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Run]:
    project = Project(tmp_path_factory.mktemp("wrong"))
    with ThreadPoolExecutor(2) as pool:
        running = {
            **{(n, v): pool.submit(project.crawl, "feeds", **{n: v}) for n, v in SETTINGS},
            **{(s, a): pool.submit(project.crawl, s, a) for s, a in ARGUMENTS},
        }
        return {key: future.result() for key, future in running.items()}


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_wrong_setting(runs: dict[tuple[str, str], Run], name: str, value: str) -> None:
    run = runs[name, value]
    assert run.status != 0
    last = run.log.rstrip().splitlines()[-1]
    assert SETTINGS[name, value] in last
    assert value in last
    assert run.items == []


@pytest.mark.parametrize("name", [name for name, _ in SETTINGS if name != "FOREST_STORE"])
def test_message_names_the_setting(runs: dict[tuple[str, str], Run], name: str) -> None:
    for (setting, _), run in runs.items():
        if setting == name:
            assert f"{name} = " in run.log.rstrip().splitlines()[-1]


@pytest.mark.parametrize(("spider", "argument"), ARGUMENTS)
def test_wrong_argument(runs: dict[tuple[str, str], Run], spider: str, argument: str) -> None:
    run = runs[spider, argument]
    assert run.status != 0
    assert ARGUMENTS[spider, argument] in run.log.rstrip().splitlines()[-1]


def test_store_that_cannot_be_opened(project: Project) -> None:
    project.write("occupied", "no folder")
    run = project.crawl("feeds", FOREST_STORE=str(project.folder / "occupied" / "w.db"))
    assert run.status != 0
    assert "is the folder writable" in run.log.rstrip().splitlines()[-1]


def test_store_that_is_another_file(project: Project) -> None:
    place = project.write("w.db", "no database " * 1000)
    run = project.crawl("feeds", FOREST_STORE=str(place))
    assert run.status != 0
    assert "is it a file of another program" in run.log.rstrip().splitlines()[-1]
