"""Train the classifier of pages without a URL.

    python -m benchmarks.train_files SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the sites that have both articles and other pages, without what their pages declare of their
URLs, and fits a logistic regression to "the page is an article"; also to parts of the sites.  All
sites weigh the same.  Then, with folds of whole sites, prints recall and precision of the pages
that models choose which have not seen the site.  The same sets give the same model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.bench_set import Group, UnreadableSet, load_groups, run_command
from benchmarks.saved_pages import without_urls
from benchmarks.train_types import HostPages, cross_validate, fit_model
from forest_scrapy.core import Fingerprint, Page
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.files import describe_file, describe_site, feature_names
from forest_scrapy.core.templates.grouping import read_fingerprint

#: Weight of the squared weights.  Not tuned.
PENALTY = 40.0
#: Pages of a part of a site.
_PART = 8
#: Fingerprint and numbers of a page, and whether it is an article.
FilePages = Sequence[tuple[Fingerprint, Mapping[str, float], bool]]


def read_sites(folders: Sequence[str]) -> Iterator[tuple[str, FilePages]]:
    """The names and pages of the sites of the sets that have both articles and other pages."""
    for folder in folders:
        for group in load_groups(folder):
            if len({page.is_article for page in group.pages}) == 2:
                yield group.name, list(_read_pages(group))


def describe_sites(
    sites: Sequence[tuple[str, FilePages]],
) -> tuple[tuple[str, ...], list[HostPages], list[HostPages]]:
    """The columns; the sites; and parts of these, since folders may have only some pages of a site:
    its articles, and eight pages.  Without the parts, 0.13 of articles in folders of nothing else
    are lost, on other sites.
    """
    names = sorted(sites[0][1][0][1])
    parts = []
    for name, pages in sites:
        articles = [page for page in pages if page[2]]
        parts += [(name, articles), (name, pages[:: -(-len(pages) // _PART)])]
    full, cut = ([_describe(*site, names) for site in group] for group in (sites, parts))
    return feature_names(names), full, cut


def _describe(name: str, pages: FilePages, names: Sequence[str]) -> HostPages:
    table = describe_site([(one, numbers) for one, numbers, _ in pages], names)
    return HostPages(name, table, np.array([is_article for *_, is_article in pages], dtype=float))


def _read_pages(group: Group) -> Iterator[tuple[Fingerprint, Mapping[str, float], bool]]:
    for number, recorded in enumerate(group.pages):
        page = Page.from_html(without_urls(recorded.html), f"{number}.html")
        file = describe_file(page, read_candidates(choose_affordable([page])).facts)
        yield read_fingerprint(page, "typed"), file.numbers, recorded.is_article


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all sites")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    pages = list(read_sites(options.sets))
    if not pages:
        raise UnreadableSet("no site has both articles and other pages")
    features, sites, parts = describe_sites(pages)
    fit = partial(fit_model, features=features, penalty=PENALTY)
    scores = cross_validate(sites, options.folds, fit, parts) if options.folds else {}
    model = fit([*sites, *parts])
    size = options.out.write_bytes(model.to_bytes()) if options.out else 0
    report = {"sites": len(sites), "pages": sum(len(one.table) for one in sites), **scores}
    report |= {"model_bytes": size} if size else {}
    lines = (f"{name:12s} {value}" for name, value in report.items())
    print(json.dumps(report) if options.json else "\n".join(lines))


if __name__ == "__main__":
    run_command(main)
