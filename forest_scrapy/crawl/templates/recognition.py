"""Which template a page belongs to.

Templates are recognised host by host: a page belongs to the template of the cluster that its
fingerprint falls into.  A crawl, ``scrapy forest explain`` and the scrapy-poet provider use the
same ``HostTemplates``, so they recognise the same templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from forest_scrapy.core import Cluster, Fingerprint, HostClusters, Page, Wrapper
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.fingerprints import DISTANCES, bound_features
from forest_scrapy.core.templates.redesigns import is_superseded
from forest_scrapy.core.templates.signals import HostSignals, Signals
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageRecord, StoredWrapper

__all__ = ["HostTemplates", "find_stored", "fingerprint_of", "group_pages"]


class HostTemplates:
    """The templates of one host, and the clusters that its pages form.

    Starts with the stored templates.  Those learned by another method than ``settings.method``
    are left out, unless that is ``auto``, and those of kinds that are not wanted.

    ``has_feed``: whether a page has a feed entry; ``signals``: of the pages that are not known to
    be articles.
    """

    def __init__(
        self, host: str, settings: ForestSettings, stored: Iterable[StoredWrapper] = ()
    ) -> None:
        self.host = host
        self.has_feed = False
        self.signals = HostSignals()
        self.templates: dict[str, Template] = {}
        self._template_of_digest: dict[str, Template] = {}
        usable = [
            one
            for one in stored
            if settings.method in ("auto", one.wrapper.method)
            and (one.records is None or one.records.kind.name in settings.kinds)
        ]
        least_cut = max((one.wrapper.evidence.cut for one in usable), default=0.0)
        self._clusters = HostClusters(
            settings.distance == "typed", settings.threshold, least_cut=least_cut
        )
        for one in sorted(usable, key=lambda one: one.template_id):
            template = Template.from_store(host, one)
            for fingerprint in one.fingerprints:
                self._clusters.add(fingerprint)
            self._assign(template, (fingerprint.digest for fingerprint in one.fingerprints))

    @property
    def cut(self) -> Cut:
        """Where the clusters were cut when they were last measured, and why."""
        return self._clusters.cut

    def add(self, fingerprint: Fingerprint, is_article: bool = False) -> None:
        """Count a page with this fingerprint."""
        self._clusters.add(fingerprint, is_article)

    def add_signals(self, fingerprint: Fingerprint, signals: Signals) -> None:
        """Count the signals of a page that has been added."""
        cluster = self.cluster_of(fingerprint)
        digests = cluster.digests if cluster else ()
        # Only digests that the clusters keep, so that the table stays small.
        is_kept = fingerprint.digest in digests or not digests
        self.signals.add(fingerprint.digest if is_kept else digests[0], signals)

    def recognise(self, fingerprint: Fingerprint) -> Template | None:
        """The template of a page, counted or not; None if its cluster has none."""
        return self.template_of(self.cluster_of(fingerprint))

    def place(self, fingerprint: Fingerprint, is_article: bool = False) -> Template | None:
        """Count a page and recognise its template, to which pages with this fingerprint belong
        from now on."""
        self.add(fingerprint, is_article)
        cluster = self.cluster_of(fingerprint)
        template = self.template_of(cluster)
        if template and cluster and fingerprint.digest in cluster.digests:
            # Only digests that the clusters keep, so that the table stays small.
            self._assign(template, (fingerprint.digest,))
        return template

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, counted or not; None if no cluster is near enough."""
        return self._clusters.cluster_of(fingerprint)

    def template_of(self, cluster: Cluster | None) -> Template | None:
        """The template of a cluster.  If several were merged into the cluster, the first by key
        of those with a wrapper; the others are not used any more."""
        found = {
            template.key: template
            for digest in (cluster.digests if cluster else ())
            if (template := self._template_of_digest.get(digest))
        }
        ranked = sorted(found.values(), key=lambda one: (one.wrapper is None, one.key))
        return ranked[0] if ranked else None

    def add_template(self, digests: Iterable[str]) -> Template:
        """A new template, of the pages with these fingerprint digests."""
        digests = sorted(digests)
        key = f"{self.host} {digests[0]}"
        template = self.templates.get(key) or Template(key, self.host)
        self._assign(template, digests)
        return template

    def new_id(self, wrapper: Wrapper) -> str:
        """10 hex digits of the host and of the element with most text, so that a site has the
        same ids in every crawl, whatever pages come first; a second template with that element
        gets a number."""
        name = f"{self.host} {wrapper.evidence.text_at}"
        id = blake2b(name.encode(), digest_size=5).hexdigest()
        taken = {template.id for template in self.templates.values()}
        numbered = (f"{id}-{n}" for n in range(2, len(taken) + 3))
        return id if id not in taken else next(i for i in numbered if i not in taken)

    def find_assigned(
        self, page: str, known: PageRecord | None, fingerprint: Fingerprint
    ) -> Template | None:
        """The stored template that an earlier crawl has assigned to the page with this key, if its
        layout is the same as then, whatever the clusters of this crawl.  A page that was extracted
        as a single page then stays one.  ``known``: the page's record in the history."""
        stored = [one for one in self.templates.values() if one.is_stored]
        if known is None or known.fingerprint != fingerprint.digest or not stored:
            return None
        found = next((one for one in stored if one.id == known.template), None)
        if found is None and known.method == "single":
            return Template(f"{self.host} {page}", self.host, known.template)
        return found

    def find_superseded(self, pages: int) -> Template | None:
        """The stored template whose place a new one, learned from ``pages`` pages, has taken:
        none of this crawl's pages belongs to it, though it had many before."""
        stored = [one for one in self.templates.values() if one.is_stored]
        host_pages = sum(one.fit.pages for one in stored)
        given_up = [
            one
            for one in stored
            if not one.placed and is_superseded(one.fit.pages, host_pages, pages)
        ]
        return max(given_up, key=lambda one: (one.fit.pages, one.id), default=None)

    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters as last measured, sorted by their digests."""
        return self._clusters.clusters()

    def measure(self) -> None:
        """Cut the clusters over all pages counted; the outcome does not depend on their order."""
        self._clusters.measure()

    def _assign(self, template: Template, digests: Iterable[str]) -> None:
        self.templates.setdefault(template.key, template)
        for digest in digests:
            self._template_of_digest.setdefault(digest, template)


def fingerprint_of(page: Page, distance: str) -> Fingerprint:
    """The fingerprint that pages are compared by; ``distance``: the option of this name."""
    return Fingerprint(bound_features(DISTANCES[distance](page)))


def group_pages(pages: Sequence[Page], settings: ForestSettings) -> tuple[list[list[Page]], Cut]:
    """The pages by template, the largest group first (then in the order of the pages), and
    where the clusters were cut.  Pages with a feed entry are known to be articles."""
    host = HostTemplates("", settings)
    fingerprints = _add_pages(host, pages, settings)
    host.measure()
    group_of = {digest: i for i, c in enumerate(host.clusters()) for digest in c.digests}
    groups: dict[int, list[Page]] = {}
    for page, fingerprint in zip(pages, fingerprints, strict=True):
        # A digest is missing only if there are more different pages than the clusters keep.
        groups.setdefault(group_of.get(fingerprint.digest, -1), []).append(page)
    return sorted(groups.values(), key=lambda group: -len(group)), host.cut


def find_stored(
    pages: Sequence[Page], stored: Sequence[StoredWrapper], settings: ForestSettings
) -> list[StoredWrapper | None]:
    """The stored template of each page of one host, as a crawl of these pages recognises it;
    None if there is none."""
    host = HostTemplates("", settings, stored)
    fingerprints = _add_pages(host, pages, settings)
    host.measure()
    by_id = {one.template_id: one for one in stored}
    templates = [host.recognise(one) for one in fingerprints]
    return [by_id[template.id] if template else None for template in templates]


def _add_pages(
    host: HostTemplates, pages: Sequence[Page], settings: ForestSettings
) -> list[Fingerprint]:
    fingerprints = [fingerprint_of(page, settings.distance) for page in pages]
    for page, fingerprint in zip(pages, fingerprints, strict=True):
        host.add(fingerprint, page.entry is not None)
    return fingerprints
