"""Hard pages that are made from pages with known text: what is rare in sets of recorded pages, and
costs most where it occurs.

All pages of a template are changed in the same way, with their own content.  What is put in comes
from sites of the same fold, so that folds stay folds.  The same examples give the same pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from benchmarks.sets.bench_set import load_groups
from benchmarks.sets.examples import Example, TrainingData, read_training_data
from benchmarks.training.folds import fold_of
from benchmarks.training.hard_changes import CHANGES, Change, Source, close_page, open_page
from forest_scrapy.core import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.segments.segmentation import SegmentedPage

#: The share of templates that each change is made in.
SHARES = {
    "short": 0.15,
    "comments": 0.25,
    "short comments": 0.35,
    "next article": 0.2,
    "gallery": 0.15,
    "hidden": 0.1,
    "notice": 0.15,
}
#: What a made page counts in training beside a recorded one.  With 1 for both kinds of trees, the
#: text of recorded pages was 0.006 worse.
SEGMENT_WEIGHT = 0.05
BLOCK_WEIGHT = 0.15
#: Characters and elements of a post that becomes a comment.
MIN_POST_LENGTH = 40
MAX_POST_ELEMENTS = 300
#: Posts of a thread that is used.
MIN_POSTS = 3

Posts = list[list[Element]]


def read_with_hard_pages(
    folders: Sequence[str],
    threads: Sequence[str],
    folds: int,
) -> TrainingData:
    """The examples of the sets, and the hard pages made of them if there are sets of threads."""
    make = partial(make_hard_pages, threads=threads, folds=folds) if threads else None
    return read_training_data(folders, make)


def make_hard_pages(
    examples: Sequence[Example],
    threads: Sequence[str],
    folds: int,
) -> list[Example]:
    """The made pages, whose sets are named ``made`` and the change.  ``threads``: sets of threads,
    whose posts become comments."""
    posts = _read_posts(threads, folds)
    gold_of = {id(example.page): example.gold for example in examples}
    of_fold: dict[int, list[Example]] = defaultdict(list)
    templates: dict[tuple[int, ...], list[Example]] = defaultdict(list)
    for example in examples:
        of_fold[fold_of(example.site, folds)].append(example)
        template_key = tuple(map(id, example.siblings))
        templates[template_key].append(example)

    hard_pages: list[Example] = []
    for template_examples in templates.values():
        first = template_examples[0]
        fold = fold_of(first.site, folds)
        source = Source(first.site, first.siblings, gold_of, of_fold[fold], posts[fold])
        for name, change in _choose_changes(first):
            hard_pages += _make_template(name, change, template_examples, source)
    return hard_pages


def _choose_changes(example: Example) -> Iterator[tuple[str, Change]]:
    first = _first_url(example.siblings)
    for name, share in SHARES.items():
        if Random(f"{name} {first} chosen").random() < share:
            yield name, CHANGES[name]


def _first_url(pages: Iterable[SegmentedPage]) -> str:
    return min(page.page.url for page in pages)


def _make_template(
    name: str,
    change: Change,
    examples: Sequence[Example],
    source: Source,
) -> Iterator[Example]:
    """The examples of a template as they are after a change, without those that cannot be."""
    first = _first_url(source.pages)
    changed = {}
    for page in source.pages:
        opened = open_page(page, source.gold_of.get(id(page), ""))
        if opened is None:
            continue
        template_random = Random(f"{name} {first}")
        page_random = Random(f"{name} {page.page.url}")
        result = change(opened, source, template_random, page_random)
        if result is not None:
            changed[id(page)] = (close_page(result), result.text)

    siblings = tuple(page for page, _ in changed.values())
    for example in examples:
        if id(example.page) not in changed:
            continue
        page, gold = changed[id(example.page)]
        yield replace(
            example,
            set=f"made {name}",
            page=page,
            gold=gold,
            siblings=siblings,
            segment_weight=SEGMENT_WEIGHT,
            block_weight=BLOCK_WEIGHT,
        )


def _read_posts(folders: Sequence[str], folds: int) -> dict[int, Posts]:
    """By fold, the posts of threads."""
    threads: dict[int, Posts] = defaultdict(list)
    for folder in folders:
        for group in load_groups(folder):
            fold = fold_of(group.name, folds)
            for page in group.pages:
                if not page.gold:
                    continue
                posts = _posts_of(page.parse())
                if len(posts) >= MIN_POSTS:
                    threads[fold].append(posts)
    return threads


def _posts_of(page: Page) -> list[Element]:
    """The posts of a page, none if it is no thread."""
    wrapper = learn_records([page], with_article=False)
    if wrapper.kind.name != "thread" or not wrapper.rules:
        return []

    posts = []
    for node, record in wrapper.rules[-1].find(page):
        element = page.outline.nodes[node].element
        is_long_enough = len(record.text) >= MIN_POST_LENGTH
        if is_long_enough and len(list(element.iter())) < MAX_POST_ELEMENTS:
            posts.append(element)
    return posts
