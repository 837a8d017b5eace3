"""Logistic regression: of one class against all else, or of several against each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import names_of, read_arrays, write_arrays

#: Rows of numbers: ``(rows, columns)``, or one of them.
Table = NDArray[np.float64]
#: The name of a feature, and what it adds to the log-odds.
Reason = tuple[str, float]


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """The weights, ``(features, classes)``, of features that are centred and scaled, and a bias
    for each class.

    The probability of a single class is the logistic function of its log-odds, that of one of
    several their softmax.  Tables have a row for each case and a column for each feature.
    """

    features: tuple[str, ...]
    classes: tuple[str, ...]
    centers: Table
    scales: Table
    weights: Table
    biases: Table

    def predict(self, table: Table, extra: float = 0.0) -> Table:
        """The probability of each class for each row, ``(rows, classes)``.

        ``extra``: added to the log-odds of a single class.
        """
        scaled = self._scale(table)
        sums = []
        for weights in self.weights.T:
            weighted = scaled * weights
            sums.append(weighted.sum(axis=1))
        odds = np.column_stack(sums) + self.biases
        if len(self.classes) == 1:
            bounded = np.clip(odds + extra, -30, 30)
            against = np.exp(-bounded)
            return np.asarray(1 / (1 + against))

        # The softmax is the same without the maximum, and cannot overflow.
        max_odds = odds.max(axis=1, keepdims=True)
        chances = np.exp(odds - max_odds)
        totals = chances.sum(axis=1, keepdims=True)
        return np.asarray(chances / totals)

    def contributions(self, table: Table, name: str) -> Table:
        """What each feature of each row adds to the log-odds of a class; with several classes,
        against the mean of the others."""
        column = self.classes.index(name)
        weights = self.weights[:, column]
        if len(self.classes) > 1:
            other_weights = np.delete(self.weights, column, axis=1)
            weights = weights - other_weights.mean(axis=1)
        return self._scale(table) * weights

    def _scale(self, table: Table) -> Table:
        centred = table - self.centers
        return np.asarray(centred / self.scales)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file."""
        return write_arrays(vars(self))

    @classmethod
    def from_bytes(cls, data: bytes, **expected: Sequence[str]) -> "LogisticModel":
        """Read ``to_bytes``; raises ``ValueError`` if the model has other ``features`` or
        ``classes`` than ``expected``."""
        arrays = read_arrays(data, expected)
        return cls(
            features=names_of(arrays["features"]),
            classes=names_of(arrays["classes"]),
            centers=arrays["centers"],
            scales=arrays["scales"],
            weights=arrays["weights"],
            biases=arrays["biases"],
        )


def rank_reasons(
    names: Iterable[str],
    added: Iterable[float],
) -> tuple[Reason, ...]:
    """The features with what they add to the log-odds, strongest first.

    >>> rank_reasons(("a", "b", "c"), (0.5, -2.0, 0.5))
    (('b', -2.0), ('a', 0.5), ('c', 0.5))
    """
    reasons = []
    for name, odds in zip(names, added, strict=True):
        # Rounded, so that the order of equal ones does not depend on that of additions.
        rounded = round(float(odds), 4)
        reasons.append((name, rounded))
    reasons.sort(key=_strongest_first)
    return tuple(reasons)


def _strongest_first(reason: Reason) -> tuple[float, str]:
    name, odds = reason
    return -abs(odds), name


def write_reasons(
    reasons: Iterable[Reason],
    max_reasons: int,
    is_for: bool = True,
) -> str:
    """The first ``max_reasons`` reasons for a decision, or against it.

    >>> write_reasons([("b", -2.0), ("a", 0.5)], 1), write_reasons([("b", -2.0)], 1, is_for=False)
    ('a +0.5', 'b -2.0')
    """
    written = []
    for name, odds in reasons:
        speaks_for = odds > 0
        if speaks_for == is_for:
            written.append(f"{name} {odds:+.1f}")
    return ", ".join(written[:max_reasons])
