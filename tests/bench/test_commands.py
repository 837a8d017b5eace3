"""Each benchmark as a command, on a small set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_scrapy.demo import build_site

from .helpers import BASE, FAULTS, Run

#: The mean F1 over the demo's articles.
FLOORS = {"auto": 0.95, "forest": 0.80, "forest-feeds": 0.90, "sigfeed": 0.90}


@pytest.mark.parametrize("method", FLOORS)
def test_extract(bench_set: Path, tmp_path: Path, run: Run, method: str) -> None:
    out = tmp_path / "out.jsonl"
    done = run("extract", bench_set, out, "--method", method, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    articles = {BASE + article.path: article for article in build_site(BASE).articles}
    assert report["pages"] == report["methods"]["all"]["pages"] == len(articles)
    assert FLOORS[method] <= report["methods"]["all"]["f1"] <= 1
    own = [row["pages"] for name, row in report["methods"].items() if name != "all"]
    assert sum(own) == len(articles)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted(line["url"] for line in lines) == sorted(articles)
    assert len({line["id"] for line in lines}) == len(lines)
    assert all(isinstance(line["text"], str) and line["method"] for line in lines)


def test_extract_as_a_table(small_set: Path, tmp_path: Path, run: Run) -> None:
    done = run("extract", small_set, tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows, last = done.stdout.splitlines()
    assert head.split() == ["method", "pages", "precision", "recall", "F1"]
    assert [row.split()[0] for row in rows] == sorted(row.split()[0] for row in rows)
    assert "all" in [row.split()[0] for row in rows]
    assert last.startswith("12 pages in ")


def test_templates(bench_set: Path, run: Run) -> None:
    done = run("templates", bench_set, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    measures = {"rand", "articles_in_largest", "listings_in_largest"}
    assert measures | {"hosts", "without_entries"} <= set(report)
    assert set(report["without_entries"]) == measures
    assert list(report["hosts"]) == ["demo.example"]
    for name in measures:
        assert 0 <= report[name] <= 1
        host = report["hosts"]["demo.example"]["with_entries"]
        assert report[name] == pytest.approx(host[name], abs=1e-4)


def test_templates_as_a_table(bench_set: Path, run: Run) -> None:
    done = run("templates", bench_set)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("demo.example ")
    for distance in ("typed", "cp", "cps", "ctss"):
        assert f"\n{distance} " in done.stdout


def test_histogram(small_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "plots" / "distances.png"
    done = run("templates", small_set, "--json", "--histogram", out)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"\x89PNG")


def test_cluster(bench_set: Path, run: Run) -> None:
    done = run("cluster", bench_set, "--pages", "100", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert len(report) == 2
    for growth in report.values():
        assert [point["pages"] for point in growth["points"]] == list(range(10, 101, 10))
        assert all(point["microseconds"] > 0 for point in growth["points"])
        assert growth["clusters"] > 0


@pytest.mark.parametrize("pages", ["1", "7"])
def test_cluster_of_few_pages(bench_set: Path, run: Run, pages: str) -> None:
    done = run("cluster", bench_set, "--pages", pages)
    assert (done.returncode, done.stderr) == (0, "")
    assert "clusters; last to first:" in done.stdout


@pytest.mark.parametrize("pages", ["0", "-5", "many"])
def test_cluster_of_no_pages(bench_set: Path, run: Run, pages: str) -> None:
    done = run("cluster", bench_set, "--pages", pages)
    assert done.returncode == 2
    assert "--pages" in done.stderr


def test_train(small_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("lightgbm")
    out = tmp_path / "model.npz"
    done = run("train", small_set, "--folds", "0", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["pages"], report["f1"]) == (12, {})
    assert report["model_bytes"] == out.stat().st_size > 0


ARGUMENTS = {"extract": ["out.jsonl"], "templates": [], "cluster": ["--pages", "10"], "train": []}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_unreadable_set(own_set: Path, tmp_path: Path, run: Run, name: str, fault: str) -> None:
    reason = FAULTS[fault](own_set)
    extra = [str(tmp_path / a) if a.endswith("jsonl") else a for a in ARGUMENTS[name]]
    done = run(name, own_set, *extra)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("cannot read the set: ")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["templates", "cluster"])
def test_a_set_without_groups(tmp_path: Path, run: Run, name: str) -> None:
    (tmp_path / "manifest.json").write_text('{"groups": []}', encoding="utf-8")
    assert "Traceback" not in run(name, tmp_path, *ARGUMENTS[name]).stderr
