"""Our spiders are loaded by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from forest_scrapy.spiders.loader import PACKAGE, ForestSpiderLoader


def loader_of(*modules: str) -> ForestSpiderLoader:
    return ForestSpiderLoader.from_settings(Settings({"SPIDER_MODULES": modules}))


def test_the_spiders_are_those_that_the_loader_of_scrapy_finds() -> None:
    by_scrapy = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": [PACKAGE]}))
    loader = loader_of(PACKAGE)
    assert sorted(loader.list()) == sorted(by_scrapy.list())
    for name in loader.list():
        assert loader.load(name) is by_scrapy.load(name)
        assert loader.load(name).name == name


@pytest.mark.slow
def test_only_the_spider_that_is_asked_for_is_loaded() -> None:
    program = f"""
import sys
from scrapy.settings import Settings
from forest_scrapy.spiders.loader import ForestSpiderLoader

loader = ForestSpiderLoader.from_settings(Settings({{"SPIDER_MODULES": ["{PACKAGE}"]}}))
loader.list()
loader.load("feeds")
print(*[name for name in sys.modules if name.startswith("{PACKAGE}.") and "_spider" in name])
"""
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [f"{PACKAGE}.feeds_spider"]


def test_a_spider_of_the_project_with_the_same_name_takes_precedence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from scrapy import Spider\n\nclass Mine(Spider):\n    name = 'feeds'\n"
    (tmp_path / "project_spiders.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    loader = loader_of(PACKAGE, "project_spiders")
    assert loader.load("feeds").__name__ == "Mine"
    assert loader.load("site").__name__ == "SiteSpider"
    assert loader.list().count("feeds") == 1


def test_without_our_package_there_are_the_spiders_of_the_project_only() -> None:
    loader = loader_of()
    assert loader.list() == []
    with pytest.raises(KeyError, match="feeds"):
        loader.load("feeds")


def test_requests_are_matched_as_by_scrapy() -> None:
    request = Request("https://a.example/")
    by_scrapy = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": [PACKAGE]}))
    assert loader_of(PACKAGE).find_by_request(request) == by_scrapy.find_by_request(request)
