"""The files of models: named arrays that are read only if they have the names expected."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from forest_scrapy.core.models.files import names_of, read_arrays, read_packaged, write_arrays

DATA = write_arrays({"features": ("a", "b"), "values": np.arange(3)})


def test_arrays_are_read_as_they_were_written() -> None:
    arrays = read_arrays(DATA, {"features": ("a", "b")})
    assert names_of(arrays["features"]) == ("a", "b")
    assert arrays["values"].tolist() == [0, 1, 2]
    assert write_arrays(arrays) == DATA


@pytest.mark.parametrize(
    "expected", [{"features": ("b", "a")}, {"features": ("a",)}, {"classes": ("a", "b")}]
)
def test_a_model_of_other_features_is_refused(expected: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="train the model again"):
        read_arrays(DATA, expected)


def test_nothing_is_unpickled() -> None:
    buffer = BytesIO()
    np.savez(buffer, features=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="pickle"):
        read_arrays(buffer.getvalue(), {})


@pytest.mark.parametrize("name", ["article_types", "file_types", "kinds", "main_text", "segments"])
def test_the_models_of_the_package(name: str) -> None:
    data = read_packaged(name)
    assert len(data) < 1_000_000
    assert read_arrays(data, {})
