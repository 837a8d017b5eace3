"""The pages of a site, parsed and grouped into templates once for all methods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from benchmarks.sets.bench_set import BenchPage, Group, load_groups
from benchmarks.sets.offline import place_pages
from forest_scrapy.core import Page
from forest_scrapy.core.methods.signifiers import read_links
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.settings import ForestSettings


@dataclass(frozen=True)
class PlacedPage:
    """A page of a template, and whether it is known to be an article (a feed item, say)."""

    page: Page
    is_article: bool


@dataclass(frozen=True)
class Site:
    """A group of the set: its pages that are scored, and its templates.

    Pages that the crawl does not take for articles are in no template.  ``parse_seconds``: per
    page of the templates.
    """

    name: str
    scored: tuple[BenchPage, ...]
    templates: tuple[tuple[PlacedPage, ...], ...]
    parse_seconds: float


def read_sites(
    folder: str,
    only: str = "",
    is_wanted: Callable[[Group], bool] = lambda group: True,
    with_link_texts: bool = False,
) -> Iterator[Site]:
    """The sites of a set, one at a time.

    ``only``: ``multi`` for sites with two or more articles, ``single`` for those with one.
    ``with_link_texts``: whether pages have the texts of the links to them on all recorded pages.
    """
    for group in load_groups(folder):
        articles = len(group.articles)
        is_kind = articles and (not only or (articles > 1) == (only == "multi"))
        if is_kind and is_wanted(group):
            yield read_site(group, with_link_texts=with_link_texts)


def read_site(
    group: Group,
    settings: ForestSettings | None = None,
    with_link_texts: bool = False,
) -> Site:
    """Group the pages into templates as a crawl with these settings does, and parse them."""
    link_texts = collect_link_texts(group) if with_link_texts else {}
    placed = asyncio.run(place_pages(group.pages, settings or ForestSettings()))
    start = perf_counter()
    templates: list[tuple[PlacedPage, ...]] = []
    for name, items in placed:
        pages = [_parse(item, link_texts) for item in items]
        # Pages that could not be read have no template: each is a single page.
        templates += [tuple(pages)] if name else [(page,) for page in pages]
    seconds = perf_counter() - start
    count = sum(map(len, templates))
    return Site(group.name, tuple(group.articles), tuple(templates), seconds / (count or 1))


def collect_link_texts(group: Group) -> dict[str, tuple[str, ...]]:
    """The texts of the links between the recorded pages, each once, by the key of the page that is
    linked (see ``page_key``)."""
    texts: dict[str, dict[str, None]] = {}
    for recorded in group.pages:
        own_key = page_key(recorded.url)
        for key, text in read_links(recorded.parse()):
            if key != own_key and text:
                texts.setdefault(key, {})[text] = None
    return {key: tuple(page_texts) for key, page_texts in texts.items()}


def _parse(item: ArticlePage, link_texts: Mapping[str, tuple[str, ...]]) -> PlacedPage:
    page = page_of(item.response, item.entry)
    page_texts = link_texts.get(page_key(page.url), ())
    if page_texts:
        page = replace(page, link_texts=page_texts)
    _ = page.outline, page.language  # computed on first use: not in the time of a method
    return PlacedPage(page, item.is_article)
