"""Compare methods and other extractors on the same pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from benchmarks.quality.method_runs import run_method
from benchmarks.sets.placed_pages import Site
from benchmarks.sets.scores import Score, mean_score, score_text
from benchmarks.support.peers import Peer, run_peer
from forest_scrapy.core import Params
from forest_scrapy.core.methods import TRAINED_METHODS
from forest_scrapy.core.segments.classifier import Classifier

#: The classifier for a site, by the site's name; None: the one that ships.
ClassifierOf = Callable[[str], Classifier | None]
#: The score of a text, by the gold text and the text.
ScoreText = Callable[[str, str], Score]
#: The pages that a wrapper is learned from; learning is timed for wrappers with this number.
FULL = Params().pages
#: What a site may lose at most by its template, and the number of sites that are named.
MAX_LOSS = 0.02
WORST_SITES = 10
#: The percentiles that figure 4 draws: whiskers, box and median.
QUANTILES = {"p9": 9, "q1": 25, "median": 50, "q3": 75, "p91": 91}


class PageScore(NamedTuple):
    """The score of a page; whether any text was found on it; whether the wrapper was learned
    from it; the number of articles of its site; the name of its site."""

    score: Score
    found: bool
    learned: bool
    articles: int
    site: str = ""


@dataclass
class Results:
    """The results of one method or peer; ``learning``: pages and seconds of each wrapper."""

    pages: list[PageScore] = field(default_factory=list)
    seconds: float = 0.0
    learning: list[tuple[int, float]] = field(default_factory=list)


@dataclass
class Comparison:
    """The results of methods by their parameters, and of peers by their names."""

    methods: dict[Params, Results]
    peers: dict[str, Results]


def compare(
    sites: Iterable[Site],
    methods: Iterable[Params],
    peers: Mapping[str, Peer],
    classifier_of: ClassifierOf = lambda site: None,
    score: ScoreText = score_text,
) -> Comparison:
    """Run every method and peer on every site; each site is parsed and clustered once."""
    method_results = {params: Results() for params in methods}
    peer_results = {name: Results() for name in peers}
    for site in sites:
        for params, results in method_results.items():
            classifier = None
            if params.method in TRAINED_METHODS:
                classifier = classifier_of(site.name)
            _add_method(results, site, params, classifier, score)
        for name, results in peer_results.items():
            _add_peer(results, site, peers[name], score)
    return Comparison(method_results, peer_results)


def summarize(results: Results) -> dict[str, Any]:
    """The figures of one method or peer.

    ``nothing`` and ``below_half``: the shares of pages without any text, and with F1 below 0.5.
    ``learning_seconds``: mean over the templates of ten pages, None if there is no such
    template.  ``f1_at``: quantiles over pages.
    """
    scores = [page.score for page in results.pages]
    f1 = [score.f1 for score in scores]
    mean_scores = {}
    for name, value in mean_score(scores)._asdict().items():
        mean_scores[name] = round(value, 4)

    without_text = 0.0
    below_half = 0.0
    f1_at = dict.fromkeys(QUANTILES, 0.0)
    if f1:
        without_text = fmean(not page.found for page in results.pages)
        below_half = fmean(value < 0.5 for value in f1)
        for name, percentile in QUANTILES.items():
            f1_at[name] = round(float(np.percentile(f1, percentile)), 4)

    learning_seconds = None
    full_learning = [seconds for pages, seconds in results.learning if pages == FULL]
    if full_learning:
        learning_seconds = round(fmean(full_learning), 4)

    return {
        **mean_scores,
        "pages": len(scores),
        "nothing": round(without_text, 4),
        "below_half": round(below_half, 4),
        "seconds_per_page": round(results.seconds / (len(scores) or 1), 5),
        "learning_seconds": learning_seconds,
        "f1_at": f1_at,
    }


def score_held_out(results: Results) -> dict[str, Any]:
    """Mean F1 on the pages that wrappers were learned from, and on the other pages of the same
    sites, over the sites with more articles than a wrapper is learned from."""
    learned_pages = []
    held_out_pages = []
    for page in results.pages:
        if page.articles <= FULL:
            continue
        if page.learned:
            learned_pages.append(page)
        else:
            held_out_pages.append(page)
    return {
        "learned": _mean_f1(learned_pages),
        "other": _mean_f1(held_out_pages),
        "learned_pages": len(learned_pages),
        "other_pages": len(held_out_pages),
    }


def compare_sites(template: Results, single: Results) -> dict[str, Any]:
    """What the pages of each site lose by being read by their template's wrapper, instead of each
    by itself: the mean F1 of the ``single`` pages less that of the ``template``.

    ``losing_sites``: the number of sites that lose more than ``MAX_LOSS``, and ``largest_loss``
    that of the worst site, 0 if none loses.  ``worst_sites``: the ``WORST_SITES`` that lose most,
    with their F1 by both, as far as they lose anything.  ``below_half`` and ``below_nine_tenths``:
    the number of pages whose F1 by the template is below 0.5 and 0.9.
    """
    by_template = _group_f1(template)
    by_single = _group_f1(single)
    rows: list[dict[str, Any]] = []
    for name, values in by_template.items():
        template_f1 = fmean(values)
        single_f1 = fmean(by_single[name])
        row = {
            "site": name,
            "pages": len(values),
            "template": round(template_f1, 4),
            "single": round(single_f1, 4),
            "loss": round(single_f1 - template_f1, 4),
        }
        rows.append(row)
    rows.sort(key=lambda row: (-row["loss"], row["site"]))
    f1 = [page.score.f1 for page in template.pages]
    return {
        "sites": len(rows),
        "losing_sites": sum(row["loss"] > MAX_LOSS for row in rows),
        "largest_loss": max([0.0, *(row["loss"] for row in rows)]),
        "worst_sites": [row for row in rows if row["loss"] > 0][:WORST_SITES],
        "below_half": sum(value < 0.5 for value in f1),
        "below_nine_tenths": sum(value < 0.9 for value in f1),
    }


def _group_f1(results: Results) -> dict[str, list[float]]:
    """The F1 of the pages by the names of their sites."""
    groups: dict[str, list[float]] = {}
    for page in results.pages:
        groups.setdefault(page.site, []).append(page.score.f1)
    return groups


def _mean_f1(pages: Sequence[PageScore]) -> float | None:
    return round(fmean(page.score.f1 for page in pages), 4) if pages else None


def _add_method(
    results: Results,
    site: Site,
    params: Params,
    classifier: Classifier | None,
    score: ScoreText,
) -> None:
    run = run_method(site, params, classifier)
    for page in site.scored:
        text = run.texts.get(page.url, "")
        page_score = PageScore(
            score=score(page.gold, text),
            found=bool(text),
            learned=page.url in run.learned,
            articles=len(site.scored),
            site=site.name,
        )
        results.pages.append(page_score)
    results.seconds += run.seconds + site.parse_seconds * len(site.scored)
    results.learning += run.learning


def _add_peer(results: Results, site: Site, peer: Peer, score: ScoreText) -> None:
    for page in site.scored:
        text, seconds = run_peer(peer, page.html)
        page_score = PageScore(
            score=score(page.gold, text),
            found=bool(text),
            learned=False,
            articles=len(site.scored),
            site=site.name,
        )
        results.pages.append(page_score)
        results.seconds += seconds
