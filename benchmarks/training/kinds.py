"""Train the classifier of kinds of templates: articles, threads, products, lists, others.

    python -m benchmarks.training.kinds KIND=SET [KIND=SET ...] [--out KINDS.npz] [--folds 5]
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

from benchmarks.sets.bench_set import BenchPage, UnreadableSet, load_groups, run_command
from benchmarks.training.folds import fold_of
from forest_scrapy.core import Fingerprint, HostClusters, Page
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.fingerprints import typed_paths
from forest_scrapy.core.templates.kinds import KINDS, choose_kind, predict_kinds

#: Weight of the squared weights.  Chosen from 1, 3, 10 and 30 on the same folds as are reported.
PENALTY = 10.0
#: Pages of a site and kind, templates of these, and pages of a template.
MAX_PAGES = 4
MAX_TEMPLATES = 3
MAX_TEMPLATE_PAGES = 4
#: Steps of gradient descent, and the curvature's share of the length of a step.
_STEPS = 400
_CURVATURE_SHARE = 0.5


@dataclass(frozen=True)
class LabelledTemplate:
    """A template whose kind is recorded, described by the numbers of ``TemplateFacts``."""

    set: str
    site: str
    kind: str
    pages: int
    numbers: dict[str, float]


def read_templates(kind: str, folder: str, sites: int) -> Iterator[LabelledTemplate]:
    """The templates of at most so many ``sites`` of a set, and a page of each by itself."""
    name = Path(folder).name
    for group in islice(load_groups(folder), sites):
        for page_kind, pages in _divide_by_kind(kind, group.pages).items():
            parsed_pages = [page.parse() for page in pages[:MAX_PAGES]]
            for sample in _group_pages(parsed_pages):
                candidates = read_candidates(sample)
                yield LabelledTemplate(
                    set=name,
                    site=group.name,
                    kind=page_kind,
                    pages=len(sample),
                    numbers=candidates.facts.numbers,
                )


def _divide_by_kind(kind: str, pages: Sequence[BenchPage]) -> dict[str, list[BenchPage]]:
    """The pages of a site by their kind.  ``kind``: that of the set's articles."""
    of_kind: dict[str, list[BenchPage]] = defaultdict(list)
    for page in pages:
        is_of_the_set = page.is_article or page.kind not in KINDS
        page_kind = kind if is_of_the_set else page.kind
        of_kind[page_kind].append(page)
    return of_kind


def _group_pages(pages: Sequence[Page]) -> Iterator[list[Page]]:
    """Samples of the largest templates: pages of each, and its first page by itself."""
    clusters = HostClusters()
    fingerprints = []
    for page in pages:
        paths = typed_paths(page)
        fingerprint = Fingerprint(paths)
        fingerprints.append(fingerprint)
        clusters.add(fingerprint, is_article=True)

    templates: dict[str, list[Page]] = defaultdict(list)
    for page, fingerprint in zip(pages, fingerprints, strict=True):
        cluster = clusters.cluster_of(fingerprint)
        key = min(cluster.digests) if cluster else fingerprint.digest
        templates[key].append(page)

    largest_first = sorted(templates.values(), key=len, reverse=True)
    for template_pages in largest_first[:MAX_TEMPLATES]:
        yield template_pages[:MAX_TEMPLATE_PAGES]
        if len(template_pages) > 1:
            yield template_pages[:1]


def fit_kinds(templates: Sequence[LabelledTemplate]) -> LogisticModel:
    """Multinomial logistic regression with a penalty on the weights; each kind weighs the same,
    and in it each set.  Deterministic."""
    names = tuple(sorted(templates[0].numbers))
    rows_of_numbers = []
    is_kind = []
    for template in templates:
        rows_of_numbers.append([template.numbers[name] for name in names])
        is_kind.append([template.kind == kind for kind in KINDS])
    table = np.array(rows_of_numbers)
    target = np.array(is_kind, dtype=float)

    shares = _shares(templates)
    centers = np.average(table, axis=0, weights=shares)
    centered = table - centers
    variances = np.average(centered**2, axis=0, weights=shares)
    scales = np.sqrt(variances) + 1e-3
    rows = centered / scales

    normalized_shares = shares / shares.sum() * len(templates)
    weights, biases = _descend(rows, target, normalized_shares)
    return LogisticModel(
        names,
        KINDS,
        centers,
        scales,
        weights,
        biases,
    )


