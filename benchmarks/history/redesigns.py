"""Made redesigns: a site's articles in the layout of another recorded site."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from lxml import html

from benchmarks.history.days import Day, crawl_day
from benchmarks.sets.bench_set import BenchPage, Group
from benchmarks.sets.scores import score_text
from forest_scrapy.core import Params, learn
from forest_scrapy.core.page.tree import find_elements
from forest_scrapy.settings import ForestSettings

#: Pages before a redesign, within which it has to be noticed, and after it.
BEFORE, WITHIN, AFTER = 5, 10, 3
#: The fewest articles of a site that is used.
_LEAST = 10


async def score_redesigns(groups: Sequence[Group]) -> dict[str, Any]:
    """For each site with enough articles, a redesign to the layout of the next one: the share
    noticed, F1 after it and F1 of learning from scratch; and false alarms on the same sites
    without a redesign."""
    sites = [group for group in groups if len(group.articles) >= _LEAST]
    found, after, scratch, alarms, templates = [], [], [], 0, 0
    for site, next_site in zip(sites, [*sites[1:], *sites[:1]], strict=True):
        pages = list(site.articles)
        new = pour(pages, next_site.articles)
        if not new:
            continue
        noticed, score, best = await redesign(pages, new)
        found.append(noticed)
        after.append(score)
        scratch.append(best)
        days = await stay(pages)
        alarms += days[1].count("templates/redesigned")
        templates += max(1, days[0].count("templates/learned"))
        print(f"redesigns: {site.name} to {next_site.name}: {noticed}", file=sys.stderr)
    return {
        "redesigns": len(found),
        "noticed": round(fmean(found), 4) if found else 0.0,
        "f1_after": round(fmean(after), 4) if after else 0.0,
        "f1_scratch": round(fmean(scratch), 4) if scratch else 0.0,
        "templates": templates,
        "false_alarms": round(alarms / max(1, templates), 4),
    }


async def redesign(old: list[BenchPage], new: list[BenchPage]) -> tuple[bool, float, float]:
    """Whether the change of layout is noticed, F1 of pages after it, and that of a crawl that
    learns from the new pages only."""
    config = ForestSettings()
    half = min(WITHIN, len(new) // 2)
    with TemporaryDirectory() as stored, TemporaryDirectory() as fresh:
        await crawl_day(Path(stored), old, config)
        day = await crawl_day(Path(stored), new[:half], config)
        later = await crawl_day(Path(stored), new[half:], config)
        await crawl_day(Path(fresh), new[:half], config)
        scratch = await crawl_day(Path(fresh), new[half:], config)
    noticed = day.count("templates/redesigned") > 0
    return noticed, f1(later, new[half:]), f1(scratch, new[half:])


async def stay(pages: list[BenchPage]) -> list[Day]:
    """Two days of a site that keeps its layout, each with one half of its articles."""
    with TemporaryDirectory() as folder:
        halves = (pages[::2], pages[1::2])
        return [await crawl_day(Path(folder), half, ForestSettings()) for half in halves]


def pour(pages: Sequence[BenchPage], layouts: Sequence[BenchPage]) -> list[BenchPage]:
    """The articles of some pages in the layouts of others: the paragraphs of the gold text in
    place of the content of the element that has the layout's article."""
    xpaths = learn([page.parse() for page in layouts], Params()).keep
    poured = []
    for number, page in enumerate(pages):
        layout = layouts[number % len(layouts)]
        body = _replace_content(layout, xpaths, page)
        if body:
            poured.append(replace(page, html=body))
    return poured if len(poured) >= _LEAST else []


def _replace_content(layout: BenchPage, xpaths: Sequence[str], page: BenchPage) -> bytes:
    root = html.document_fromstring(layout.html)
    for xpath in xpaths:
        blocks = find_elements(xpath, root)
        if blocks:
            block = max(blocks, key=lambda element: len("".join(element.itertext())))
            for child in list(block):
                block.remove(child)
            block.text = None
            for line in page.gold.splitlines():
                paragraph = html.Element("p")
                paragraph.text = line
                block.append(paragraph)
            return bytes(html.tostring(root, encoding="utf-8"))
    return b""


def f1(day: Day, pages: Sequence[BenchPage]) -> float:
    """The mean F1 of the pages' texts."""
    texts = [(page.gold, day.articles.get(page.url)) for page in pages]
    return fmean(score_text(gold, article.text if article else "").f1 for gold, article in texts)
