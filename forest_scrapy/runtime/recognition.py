"""Which pages fall together, as a crawl's clusters have it, when all of them are at hand."""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core import Fingerprint, HostClusters, Page
from forest_scrapy.core.clustering.dendrogram import Cut
from forest_scrapy.core.clustering.tag_paths import DISTANCES
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import StoredWrapper

__all__ = ["find_stored", "group_pages"]


def group_pages(pages: Sequence[Page], config: ForestSettings) -> tuple[list[list[Page]], Cut]:
    """The pages as templates, the largest first (then by the order of the pages), and where
    they were cut.  Pages with a feed entry are known to be articles."""
    clusters = _new_clusters(config)
    prints = [_fingerprint(page, config) for page in pages]
    for page, fingerprint in zip(pages, prints, strict=True):
        clusters.add(fingerprint, page.entry is not None)
    clusters.measure()
    place = {digest: i for i, c in enumerate(clusters.clusters()) for digest in c.digests}
    groups: dict[int, list[Page]] = {}
    for page, fingerprint in zip(pages, prints, strict=True):
        # A digest is missing only where a host has more kinds of pages than are kept.
        groups.setdefault(place.get(fingerprint.digest, -1), []).append(page)
    return sorted(groups.values(), key=lambda group: -len(group)), clusters.cut


def find_stored(
    pages: Sequence[Page], stored: Sequence[StoredWrapper], config: ForestSettings
) -> list[StoredWrapper | None]:
    """The stored template of each page of one host, as a crawl of it would choose: the first,
    by its id, that has a fingerprint in the page's cluster; None where none has."""
    least_cut = max((one.wrapper.evidence.cut for one in stored), default=0.0)
    clusters = _new_clusters(config, least_cut)
    known: dict[str, StoredWrapper] = {}
    for one in sorted(stored, key=lambda one: one.template):
        for fingerprint in one.fingerprints:
            clusters.add(fingerprint)
            known.setdefault(fingerprint.digest, one)
    prints = [_fingerprint(page, config) for page in pages]
    for page, fingerprint in zip(pages, prints, strict=True):
        clusters.add(fingerprint, page.entry is not None)
    clusters.measure()
    return [_first_known(clusters, fingerprint, known) for fingerprint in prints]


def _first_known(
    clusters: HostClusters, fingerprint: Fingerprint, known: dict[str, StoredWrapper]
) -> StoredWrapper | None:
    cluster = clusters.cluster_of(fingerprint)
    found = [known[digest] for digest in (cluster.digests if cluster else ()) if digest in known]
    return min(found, key=lambda one: one.template, default=None)


def _new_clusters(config: ForestSettings, least_cut: float = 0.0) -> HostClusters:
    return HostClusters(config.distance == "typed", config.threshold, least_cut=least_cut)


def _fingerprint(page: Page, config: ForestSettings) -> Fingerprint:
    return Fingerprint(DISTANCES[config.distance](page.outline))
