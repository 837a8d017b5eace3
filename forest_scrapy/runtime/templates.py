"""The templates of one crawl: which page belongs to which, which is ripe, what was learned.

One ``Templates`` serves the middleware, the pipeline and the item processor of a crawler.  It
keeps no page in memory: pages lie in the spool, fingerprints in the hosts' clusters.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Cluster, Fingerprint, HostClusters, Wrapper
from forest_scrapy.core.clustering.dendrogram import Cut
from forest_scrapy.core.clustering.page_types import choose_article_templates
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import Spool, SpooledPage, WrapperStore

__all__ = ["Template", "Templates"]

logger = logging.getLogger(__name__)

#: Fingerprints stored with a wrapper.
KNOWN_BY = 64


@dataclass
class Template:
    """A template of this crawl.

    ``name`` identifies it within the crawl; ``id`` in items and in the store, known once
    there is a wrapper.  ``sample`` names the pages the wrapper was learned from; None for a
    wrapper that came from the store.
    """

    name: str
    host: str
    id: str = ""
    wrapper: Wrapper | None = None
    sample: tuple[str, ...] | None = None


@dataclass
class _Host:
    clusters: HostClusters
    #: Fingerprint digest to the template its pages went under.
    templates: dict[str, Template] = field(default_factory=dict)


class Templates:
    """Places pages, and says when they may go."""

    def __init__(
        self, config: ForestSettings, spool: Spool, wrappers: WrapperStore, stats: StatsCollector
    ) -> None:
        self.config, self.spool, self.stats = config, spool, stats
        #: Keys of the pages that are on their way through the pipelines.
        self.in_flight: set[str] = set()
        #: Whether pages were made ready since this was last set to False.
        self.has_ripe = False
        self._wrappers = wrappers
        self._hosts: dict[str, _Host] = {}
        self._named: dict[str, Template] = {}
        self._recall()

    def template(self, name: str) -> Template | None:
        """A template by its name in this crawl; None for ``""``, a page that has none."""
        return self._named[name] if name else None

    def sample(self, template: Template) -> list[SpooledPage]:
        """The pages to learn the template's wrapper from."""
        return self.spool.sample(template.name, self.config.pages)

    def count_duplicate(self, url: str) -> None:
        """A page came a second time, by another address or in another run."""
        self.stats.inc_value("forest/dropped/duplicate")
        logger.debug("Dropped %s: duplicate", url)

    def receive(self, page: SpooledPage, fingerprint: Fingerprint) -> Template | None:
        """Spool a page and place it: the template it may go under at once, or None where it
        waits.  The page must be new.

        When it makes its template ripe, all waiting pages of it are made ready.
        """
        self.spool.add(page, fingerprint)
        self.stats.inc_value("forest/pages/spooled")
        host = self._host(page.host)
        host.clusters.add(fingerprint, page.is_article)
        cluster = host.clusters.cluster_of(fingerprint)
        template = self._template_of(host, cluster)
        if cluster and template:
            if fingerprint.digest in cluster.digests:  # a point that is kept, so they stay few
                host.templates.setdefault(fingerprint.digest, template)
            self.spool.make_ready(page.key, template.name)
            self.in_flight.add(page.key)
            return template
        if cluster and cluster.articles and cluster.pages >= self.config.pages:
            self._ripen(page.host, host, cluster)
            self.has_ripe = True
        return None

    def settle(self, name: str) -> None:
        """No more pages will come for this host: let its articles go, drop the rest."""
        host = self._host(name)
        for cluster in self._article_clusters(name, host):
            self._ripen(name, host, cluster)
        for key, digest, is_article in self.spool.waiting_pages(name):
            near = host.clusters.cluster_of(self.spool.fingerprint(name, digest))
            template = self._template_of(host, near)
            if template is None and is_article:
                template = self._add_template(name, host, (digest,))
            if template:
                self.spool.make_ready(key, template.name)
            else:
                self.drop(key, "not_article")

    def refuse(self, page: SpooledPage, fingerprint: Fingerprint, reason: str) -> bool:
        """Take a page that cannot be read: dropped, unless a feed says what it is; then it may
        go at once, and True is given."""
        self.spool.add(page, fingerprint)
        self.stats.inc_value(f"forest/refused/{reason}")
        if page.entry is None:
            self.drop(page.key, reason, page.url)
            return False
        self.spool.make_ready(page.key, "")
        self.in_flight.add(page.key)
        return True

    def claim(self, most: int) -> list[str]:
        """Take up to so many ready pages that nobody else has taken."""
        keys = self.spool.ready_keys(most, self.in_flight)
        self.in_flight.update(keys)
        return keys

    def give_up(self, key: str) -> None:
        """Drop a page that was let go and did not come out: a spider middleware kept it."""
        if key in self.in_flight:
            self.drop(key, "kept_by_middleware")

    def drop(self, key: str, reason: str, url: str = "") -> None:
        """Count a page that is no article, with the reason; it is done."""
        self.stats.inc_value(f"forest/dropped/{reason}")
        logger.debug("Dropped %s: %s", url or key, reason)
        self.in_flight.discard(key)
        self.spool.finish(key, f"dropped: {reason}", self.config.pages)

    def finish(self, key: str, method: str) -> None:
        """Count an article that went through all pipelines; its page is done."""
        self.stats.inc_value(f"forest/articles/{method}")
        self.in_flight.discard(key)
        self.spool.finish(key, f"article: {method}", self.config.pages)

    def learned(self, template: Template, wrapper: Wrapper, sample: Iterable[SpooledPage]) -> None:
        """Keep what was learned for a template, in the store too."""
        pages = list(sample)
        template.wrapper = wrapper.with_cut(*self._host(template.host).clusters.cut)
        template.sample = tuple(page.key for page in pages)
        template.id = template.id or self._new_id(template.host, wrapper)
        fingerprints = self._known_by(template.host, {page.fingerprint for page in pages})
        if wrapper.keep and len(pages) > 1:  # a lone page teaches too little for the next crawl
            self._wrappers.save(template.host, template.id, template.wrapper, fingerprints)

    def _known_by(self, host: str, sample: set[str]) -> list[Fingerprint]:
        """The fingerprints that the next crawl shall know the template by: those of the sample,
        and of the pages that hang together with them."""
        found = set(sample)
        for digest in sorted(sample):
            cluster = self._host(host).clusters.cluster_of(self.spool.fingerprint(host, digest))
            found.update(cluster.digests if cluster else ())
        # Those of a stored template are not of this crawl, and not in its spool.
        kept = sorted(found, key=lambda digest: (digest not in sample, digest))[:KNOWN_BY]
        return [
            self.spool.fingerprint(host, d) for d in kept if self.spool.has_fingerprint(host, d)
        ]

    def outdated(self) -> list[tuple[Template, list[SpooledPage]]]:
        """The templates whose sample is another one now that all pages are in, with it; of the
        others the evidence is brought up to date.

        What is stored then does not depend on the order in which the pages came.
        """
        found = []
        for template in sorted(self._named.values(), key=lambda t: (t.host, t.id)):
            if template.sample is None or template.wrapper is None:
                continue
            sample, cut = self.sample(template), self._cut(template.host)
            if sample and tuple(page.key for page in sample) != template.sample:
                found.append((template, sample))
            elif sample:
                self.learned(template, template.wrapper.with_cut(*cut), sample)
        return found

    def _cut(self, host: str) -> Cut:
        """Where the host's clusters are cut, measured over all its pages."""
        clusters = self._host(host).clusters
        clusters.measure()
        return clusters.cut

    def close(self) -> None:
        self._wrappers.close()
        self.spool.close()

    def _article_clusters(self, name: str, host: _Host) -> list[Cluster]:
        """The clusters with feed items, or with a template already; on a host without feed
        items, also those whose pages look like articles."""
        host.clusters.measure()
        clusters = host.clusters.clusters()
        known = [c for c in clusters if c.articles or self._template_of(host, c)]
        if any(cluster.articles for cluster in clusters) or not clusters:
            return known
        signals = [self.spool.waiting_signals(name, cluster.digests) for cluster in clusters]
        chosen = [clusters[i] for i in choose_article_templates(signals)]
        self.stats.inc_value("forest/templates/by_content", len(chosen))
        logger.info(
            "Nothing says which pages of %s are articles; of %d templates %d look like it",
            name,
            len(clusters),
            len(chosen),
        )
        return sorted({*known, *chosen}, key=lambda cluster: cluster.digests)

    def _ripen(self, name: str, host: _Host, cluster: Cluster) -> None:
        template = self._template_of(host, cluster)
        template = template or self._add_template(name, host, cluster.digests)
        self.spool.make_all_ready(name, cluster.digests, template.name)

    def _add_template(self, name: str, host: _Host, digests: Iterable[str]) -> Template:
        digests = sorted(digests)
        template = Template(name=f"{name} {digests[0]}", host=name)
        self._named[template.name] = template
        for digest in digests:
            host.templates.setdefault(digest, template)
        self.stats.inc_value("forest/templates/found")
        return template

    def _template_of(self, host: _Host, cluster: Cluster | None) -> Template | None:
        """The template of a cluster.  Where clusters have grown together, the first with a
        wrapper, by name: what was learned of the others goes unused."""
        found = {
            template.name: template
            for digest in (cluster.digests if cluster else ())
            if (template := host.templates.get(digest))
        }
        ranked = sorted(found.values(), key=lambda t: (t.wrapper is None, t.name))
        return ranked[0] if ranked else None

    def _new_id(self, host: str, wrapper: Wrapper) -> str:
        """10 hex digits from the host and where most text stands, so that the same site gives
        the same id in every crawl, whatever pages come first; a second template there takes a
        number."""
        what = f"{host} {wrapper.evidence.text_at}"
        id = blake2b(what.encode(), digest_size=5).hexdigest()
        taken = {template.id for template in self._named.values() if template.host == host}
        numbered = (f"{id}-{n}" for n in range(2, len(taken) + 3))
        return id if id not in taken else next(i for i in numbered if i not in taken)

    def _host(self, name: str) -> _Host:
        """What is known of a host; its stored wrappers are loaded when it is first met."""
        if name in self._hosts:
            return self._hosts[name]
        config = self.config
        usable = [  # not those learned by another method than is asked for now
            stored
            for stored in self._wrappers.load(name)
            if config.method in ("auto", stored.wrapper.method)
        ]
        least_cut = max((stored.wrapper.evidence.cut for stored in usable), default=0.0)
        host = _Host(
            HostClusters(config.distance == "typed", config.threshold, least_cut=least_cut)
        )
        self._hosts[name] = host
        for stored in usable:
            template = Template(f"{name} {stored.template}", name, stored.template, stored.wrapper)
            self._named[template.name] = template
            for fingerprint in stored.fingerprints:
                host.clusters.add(fingerprint)
                host.templates.setdefault(fingerprint.digest, template)
            self.stats.inc_value("forest/templates/loaded")
        return host

    def _recall(self) -> None:
        """Place the pages that an earlier run of this crawl has seen."""
        for name, digest, is_article in self.spool.seen_pages():
            fingerprint = self.spool.fingerprint(name, digest)
            self._host(name).clusters.add(fingerprint, is_article)
        waiting = self.spool.pending()
        if waiting:
            logger.info("%d pages of the earlier run wait in the spool", waiting)
            self.stats.set_value("forest/pages/recalled", waiting)