def _shares(templates: Sequence[LabelledTemplate]) -> NDArray[np.float64]:
    """The weight of each template: each kind weighs 1, and each of its sets the same."""
    keys = [(template.kind, template.set) for template in templates]
    template_counts = Counter(keys)
    set_counts = Counter(kind for kind, _ in template_counts)
    shares = []
    for key in keys:
        kind, _ = key
        templates_of_set = template_counts[key]
        sets_of_kind = set_counts[kind]
        share = 1 / (templates_of_set * sets_of_kind)
        shares.append(share)
    return np.array(shares)


def _descend(
    rows: NDArray[np.float64],
    target: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accelerated gradient descent; the steps are small enough for the curvature."""
    bias_column = np.ones((len(rows), 1))
    rows = np.hstack((rows, bias_column))
    penalty = np.full((rows.shape[1], 1), PENALTY)
    penalty[-1] = 1e-3  # the biases
    weighted_rows = rows * shares[:, None]
    eigenvalues = np.linalg.eigvalsh(weighted_rows.T @ rows)
    largest = eigenvalues[-1]
    step = 1 / (_CURVATURE_SHARE * largest + PENALTY)
    weights = ahead = np.zeros((rows.shape[1], target.shape[1]))
    for number in range(_STEPS):
        odds = rows @ ahead
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        errors = shares[:, None] * (chances - target)
        slope = rows.T @ errors + penalty * ahead
        after = ahead - step * slope
        momentum = number / (number + 3)
        ahead = after + momentum * (after - weights)
        weights = after
    return weights[:-1], weights[-1]


def cross_validate(
    templates: Sequence[LabelledTemplate],
    folds: int,
    prefer_articles: bool,
) -> dict[str, dict[str, int]]:
    """For each set and kind, how many templates models that have not seen the site take for
    which kind."""
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for fold in range(folds):
        tested = []
        training = []
        for template in templates:
            if fold_of(template.site, folds) == fold:
                tested.append(template)
            else:
                training.append(template)
        if not tested:
            continue

        model = fit_kinds(training)
        for template in tested:
            chances = predict_kinds(model, template.numbers)
            kind = choose_kind(template.numbers, chances, prefer_articles)
            label = f"{template.set}, {template.kind}"
            confusion[label][kind] += 1

    tables = {}
    for label, counts in sorted(confusion.items()):
        tables[label] = dict(sorted(counts.items()))
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="KIND=SET", help="kinds and folders")
    parser.add_argument("--out", type=Path, help="write the model trained on all sites")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--prefer-articles", action="store_true", help="in doubt, articles")
    parser.add_argument("--sites", type=int, default=300, help="sites of a set that are read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    sets = []
    for argument in options.sets:
        kind, _, folder = argument.partition("=")
        if kind not in KINDS or not folder:
            parser.error(f"name each set with its kind ({', '.join(KINDS)}), such as thread=FOLDER")
        sets.append((kind, folder))

    templates: list[LabelledTemplate] = []
    for kind, folder in sets:
        templates.extend(read_templates(kind, folder, options.sites))
    if not templates:
        raise UnreadableSet("no pages to train on")

    confusion: dict[str, dict[str, int]] = {}
    if options.folds:
        confusion = cross_validate(templates, options.folds, options.prefer_articles)
    size = 0
    if options.out:
        model = fit_kinds(templates)
        size = options.out.write_bytes(model.to_bytes())

    if options.json:
        report = {
            "templates": len(templates),
            "kinds": confusion,
            "model_bytes": size,
        }
        print(json.dumps(report))
        return
    for name, counts in confusion.items():
        _, _, kind = name.rpartition(", ")
        total = sum(counts.values())
        share = counts.get(kind, 0) / total
        print(f"{name:32s} {share:.3f} of {total}", counts)
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
