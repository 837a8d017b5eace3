"""The benchmark of CPU time: it runs, its ratios follow from its times, limits are held."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from benchmarks.sets.demo_set import write_demo_set
from benchmarks.speed.command import LIMITS, check_ratios, main, page_ratios, read_limits
from benchmarks.speed.crawls import crawl_ratios, measure_crawls
from benchmarks.speed.pages import make_page_article, make_single_article, read_pages


@pytest.fixture(scope="module")
def bench_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo_set(tmp_path_factory.mktemp("speed"), articles=6)


def test_pages_become_articles(bench_set: Path) -> None:
    pages, templates = read_pages(str(bench_set), 4)
    assert (len(pages), [len(pages) for pages in templates]) == (4, [6])
    for page in pages:
        learned, single = make_page_article(page), make_single_article(page)
        assert (learned.method, single.method) == ("trained", "single")
        assert min(len(learned.text), len(single.text)) > 200


def test_ratios() -> None:
    ms = {"article": 4.0, "parsel": 1.0, "single page": 10.0, "trafilatura with metadata": 20.0}
    assert page_ratios(ms) == {
        "article_to_parse": 4.0,
        "trafilatura_to_article": 5.0,
        "single_to_trafilatura": 0.5,
        "single_to_parse": 10.0,
    }
    assert page_ratios({"article": 4.0, "parsel": 1.0}) == {"article_to_parse": 4.0}
    assert crawl_ratios({"bare": 2.0, "stored": 3.0}) == {"crawl_to_bare": 1.5}


def test_limits() -> None:
    limits = {"a": {"most": 2.0}, "b": {"least": 2.0}, "missing": {"most": 1.0}}
    assert check_ratios({"a": 2.0, "b": 2.0}, limits) == []
    assert check_ratios({"a": 2.1, "b": 1.9}, limits) == [
        "a is 2.1, at most 2.0 is allowed",
        "b is 1.9, at least 2.0 is required",
    ]


def test_limits_are_of_known_ratios(bench_set: Path) -> None:
    known = {"parsel", "article", "single page", "trafilatura with metadata", "learning, a page"}
    crawls = dict.fromkeys(("bare", "first", "stored", "trafilatura"), 1.0)
    ratios = page_ratios(dict.fromkeys(known, 1.0)) | crawl_ratios(crawls)
    assert read_limits(str(bench_set)).keys() <= ratios.keys()
    stored = json.loads(LIMITS.read_text(encoding="utf-8"))
    assert stored["recorded"].keys() <= ratios.keys()
    assert read_limits(str(bench_set)) == stored["demo"]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.crawl
def test_crawls(bench_set: Path) -> None:
    crawls = measure_crawls(str(bench_set), 6)
    assert {"bare", "first", "stored"} <= crawls.ms.keys()
    assert all(milliseconds > 0 for milliseconds in crawls.ms.values())
    assert crawls.memory["first"] > crawls.memory["bare"] > 20
    assert crawls.start > 0


@pytest.mark.slow
def test_pages_of_the_demo_site_are_read_within_their_limits(
    bench_set: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ratios of processor times, which other load changes little."""
    given = ["speed", str(bench_set), "--pages", "6", "--rounds", "5", "--check", "--json"]
    monkeypatch.setattr("sys.argv", given)
    try:
        main()
    finally:
        gc.unfreeze()
    ratios = json.loads(capsys.readouterr().out)["ratios"]
    assert ratios.keys() >= read_limits(str(bench_set)).keys()
