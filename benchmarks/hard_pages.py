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

from benchmarks.bench_set import load_groups
from benchmarks.examples import Example, TrainingData, read_training_data
from benchmarks.folds import fold_of
from benchmarks.hard_changes import CHANGES, Change, Source, close_page, open_page
from forest_scrapy.core import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.segments.segmentation import SegmentedPage

#: The share of templates that each change is made in.
SHARES = {
    "short": 0.15, "comments": 0.25, "short comments": 0.35, "next article": 0.2,
    "gallery": 0.15, "hidden": 0.1, "notice": 0.15,
}  # fmt: skip
#: What a made page counts in training beside a recorded one.  With 1 for both kinds of trees, the
#: text of recorded pages was 0.006 worse.
SEGMENT_WEIGHT, BLOCK_WEIGHT = 0.05, 0.15
#: Characters of the shortest post that becomes a comment, elements of the largest, and the fewest
#: posts of a thread.
_LEAST_POST, _MOST_ELEMENTS, _LEAST_POSTS = 40, 300, 3

Posts = list[list[Element]]


def read_with_hard_pages(
    folders: Sequence[str], threads: Sequence[str], folds: int
) -> TrainingData:
    """The examples of the sets, and the hard pages made of them if there are sets of threads."""
    make = partial(make_hard_pages, threads=threads, folds=folds) if threads else None
    return read_training_data(folders, make)


def make_hard_pages(
    examples: Sequence[Example], threads: Sequence[str], folds: int
) -> list[Example]:
    """The made pages, whose sets are named ``made`` and the change.  ``threads``: sets of threads,
    whose posts become comments."""
    posts = _read_posts(threads, folds)
    gold_of = {id(e.page): e.gold for e in examples}
    of_fold: dict[int, list[Example]] = defaultdict(list)
    templates: dict[tuple[int, ...], list[Example]] = defaultdict(list)
    for example in examples:
        of_fold[fold_of(example.site, folds)].append(example)
        templates[tuple(map(id, example.siblings))].append(example)
    made: list[Example] = []
    for own in templates.values():
        fold = fold_of(own[0].site, folds)
        source = Source(own[0].site, own[0].siblings, gold_of, of_fold[fold], posts[fold])
        for name, change in _choose_changes(own[0]):
            made += _make_template(name, change, own, source)
    return made


def _choose_changes(example: Example) -> Iterator[tuple[str, Change]]:
    first = _first_url(example.siblings)
    for name, share in SHARES.items():
        if Random(f"{name} {first} chosen").random() < share:
            yield name, CHANGES[name]


def _first_url(pages: Iterable[SegmentedPage]) -> str:
    return min(page.page.url for page in pages)


def _make_template(
    name: str, change: Change, examples: Sequence[Example], source: Source
) -> Iterator[Example]:
    """The examples of a template as they are after a change, without those that cannot be."""
    first = _first_url(source.pages)
    changed = {}
    for page in source.pages:
        opened = open_page(page, source.gold_of.get(id(page), ""))
        shared, own = Random(f"{name} {first}"), Random(f"{name} {page.page.url}")
        done = opened and change(opened, source, shared, own)
        if done:
            changed[id(page)] = close_page(done), done.text
    siblings = tuple(changed[id(page)][0] for page in source.pages if id(page) in changed)
    for example in examples:
        if id(example.page) in changed:
            page, gold = changed[id(example.page)]
            made = replace(example, set=f"made {name}", page=page, gold=gold, siblings=siblings)
            yield replace(made, segment_weight=SEGMENT_WEIGHT, block_weight=BLOCK_WEIGHT)


def _read_posts(folders: Sequence[str], folds: int) -> dict[int, Posts]:
    """By fold, the posts of threads."""
    found: dict[int, Posts] = defaultdict(list)
    for folder in folders:
        for group in load_groups(folder):
            threads = (_posts_of(page.parse()) for page in group.pages if page.gold)
            found[fold_of(group.name, folds)] += [t for t in threads if len(t) >= _LEAST_POSTS]
    return found


def _posts_of(page: Page) -> list[Element]:
    """The posts of a page, none if it is no thread."""
    wrapper = learn_records([page], with_article=False)
    if wrapper.kind.name != "thread" or not wrapper.rules:
        return []
    found = wrapper.rules[-1].find(page)
    posts = [
        page.outline.nodes[n].element for n, record in found if len(record.text) >= _LEAST_POST
    ]
    return [post for post in posts if len(list(post.iter())) < _MOST_ELEMENTS]
