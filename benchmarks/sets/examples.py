"""Labelled examples for training: pages cut into segments, with their gold texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.bench_set import Group, load_groups
from benchmarks.sets.scores import find_words
from forest_scrapy.core import Fingerprint, HostClusters, Params
from forest_scrapy.core.segments.features import (
    Vocabulary,
    describe,
)
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
from forest_scrapy.core.templates.fingerprints import typed_paths
from forest_scrapy.core.xpaths.anchored import attribute_words

#: The size of the vocabulary: tags, and words of class and id attributes.  Not tuned.
TAGS = 30
WORDS = 300
#: Pages of a site: more of the same site add little, since their errors are alike.  Not tuned.
PAGES_OF_SITE = 6
#: Pages of a template that the document frequency of a segment is counted on: as many as a
#: wrapper is learned from.
SIBLINGS = Params().pages


@dataclass(frozen=True)
class Example:
    """A page with its sibling pages (itself among them) and its gold text; what it counts, relative
    to others, in training the trees of segments, and those of blocks."""

    site: str
    set: str
    page: SegmentedPage
    siblings: tuple[SegmentedPage, ...]
    gold: str
    segment_weight: float = 1.0
    block_weight: float = 1.0

    @cached_property
    def labels(self) -> NDArray[np.float64]:
        """``label_segments`` of the page."""
        return np.array(label_segments(self.page, self.gold))


@dataclass(frozen=True)
class TrainingData:
    """Examples, the vocabulary of their features, and for each the table of its features, one
    row per segment."""

    examples: tuple[Example, ...]
    vocabulary: Vocabulary
    tables: tuple[NDArray[np.float32], ...]


def read_training_data(
    folders: Sequence[str],
    add: Callable[[Sequence[Example]], Iterable[Example]] | None = None,
) -> TrainingData:
    """The examples of the sets, and those that ``add`` makes of them.  The vocabulary, which needs
    no labels, is that of all sites."""
    examples = read_examples(folders)
    vocabulary = choose_vocabulary(examples)
    if add is not None:
        examples = (*examples, *add(examples))
    tables = tuple(_table(example, vocabulary) for example in examples)
    return TrainingData(examples, vocabulary, tables)


def read_examples(folders: Sequence[str]) -> tuple[Example, ...]:
    """The scored pages of the sets, at most ``PAGES_OF_SITE`` of each site."""
    examples: list[Example] = []
    for folder in folders:
        for group in load_groups(folder):
            examples += _read_group(group, folder)
    return tuple(examples)


def label_segments(page: SegmentedPage, gold: str) -> list[float]:
    """For each segment the share of its word 2-grams that are in the gold text.  A single word
    gets 1 if it is a line of the gold text, 0.5 if it is elsewhere in it, else 0; a segment
    without words gets -1."""
    words = find_words(gold)
    pairs = set(pairwise(words))
    single = set(words)
    lines = {tuple(find_words(line)) for line in gold.splitlines()}
    labels = []
    for segment in page.segments:
        segment_words = find_words(segment.text)
        if not segment_words:
            labels.append(-1.0)
        elif len(segment_words) > 1:
            segment_pairs = set(pairwise(segment_words))
            labels.append(fmean(pair in pairs for pair in segment_pairs))
        elif tuple(segment_words) in lines:
            labels.append(1.0)
        else:
            labels.append(0.5 * (segment_words[0] in single))
    return labels


def choose_vocabulary(examples: Iterable[Example]) -> Vocabulary:
    """The tags and attribute words that occur on most sites."""
    tags = defaultdict(set)
    words = defaultdict(set)
    for example in examples:
        for node in example.page.page.outline.nodes:
            tags[node.tag].add(example.site)
            for name in ("class", "id"):
                for word in attribute_words(node.element.get(name) or ""):
                    words[word].add(example.site)
    return Vocabulary(_most_common(tags, TAGS), _most_common(words, WORDS))


def _most_common(sites_of: dict[str, set[str]], limit: int) -> tuple[str, ...]:
    ranked = sorted(sites_of, key=lambda name: (-len(sites_of[name]), name))
    return tuple(sorted(ranked[:limit]))


def _table(example: Example, vocabulary: Vocabulary) -> NDArray[np.float32]:
    page_counts: Counter[str] = Counter()
    for page in example.siblings:
        page_counts.update(set(page.texts))
    return describe(example.page, page_counts, len(example.siblings), vocabulary)


def _read_group(group: Group, folder: str) -> list[Example]:
    articles = group.articles[:PAGES_OF_SITE]
    pages = [segment_page(article.parse()) for article in articles]
    fingerprints = [Fingerprint(typed_paths(page.page)) for page in pages]
    clusters = HostClusters()
    for fingerprint in fingerprints:
        clusters.add(fingerprint, is_article=True)

    examples = []
    for article, page, fingerprint in zip(articles, pages, fingerprints, strict=True):
        cluster = clusters.cluster_of(fingerprint)
        siblings = []
        if cluster:
            for sibling, sibling_print in zip(pages, fingerprints, strict=True):
                if sibling_print.digest in cluster.digests:
                    siblings.append(sibling)
        example = Example(
            site=group.name.lower(),
            set=Path(folder).name,
            page=page,
            siblings=tuple(siblings[:SIBLINGS]) or (page,),
            gold=article.gold,
        )
        examples.append(example)
    return examples
