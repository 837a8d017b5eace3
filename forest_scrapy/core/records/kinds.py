"""What kind of pages a template has: articles, threads, products, lists, or others.

A classifier that is trained on templates of known kinds decides, from what ``signals`` reads; where
it is in doubt, a few facts do.

``python -m benchmarks.train_kinds`` makes the model file, from sets with pages of known kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from math import expm1

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.records.kind_signals import TemplateFacts

__all__ = ["KINDS", "Kind", "KindModel", "choose_kind", "choose_template_kind"]

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
    folder = files("forest_scrapy.core.models")
    return KindModel.from_bytes(folder.joinpath(_FILE).read_bytes())


#: The kinds of templates.
KINDS = ("article", "thread", "product", "listing", "other")

#: If articles are preferred, a template is one of articles from these probabilities on, instead of
#: another kind, and instead of these.  Chosen on the same templates of other sites than trained on
#: that are reported, so that 0.98 of the articles are kept; 0.15 to 0.3 for threads are as good.
LEAST_ARTICLE, LEAST_ARTICLE_OR = 0.07, {"other": 0.05, "thread": 0.2}
#: The classifier alone decides from this probability on.  On other sites than trained on, 0.4 to
#: 0.6 give the same; without the facts, small pages are ``other``.
SURE = 0.6
# Set by hand, looking at harvest-forum and 40 pages of wcxb-dev-articles.
#: The share of the prose that must be in the posts of a thread, the same on pages that declare an
#: article, as some forums do, and the share of the posts with a date.
COVERED, COVERED_ALTHOUGH, DATED = 0.45, 0.9, 0.8
#: Items of the shortest list, the share of them whose heading links to another page, the share of
#: linked text on its page, and the share of the pages that must declare a kind.
FEWEST_ITEMS, TITLED, LINKED, MOSTLY = 4, 0.6, 0.5, 0.5
#: Reasons that are named.
_MOST_REASONS = 4


@dataclass(frozen=True)
class Kind:
    """One of ``KINDS``, and what tells so, in words."""

    name: str = "other"
    evidence: tuple[str, ...] = ()


def choose_template_kind(
    facts: TemplateFacts, prefer_articles: bool = False, model: KindModel | None = None
) -> Kind:
    """The kind of the pages of a template, by what was read from them.

    ``prefer_articles``: in doubt they are articles.  ``model``: None for the one of the package.
    """
    model = model or default_kind_model()
    chances = model.predict(facts.numbers)
    name = choose_kind(facts.numbers, chances, prefer_articles)
    reasons = model.reasons(facts.numbers, name)[:_MOST_REASONS]
    named = ", ".join(f"{_say(reason)} {odds:+.1f}" for reason, odds in reasons if odds > 0)
    return Kind(name, (f"probability {chances[name]:.2f}: {named}", *facts.evidence))


def _say(number: str) -> str:
    """The name of a number in words: ``posts_log_records`` is "posts records"."""
    return number.replace("log_", "").replace("_", " ")


def choose_kind(
    numbers: Mapping[str, float], chances: Mapping[str, float], prefer_articles: bool = False
) -> str:
    """The kind for the numbers of ``TemplateFacts``, and the probabilities of the classifier.

    The most likely kind; if that is unlikely, or ``other``, what a few facts tell.  Pages without
    text are ``other``.
    """
    if not numbers["log_segments"]:
        return "other"
    best = max(chances, key=lambda kind: (round(chances[kind], 6), kind))
    if best == "other" or chances[best] < SURE:
        best = _told_by_facts(numbers) or best
    least = LEAST_ARTICLE_OR.get(best, LEAST_ARTICLE)
    return "article" if prefer_articles and chances["article"] >= least else best


def _told_by_facts(numbers: Mapping[str, float]) -> str:
    """What pages declare, or records with dates or with linked titles; ``""`` if there is none."""
    if numbers["declares_one_product"] >= MOSTLY:
        return "product"
    records = expm1(numbers["posts_log_records"])
    if numbers["posts_titled"] >= TITLED:
        return "listing" if records >= FEWEST_ITEMS else ""
    covered = COVERED_ALTHOUGH if numbers["declares_article"] >= MOSTLY else COVERED
    is_dated = numbers["posts_dated"] >= DATED and numbers["posts_coverage"] >= covered
    if is_dated and records > 1:
        return "thread"
    if numbers["declares_article"] >= MOSTLY:
        return "article"
    items = expm1(numbers["items_log_records"])
    return "listing" if items >= FEWEST_ITEMS and numbers["linked_share"] > LINKED else ""
