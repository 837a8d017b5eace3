"""All methods and peers on the same pages, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from benchmarks.entrants import run_method
from benchmarks.peers import Peer, run_peer
from benchmarks.scores import Score, mean_score, score_text
from benchmarks.sites import Site
from forest_scrapy.core import Params
from forest_scrapy.core.learning import TRAINED_METHODS
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["ClassifierOf", "Contest", "PageScore", "Tally", "held_out", "run_contest", "summarize"]

#: The classifier for a site, by the site's name; None: the one that ships.
ClassifierOf = Callable[[str], Classifier | None]
#: Learning is timed where a wrapper had so many pages.
FULL = 10
#: Figure 4's whiskers, box and median.
QUANTILES = {"p9": 9, "q1": 25, "median": 50, "q3": 75, "p91": 91}


class PageScore(NamedTuple):
    """The score of a page; whether any text was found on it; whether the wrapper was learned
    from it; articles of its site."""

    score: Score
    found: bool
    learned: bool
    articles: int


@dataclass
class Tally:
    """What one entrant did; ``learning``: pages and seconds of each wrapper."""

    pages: list[PageScore] = field(default_factory=list)
    seconds: float = 0.0
    learning: list[tuple[int, float]] = field(default_factory=list)


@dataclass
class Contest:
    """Methods by their parameters, peers by their names."""

    methods: dict[Params, Tally]
    peers: dict[str, Tally]


def run_contest(
    sites: Iterable[Site],
    entrants: Iterable[Params],
    peers: Mapping[str, Peer],
    classifier_of: ClassifierOf = lambda site: None,
) -> Contest:
    """Every entrant on every site; each site is parsed and placed once."""
    contest = Contest({params: Tally() for params in entrants}, {name: Tally() for name in peers})
    for site in sites:
        for params, tally in contest.methods.items():
            classifier = classifier_of(site.name) if params.method in TRAINED_METHODS else None
            _add_method(tally, site, params, classifier)
        for name, tally in contest.peers.items():
            _add_peer(tally, site, peers[name])
    return contest


def summarize(tally: Tally) -> dict[str, Any]:
    """The figures of one entrant.

    ``nothing`` and ``below_half``: the shares of the pages without any text found, and with F1
    below 0.5; ``learning_seconds``: the mean for a template of ten pages, None where none had
    so many; ``f1_at``: quantiles over pages.
    """
    scores = [page.score for page in tally.pages]
    f1 = [score.f1 for score in scores]
    full = [seconds for pages, seconds in tally.learning if pages == FULL]
    quantiles = np.percentile(f1, list(QUANTILES.values())) if f1 else [0.0] * len(QUANTILES)
    return {
        **{name: round(value, 4) for name, value in mean_score(scores)._asdict().items()},
        "pages": len(scores),
        "nothing": round(fmean(not page.found for page in tally.pages), 4) if f1 else 0.0,
        "below_half": round(fmean(value < 0.5 for value in f1), 4) if f1 else 0.0,
        "seconds_per_page": round(tally.seconds / (len(scores) or 1), 5),
        "learning_seconds": round(fmean(full), 4) if full else None,
        "f1_at": {
            name: round(float(value), 4) for name, value in zip(QUANTILES, quantiles, strict=True)
        },
    }


def held_out(tally: Tally) -> dict[str, Any]:
    """Mean F1 on the pages that wrappers were learned from, and on the other pages of the
    same sites, over the sites with more articles than are learned from."""
    own = [page for page in tally.pages if page.articles > FULL]
    return {
        "learned": _mean_f1([page for page in own if page.learned]),
        "other": _mean_f1([page for page in own if not page.learned]),
        "learned_pages": sum(page.learned for page in own),
        "other_pages": sum(not page.learned for page in own),
    }


def _mean_f1(pages: Sequence[PageScore]) -> float | None:
    return round(fmean(page.score.f1 for page in pages), 4) if pages else None


def _add_method(tally: Tally, site: Site, params: Params, classifier: Classifier | None) -> None:
    outcome = run_method(site, params, classifier)
    for page in site.scored:
        text, learned = outcome.texts.get(page.url, ""), page.url in outcome.learned
        score = score_text(page.gold, text)
        tally.pages.append(PageScore(score, bool(text), learned, len(site.scored)))
    tally.seconds += outcome.seconds + site.parse_seconds * len(site.scored)
    tally.learning += outcome.learning


def _add_peer(tally: Tally, site: Site, peer: Peer) -> None:
    for page in site.scored:
        text, seconds = run_peer(peer, page.html)
        score = score_text(page.gold, text)
        tally.pages.append(PageScore(score, bool(text), False, len(site.scored)))
        tally.seconds += seconds
