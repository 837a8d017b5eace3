"""Training of the classifier of kinds of templates, and values of products."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.quality.product_values import measure_pages, without_declaration
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.records.products.declared_product import read_declared
from tests.core.records.shop import LAMPS, product_page

from ..helpers import Run, other_fold, rename_site


def test_train_and_cross_validate(small_set: Path, own_set: Path, tmp_path: Path, run: Run) -> None:
    rename_site(own_set, other_fold("demo.example", 5))
    out, sets = tmp_path / "kinds.npz", [f"article={small_set}", f"article={own_set}"]
    done = run("training.kinds", *sets, "--out", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    articles = [counts for name, counts in report["kinds"].items() if name.endswith("article")]
    assert articles
    assert all(set(counts) == {"article"} for counts in articles)
    first = out.read_bytes()
    assert report["model_bytes"] == len(first)
    assert LogisticModel.from_bytes(first).weights.any()
    run("training.kinds", *sets, "--out", out, "--folds", "0")
    assert out.read_bytes() == first


def test_a_set_without_a_kind(small_set: Path, run: Run) -> None:
    done = run("training.kinds", small_set)
    assert done.returncode != 0
    assert "name each set with its kind" in done.stderr


def test_text_of_records(small_set: Path, run: Run) -> None:
    done = run("quality.records", small_set, "--folds", "0", "--json")
    report = json.loads(done.stdout)
    assert (report["shells"], report["folds"]) == ([], 0)
    assert report["f1"] > 0.9


def test_numbers_of_records(small_set: Path, run: Run, tmp_path: Path) -> None:
    groups = json.loads((small_set / "manifest.json").read_text(encoding="utf-8"))["groups"]
    pages = [page["id"] for page in groups[0]["pages"] if page["kind"] == "article"]
    counts = tmp_path / "counts.json"
    counts.write_text(json.dumps(dict.fromkeys(pages, 1) | {pages[0]: 2}), encoding="utf-8")
    printed = run("quality.records", small_set, "--folds", "0", "--counts", counts).stdout
    assert f"right on {len(pages) - 1} of {len(pages)} pages, wrong by one on 1" in printed
    assert f"2 records, 1 found: {pages[0]}" in printed
    counts.write_text("[]", encoding="utf-8")
    assert "not a JSON object" in run("quality.records", small_set, "--counts", counts).stderr


def test_values_without_their_declaration() -> None:
    pages = [product_page(lamp, declares=True) for lamp in LAMPS]
    results = list(measure_pages(pages))
    assert len(results) == 7 * len(LAMPS)
    assert all(one.is_right for one in results)
    assert [name for name, _ in read_declared(without_declaration(pages[0]))] == ["meta"]
