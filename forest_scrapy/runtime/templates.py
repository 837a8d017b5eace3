"""The templates of one crawl: which template a page belongs to, and when it may be released.

No page is kept in memory: pages are in the spool, fingerprints in the hosts' clusters.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Cluster
from forest_scrapy.runtime.by_content import ENOUGH_PAGES, choose_pages, looks_like_article
from forest_scrapy.runtime.outcomes import Ledger, Outcome
from forest_scrapy.runtime.reading import PageFeatures
from forest_scrapy.runtime.recognition import HostTemplates, Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageRecord, Spool, SpooledPage, WrapperStore

__all__ = ["Placement", "Templates"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Placement:
    """Where a page was placed.

    ``template``: the template that the page may be released under at once; None if it has to
    wait.  ``completes_template``: with this page its template has enough pages to learn from,
    and all of them are ready.  ``is_described``: the page cannot be read, but a feed entry
    describes it, so that it may be released at once without a template.
    """

    template: Template | None = None
    completes_template: bool = False
    is_described: bool = False


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
        #: For each host the number of its pages at which it is next decided by content.
        self._next_choice: defaultdict[str, int] = defaultdict(lambda: ENOUGH_PAGES)
        self._recall()

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

    def place(
        self, page: SpooledPage, features: PageFeatures, known: PageRecord | None = None
    ) -> Placement:
        """Place a fetched page; ``known``: its record in the history.  If it completes its
        template, all waiting pages of that are made ready."""
        host, fingerprint = self.host(page.host), features.fingerprint
        self._spool.place(page.key, fingerprint, features.signals)
        host.has_feed |= page.entry is not None
        template = host.place(fingerprint, page.is_article)
        if features.signals:
            host.add_signals(fingerprint, features.signals)
        if assigned := host.find_assigned(page.key, known, fingerprint):
            self._templates[assigned.key] = template = assigned
        if template and (assigned or self._is_article(host, page, features)):
            template.placed += 1
            self._spool.make_ready(page.key, template.key)
            return Placement(template)
        self._spool.compress(page.key)
        cluster = host.cluster_of(fingerprint)
        if cluster and self._is_complete(host, cluster):
            self._make_ready(host, cluster)
            return Placement(completes_template=True)
        is_due = not host.has_feed and host.signals.pages >= self._next_choice[host.host]
        return Placement(completes_template=is_due and self._choose(host))

    def flush(self, name: str) -> None:
        """Decide on all waiting pages of a host, because no more pages will come: articles are
        made ready, the other pages are dropped."""
        host = self.host(name)
        host.measure()
        if not host.has_feed:
            self._choose(host, is_last=True)
        for cluster in host.clusters():
            if cluster.articles or host.template_of(cluster):
                self._make_ready(host, cluster)
        for key, digest, is_article in self._spool.waiting_pages(name):
            template = host.recognise(self._spool.fingerprints.get(name, digest))
            if template is None and is_article:
                template = self._add_template(host, (digest,))
            if template:
                self._spool.make_ready(key, template.key)
            else:
                self._ledger.record(key, Outcome.dropped("not_article"))

    def _is_article(self, host: HostTemplates, page: SpooledPage, features: PageFeatures) -> bool:
        """Whether a page of a template is an article: if no feed says which templates are, the
        page has to look like one."""
        if page.is_article or host.has_feed or features.signals is None:
            return True
        return looks_like_article(host, features.fingerprint, features.signals)

    def _is_complete(self, host: HostTemplates, cluster: Cluster) -> bool:
        """Whether there are enough articles to learn from.  If a page has a feed entry, all pages
        of its cluster are articles."""
        articles = cluster.pages if host.has_feed and cluster.articles else cluster.articles
        return articles >= self._settings.pages

    def _choose(self, host: HostTemplates, is_last: bool = False) -> bool:
        """Decide by content which waiting pages of a host are articles.  Unless this is the last
        time, only templates with enough articles to learn from are made ready, and no page is
        dropped.  Returns whether a page was made ready."""
        self._next_choice[host.host] = 2 * host.signals.pages
        choices = choose_pages(host, self._spool)
        least = 1 if is_last else self._settings.pages
        chosen = [one for one in choices if len(one.articles) >= least]
        for one in chosen:
            template = self._template_of(host, one.digests)
            for key in one.articles:
                self._spool.make_ready(key, template.key)
            self._stats.inc_value("forest/pages/by_content", len(one.articles))
        self._stats.inc_value("forest/templates/by_content", len(chosen))
        for one in choices if is_last else ():
            for key in one.others:
                self._ledger.record(key, Outcome.dropped("not_article"))
        if is_last and choices and not chosen and not any(c.articles for c in host.clusters()):
            logger.info(
                "No page of %s looks like an article; if there are some, name one: "
                "scrapy crawl site -a article=URL",
                host.host,
            )
        return bool(chosen)

    def _template_of(self, host: HostTemplates, digests: tuple[str, ...]) -> Template:
        """The template of a cluster, given by its digests; a new one if it has none."""
        found = host.template_of(Cluster(digests, 0, 0))
        return found or self._add_template(host, digests)

    def _make_ready(self, host: HostTemplates, cluster: Cluster) -> None:
        template = self._template_of(host, cluster.digests)
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
        for name in self._spool.hosts_with_feeds():
            self.host(name).has_feed = True
        for name in self._spool.waiting_hosts():
            for page in self._spool.unclassified_pages(name):
                fingerprint = self._spool.fingerprints.get(name, page.fingerprint)
                self.host(name).add_signals(fingerprint, page.signals)
