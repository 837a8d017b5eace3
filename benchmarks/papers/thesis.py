"""Section 1.2 of Oita's thesis: dates from linked pages, methods of change detection on made
versions of pages, and changes that do not match a prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import NamedTuple

from benchmarks.history.edits import change_page, is_editable, no_change
from benchmarks.papers.changes.articles import (
    ArticleVersion,
    SitePage,
    article_difference,
    learn_site,
    read_article,
)
from benchmarks.papers.changes.documents import Node, read_document, text_of
from benchmarks.papers.changes.edit_scripts import edit_distance
from benchmarks.papers.changes.flat_files import (
    digest_differs,
    jaccard,
    jaccard_of_first,
    rms_difference,
)
from benchmarks.papers.changes.page_digest import changed_features, digest_difference
from benchmarks.papers.changes.pq_grams import pq_gram_distance
from benchmarks.papers.changes.scd import scd_difference
from benchmarks.papers.changes.signatures import signature_difference
from benchmarks.papers.changes.unordered_trees import unordered_difference
from benchmarks.papers.changes.versions import CHANGES
from benchmarks.papers.kalman import print_predictions
from benchmarks.papers.neighbourhood import print_neighbourhood
from benchmarks.papers.tables import Row, print_table
from benchmarks.sets.bench_set import load_groups
from forest_scrapy.core.changes import share_changed

SEED = 2012
FEATURES = ("structure", "tags", "attributes", "content")


class Version(NamedTuple):
    """A version of a page: its tree, all of its text, and the text of its article."""

    document: Node
    text: str
    article: ArticleVersion


#: The share that has changed between two versions.
Compare = Callable[[Version, Version], float]

METHODS: dict[str, Compare] = {
    "digest": lambda old, new: digest_differs(old.text, new.text),
    "Jaccard": lambda old, new: jaccard(old.text, new.text),
    "Jaccard, by the first": lambda old, new: jaccard_of_first(old.text, new.text),
    "shingles": lambda old, new: share_changed(old.text, new.text),
    "RMS": lambda old, new: rms_difference(old.text, new.text),
    "signatures": lambda old, new: signature_difference(old.document, new.document),
    "SCD": lambda old, new: scd_difference(old.document, new.document),
    "unordered trees": lambda old, new: unordered_difference(old.document, new.document),
    "Page Digest": lambda old, new: digest_difference(old.document, new.document),
    "pq-grams": lambda old, new: pq_gram_distance(old.document, new.document),
    "edit script": lambda old, new: edit_distance(old.document, new.document),
    "article, as crawls": lambda old, new: article_difference(old.article, new.article),
}
#: What the thesis tells of a method.
CLAIMS = {
    "digest": "all or nothing",
    "RMS": "blind to order",
    "signatures": "misses some",
    "edit script": "O(n^2)",
    "Page Digest": "O(n)",
}


def print_thesis(folder: str, names: set[str], pictures: Path | None) -> None:
    """Print the tables on the named sites: changes on one page of each of them."""
    groups = [group for group in load_groups(folder) if group.name in names]
    pages: list[SitePage] = []
    for group in groups:
        editable = [page for page in group.articles if is_editable(page)]
        if editable:
            pages.append(SitePage(editable[0], learn_site(group)))
    print_neighbourhood(groups)
    print_changes(pages)
    print_predictions(pages)


def print_changes(pages: Sequence[SitePage]) -> None:
    """What each method gives for each kind of change, and how long it takes."""
    shares: dict[tuple[str, str], list[float]] = {}
    seconds: dict[str, float] = dict.fromkeys(METHODS, 0.0)
    features: dict[str, list[list[str]]] = {kind: [] for kind in CHANGES}
    for site_page in pages:
        page = site_page.page
        old = read_version(site_page, change_page(page, no_change, SEED))
        for kind, change in CHANGES.items():
            new = read_version(site_page, change_page(page, change, SEED))
            features[kind].append(changed_features(old.document, new.document))
            for name, compare in METHODS.items():
                start = perf_counter()
                share = compare(old, new)
                seconds[name] += perf_counter() - start
                shares.setdefault((name, kind), []).append(share)

    heads = _join(f"{kind:>8s}" for kind in CHANGES)
    share_rows = [Row("", "", heads)]
    seen_rows = [Row("", "", heads)]
    time_rows = []
    for name in METHODS:
        values = [shares[name, kind] for kind in CHANGES]
        means = _join(f"{fmean(kind_values):8.4f}" for kind_values in values)
        seen = _join(f"{fmean(value > 0 for value in kind_values):8.0%}" for kind_values in values)
        share_rows.append(Row(name, CLAIMS.get(name, ""), means))
        seen_rows.append(Row(name, "", seen))
        pairs = len(pages) * len(CHANGES)
        time_rows.append(Row(name, "", f"{1000 * seconds[name] / pairs:.3f} ms"))
    feature_rows = [Row("", "", heads)]
    for feature in FEATURES:
        seen_shares = []
        for kind in CHANGES:
            seen_shares.append(fmean(feature in changed for changed in features[kind]))
        feature_rows.append(Row(feature, "", _join(f"{share:8.0%}" for share in seen_shares)))

    what = f"{len(pages)} recorded pages, each with {len(CHANGES)} made versions"
    print_table(
        "Thesis, 1.2.2: share that has changed, by the kind of change",
        share_rows,
        f"the thesis is a survey without figures. {what}; the wrapper of the last row is learned"
        " from the site before.",
    )
    print_table(
        "Thesis, 1.2.2: versions that count as changed",
        seen_rows,
        "the first version is the page as the parser writes it.",
    )
    print_table(
        "Thesis, 1.2.2.3: types of change that Page Digest tells",
        feature_rows,
        "content is all texts in their order, without their places.",
    )
    print_table(
        "Thesis, 1.2.2: time of a pair",
        time_rows,
        "trees and texts are read before.",
    )


def read_version(site_page: SitePage, html: bytes) -> Version:
    document = read_document(html)
    return Version(document, text_of(document), read_article(site_page, html))


def _join(cells: Iterable[str]) -> str:
    return " ".join(cells)
