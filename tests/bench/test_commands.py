"""Each benchmark as a command, on a small set."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.quality.error_kinds import KINDS
from benchmarks.sets.demo_set import BASE
from demo import build_site

from .helpers import FAULTS, ROOT, Run, other_fold, rename_site

#: The mean F1 over the demo's articles.
FLOORS = {"auto": 0.95, "forest": 0.80, "forest-feeds": 0.90, "sigfeed": 0.90}


@pytest.mark.parametrize("method", FLOORS)
def test_extract(bench_set: Path, tmp_path: Path, run: Run, method: str) -> None:
    out = tmp_path / "out.jsonl"
    done = run("quality.extract", bench_set, out, "--method", method, "--json")
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
    done = run("quality.extract", small_set, tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows, last = done.stdout.splitlines()
    assert head.split() == ["method", "pages", "precision", "recall", "F1"]
    assert [row.split()[0] for row in rows] == sorted(row.split()[0] for row in rows)
    assert "all" in [row.split()[0] for row in rows]
    assert last.startswith("12 pages in ")


def test_fields(own_set: Path, tmp_path: Path, run: Run) -> None:
    """Half of the correct titles are wrong."""
    manifest = own_set / "manifest.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    articles = [page for page in data["groups"][0]["pages"] if page["kind"] == "article"]
    titles = {BASE + one.path: one.title for one in build_site(BASE).articles}
    for number, page in enumerate(articles):
        page["title"] = titles[page["url"]] if number % 2 else "Another title"
        page["published"] = "1999-01-01"
    manifest.write_text(json.dumps(data), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = run("quality.fields", own_set, "--withhold-feed", "--no-peers", "--pages", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    extractors = {"forest-scrapy, template", "forest-scrapy, single page"}
    for part in ("templates", "all"):
        assert report[part]["title"] == {"pages": 12, "right": dict.fromkeys(extractors, 0.5)}
        assert report[part]["published"]["right"] == dict.fromkeys(extractors, 0)
        assert "authors" not in report[part]
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {line["url"] for line in lines} == {page["url"] for page in articles}
    assert extractors < set(lines[0])


def test_fields_as_a_table(small_set: Path, run: Run) -> None:
    done = run("quality.fields", small_set, "--no-peers")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pages in templates of two or more" in done.stdout


def test_dates(own_set: Path, tmp_path: Path, run: Run) -> None:
    """All correct dates are those of 1999, none of which is found."""
    manifest = own_set / "manifest.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    for page in data["groups"][0]["pages"]:
        page["published"] = "1999-01-01"
    manifest.write_text(json.dumps(data), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = run("quality.fields", own_set, "--dates", "--no-peers", "--pages", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    first, both = json.loads(done.stdout)
    assert (both["half"], both["extractor"], both["pages"]) == ("both", "forest-scrapy", 4)
    assert both["found"] <= 4 and both["right"] == both["accuracy"] == 0
    assert {**first, "half": "both"} == both
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    done = run("quality.fields", own_set, own_set, "--no-peers")
    assert done.returncode == 2 and "several sets need --dates" in done.stderr


def test_templates(bench_set: Path, run: Run) -> None:
    done = run("quality.templates", bench_set, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    measures = {"rand", "articles_in_largest", "listings_in_largest"}
    assert measures | {"hosts", "without_entries"} <= set(report)
    assert set(report["without_entries"]) == measures
    assert list(report["hosts"]) == ["demo.example"]
    # The articles are in two templates, 16 in the larger one.
    assert (report["articles_in_largest"], report["listings_in_largest"]) == (0.5333, 0)
    for name in measures:
        host = report["hosts"]["demo.example"]["with_entries"]
        assert report[name] == pytest.approx(host[name], abs=1e-4)


def test_templates_as_a_table(bench_set: Path, run: Run) -> None:
    done = run("quality.templates", bench_set)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("demo.example ")
    for distance in ("typed", "cp", "cps", "ctss"):
        assert f"\n{distance} " in done.stdout


@pytest.mark.thorough
@pytest.mark.slow
def test_histogram(small_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "plots" / "distances.png"
    done = run("quality.templates", small_set, "--json", "--histogram", out)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"\x89PNG")


def test_cluster(bench_set: Path, run: Run) -> None:
    done = run("speed.cluster", bench_set, "--pages", "100", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert len(report) == 2
    for growth in report.values():
        assert [point["pages"] for point in growth["points"]] == list(range(10, 101, 10))
        assert all(point["bytes_a_page"] > 100 for point in growth["points"])
    assert [growth["clusters"] for growth in report.values()] == [100, 1]


@pytest.mark.parametrize("pages", ["1", "7"])
def test_cluster_of_few_pages(bench_set: Path, run: Run, pages: str) -> None:
    done = run("speed.cluster", bench_set, "--pages", pages)
    assert (done.returncode, done.stderr) == (0, "")
    assert "clusters; last to first:" in done.stdout


@pytest.mark.parametrize("pages", ["0", "-5", "many"])
def test_cluster_of_no_pages(bench_set: Path, run: Run, pages: str) -> None:
    done = run("speed.cluster", bench_set, "--pages", pages)
    assert done.returncode == 2
    assert "--pages" in done.stderr


@pytest.mark.slow
def test_train_with_all_sites_in_one_fold(small_set: Path, run: Run) -> None:
    pytest.importorskip("lightgbm")
    done = run("training.segments", small_set, "--folds", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "--folds 2: all sites are in one fold: name more sets to train on\n"


@pytest.mark.thorough
@pytest.mark.slow
def test_train_with_folds(small_set: Path, own_set: Path, tmp_path: Path, run: Run) -> None:
    """Each of two sites is tested with a classifier trained on the other."""
    pytest.importorskip("lightgbm")
    rename_site(own_set, other_fold("demo.example", 2))
    out = tmp_path / "model.npz"
    done = run("training.segments", small_set, own_set, "--folds", "2", "--out", out)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^12 pages of 2 sites\n", done.stdout)
    assert re.search(r"^set, template +F1 [01]\.\d+ on sites not trained on$", done.stdout, re.M)
    assert re.search(rf"^{out}: {out.stat().st_size} bytes$", done.stdout, re.M)


@pytest.mark.parametrize("folds", ["0", "1", "-2"])
def test_train_with_too_few_folds(small_set: Path, run: Run, folds: str) -> None:
    done = run("training.segments", small_set, "--folds", folds)
    assert done.returncode == 2
    assert "--folds must be 2 or more" in done.stderr


def test_errors(small_set: Path, run: Run) -> None:
    done = run("quality.errors", small_set, "--most", "3", "--worst", "2", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [row["pages"] for row in report["sets"].values()] == [3, 3]
    assert len(report["worst"]) == 2
    for row in report["catastrophes"].values():
        assert row["pages"] == 3
        assert sum(row["causes"].values()) == row["catastrophes"]
    for row in report["sets"].values():
        parts = sum(row[kind] for kind in KINDS)
        assert parts == pytest.approx(100 * (1 - row["f1"]), abs=0.1)


def test_errors_as_a_table(small_set: Path, run: Run) -> None:
    done = run("quality.errors", small_set, "--most", "2", "--worst", "0")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^small_set0?, single +2 +[01]\.\d+ ", done.stdout, re.M)
    assert re.search(r"^small_set0?, single: \d of 2 pages below 0\.6", done.stdout, re.M)


@pytest.mark.slow
def test_a_real_process(tmp_path: Path) -> None:
    """The other tests run the commands in their own process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.quality.extract", tmp_path, tmp_path / "out"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"cannot read the set: {tmp_path}: FileNotFoundError")


ARGUMENTS = {
    "quality.extract": ["out.jsonl"],
    "quality.templates": [],
    "speed.cluster": ["--pages", "10"],
    "training.segments": [],
    "quality.errors": [],
}


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


@pytest.mark.parametrize("name", ["quality.templates", "speed.cluster"])
def test_a_set_without_groups(tmp_path: Path, run: Run, name: str) -> None:
    (tmp_path / "manifest.json").write_text('{"groups": []}', encoding="utf-8")
    done = run(name, tmp_path, *ARGUMENTS[name])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"cannot read the set: {tmp_path}: it has no pages\n"
