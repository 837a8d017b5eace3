"""Which source has the title on the pages of a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forest_scrapy.core.fields.facts import Facts, plain
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.showing import find_shown
from forest_scrapy.core.fields.titles import LONGEST, TITLES, common_affixes, read_titles

__all__ = ["FEED", "learn_titles"]

FEED = "feed:title"
_HEADINGS = frozenset(("h1", "h2", "h3"))

#: The titles of a page by source.
Titles = Mapping[str, str]


def learn_titles(pages: Sequence[Facts]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources of the title in the order they are tried, and the affixes to cut off.

    A source that says the same on most pages, where others do not, has the site's title and is
    left out.
    """
    affixes = common_affixes([t for page in pages for t in page.texts("html:title")[:1]])
    declared = [read_titles(page, TITLES, affixes) for page in pages]
    shown = (*_find_headings(pages, declared), "//h1")
    sources = (TITLES[0], TITLES[1], *shown, *TITLES[2:])
    found = [read_titles(page, sources, affixes) for page in pages]
    found = [_without_sites(titles, page) for titles, page in zip(found, pages, strict=True)]
    kept = drop_constant(sources, found, plain)
    feed = [next(iter(page.texts(FEED)), None) for page in pages]
    return rank_sources(kept, found, feed, _is_same, FEED), affixes


def _find_headings(pages: Sequence[Facts], declared: Sequence[Titles]) -> list[str]:
    """XPaths of the elements that show what the page, or its feed entry, gives for a title; of
    the first headings where there are none."""
    wanted = [
        {plain(title) for title in (*titles.values(), *page.texts(FEED))} - {""}
        for page, titles in zip(pages, declared, strict=True)
    ]
    found = find_shown(pages, LONGEST, lambda page, text, _: plain(text) in wanted[page])
    return found or find_shown(pages, LONGEST, lambda page, text, e: e.tag in _HEADINGS, most=1)


def _without_sites(titles: Titles, page: Facts) -> dict[str, str]:
    """The titles that are more than the site's name."""
    names = {"", page.host_words, *map(plain, page.site_names)}
    return {source: title for source, title in titles.items() if plain(title) not in names}


def _is_same(one: str, other: str) -> bool:
    return plain(one) == plain(other)
