"""Logistic models of one class and of several."""

from __future__ import annotations

import numpy as np
import pytest

from forest_scrapy.core.models.logistic import LogisticModel

TABLE = np.array([[1.0, 4.0], [3.0, 0.0], [-400.0, 0.0]])


def make_model(*classes: str) -> LogisticModel:
    """Of two features with the centers 1 and 2, and the scales 1 and 2."""
    count = len(classes)
    weights = np.array([[2.0, -1.0, 0.0][:count], [1.0, 0.5, 0.0][:count]])
    biases = np.array([0.5, 0.0, -0.5][:count])
    return LogisticModel(("a", "b"), classes, np.array([1, 2]), np.array([1, 2]), weights, biases)


def test_one_class_has_the_logistic_function_of_its_odds() -> None:
    chances = make_model("yes").predict(TABLE)
    assert chances.shape == (3, 1)
    assert chances[:2, 0] == pytest.approx([1 / (1 + np.exp(-odds)) for odds in (1.5, 3.5)])
    assert 0 < chances[2, 0] < 1e-12


def test_what_is_added_to_the_odds() -> None:
    assert make_model("yes").predict(TABLE, extra=-1.5)[0, 0] == pytest.approx(0.5)


def test_several_classes_share_the_probability() -> None:
    chances = make_model("x", "y", "z").predict(TABLE)
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1])
    odds = np.array([1.5, 0.5, -0.5])
    assert chances[0] == pytest.approx(np.exp(odds) / np.exp(odds).sum())


def test_contributions_to_a_single_class_are_its_odds() -> None:
    assert make_model("yes").contributions(TABLE, "yes")[:2].tolist() == [[0, 1], [4, -1]]


def test_contributions_to_one_of_several_are_against_the_others() -> None:
    added = make_model("x", "y", "z").contributions(TABLE, "x")
    assert added[:2].tolist() == [[0, 0.75], [5, -0.75]]


@pytest.mark.parametrize("classes", [("yes",), ("x", "y", "z")])
def test_a_model_is_read_as_it_was_written(classes: tuple[str, ...]) -> None:
    model = make_model(*classes)
    again = LogisticModel.from_bytes(model.to_bytes(), features=("a", "b"), classes=classes)
    assert (again.features, again.classes) == (model.features, classes)
    assert np.array_equal(again.predict(TABLE), model.predict(TABLE))
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("expected", [{"features": ("b", "a")}, {"classes": ("x", "y")}])
def test_a_model_of_others_is_refused(expected: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="train the model again"):
        LogisticModel.from_bytes(make_model("x").to_bytes(), **expected)
