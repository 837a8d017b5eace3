"""Made redesigns: a site's articles in the layout of another recorded site."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from lxml import html

from benchmarks.history.days import Day, crawl_day
from benchmarks.sets.bench_set import BenchPage, Group
from benchmarks.sets.scores import score_text
from forest_scrapy.core import Params, learn
from forest_scrapy.core.page.tree import Element, find_elements
from forest_scrapy.settings import ForestSettings

#: Pages after a redesign within which it has to be noticed.
MAX_PAGES_UNTIL_NOTICED = 10
#: The fewest articles of a site that is used.
MIN_ARTICLES = 10


@dataclass(frozen=True)
class Redesign:
    """Whether a change of layout was noticed, F1 of pages after it, and F1 of a crawl that learns
    from the new pages only."""

    is_noticed: bool
    f1_after: float
    f1_scratch: float


async def score_redesigns(groups: Sequence[Group]) -> dict[str, Any]:
    """For each site with enough articles, a redesign to the layout of the next one: the share
    noticed, F1 after it and F1 of learning from scratch; and false alarms on the same sites
    without a redesign."""
    sites = [group for group in groups if len(group.articles) >= MIN_ARTICLES]
    next_sites = [*sites[1:], *sites[:1]]
    redesigns: list[Redesign] = []
    alarms = 0
    templates = 0
    for site, next_site in zip(sites, next_sites, strict=True):
        pages = list(site.articles)
        redesigned_pages = pour(pages, next_site.articles)
        if not redesigned_pages:
            continue

        result = await redesign(pages, redesigned_pages)
        redesigns.append(result)
        print(
            f"redesigns: {site.name} to {next_site.name}: {result.is_noticed}",
            file=sys.stderr,
        )

        first_day, second_day = await stay(pages)
        alarms += second_day.count("templates/redesigned")
        templates += max(1, first_day.count("templates/learned"))
    return {
        "redesigns": len(redesigns),
        "noticed": _rounded_mean([result.is_noticed for result in redesigns]),
        "f1_after": _rounded_mean([result.f1_after for result in redesigns]),
        "f1_scratch": _rounded_mean([result.f1_scratch for result in redesigns]),
        "templates": templates,
        "false_alarms": round(alarms / max(1, templates), 4),
    }


def _rounded_mean(values: Sequence[float]) -> float:
    """0 for no values."""
    if not values:
        return 0.0
    return round(fmean(values), 4)


async def redesign(old: list[BenchPage], new: list[BenchPage]) -> Redesign:
    """Crawl a site on the day before its redesign, and on two days after it."""
    config = ForestSettings()
    half = min(MAX_PAGES_UNTIL_NOTICED, len(new) // 2)
    first_half = new[:half]
    second_half = new[half:]

    with TemporaryDirectory() as folder:
        stores = Path(folder)
        await crawl_day(stores, old, config)
        day = await crawl_day(stores, first_half, config)
        later = await crawl_day(stores, second_half, config)

    with TemporaryDirectory() as folder:
        stores = Path(folder)
        await crawl_day(stores, first_half, config)
        scratch = await crawl_day(stores, second_half, config)

    return Redesign(
        is_noticed=day.count("templates/redesigned") > 0,
        f1_after=f1(later, second_half),
        f1_scratch=f1(scratch, second_half),
    )


async def stay(pages: list[BenchPage]) -> tuple[Day, Day]:
    """Two days of a site that keeps its layout, each with one half of its articles."""
    config = ForestSettings()
    with TemporaryDirectory() as folder:
        stores = Path(folder)
        first_day = await crawl_day(stores, pages[::2], config)
        second_day = await crawl_day(stores, pages[1::2], config)
    return first_day, second_day


def pour(pages: Sequence[BenchPage], layouts: Sequence[BenchPage]) -> list[BenchPage]:
    """The articles of some pages in the layouts of others: the paragraphs of the gold text in
    place of the content of the element that has the layout's article."""
    parsed_layouts = [page.parse() for page in layouts]
    xpaths = learn(parsed_layouts, Params()).keep
    poured = []
    for number, page in enumerate(pages):
        layout = layouts[number % len(layouts)]
        body = _replace_content(layout, xpaths, page)
        if body:
            poured.append(replace(page, html=body))

    if len(poured) < MIN_ARTICLES:
        return []
    return poured


def _replace_content(layout: BenchPage, xpaths: Sequence[str], page: BenchPage) -> bytes:
    root = html.document_fromstring(layout.html)
    for xpath in xpaths:
        blocks = find_elements(xpath, root)
        if not blocks:
            continue
        block = max(blocks, key=_text_length)
        for child in list(block):
            block.remove(child)
        block.text = None
        for line in page.gold.splitlines():
            paragraph = html.Element("p")
            paragraph.text = line
            block.append(paragraph)
        return bytes(html.tostring(root, encoding="utf-8"))
    return b""


def _text_length(element: Element) -> int:
    return len("".join(element.itertext()))


def f1(day: Day, pages: Sequence[BenchPage]) -> float:
    """The mean F1 of the pages' texts."""
    scores = []
    for page in pages:
        article = day.articles.get(page.url)
        text = article.text if article else ""
        scores.append(score_text(page.gold, text).f1)
    return fmean(scores)
