"""Which templates of a host are articles, if no feed says so: a small trained classifier.

A logistic regression over the signals of a page, their means over the pages of its template, and
how these differ from the means of the host.  ``python -m benchmarks.train_types`` makes the model
file from hosts whose feeds say which pages are articles.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np

from forest_scrapy.core.templates.signals import (
    FEATURES,
    SIGNALS,
    TEMPLATE_FEATURES,
    HostSignals,
    Signals,
    Table,
)

__all__ = ["TemplateType", "TypeModel", "classify_templates", "default_model"]

_FILE = "article_types.npz"
#: Added to the log-odds of a page whose template has an article that the user has named, or a
#: wrapper of an earlier crawl.  Not tuned: pages of probability 0.1 or more are articles then.
KNOWN_ARTICLE = 2.2
#: The least probability of an article.
LEAST_CHANCE = 0.5


@dataclass(frozen=True)
class TemplateType:
    """What is known of a template: for each of its pages the probability that it is an article,
    their mean, and the signals that decided, with what they add to the log-odds on average,
    strongest first."""

    pages: tuple[float, ...]
    probability: float
    reasons: tuple[tuple[str, float], ...]

    def explain(self, most: int = 3) -> str:
        """The strongest reasons for the decision: ``plain_share +2.1, url_date +0.8``."""
        is_article = self.probability >= LEAST_CHANCE
        agree = [(name, odds) for name, odds in self.reasons if (odds > 0) == is_article]
        return ", ".join(f"{name} {odds:+.1f}" for name, odds in agree[:most])


@dataclass(frozen=True)
class TypeModel:
    """The weights of ``FEATURES`` after these were centred and scaled, and the bias."""

    centers: Table
    scales: Table
    weights: Table
    bias: float

    def contributions(self, table: Table) -> Table:
        """What each feature of each row adds to the log-odds."""
        return np.asarray((table - self.centers) / self.scales * self.weights)

    def predict(self, table: Table) -> Table:
        """The probability of each row of ``HostSignals.describe`` that the page is an article."""
        return _sigmoid(self.contributions(table).sum(axis=1) + self.bias)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        buffer = BytesIO()
        np.savez_compressed(
            buffer,
            features=np.array(FEATURES),
            centers=self.centers,
            scales=self.scales,
            weights=self.weights,
            bias=np.array(self.bias),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> TypeModel:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            if tuple(stored["features"]) != FEATURES:
                raise ValueError("the model was trained on other features; train it again")
            return cls(
                stored["centers"], stored["scales"], stored["weights"], float(stored["bias"])
            )


@cache
def default_model() -> TypeModel:
    """The model of the package, loaded once."""
    return TypeModel.from_bytes(files("forest_scrapy.core.models").joinpath(_FILE).read_bytes())


def classify_templates(
    host: HostSignals,
    templates: Sequence[Collection[str]],
    pages: Sequence[Sequence[Signals]],
    known: Collection[int] = (),
    model: TypeModel | None = None,
) -> list[TemplateType]:
    """What templates of a host are.

    ``templates``: the digests of each; ``pages``: the signals of those of its pages that are
    classified.  ``known``: indices of templates that are known to have articles.  ``model``:
    None for the model of the package.
    """
    model = model or default_model()
    found = []
    for index, table in enumerate(host.describe(templates, pages)):
        odds = model.contributions(table)
        extra = KNOWN_ARTICLE if index in known else 0.0
        chances = _sigmoid(odds.sum(axis=1) + model.bias + extra)
        mean = float(chances.mean()) if len(chances) else 0.0
        found.append(TemplateType(tuple(map(float, chances)), mean, _rank_reasons(odds)))
    return found


def _rank_reasons(odds: Table) -> tuple[tuple[str, float], ...]:
    """The mean contribution of each signal, whether of page, template or host, strongest first."""
    if not len(odds):
        return ()
    mean, count = odds.mean(axis=0), len(SIGNALS)
    by_signal = mean[: 3 * count].reshape(3, count).sum(axis=0)
    names = (*SIGNALS, *TEMPLATE_FEATURES)
    values = [*map(float, by_signal), *map(float, mean[3 * count :])]
    return tuple(sorted(zip(names, values, strict=True), key=lambda one: (-abs(one[1]), one[0])))


def _sigmoid(odds: Table) -> Table:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))
