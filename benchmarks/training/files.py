"""Train the classifier of pages without a URL.

    python -m benchmarks.training.files SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the sites that have both articles and other pages, without what their pages declare of their
URLs, and fits a logistic regression to "the page is an article"; also to parts of the sites.  All
sites weigh the same.  Then, with folds of whole sites, prints recall and precision of the pages
that models choose which have not seen the site.  The same sets give the same model.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.sets.bench_set import Group, UnreadableSet, load_groups, run_command
from benchmarks.sets.saved_pages import without_urls
from benchmarks.training.article_templates import HostPages, cross_validate, fit_model
from forest_scrapy.core import Fingerprint, Page
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.files import describe_file, describe_site, feature_names
from forest_scrapy.core.templates.grouping import read_fingerprint

#: Weight of the squared weights.  Not tuned.
PENALTY = 40.0
#: Pages of a part of a site.
_PART_PAGES = 8


@dataclass(frozen=True)
class FilePage:
    """A page without its URL: its fingerprint, its numbers, and whether it is an article."""

    fingerprint: Fingerprint
    numbers: Mapping[str, float]
    is_article: bool


@dataclass(frozen=True)
class FileSite:
    """The pages of a site, or of a part of it."""

    name: str
    pages: Sequence[FilePage]


def read_sites(folders: Sequence[str]) -> Iterator[FileSite]:
    """The sites of the sets that have both articles and other pages."""
    for folder in folders:
        for group in load_groups(folder):
            page_types = {page.is_article for page in group.pages}
            if len(page_types) == 2:
                pages = list(_read_pages(group))
                yield FileSite(group.name, pages)


@dataclass(frozen=True)
class DescribedSites:
    """``features``: the columns of the tables; ``sites``: all pages of each; ``parts``: some."""

    features: tuple[str, ...]
    sites: list[HostPages]
    parts: list[HostPages]


def describe_sites(sites: Sequence[FileSite]) -> DescribedSites:
    """The sites, and parts of them, since folders may have only some pages of a site: its
    articles, and eight pages.  Without the parts, 0.13 of articles in folders of nothing else are
    lost, on other sites.
    """
    first_page = sites[0].pages[0]
    names = sorted(first_page.numbers)

    described_sites = []
    described_parts = []
    for site in sites:
        articles = [page for page in site.pages if page.is_article]
        articles_only = FileSite(site.name, articles)
        step = math.ceil(len(site.pages) / _PART_PAGES)
        sample = FileSite(site.name, site.pages[::step])

        described_sites.append(_describe(site, names))
        described_parts.append(_describe(articles_only, names))
        described_parts.append(_describe(sample, names))
    return DescribedSites(
        features=feature_names(names),
        sites=described_sites,
        parts=described_parts,
    )


def _describe(site: FileSite, names: Sequence[str]) -> HostPages:
    described_pages = []
    labels = []
    for page in site.pages:
        described_pages.append((page.fingerprint, page.numbers))
        labels.append(page.is_article)
    table = describe_site(described_pages, names)
    return HostPages(
        name=site.name,
        table=table,
        is_article=np.array(labels, dtype=float),
    )


def _read_pages(group: Group) -> Iterator[FilePage]:
    for number, recorded in enumerate(group.pages):
        html = without_urls(recorded.html)
        page = Page.from_html(html, f"{number}.html")
        affordable = choose_affordable([page])
        candidates = read_candidates(affordable)
        file = describe_file(page, candidates.facts)
        fingerprint = read_fingerprint(page, "typed")
        yield FilePage(
            fingerprint,
            file.numbers,
            recorded.is_article,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all sites")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    recorded_sites = list(read_sites(options.sets))
    if not recorded_sites:
        raise UnreadableSet("no site has both articles and other pages")
    described = describe_sites(recorded_sites)
    sites = described.sites
    parts = described.parts
    report: dict[str, float] = {
        "sites": len(sites),
        "pages": sum(len(site.table) for site in sites),
    }

    fit = partial(
        fit_model,
        features=described.features,
        penalty=PENALTY,
    )
    if options.folds:
        report |= cross_validate(sites, options.folds, fit, parts)
    if options.out:
        model = fit([*sites, *parts])
        report["model_bytes"] = options.out.write_bytes(model.to_bytes())

    if options.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:12s} {value}")


if __name__ == "__main__":
    run_command(main)
