"""The files of trained models, and their only codec.

A model is an ``.npz`` file of named arrays: the names of what it was trained on (features, tags,
words, classes), and its numbers.  It is read only if the features are those of this version.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Arrays by their names.
Arrays = dict[str, NDArray[Any]]


def read_packaged(name: str) -> bytes:
    """The file of a model of this package, such as ``segments``."""
    folder = files("forest_scrapy.core.models")
    path = folder.joinpath(f"{name}.npz")
    return path.read_bytes()


def write_arrays(arrays: Mapping[str, Any]) -> bytes:
    """The arrays as an ``.npz`` file; equal arrays give the same bytes."""
    buffer = BytesIO()
    columns: dict[str, Any] = {}
    for name, value in arrays.items():
        columns[name] = np.array(value)
    np.savez_compressed(buffer, **columns)
    return buffer.getvalue()


def read_arrays(data: bytes, expected: Mapping[str, Sequence[str]]) -> Arrays:
    """The arrays of ``write_arrays``; nothing is unpickled.

    ``expected``: names that arrays of names must have.  Raises ``ValueError`` for others.
    """
    with np.load(BytesIO(data), allow_pickle=False) as stored:
        for name, expected_names in expected.items():
            is_expected = name in stored and names_of(stored[name]) == tuple(expected_names)
            if not is_expected:
                raise ValueError(f"trained on other features ({name}); train the model again")
        return dict(stored)


def names_of(array: NDArray[Any]) -> tuple[str, ...]:
    """The names in an array of texts."""
    return tuple(map(str, array))
