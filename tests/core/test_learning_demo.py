"""Floors of the mean F1 on the articles of the demo site; do not lower one to repair a test.

Which ten pages are learned from depends on digests of their paths, so each floor holds for
several samples: those of the same site below other folders.
"""

from __future__ import annotations

import pytest

from forest_scrapy.core import METHODS, PAGE_METHODS, Page, Params, learn, sample_pages

from .helpers import BASE, demo_articles, demo_pages, score_texts, score_wrappers

FOLDERS = tuple(f"{BASE}/{i}" for i in range(3))

FLOORS = {
    ("news", "trained"): 0.98,
    ("news", "single"): 0.86,
    ("journal", "trained"): 0.98,
    ("journal", "single"): 0.98,
    ("news", "forest-feeds"): 0.93,
    ("news", "forest"): 0.70,
    ("news", "forest-records"): 0.70,
    ("news", "coverage"): 0.70,
    ("news", "sigfeed"): 0.96,
    ("journal", "forest-feeds"): 0.96,
    ("journal", "forest"): 0.88,
    ("journal", "forest-records"): 0.88,
    ("journal", "coverage"): 0.88,
    ("journal", "sigfeed"): 0.98,
    ("news", "description"): 0.20,
    ("news", "entropy"): 0.82,
    ("news", "mss"): 0.70,
    ("news", "vsse"): 0.48,
    ("journal", "description"): 0.22,
    ("journal", "entropy"): 0.89,
    ("journal", "mss"): 0.88,
    ("journal", "vsse"): 0.48,
    ("news", "vsse-records"): 0.68,
    ("journal", "vsse-records"): 0.78,
}


def move(page: Page, base: str) -> Page:
    """The page at another base URL."""
    return Page(page.url.replace(BASE, base), page.root, page.entry)


def score(section: str, method: str, with_entries: bool = True, base: str = BASE) -> float:
    pages = [move(page, base) for page in demo_pages(section, with_entries)]
    params = Params(method=method)
    if method in PAGE_METHODS:
        wrappers = [learn([page], params) for page in pages]
    else:
        wrappers = [learn(pages, params)] * len(pages)
    return score_wrappers(demo_articles(section, with_entries), wrappers)


def score_samples(section: str, method: str, with_entries: bool = True) -> list[float]:
    """A score for each sample; page methods take no sample."""
    bases = (BASE,) if method in PAGE_METHODS else FOLDERS
    return [score(section, method, with_entries, base) for base in bases]


def test_the_samples_differ() -> None:
    def paths(base: str) -> set[str]:
        sample = sample_pages([move(page, base) for page in demo_pages("news")], Params().pages)
        return {page.url.removeprefix(base) for page in sample}

    assert len({frozenset(paths(base)) for base in FOLDERS}) == len(FOLDERS)


@pytest.mark.parametrize(("section", "method"), FLOORS)
def test_floor(section: str, method: str) -> None:
    scores = score_samples(section, method)
    assert FLOORS[section, method] <= min(scores) <= max(scores) <= 1.0


def test_every_method_has_a_floor() -> None:
    assert FLOORS.keys() == {(s, method) for s in ("news", "journal") for method in METHODS}


@pytest.mark.parametrize("section", ["news", "journal"])
def test_forest_is_far_better_than_the_description(section: str) -> None:
    assert score(section, "forest-feeds") > score(section, "description") + 0.6


@pytest.mark.parametrize(
    ("section", "method", "floor"),
    [
        ("news", "forest-feeds", 0.70),
        ("news", "sigfeed", 0.96),
        ("journal", "forest-feeds", 0.88),
        ("journal", "sigfeed", 0.98),
    ],
)
def test_floor_without_a_feed(section: str, method: str, floor: float) -> None:
    assert min(score_samples(section, method, with_entries=False)) >= floor


@pytest.mark.parametrize(("section", "floor"), [("news", 0.93), ("journal", 0.96)])
def test_three_pages_with_entries_are_enough(section: str, floor: float) -> None:
    articles = demo_articles(section)
    for base in FOLDERS:
        wrapper = learn([move(page, base) for page, _ in articles], Params("forest-feeds", pages=3))
        assert score_wrappers(articles, [wrapper] * len(articles)) >= floor


@pytest.mark.parametrize("section", ["news", "journal"])
def test_no_word_of_an_article_is_lost(section: str) -> None:
    wrapper = learn(demo_pages(section))
    for page, gold in demo_articles(section):
        found = wrapper.apply(page)
        assert not wrapper.shows_several(found)
        assert set(gold.lower().split()) <= set(found.text.lower().split())


def test_photos_are_images_and_their_captions_are_not_in_the_text() -> None:
    wrapper = learn(demo_pages("news"))
    photos = 0
    for page, gold in demo_articles("news"):
        found = wrapper.apply(page)
        captions = page.root.xpath("//figure[@class='story-figure']/figcaption")
        assert [one.caption for one in found.content.images] == [one.text for one in captions]
        assert found.text == gold
        photos += len(captions)
    assert photos == 13


def test_the_score_itself() -> None:
    assert score_texts("the cat sat down", "the cat sat up") == pytest.approx(2 / 3)
    assert score_texts("a b c", "A b, c!") == 1.0
    assert score_texts("a b", "c d") == 0.0
