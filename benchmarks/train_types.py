"""Train the classifier of article templates.

    python -m benchmarks.train_types SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the hosts that have both articles and other pages, clusters the pages of each without its
feed, and fits a logistic regression to "the page is an article".  All hosts weigh the same.  Then,
with folds of whole hosts, prints recall and precision of the pages that models choose which have
not seen the host.  The same sets give the same model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_set import Group, UnreadableSet, load_groups, run_command
from benchmarks.folds import fold_of
from forest_scrapy.core import Fingerprint, HostClusters
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.templates.fingerprints import DISTANCES
from forest_scrapy.core.templates.signals import FEATURES, HostSignals, Signals, read_signals

#: Weight of the squared weights.  Not tuned: 10 and 60 give the same recall and precision on
#: other hosts, to 0.005.
PENALTY = 10.0
_STEPS = 50


@dataclass(frozen=True)
class HostPages:
    """The pages of a host: a row of features for each, and whether it is an article."""

    name: str
    table: NDArray[np.float64]
    is_article: NDArray[np.float64]


def read_hosts(folders: Sequence[str]) -> Iterator[HostPages]:
    """The hosts of the sets that have both articles and other pages."""
    for folder in folders:
        for group in load_groups(folder):
            if len({page.is_article for page in group.pages}) == 2:
                yield describe_host(group)


def describe_host(group: Group) -> HostPages:
    """Cluster the pages of a host without its feed, and describe them."""
    clusters, host = HostClusters(), HostSignals()
    seen: list[tuple[str, Signals, bool]] = []
    for recorded in group.pages:
        page = recorded.parse()
        fingerprint = Fingerprint(DISTANCES["typed"](page))
        seen.append((fingerprint.digest, read_signals(page), recorded.is_article))
        clusters.add(fingerprint)
        host.add(*seen[-1][:2])
    clusters.measure()
    digests = [cluster.digests for cluster in clusters.clusters()]
    templates = [[one for one in seen if one[0] in own] for own in digests]
    tables = host.describe(digests, [[signals for _, signals, _ in own] for own in templates])
    articles = [is_article for own in templates for _, _, is_article in own]
    return HostPages(group.name, np.concatenate(tables), np.array(articles, dtype=float))


def fit_model(
    hosts: Sequence[HostPages], features: tuple[str, ...] = FEATURES, penalty: float = PENALTY
) -> LogisticModel:
    """Logistic regression with a penalty on the weights, by Newton's method."""
    table = np.concatenate([host.table for host in hosts])
    target = np.concatenate([host.is_article for host in hosts])
    shares = np.concatenate([np.full(len(host.table), 1 / len(host.table)) for host in hosts])
    shares *= len(table) / shares.sum()
    centers, scales = table.mean(axis=0), table.std(axis=0) + 1e-6
    rows = np.hstack([(table - centers) / scales, np.ones((len(table), 1))])
    penalties = np.full(rows.shape[1], penalty)
    penalties[-1] = 1e-3  # the bias
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (shares * (chances - target)) + penalties * weights
        curve = (rows * (shares * chances * (1 - chances))[:, None]).T @ rows + np.diag(penalties)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if abs(step).max() < 1e-8:
            break
    parts = (centers, scales, weights[:-1, None], weights[-1:])
    return LogisticModel(features, ("article",), *parts)


def cross_validate(
    hosts: Sequence[HostPages],
    folds: int,
    fit: Callable[[Sequence[HostPages]], LogisticModel] = fit_model,
    more: Sequence[HostPages] = (),
) -> dict[str, float]:
    """Recall and precision, mean over hosts, of pages chosen by models that have not seen the
    host.  ``more``: further pages of the hosts, to train on only."""
    model_of = _train_folds([*hosts, *more], folds, fit)
    recall, precision = zip(*(_score(host, model_of(host.name)) for host in hosts), strict=True)
    return {"recall": round(fmean(recall), 4), "precision": round(fmean(precision), 4)}


def train_type_folds(folder: str, folds: int) -> Callable[[str], LogisticModel]:
    """For each site of a set, by its name, a model that was trained without the sites of its
    fold."""
    return _train_folds(list(read_hosts([folder])), folds)


def _train_folds(
    hosts: Sequence[HostPages],
    folds: int,
    fit: Callable[[Sequence[HostPages]], LogisticModel] = fit_model,
) -> Callable[[str], LogisticModel]:
    if len({fold_of(host.name, folds) for host in hosts}) < 2:
        raise UnreadableSet(f"--folds {folds}: there are no other hosts to train on")

    @cache
    def train(fold: int) -> LogisticModel:
        return fit([host for host in hosts if fold_of(host.name, folds) != fold])

    return lambda name: train(fold_of(name, folds))


def _score(host: HostPages, model: LogisticModel) -> tuple[float, float]:
    chosen = model.predict(host.table)[:, 0] >= 0.5
    hits = float((chosen * host.is_article).sum())
    return hits / host.is_article.sum(), hits / max(1, chosen.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all hosts")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    hosts = list(read_hosts(options.sets))
    if not hosts:
        raise UnreadableSet("no host has both articles and other pages")
    pages = sum(len(host.table) for host in hosts)
    scores = cross_validate(hosts, options.folds) if options.folds else {}
    size = options.out.write_bytes(fit_model(hosts).to_bytes()) if options.out else 0
    if options.json:
        report = {"hosts": len(hosts), "pages": pages, **scores, "model_bytes": size}
        print(json.dumps(report))
        return
    print(f"{pages} pages of {len(hosts)} hosts")
    for name, value in scores.items():
        print(f"{name:10s} {value:.4f} on hosts not trained on")
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
