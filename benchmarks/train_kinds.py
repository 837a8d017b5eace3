"""Train the classifier of kinds of templates: articles, threads, products, lists, others.

    python -m benchmarks.train_kinds KIND=SET [KIND=SET ...] [--out KINDS.npz] [--folds 5]
        [--prefer-articles] [--sites 300] [--json]

``KIND`` is that of the set's articles, such as ``thread=../shared/bench/harvest-forum``; pages of
another kind in the manifest are of that kind.  Groups the pages of each site into templates, reads
what ``core.records.kind_signals`` describes, and fits a multinomial logistic regression; the kinds
weigh the same.  Then, with folds of whole sites, prints for each set how many templates are taken
for which kind by models that have not seen the site.  The same sets give the same model.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_set import BenchPage, UnreadableSet, load_groups, run_command
from benchmarks.folds import fold_of
from forest_scrapy.core import Fingerprint, HostClusters, Page
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.fingerprints import typed_paths
from forest_scrapy.core.templates.kinds import KINDS, choose_kind, predict_kinds

#: Weight of the squared weights.  Chosen from 1, 3, 10 and 30 on the same folds as are reported.
PENALTY = 10.0
#: Pages of a site and kind, templates of these, and pages of a template.
_PAGES, _TEMPLATES, _OF_TEMPLATE = 4, 3, 4
_STEPS, _STEP = 400, 0.5


@dataclass(frozen=True)
class KnownTemplate:
    """Pages of a template of a known kind: the numbers of ``TemplateFacts``."""

    set: str
    site: str
    kind: str
    pages: int
    numbers: dict[str, float]


def read_templates(kind: str, folder: str, sites: int) -> Iterator[KnownTemplate]:
    """The templates of at most so many ``sites`` of a set, and a page of each by itself."""
    for group in islice(load_groups(folder), sites):
        of_kind: dict[str, list[BenchPage]] = defaultdict(list)
        for page in group.pages:
            is_named = page.is_article or page.kind not in KINDS
            of_kind[kind if is_named else page.kind].append(page)
        for name, pages in of_kind.items():
            for sample in _group_pages([page.parse() for page in pages[:_PAGES]]):
                facts = read_candidates(sample).facts
                yield KnownTemplate(Path(folder).name, group.name, name, len(sample), facts.numbers)


def _group_pages(pages: Sequence[Page]) -> Iterator[list[Page]]:
    clusters = HostClusters()
    prints = [Fingerprint(typed_paths(page)) for page in pages]
    for fingerprint in prints:
        clusters.add(fingerprint, is_article=True)
    templates: dict[str, list[Page]] = defaultdict(list)
    for page, fingerprint in zip(pages, prints, strict=True):
        cluster = clusters.cluster_of(fingerprint)
        templates[min(cluster.digests) if cluster else fingerprint.digest].append(page)
    for own in sorted(templates.values(), key=len, reverse=True)[:_TEMPLATES]:
        yield own[:_OF_TEMPLATE]
        if len(own) > 1:
            yield own[:1]


def fit_kinds(templates: Sequence[KnownTemplate]) -> LogisticModel:
    """Multinomial logistic regression with a penalty on the weights; each kind weighs the same,
    and in it each set.  Deterministic."""
    names = tuple(sorted(templates[0].numbers))
    table = np.array([[one.numbers[name] for name in names] for one in templates])
    target = np.array([[one.kind == kind for kind in KINDS] for one in templates], dtype=float)
    shares = _shares(templates)
    centers = np.average(table, axis=0, weights=shares)
    scales = np.sqrt(np.average((table - centers) ** 2, axis=0, weights=shares)) + 1e-3
    rows = (table - centers) / scales
    weights, biases = _descend(rows, target, shares / shares.sum() * len(templates))
    return LogisticModel(names, KINDS, centers, scales, weights, biases)


def _shares(templates: Sequence[KnownTemplate]) -> NDArray[np.float64]:
    keys = [(one.kind, one.set) for one in templates]
    counts, sets = Counter(keys), Counter(kind for kind, _ in set(keys))
    return np.array([1 / (counts[key] * sets[key[0]]) for key in keys])


def _descend(
    rows: NDArray[np.float64], target: NDArray[np.float64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accelerated gradient descent; the steps are small enough for the curvature."""
    rows = np.hstack((rows, np.ones((len(rows), 1))))
    penalty = np.full((rows.shape[1], 1), PENALTY)
    penalty[-1] = 1e-3  # the biases
    largest = np.linalg.eigvalsh((rows * shares[:, None]).T @ rows)[-1]
    step = 1 / (_STEP * largest + PENALTY)
    weights = ahead = np.zeros((rows.shape[1], target.shape[1]))
    for number in range(_STEPS):
        odds = rows @ ahead
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        slope = rows.T @ (shares[:, None] * (chances - target)) + penalty * ahead
        after = ahead - step * slope
        ahead = after + number / (number + 3) * (after - weights)
        weights = after
    return weights[:-1], weights[-1]


def cross_validate(
    templates: Sequence[KnownTemplate], folds: int, prefer_articles: bool
) -> dict[str, dict[str, int]]:
    """For each set and kind, how many templates models that have not seen the site take for
    which kind."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for fold in range(folds):
        own = [one for one in templates if fold_of(one.site, folds) == fold]
        others = [one for one in templates if fold_of(one.site, folds) != fold]
        if own:
            model = fit_kinds(others)
        for one in own:
            chances = predict_kinds(model, one.numbers)
            found[f"{one.set}, {one.kind}"][choose_kind(one.numbers, chances, prefer_articles)] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(found.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="KIND=SET", help="kinds and folders")
    parser.add_argument("--out", type=Path, help="write the model trained on all sites")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--prefer-articles", action="store_true", help="in doubt, articles")
    parser.add_argument("--sites", type=int, default=300, help="sites of a set that are read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    named = [one.partition("=")[::2] for one in options.sets]
    if any(kind not in KINDS or not folder for kind, folder in named):
        parser.error(f"name each set with its kind ({', '.join(KINDS)}), such as thread=FOLDER")
    templates = [
        one for kind, folder in named for one in read_templates(kind, folder, options.sites)
    ]
    if not templates:
        raise UnreadableSet("no pages to train on")
    table = (
        cross_validate(templates, options.folds, options.prefer_articles) if options.folds else {}
    )
    size = options.out.write_bytes(fit_kinds(templates).to_bytes()) if options.out else 0
    if options.json:
        print(json.dumps({"templates": len(templates), "kinds": table, "model_bytes": size}))
        return
    for name, counts in table.items():
        kind, total = name.rpartition(", ")[2], sum(counts.values())
        share = counts.get(kind, 0) / total
        print(f"{name:32s} {share:.3f} of {total}", counts)
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
