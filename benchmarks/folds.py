"""Classifiers for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from benchmarks.contest import ClassifierOf
from benchmarks.train import choose_vocabulary, fit, read_examples, table_of

__all__ = ["train_folds"]


def train_folds(folders: Sequence[str], folds: int) -> ClassifierOf:
    """For each site the classifier that was trained, on the pages of the sets, without any
    page of the sites in its fold.

    The vocabulary, which needs no labels, is that of all sites, as in ``benchmarks.train``.
    """
    examples = [example for folder in folders for example in read_examples(folder)]
    vocabulary = choose_vocabulary(examples)
    tables = [table_of(example, vocabulary) for example in examples]
    models = []
    for fold in range(folds):
        seen = [i for i, one in enumerate(examples) if fold_of(one.site, folds) != fold]
        models.append(fit([examples[i] for i in seen], [tables[i] for i in seen], vocabulary))
    return lambda site: models[fold_of(site, folds)]


def fold_of(site: str, folds: int) -> int:
    """The same for a site in several sets.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    name = site.lower().removeprefix("www.")
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % folds
