"""Confidence of items against the F1 of their text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.training import confidence as train_confidence
from benchmarks.training.ratings import (
    RatedItem,
    predict_folds,
    rank_correlation,
    rate_set,
    read_models,
    summarize,
    summarize_sets,
)
from forest_scrapy.core.methods.confidence import FEATURES, ConfidenceModel

from ..helpers import other_fold


def make_items(count: int, site: str = "owl.example", way: str = "single") -> list[RatedItem]:
    """Items whose F1 is that of their first feature."""
    values = np.linspace(0, 1, count).tolist()
    return [
        RatedItem("wcxb-made", site, str(value), way, value, value, (value,) * len(FEATURES))
        for value in values
    ]


def test_ranks_of_equal_values_are_shared() -> None:
    assert rank_correlation([1, 1, 2, 3], [5, 5, 6, 9]) == 1
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == -1
    assert rank_correlation([], []) == 0


def test_figures_by_hand() -> None:
    items = make_items(5)
    row = summarize(items, [0.1, 0.2, 0.6, 0.8, 0.9])
    assert (row["items"], row["spearman"], row["f1"]) == (5, 1, 0.5)
    assert (row["low"], row["low_f1"], row["other_f1"]) == (3, 0.25, 0.875)
    assert (row["below_half"], row["low_below_half"]) == (2, 2)
    assert [tenth["items"] for tenth in row["tenths"]] == [1, 1, 1, 1, 1]


def test_what_a_feed_would_have_is_in_no_figure() -> None:
    items = make_items(4) + make_items(2, way="feed")
    report = summarize_sets(items, [item.f1 for item in items])
    assert {name: row["items"] for name, row in report.items()} == {
        "WCXB, single": 4, "all": 4, "wcxb-made, single": 4,
    }  # fmt: skip


def test_each_item_is_rated_by_a_model_of_other_sites() -> None:
    other = other_fold("owl.example", 2)
    items = make_items(3) + make_items(3, other)
    fitted: list[set[str]] = []

    class Model:
        def predict(self, table: np.ndarray) -> np.ndarray:
            return table[:, 0].astype(float)

    def fit(chosen: Sequence[RatedItem]) -> ConfidenceModel:
        fitted.append({item.site for item in chosen})
        return Model()  # type: ignore[return-value]

    assert predict_folds(items, 2, fit) == [0, 0.5, 1, 0, 0.5, 1]
    assert sorted(map(sorted, fitted)) == sorted([["owl.example"], [other]])


def test_items_of_a_set_have_features_and_scores(small_set: Path) -> None:
    items = rate_set(str(small_set))
    assert {item.way for item in items} == {"template", "single", "feed"}
    assert all(len(item.features) == len(FEATURES) for item in items)
    assert np.mean([item.f1 for item in items if item.way == "template"]) > 0.9
    assert items == rate_set(str(small_set))


def test_the_models_of_the_package_are_used_without_folds() -> None:
    assert read_models(Path("nowhere"), 0, None)("owl.example") is None


def test_training_is_deterministic_and_learns_the_order() -> None:
    pytest.importorskip("lightgbm")
    items = make_items(200) + make_items(200, "elm.example", "template")
    model = train_confidence.fit_confidence(items)
    assert model.to_bytes() == train_confidence.fit_confidence(items).to_bytes()
    low, high = model.predict(np.array([[0.1] * len(FEATURES), [0.9] * len(FEATURES)], np.float32))
    assert low < 0.3 < 0.7 < high
