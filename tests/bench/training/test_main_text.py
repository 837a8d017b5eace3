"""Training of the classifier of main text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_scrapy.core.records.main_text import MainTextClassifier

from ..helpers import Run, other_fold, rename_site


@pytest.mark.thorough
@pytest.mark.slow
def test_train_and_cross_validate(small_set: Path, own_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("lightgbm")
    rename_site(own_set, other_fold("demo.example", 5))
    out = tmp_path / "model.npz"
    done = run("training.main_text", small_set, own_set, "--out", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["pages"] == 12
    assert all(f1 > 0.8 for f1 in report["f1"].values())
    assert report["model_bytes"] == out.stat().st_size
    assert MainTextClassifier.from_bytes(out.read_bytes()).trees.values.any()


def test_a_single_site_cannot_be_cross_validated(small_set: Path, run: Run) -> None:
    done = run("training.main_text", small_set)
    assert done.returncode == 1
    assert "all sites are in one fold" in done.stderr
