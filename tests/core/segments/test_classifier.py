from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from io import BytesIO

import numpy as np
import pytest
from numpy.typing import NDArray

from forest_scrapy.core import Page
from forest_scrapy.core.models import trees
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments import classifier
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import segment_page

from ..helpers import demo_pages

#: One tree: -1 if column 0 is at most 2, else 0 if column 1 is at most 0, else 3.
TREE = Classifier(
    Vocabulary(("p",), ("content",)),
    Trees(
        columns=np.array([[0, 0, 1, 0, 0]], dtype=np.int16),
        thresholds=np.array([[2, 0, 0, 0, 0]], dtype=np.float32),
        lower=np.array([[1, 1, 3, 3, 4]], dtype=np.int16),
        higher=np.array([[2, 1, 4, 3, 4]], dtype=np.int16),
        values=np.array([[0, -1, 0, 0, 3]], dtype=np.float32),
    ),
    default_classifier().block_trees,
)


def random_table(rows: int, width: int) -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(1, 3, (rows, width)).astype(np.float32)


def table_of(page: Page) -> NDArray[np.float32]:
    return describe(segment_page(page), {}, 1, default_classifier().vocabulary)


def test_a_tree_by_hand() -> None:
    table = np.zeros((3, TREE.vocabulary.width), dtype=np.float32)
    table[:, 0] = [2, 2.5, 3]
    table[:, 1] = [5, 0, 0.5]
    expected = [1 / (1 + np.exp(-score)) for score in (-1, 0, 3)]
    assert TREE.predict(table) == pytest.approx(expected)


@pytest.mark.parametrize("make", [lambda: TREE, default_classifier])
def test_round_trip(make: Callable[[], Classifier]) -> None:
    model = make()
    again = Classifier.from_bytes(model.to_bytes())
    assert again.vocabulary == model.vocabulary
    table = random_table(100, model.vocabulary.width)
    assert np.array_equal(again.predict(table), model.predict(table))
    assert again.to_bytes() == Classifier.from_bytes(again.to_bytes()).to_bytes()


@pytest.mark.parametrize("section", ["news", "journal"])
def test_predictions_are_probabilities(section: str) -> None:
    for page in demo_pages(section)[:3]:
        table = table_of(page)
        found = default_classifier().predict(table)
        assert found.shape == (len(table),)
        assert ((found >= 0) & (found <= 1)).all()


def test_paragraphs_have_higher_scores_than_a_menu() -> None:
    page = segment_page(demo_pages("news")[0])
    found = default_classifier().score(page, {}, 1)
    lengths = [len(segment.text) - segment.linked for segment in page.segments]
    assert found[lengths.index(max(lengths))] > 0.5
    assert found[0] < 0.5


def test_scores_are_the_predictions_of_a_page() -> None:
    page = segment_page(demo_pages("news")[0])
    model, found_on = default_classifier(), {page.texts[0]: 2}
    table = describe(page, found_on, 2, model.vocabulary)
    assert np.array_equal(model.score(page, found_on, 2), model.predict(table))


def test_no_rows() -> None:
    found = TREE.predict(np.zeros((0, TREE.vocabulary.width), dtype=np.float32))
    assert found.shape == (0,)


@pytest.mark.parametrize("rows", [1, 255, 256, 257, 600])
def test_chunks_do_not_change_predictions(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = default_classifier()
    table = random_table(rows, model.vocabulary.width)
    in_chunks = model.predict(table)
    monkeypatch.setattr(trees, "_CHUNK", rows)
    assert np.array_equal(in_chunks, model.predict(table))


@pytest.mark.parametrize("names", [NUMERIC[:-1], NUMERIC[::-1], (*NUMERIC, "more"), ()])
def test_other_features_are_refused(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = TREE.to_bytes()
    monkeypatch.setattr(classifier, "NUMERIC", names)
    with pytest.raises(ValueError, match="other features"):
        Classifier.from_bytes(data)


def test_nothing_is_unpickled() -> None:
    buffer = BytesIO()
    np.savez(buffer, numeric=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="pickle"):
        Classifier.from_bytes(buffer.getvalue())


def test_the_model_of_the_package() -> None:
    data = files("forest_scrapy.core.models").joinpath("segments.npz").read_bytes()
    assert len(data) < 1_000_000
    model = Classifier.from_bytes(data)
    assert len(set(model.vocabulary.words)) == len(model.vocabulary.words) > 0
    assert model.trees.columns.max() < model.vocabulary.width
    assert default_classifier() is default_classifier()
