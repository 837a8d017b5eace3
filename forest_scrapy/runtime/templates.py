"""The templates of one crawl: which template a page belongs to, and when it may be released.

No page is kept in memory: pages are in the spool, fingerprints in the hosts' clusters.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Cluster
from forest_scrapy.core.clustering.page_types import choose_article_templates
from forest_scrapy.runtime.outcomes import Ledger, Outcome
from forest_scrapy.runtime.reading import PageFeatures
from forest_scrapy.runtime.recognition import HostTemplates, Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import Spool, SpooledPage, WrapperStore

__all__ = ["Placement", "Templates"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Placement:
    """Where a page was placed.

    ``template``: the template that the page may be released under at once; None if it has to
    wait.  ``completes_template``: with this page its template has enough pages to learn from,
    and all of them are ready.
    """

    template: Template | None = None
    completes_template: bool = False


class Templates:
    """Places pages, and decides when they may be released."""

    def __init__(
        self,
        settings: ForestSettings,
        spool: Spool,
        wrappers: WrapperStore,
        stats: StatsCollector,
        ledger: Ledger,
    ) -> None:
        self._settings, self._spool, self._wrappers = settings, spool, wrappers
        self._stats, self._ledger = stats, ledger
        self._hosts: dict[str, HostTemplates] = {}
        self._templates: dict[str, Template] = {}
        self._recall()

    def get(self, key: str) -> Template | None:
        """A template by its key; None for ``""``, the key of pages without a template."""
        return self._templates[key] if key else None

    def learned(self) -> list[Template]:
        """The templates whose wrapper was learned in this crawl, in a fixed order."""
        found = (one for one in self._templates.values() if one.wrapper and one.sample is not None)
        return sorted(found, key=lambda one: (one.host, one.id))

    def host(self, name: str) -> HostTemplates:
        """The templates of a host; those in the store are loaded on the first call."""
        if name not in self._hosts:
            host = HostTemplates(name, self._settings, self._wrappers.load(name))
            self._hosts[name] = host
            self._templates.update(host.templates)
            if host.templates:
                self._stats.inc_value("forest/templates/loaded", len(host.templates))
        return self._hosts[name]

    def place(self, page: SpooledPage, features: PageFeatures) -> Placement:
        """Place a fetched page.  If it completes its template, all waiting pages of that are
        made ready."""
        host, fingerprint = self.host(page.host), features.fingerprint
        self._spool.place(page.key, fingerprint, features.signals)
        template = host.place(fingerprint, page.is_article)
        if template:
            self._spool.make_ready(page.key, template.key)
            return Placement(template)
        self._spool.compress(page.key)
        cluster = host.cluster_of(fingerprint)
        if cluster and cluster.articles and cluster.pages >= self._settings.pages:
            self._make_ready(host, cluster)
            return Placement(completes_template=True)
        return Placement()

    def flush(self, name: str) -> None:
        """Decide on all waiting pages of a host, because no more pages will come: articles are
        made ready, the other pages are dropped."""
        host = self.host(name)
        host.measure()
        for cluster in self._article_clusters(host):
            self._make_ready(host, cluster)
        for key, digest, is_article in self._spool.waiting_pages(name):
            template = host.recognise(self._spool.fingerprints.get(name, digest))
            if template is None and is_article:
                template = self._add_template(host, (digest,))
            if template:
                self._spool.make_ready(key, template.key)
            else:
                self._ledger.record(key, Outcome.dropped("not_article"))

    def _article_clusters(self, host: HostTemplates) -> list[Cluster]:
        """The clusters that have feed items or a template; on a host without feed items, also
        the clusters whose pages look like articles."""
        clusters = host.clusters()
        known = [one for one in clusters if one.articles or host.template_of(one)]
        if any(cluster.articles for cluster in clusters) or not clusters:
            return known
        signals = [self._spool.waiting_signals(host.host, one.digests) for one in clusters]
        chosen = [clusters[i] for i in choose_article_templates(signals)]
        self._stats.inc_value("forest/templates/by_content", len(chosen))
        logger.info(
            "No feed says which pages of %s are articles: %d of %d templates look like articles",
            host.host,
            len(chosen),
            len(clusters),
        )
        return sorted({*known, *chosen}, key=lambda cluster: cluster.digests)

    def _make_ready(self, host: HostTemplates, cluster: Cluster) -> None:
        template = host.template_of(cluster) or self._add_template(host, cluster.digests)
        self._spool.make_all_ready(host.host, cluster.digests, template.key)

    def _add_template(self, host: HostTemplates, digests: Iterable[str]) -> Template:
        template = host.add_template(digests)
        self._templates[template.key] = template
        self._stats.inc_value("forest/templates/found")
        return template

    def _recall(self) -> None:
        """Count the pages that an earlier run of this crawl has seen."""
        for name, digest, is_article in self._spool.seen_pages():
            self.host(name).add(self._spool.fingerprints.get(name, digest), is_article)
