"""Which source has the title on the pages of a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources, plain
from forest_scrapy.core.fields.titles import (
    LONGEST,
    TITLES,
    common_affixes,
    read_titles,
    title_parts,
)
from forest_scrapy.core.fields.visible import find_visible

__all__ = ["FEED", "learn_titles"]

FEED = "feed:title"
_HEADINGS = ("h1", "h2", "h3")

#: The titles of a page by source.
Titles = Mapping[str, str]


def learn_titles(pages: Sequence[PageSources]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources of the title in the order they are tried, and the affixes to cut off.

    A source that says the same on most pages, where others do not, has the site's title and is
    left out.
    """
    affixes = _site_affixes(pages)
    declared = [read_titles(page, TITLES, affixes) for page in pages]
    shown = (*_find_headings(pages, declared), "//h1")
    sources = (TITLES[0], TITLES[1], *shown, *TITLES[2:])
    found = [read_titles(page, sources, affixes) for page in pages]
    found = [_without_sites(titles, page) for titles, page in zip(found, pages, strict=True)]
    kept = drop_constant(sources, found, plain)
    feed = [next(iter(page.texts(FEED)), None) for page in pages]
    return rank_sources(kept, found, feed, _is_same, FEED), affixes


def _site_affixes(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """What the pages' titles have in common, but for what headings have with them: the name of a
    series is part of the title."""
    titles = [next(iter(page.texts("html:title")), "") for page in pages]
    affixes = common_affixes([title for title in titles if title])
    return tuple(
        affix
        for affix in affixes
        if 2 * sum(_has_heading(page, affix) for page in pages) < len(pages)
    )


def _has_heading(page: PageSources, affix: str) -> bool:
    """Whether a heading says more than the affix, and the affix with it."""
    own = plain(affix)
    texts = (plain(text) for tag in _HEADINGS for text in page.texts(f"html:{tag}"))
    return any(own in text and own != text for text in texts)


def _find_headings(pages: Sequence[PageSources], declared: Sequence[Titles]) -> list[str]:
    """XPaths of the elements that show what the page, or its feed entry, gives for a title, or
    a part of it where pages can be compared; of the first headings where there are none."""
    whole = [
        {plain(title) for title in (*titles.values(), *page.texts(FEED))} - {""}
        for page, titles in zip(pages, declared, strict=True)
    ]
    parts = [{plain(part) for part in title_parts(t.get("html:title", ""))} for t in declared]
    for wanted in (whole, parts if len(pages) > 1 else []):
        found = _find_moving(pages, wanted) if wanted else []
        if sum(any(map(page.texts, found)) for page in pages) >= len(pages) / 2:
            return found
    return find_visible(pages, LONGEST, lambda page, text, e: e.tag in _HEADINGS, 1)


def _find_moving(pages: Sequence[PageSources], wanted: Sequence[set[str]]) -> list[str]:
    """XPaths of the elements that show what is wanted, not the same on most pages."""
    found = find_visible(pages, LONGEST, lambda page, text, _: plain(text) in wanted[page], 6)
    return [xpath for xpath in found if _differs(xpath, pages)][:3]


def _differs(xpath: str, pages: Sequence[PageSources]) -> bool:
    """Whether the element says something else on most pages, as a title does."""
    texts = [plain(page.texts(xpath)[0]) for page in pages if page.texts(xpath)]
    return len(texts) < 2 or len(set(texts)) > len(texts) / 2


def _without_sites(titles: Titles, page: PageSources) -> dict[str, str]:
    """The titles that are more than the site's name."""
    names = {"", page.host_words, *map(plain, page.site_names)}
    return {source: title for source, title in titles.items() if plain(title) not in names}


def _is_same(one: str, other: str) -> bool:
    return plain(one) == plain(other)
