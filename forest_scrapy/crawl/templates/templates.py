"""The templates of one crawl: which template a page belongs to, and when it may be released.

No page is kept in memory: pages are in the spool, fingerprints in the hosts' clusters.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Cluster
from forest_scrapy.crawl.outcomes import Ledger, Outcome, OutstandingRequests
from forest_scrapy.crawl.templates.by_content import (
    ENOUGH_PAGES,
    choose_pages,
    looks_like_article,
)
from forest_scrapy.crawl.templates.reading import PageFeatures
from forest_scrapy.crawl.templates.recognition import HostTemplates
from forest_scrapy.crawl.templates.table import TemplateTable
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageRecord, Spool, SpooledPage, WrapperStore

__all__ = ["Placement", "Templates"]

logger = logging.getLogger(__name__)

#: Pages of a template from which on it is learned although more are expected.  Up to that many, its
#: wrapper does not depend on the order of the responses.
_MANY_PAGES = 100
_NO_ARTICLE = (
    "No page of %s looks like an article; if there are some, name one: "
    "scrapy crawl site -a article=URL"
)


@dataclass(frozen=True)
class Placement:
    """Where a page was placed.

    ``template``: the template that the page may be released under at once; None if it has to
    wait.  ``completes_template``: with this page its template has enough pages to learn from,
    and all of them are ready; or the host has enough pages for ``choose_due``.
    ``is_described``: the page cannot be read, but a feed entry describes it, so that it may be
    released at once without a template.
    """

    template: Template | None = None
    completes_template: bool = False
    is_described: bool = False


class Templates(TemplateTable):
    """Places pages, and decides when they may be released."""

    def __init__(
        self,
        settings: ForestSettings,
        spool: Spool,
        wrappers: WrapperStore,
        stats: StatsCollector,
        ledger: Ledger,
        outstanding: OutstandingRequests,
    ) -> None:
        super().__init__(settings, spool, wrappers, stats)
        self._ledger, self._outstanding = ledger, outstanding
        #: For each host the number of its pages at which it is next decided by content.
        self._next_choice: defaultdict[str, int] = defaultdict(lambda: ENOUGH_PAGES)
        #: Hosts whose waiting pages are to be chosen from by content, and hosts of which no more
        #: pages are expected.
        self._due: dict[str, bool] = {}
        self._complete: dict[str, bool] = {}

    def place(
        self, page: SpooledPage, features: PageFeatures, known: PageRecord | None = None
    ) -> Placement:
        """Place a fetched page; ``known``: its record in the history.  If it completes its
        template, all waiting pages of that are made ready."""
        host, fingerprint = self.host(page.host), features.fingerprint
        self._outstanding.add_page(page.host, page.url, page.entry.feed if page.entry else "")
        self._spool.place(page.key, fingerprint, features.signals)
        host.has_feed |= page.entry is not None
        template = host.place(fingerprint, page.is_article)
        if features.signals:
            host.add_signals(fingerprint, features.signals)
        if assigned := host.find_assigned(page.key, known, fingerprint):
            self._templates[assigned.key] = template = assigned
        if template and (
            assigned or template.is_of_threads or self._is_article(host, page, features)
        ):
            template.placed += 1
            self._spool.make_ready(page.key, template.key)
            return Placement(template)
        self._spool.compress(page.key)
        cluster = host.cluster_of(fingerprint)
        if cluster and self._is_complete(host, cluster) and self._may_learn(host, cluster):
            self.make_ready(host, cluster)
            return Placement(completes_template=True)
        if not host.has_feed and host.signals.pages >= self._next_choice[host.host]:
            self._due[host.host] = True
        return Placement(completes_template=host.host in self._due)

    @property
    def has_due(self) -> bool:
        """Whether ``choose_due`` has something to do."""
        return bool(self._due or self._complete)

    def complete(self, hosts: Iterable[str]) -> None:
        """Note that no more pages of these hosts are expected, for ``choose_due``."""
        self._complete.update(dict.fromkeys(hosts, True))

    def choose_due(self) -> Iterator[None]:
        """Make ready, in small steps, the templates with enough pages of the hosts of which no more
        are expected; decide by content on the waiting pages of the hosts that have many more
        pages than at the last time."""
        while self._complete:
            host = self.host(self._complete.popitem()[0])
            host.measure()
            yield
            for cluster in host.clusters():
                if self._is_complete(host, cluster):
                    self.make_ready(host, cluster)
                    yield
        while self._due:
            yield from self._choose(self.host(self._due.popitem()[0]))

    def flush_steps(self, name: str) -> Iterator[None]:
        """Decide, in small steps, on all waiting pages of a host, because no more pages will
        come: articles are made ready, the other pages are dropped."""
        host = self.host(name)
        host.measure()
        yield
        if not host.has_feed:
            yield from self._choose(host, is_last=True)
        for cluster in host.clusters():
            if cluster.articles or host.template_of(cluster):
                self.make_ready(host, cluster)
                yield
        for key, digest, is_article in self._spool.waiting_pages(name):
            yield
            if not self._spool.is_waiting(key):  # something happened meanwhile
                continue
            fingerprint = self._spool.fingerprints.get(name, digest)
            template, found = host.recognise(fingerprint), host.cluster_of(fingerprint)
            if template is None and is_article:
                template = self.add_template(host, (digest,))
            if template:
                self._spool.make_ready(key, template.key)
            else:
                self._refuse(host, key, found.digests if found else (digest,))

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

    def _may_learn(self, host: HostTemplates, cluster: Cluster) -> bool:
        """Whether no more pages of the host are expected, or the template has so many that its
        articles should not wait for them."""
        return cluster.pages >= _MANY_PAGES or not self._outstanding.may_bring(host.host)

    def _refuse(self, host: HostTemplates, key: str, digests: tuple[str, ...]) -> None:
        """Drop a page that is not an article; if other kinds of pages are wanted, make it ready to
        be looked at as one of these."""
        if self._settings.wants_records:
            self._spool.make_ready(key, self.others_of(host, digests).key)
        else:
            self._ledger.record(key, Outcome.dropped("not_article"))

    def _choose(self, host: HostTemplates, is_last: bool = False) -> Iterator[None]:
        """Decide by content which waiting pages of a host are articles.  Unless this is the last
        time, only templates with enough articles to learn from are made ready, and no page is
        dropped."""
        self._next_choice[host.host] = 2 * host.signals.pages
        choices = yield from choose_pages(host, self._spool)
        least = 1 if is_last else self._settings.pages
        chosen = [one for one in choices if len(one.articles) >= least]
        for one in chosen:
            template = self.template_of_cluster(host, one.digests)
            for key in one.articles:
                self._spool.make_ready(key, template.key)
                yield
            self._stats.inc_value("forest/pages/by_content", len(one.articles))
        self._stats.inc_value("forest/templates/by_content", len(chosen))
        for one in choices if is_last else ():
            for key in one.others:
                yield
                self._refuse(host, key, one.digests)
        if self._settings.wants_records or not is_last or not choices or chosen:
            return
        if not any(cluster.articles for cluster in host.clusters()):
            logger.info(_NO_ARTICLE, host.host)
