"""Train the classifier of article templates.

    python -m benchmarks.training.article_templates SET [SET ...] [--out MODEL.npz] [--folds 5]
        [--json]

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

from benchmarks.sets.bench_set import Group, UnreadableSet, load_groups, run_command
from benchmarks.training.folds import fold_of
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
            page_types = {page.is_article for page in group.pages}
            if len(page_types) == 2:
                yield describe_host(group)


@dataclass(frozen=True)
class _DescribedPage:
    """A page of a host; ``digest``: that of its fingerprint."""

    digest: str
    signals: Signals
    is_article: bool


def describe_host(group: Group) -> HostPages:
    """Cluster the pages of a host without its feed, and describe them."""
    clusters = HostClusters()
    host = HostSignals()
    pages: list[_DescribedPage] = []
    measure_paths = DISTANCES["typed"]
    for recorded in group.pages:
        page = recorded.parse()
        fingerprint = Fingerprint(measure_paths(page))
        digest = fingerprint.digest
        signals = read_signals(page)
        pages.append(_DescribedPage(digest, signals, recorded.is_article))
        clusters.add(fingerprint)
        host.add(digest, signals)
    clusters.measure()

    # The rows of the table are in the order of the clusters.
    cluster_digests = []
    cluster_signals = []
    is_article = []
    for cluster in clusters.clusters():
        members = [page for page in pages if page.digest in cluster.digests]
        cluster_digests.append(cluster.digests)
        cluster_signals.append([page.signals for page in members])
        for member in members:
            is_article.append(member.is_article)

    tables = host.describe(cluster_digests, cluster_signals)
    return HostPages(
        name=group.name,
        table=np.concatenate(tables),
        is_article=np.array(is_article, dtype=float),
    )


def fit_model(
    hosts: Sequence[HostPages],
    features: tuple[str, ...] = FEATURES,
    penalty: float = PENALTY,
) -> LogisticModel:
    """Logistic regression with a penalty on the weights, by Newton's method."""
    table = np.concatenate([host.table for host in hosts])
    target = np.concatenate([host.is_article for host in hosts])
    shares = _weigh_pages(hosts)

    centers = table.mean(axis=0)
    scales = table.std(axis=0) + 1e-6
    scaled = (table - centers) / scales
    bias_column = np.ones((len(table), 1))
    rows = np.hstack([scaled, bias_column])

    penalties = np.full(rows.shape[1], penalty)
    penalties[-1] = 1e-3  # the bias
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        odds = np.clip(rows @ weights, -30, 30)
        chances = 1 / (1 + np.exp(-odds))
        errors = shares * (chances - target)
        slope = rows.T @ errors + penalties * weights

        variances = shares * chances * (1 - chances)
        weighted_rows = rows * variances[:, None]
        curve = weighted_rows.T @ rows + np.diag(penalties)

        step = np.linalg.solve(curve, slope)
        weights -= step
        if abs(step).max() < 1e-8:
            break

    feature_weights = weights[:-1, None]
    bias = weights[-1:]
    return LogisticModel(
        features,
        ("article",),
        centers,
        scales,
        feature_weights,
        bias,
    )


def _weigh_pages(hosts: Sequence[HostPages]) -> NDArray[np.float64]:
    """The weights of the pages: all hosts weigh the same; the mean is 1."""
    weights = []
    for host in hosts:
        page_count = len(host.table)
        host_weights = np.full(page_count, 1 / page_count)
        weights.append(host_weights)
    shares = np.concatenate(weights)
    shares *= len(shares) / shares.sum()
    return shares


def cross_validate(
    hosts: Sequence[HostPages],
    folds: int,
    fit: Callable[[Sequence[HostPages]], LogisticModel] = fit_model,
    more: Sequence[HostPages] = (),
) -> dict[str, float]:
    """Recall and precision, mean over hosts, of pages chosen by models that have not seen the
    host.  ``more``: further pages of the hosts, to train on only."""
    model_of = _train_folds([*hosts, *more], folds, fit)
    recalls = []
    precisions = []
    for host in hosts:
        model = model_of(host.name)
        recall, precision = _score(host, model)
        recalls.append(recall)
        precisions.append(precision)

    mean_recall = fmean(recalls)
    mean_precision = fmean(precisions)
    return {
        "recall": round(mean_recall, 4),
        "precision": round(mean_precision, 4),
    }


def train_type_folds(folder: str, folds: int) -> Callable[[str], LogisticModel]:
    """For each site of a set, by its name, a model that was trained without the sites of its
    fold."""
    hosts = list(read_hosts([folder]))
    return _train_folds(hosts, folds)


def _train_folds(
    hosts: Sequence[HostPages],
    folds: int,
    fit: Callable[[Sequence[HostPages]], LogisticModel] = fit_model,
) -> Callable[[str], LogisticModel]:
    used_folds = {fold_of(host.name, folds) for host in hosts}
    if len(used_folds) < 2:
        raise UnreadableSet(f"--folds {folds}: there are no other hosts to train on")

    @cache
    def train(fold: int) -> LogisticModel:
        training_hosts = [host for host in hosts if fold_of(host.name, folds) != fold]
        return fit(training_hosts)

    def model_of(name: str) -> LogisticModel:
        fold = fold_of(name, folds)
        return train(fold)

    return model_of


def _score(host: HostPages, model: LogisticModel) -> tuple[float, float]:
    """Recall and precision of the pages of a host that a model chooses."""
    chances = model.predict(host.table)[:, 0]
    chosen = chances >= 0.5
    hits = float((chosen * host.is_article).sum())
    recall = hits / host.is_article.sum()
    precision = hits / max(1, chosen.sum())
    return recall, precision


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
    scores: dict[str, float] = {}
    if options.folds:
        scores = cross_validate(hosts, options.folds)
    size = 0
    if options.out:
        model = fit_model(hosts)
        size = options.out.write_bytes(model.to_bytes())

    if options.json:
        report = {
            "hosts": len(hosts),
            "pages": pages,
            **scores,
            "model_bytes": size,
        }
        print(json.dumps(report))
        return
    print(f"{pages} pages of {len(hosts)} hosts")
    for name, value in scores.items():
        print(f"{name:10s} {value:.4f} on hosts not trained on")
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
