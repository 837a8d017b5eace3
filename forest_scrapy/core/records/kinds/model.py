"""A small trained classifier of templates: multinomial logistic regression.

``python -m benchmarks.train_kinds`` makes the model file, from sets with pages of known kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["KindModel", "default_kind_model"]

_FILE = "kinds.npz"


@dataclass(frozen=True)
class KindModel:
    """``kinds``: their names.  ``names``: those of the numbers of ``TemplateFacts``, which are
    centred and scaled.  ``weights``: ``(numbers, kinds)``; ``biases``: one for each kind."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    centers: NDArray[np.float64]
    scales: NDArray[np.float64]
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]

    def predict(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """The probability of each kind."""
        odds = self._scaled(numbers) @ self.weights + self.biases
        chances = np.exp(odds - odds.max())
        return dict(zip(self.kinds, (chances / chances.sum()).tolist(), strict=True))

    def reasons(self, numbers: Mapping[str, float], kind: str) -> list[tuple[str, float]]:
        """What each number adds to the log-odds of the kind, against the mean of the others; the
        strongest first."""
        column = self.kinds.index(kind)
        others = np.delete(self.weights, column, axis=1).mean(axis=1)
        added = self._scaled(numbers) * (self.weights[:, column] - others)
        found = zip(self.names, added.round(4).tolist(), strict=True)
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def _scaled(self, numbers: Mapping[str, float]) -> NDArray[np.float64]:
        values = np.array([numbers[name] for name in self.names])
        return np.asarray((values - self.centers) / self.scales)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its numbers."""
        buffer = BytesIO()
        np.savez_compressed(
            buffer,
            kinds=np.array(self.kinds),
            names=np.array(self.names),
            centers=self.centers,
            scales=self.scales,
            weights=self.weights,
            biases=self.biases,
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> KindModel:
        """Read ``to_bytes``."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            return cls(
                tuple(map(str, stored["kinds"])),
                tuple(map(str, stored["names"])),
                stored["centers"],
                stored["scales"],
                stored["weights"],
                stored["biases"],
            )


@cache
def default_kind_model() -> KindModel:
    """The model of the package, loaded once."""
    folder = files("forest_scrapy.core.records.kinds")
    return KindModel.from_bytes(folder.joinpath(_FILE).read_bytes())
