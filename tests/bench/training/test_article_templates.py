"""Training of the classifier of article templates."""

from __future__ import annotations

import json
from pathlib import Path

from forest_scrapy.core.models.logistic import LogisticModel

from ..helpers import Run, other_fold, rename_site


def test_train_and_cross_validate(small_set: Path, own_set: Path, tmp_path: Path, run: Run) -> None:
    rename_site(own_set, other_fold("demo.example", 5))
    out = tmp_path / "model.npz"
    done = run("training.article_templates", small_set, own_set, "--out", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["hosts"], report["pages"]) == (2, 44)
    assert report["recall"] == report["precision"] == 1
    assert report["model_bytes"] == out.stat().st_size
    first = out.read_bytes()
    assert LogisticModel.from_bytes(first).weights.any()
    run("training.article_templates", small_set, own_set, "--out", out, "--folds", "0")
    assert out.read_bytes() == first


def test_a_single_host_cannot_be_cross_validated(small_set: Path, run: Run) -> None:
    done = run("training.article_templates", small_set)
    assert done.returncode == 1
    assert "there are no other hosts to train on" in done.stderr
