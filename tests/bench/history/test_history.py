"""The benchmark of histories."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.history.fields import score_fields
from benchmarks.history.redesigns import pour, redesign, stay
from benchmarks.history.runs import measure_not_modified, score_runs
from benchmarks.history.store import measure_store
from benchmarks.sets.bench_set import load_groups

from ..helpers import Run


@pytest.mark.slow
@pytest.mark.thorough
def test_changes_of_the_article_are_found(bench_set: Path, run: Run) -> None:
    done = run("history", bench_set, "--part", "changes", "--json")
    assert done.returncode == 0
    report = json.loads(done.stdout)["changes"]
    assert report["article text"]["recall"] == 1
    assert report["article text"]["precision"] > 0.95
    assert report["page digest"]["precision"] < 0.6
    assert report["page digest"]["add_advert"] == 0


@pytest.mark.thorough
@pytest.mark.slow
def test_changes_of_fields_are_found(bench_set: Path) -> None:
    report = score_fields(load_groups(str(bench_set)))
    assert (report["precision"], report["recall"]) == (1, 1)
    assert report["changes_of_fields"] > 20
    assert report["add_advert"].endswith("0 told, 0 others told")


@pytest.mark.thorough
@pytest.mark.slow
def test_a_table_of_the_parts(bench_set: Path, run: Run) -> None:
    done = run("history", bench_set, "--part", "changes")
    assert done.returncode == 0
    assert "article text    page digest  page shingles" in done.stdout


@pytest.mark.thorough
@pytest.mark.slow
def test_a_made_redesign(bench_set: Path) -> None:
    (group,) = load_groups(str(bench_set))
    news, journal = group.articles[:16], group.articles[16:]
    poured = pour(news, journal)
    assert len(poured) == 16 and poured[0].url == news[0].url
    result = asyncio.run(redesign(news, poured))
    assert result.is_noticed
    assert result.f1_after > 0.95 and result.f1_after >= result.f1_scratch - 0.005
    days = asyncio.run(stay(news))
    assert days[1].count("templates/redesigned") == 0
    assert days[1].count("templates/loaded") == 1


@pytest.mark.thorough
@pytest.mark.slow
def test_three_runs_of_a_site(bench_set: Path) -> None:
    report = score_runs(load_groups(str(bench_set)))
    assert report["sites"] == report["feed_requests"] == 1
    assert report["articles"] == report["same_in_third_run"] > 10
    assert report["emitted_by_only_new"] == report["page_requests"] == 0


@pytest.mark.thorough
@pytest.mark.slow
def test_feeds_that_have_nothing_new() -> None:
    report = measure_not_modified(feeds=5, rounds=1)
    assert report["feeds"] == 5
    assert 0.5 < report["ratio"] < 20


@pytest.mark.slow
def test_a_small_history(tmp_path: Path) -> None:
    report = measure_store(300)
    assert report["articles"] == 300 and 0 < report["look_up_ms"] < 50
    assert 0 < report["file_mb"] < 2
