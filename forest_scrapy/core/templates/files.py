"""Which pages without a URL, such as files, are articles.

Neither a URL nor a host shows that.  So the pages of a site are found by ``menus``, those of a
template by clusters, and a trained model decides by the numbers of the page (``Signals`` without
those of URLs, and those of ``kinds``, which also count its records), their means over its template,
and these less the means of the site.  ``python -m benchmarks.training.files`` makes the model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from forest_scrapy.core.models.files import read_packaged
from forest_scrapy.core.models.logistic import LogisticModel, Table
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.templates.clusters import HostClusters
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.kinds import (
    MIN_CHANCE,
    TemplateFacts,
    article_odds_alone,
    is_article_alone,
)
from forest_scrapy.core.templates.menus import group_by_menu, read_menu
from forest_scrapy.core.templates.signals import read_signals

#: Pages of a site that are compared with each other; of fewer, each is judged by itself.
MIN_SITE_PAGES = 5
#: The number with the log-odds of an article, by the page alone.
_ALONE = "alone"


@dataclass(frozen=True)
class FilePage:
    """A page without a URL: its links (``read_menu``), its numbers by name, and whether it is an
    article if nothing is known of its site."""

    menu: tuple[int, ...]
    numbers: Mapping[str, float]
    is_article_alone: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "menu": self.menu,
            "numbers": self.numbers,
            "alone": self.is_article_alone,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FilePage:
        return cls(
            menu=tuple(data["menu"]),
            numbers=data["numbers"],
            is_article_alone=data["alone"],
        )


def describe_file(page: Page, facts: TemplateFacts) -> FilePage:
    """Describe a page without a URL; ``facts``: those of the page alone."""
    all_numbers = {
        **read_signals(page).to_dict(),
        **facts.numbers,
        _ALONE: article_odds_alone(facts),
    }
    numbers = {name: number for name, number in all_numbers.items() if not is_of_url(name)}
    return FilePage(
        menu=read_menu(page),
        numbers=numbers,
        is_article_alone=is_article_alone(facts),
    )


def is_of_url(name: str) -> bool:
    """Whether a number is one of the URL.

    >>> is_of_url("url_date"), is_of_url("log_url_length"), is_of_url("plain_share")
    (True, True, False)
    """
    return "url" in name.split("_")


@cache
def file_model() -> LogisticModel:
    """The model of the package for the only class ``article``, loaded once."""
    data = read_packaged("file_types")
    return LogisticModel.from_bytes(data, classes=("article",))


#: The key of a page without a URL, its fingerprint, and itself.
KeyedFile = tuple[str, Fingerprint, FilePage]


def find_article_files(pages: Iterable[KeyedFile]) -> set[str]:
    """The keys of the pages that are articles.

    The order of the pages does not matter.  Memory: some 10 KB a page.
    """
    pages_by_site = _group_by_site(pages)
    articles: set[str] = set()
    for site_pages in pages_by_site:
        if len(site_pages) < MIN_SITE_PAGES:
            for key, _, file in site_pages:
                if file.is_article_alone:
                    articles.add(key)
        else:
            articles |= _choose_by_site(site_pages)
    return articles


def _group_by_site(pages: Iterable[KeyedFile]) -> list[list[KeyedFile]]:
    def order(page: KeyedFile) -> tuple[tuple[int, ...], str]:
        key, _, file = page
        return file.menu, key

    ordered = sorted(pages, key=order)
    menus = [file.menu for _, _, file in ordered]
    sites = group_by_menu(menus)
    pages_by_site: defaultdict[int, list[KeyedFile]] = defaultdict(list)
    pages_with_sites = zip(sites, ordered, strict=True)
    for site, page in pages_with_sites:
        pages_by_site[site].append(page)
    return list(pages_by_site.values())


def _choose_by_site(pages: Sequence[KeyedFile]) -> set[str]:
    """The keys of the articles among the pages of a site."""
    model = file_model()
    described = [(fingerprint, file.numbers) for _, fingerprint, file in pages]
    table = describe_site(described, names_of(model))
    chances = model.predict(table)[:, 0]
    articles = set()
    rated_pages = zip(pages, chances, strict=True)
    for (key, _, _), chance in rated_pages:
        if chance >= MIN_CHANCE:
            articles.add(key)
    return articles


def names_of(model: LogisticModel) -> tuple[str, ...]:
    """The numbers of a page that a model reads."""
    count = len(model.features) // 3
    return model.features[:count]


def feature_names(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of ``describe_site``.

    >>> feature_names(["a"])
    ('a', "template's a", "a above the site's")
    """
    template_means = [f"template's {name}" for name in names]
    above_site = [f"{name} above the site's" for name in names]
    return (*names, *template_means, *above_site)


def describe_site(
    pages: Sequence[tuple[Fingerprint, Mapping[str, float]]],
    names: Sequence[str],
) -> Table:
    """A row for each of the pages of a site, with the columns of ``feature_names``."""
    clusters = HostClusters()
    for fingerprint, _ in pages:
        clusters.add(fingerprint)
    clusters.measure()

    rows_by_template: defaultdict[str, list[int]] = defaultdict(list)
    for row, (fingerprint, _) in enumerate(pages):
        cluster = clusters.cluster_of(fingerprint)
        template = min(cluster.digests) if cluster else fingerprint.digest
        rows_by_template[template].append(row)

    rows = []
    for _, numbers in pages:
        rows.append([numbers[name] for name in names])
    table = np.array(rows, dtype=float)
    template_means = np.empty_like(table)
    for template_rows in rows_by_template.values():
        template_table = table[template_rows]
        template_means[template_rows] = template_table.mean(axis=0)
    above_site = template_means - table.mean(axis=0)
    return np.hstack([table, template_means, above_site])
