"""The benchmark of a page alone: it runs, and its ratios follow from its times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.sets.demo_set import write_demo_set
from benchmarks.speed.single import (
    compare,
    contenders,
    read_single_pages,
    table,
    time_rs_trafilatura,
)
from forest_scrapy.items import Article


@pytest.fixture(scope="module")
def demo_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo_set(tmp_path_factory.mktemp("single"), articles=6)


def test_pages_of_a_set_become_items(demo_set: Path) -> None:
    pages = read_single_pages(str(demo_set), 2)
    assert len(pages) == 2
    runs = contenders()
    assert isinstance(runs["extract_page"](pages[0]), Article)
    for name in ("extract_page, all kinds", "extract_pages, a page a call"):
        runs[name](pages[0])


def test_an_interpreter_without_the_peer_is_named(demo_set: Path) -> None:
    pages = read_single_pages(str(demo_set), 1)
    with pytest.raises(SystemExit, match="cannot run rs_trafilatura"):
        time_rs_trafilatura(sys.executable, pages, 1)


def test_ratios_are_those_of_the_peers_that_ran() -> None:
    ms = {"extract_page": 20.0, "extract_page, all kinds": 30.0, "trafilatura with metadata": 10.0}
    ratios = compare(ms)
    assert ratios == {
        "extract_page / trafilatura with metadata": 2.0,
        "extract_page, all kinds / trafilatura with metadata": 3.0,
    }
    lines = table({"pages": 3, "ms": ms, "ratios": ratios}).splitlines()
    assert lines[0].startswith("3 pages")
    assert len(lines) == 6
