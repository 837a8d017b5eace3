"""The hosts and templates that a crawl has met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Cluster
from forest_scrapy.crawl.templates.recognition import HostTemplates
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import Spool, WrapperStore

__all__ = ["TemplateTable"]


class TemplateTable:
    """The templates by host and by key."""

    def __init__(
        self, settings: ForestSettings, spool: Spool, wrappers: WrapperStore, stats: StatsCollector
    ) -> None:
        self._settings, self._spool, self._wrappers = settings, spool, wrappers
        self._stats = stats
        self._hosts: dict[str, HostTemplates] = {}
        self._templates: dict[str, Template] = {}

    def get(self, key: str) -> Template | None:
        """A template by its key; None for ``""``, the key of pages without a template."""
        return self._templates[key] if key else None

    def learned(self) -> list[Template]:
        """The templates whose wrapper was learned in this crawl, in a fixed order."""
        return [one for one in self.with_wrapper() if one.sample is not None]

    def with_wrapper(self) -> list[Template]:
        """The templates that have a wrapper, in a fixed order."""
        found = (one for one in self._templates.values() if one.wrapper)
        return sorted(found, key=lambda one: (one.host, one.id, one.key))

    def host(self, name: str) -> HostTemplates:
        """The templates of a host; those in the store are loaded on the first call."""
        if name not in self._hosts:
            host = HostTemplates(name, self._settings, self._wrappers.load(name))
            self._hosts[name] = host
            self._templates.update(host.templates)
            if host.templates:
                self._stats.inc_value("forest/templates/loaded", len(host.templates))
        return self._hosts[name]

    def template_of_cluster(self, host: HostTemplates, digests: tuple[str, ...]) -> Template:
        """The template of a cluster, given by its digests; a new one if it has none."""
        found = host.template_of(Cluster(digests, 0, 0))
        return found or self.add_template(host, digests)

    def make_ready(self, host: HostTemplates, cluster: Cluster) -> None:
        template = self.template_of_cluster(host, cluster.digests)
        self._spool.make_all_ready(host.host, cluster.digests, template.key)

    def add_template(self, host: HostTemplates, digests: Iterable[str]) -> Template:
        template = host.add_template(digests)
        self._templates[template.key] = template
        self._stats.inc_value("forest/templates/found")
        return template

    def others_of(self, host: HostTemplates, digests: tuple[str, ...]) -> Template:
        """The template of the pages of a cluster that are not articles: that of the cluster if it
        is known to be one of threads."""
        known = host.template_of(Cluster(tuple(digests), 0, 0))
        if known and known.is_of_threads:
            return known
        key = f"{host.host} {min(digests)} others"
        return self._templates.setdefault(key, Template(key, host.host, is_of_articles=False))

    def recall(self) -> Iterator[None]:
        """Count, in small steps, the pages that an earlier run of this crawl has seen."""
        for name, digest, is_article in list(self._spool.seen_pages()):
            yield
            self.host(name).add(self._spool.fingerprints.get(name, digest), is_article)
        for name in self._spool.hosts_with_feeds():
            self.host(name).has_feed = True
        for name in self._spool.waiting_hosts():
            for page in self._spool.unclassified_pages(name):
                yield
                fingerprint = self._spool.fingerprints.get(name, page.fingerprint)
                self.host(name).add_signals(fingerprint, page.signals)
