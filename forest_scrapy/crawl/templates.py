"""The templates of a crawl: which one a page belongs to, and when it may be released.

No page is kept in memory: pages are in the spool, fingerprints in the hosts' groupings.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from scrapy.statscollectors import StatsCollector

from forest_scrapy import core
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.other_kinds import KindSurvey
from forest_scrapy.crawl.outcomes import Ledger, Outcome, OutstandingRequests
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import page_of_item, rebuild_page
from forest_scrapy.responses.notes import notes_in
from forest_scrapy.settings import ForestSettings, crawl_command
from forest_scrapy.stores import PageRecord, RulesStore, Spool, SpooledPage, UnclassifiedPage
from forest_scrapy.stores.decisions import Decision

logger = logging.getLogger(__name__)

#: Pages of a template from which on it is learned although more are expected.  Up to that many, its
#: rules do not depend on the order of the responses.
_MANY_PAGES = 100
_NO_ARTICLE = (
    "No page of %s looks like an article; if there are some, name one: %s site -a article=URL"
)


@dataclass(frozen=True)
class PageFeatures:
    """What a page is placed by.

    ``signals``: what is known of the type of a page; None for a page known to be an article.
    ``is_blocked``: whether the server sent a challenge or a notice instead of the page.
    ``page``: the page that they were read from.
    """

    fingerprint: core.Fingerprint
    signals: core.Signals | None = None
    is_blocked: bool = False
    page: core.Page | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Placement:
    """Where a page was placed.

    ``template``: the template that the page may be released under at once; None if it has to
    wait.  ``completes_template``: with this page its template has enough pages to learn from,
    and all of them are ready; or the host has enough pages for ``choose_due``.
    ``is_described``: the page may be released at once without a template, since other pages tell
    nothing of it: it cannot be read, but a feed entry describes it, or it is blocked.
    ``is_refused``: a person has said that such pages are no
    articles.
    """

    template: core.Template | None = None
    completes_template: bool = False
    is_described: bool = False
    is_refused: bool = False


async def read_features(item: ArticlePage, kind: str, feed_fields: bool = True) -> PageFeatures:
    """Parse a page that is in the spool (1 to 5 ms; a large page in a thread); ``feed_fields``: see
    ``page_of``."""
    return await run(is_large(item.response), _read_features, item, kind, feed_fields)


def _read_features(item: ArticlePage, kind: str, feed_fields: bool) -> PageFeatures:
    page = page_of_item(item, feed_fields)
    fingerprint = core.read_fingerprint(page, kind)
    signals: core.Signals | None = None
    if not item.is_article:
        signals = core.read_signals(page)
    return PageFeatures(
        fingerprint=fingerprint,
        signals=signals,
        is_blocked=core.is_blocked(page),
        page=page,
    )


class PagePlacer:
    """The templates that a crawl has met, by host and by key, and the pages that wait for them."""

    def __init__(
        self,
        settings: ForestSettings,
        spool: Spool,
        rules: RulesStore,
        stats: StatsCollector,
        ledger: Ledger,
        outstanding: OutstandingRequests,
    ) -> None:
        self._settings = settings
        self._spool = spool
        self._rules = rules
        self._stats = stats
        self._ledger = ledger
        self._outstanding = outstanding
        #: What the pages look like that are no articles, and those that are.
        self.survey = KindSurvey(settings)
        #: Called with each decision on a page.
        self.on_decision: Callable[[Decision], None] | None = None
        self._hosts: dict[str, core.HostTemplates] = {}
        #: Templates that no cluster has: of pages that are no articles, and of single pages.
        self._apart: dict[str, core.Template] = {}
        #: For each host the number of its pages at which it is next decided by content.
        self._next_choice: defaultdict[str, int] = defaultdict(lambda: core.ENOUGH_PAGES)
        #: Hosts whose waiting pages are to be chosen from by content, and hosts of which no more
        #: pages are expected.
        self._due: dict[str, bool] = {}
        self._complete: dict[str, bool] = {}

    def get(self, key: str) -> core.Template | None:
        """A template by its key; None for ``""``, the key of pages without a template."""
        if not key:
            return None
        host_name, _, _ = key.partition(" ")
        host = self._hosts.get(host_name)
        if host is not None and key in host.templates:
            return host.templates[key]
        return self._apart[key]

    def update(self, template: core.Template, **changes: Any) -> core.Template:
        """Replace values of a template; as it is now."""
        changed = replace(template, **changes)
        host_templates = self.host(template.host).templates
        if template.key in host_templates:
            host_templates[template.key] = changed
        else:
            self._apart[template.key] = changed
        return changed

    def of_host(self, name: str) -> list[core.Template]:
        """The templates of a host, also those that no cluster has, in a fixed order."""
        templates = list(self.host(name).templates.values())
        for template in self._apart.values():
            if template.host == name:
                templates.append(template)
        return sorted(templates, key=lambda template: template.key)

    def learned(self) -> list[core.Template]:
        """The templates whose rules were learned in this crawl, in a fixed order."""
        learned_templates = []
        for template in self.with_rules():
            if not template.is_stored:
                learned_templates.append(template)
        return learned_templates

    def with_rules(self) -> list[core.Template]:
        """The templates that have rules to take text by, in a fixed order."""
        templates: list[core.Template] = []
        for host in self._hosts.values():
            templates += host.templates.values()
        templates += self._apart.values()
        with_rules = [template for template in templates if template.rules]
        return sorted(
            with_rules,
            key=lambda template: (template.host, template.id, template.key),
        )

    def host(self, name: str) -> core.HostTemplates:
        """The templates of a host; those in the store are loaded on the first call."""
        if name in self._hosts:
            return self._hosts[name]
        stored_templates = self._rules.load(name)
        named_pages = self._rules.named_pages.load(name)
        host = core.HostTemplates(
            name,
            self._settings.options,
            stored_templates,
            named_pages,
        )
        self._hosts[name] = host
        if host.templates:
            self._stats.inc_value("forest/templates/loaded", len(host.templates))
        return host

    def place(
        self,
        page: SpooledPage,
        features: PageFeatures,
        record: PageRecord | None = None,
    ) -> Placement:
        """Place a fetched page; ``record``: that of the page in the history.  If it completes its
        template, all waiting pages of that are made ready."""
        host = self.host(page.host)
        fingerprint = features.fingerprint
        feed = page.entry.feed if page.entry else ""
        self._outstanding.add_page(page.host, page.url, feed)
        host.grouping.has_feed |= page.entry is not None
        if features.is_blocked:
            self._spool.make_ready(page.key, "")
            return Placement(is_described=True)

        verdict = host.verdict_on(fingerprint)
        if verdict is not None:
            self._decide(page.key, verdict, "person")
            features = replace(features, signals=None)
        self._spool.place(page.key, fingerprint, features.signals)
        if verdict is False:
            host.grouping.add(fingerprint)
            self._refuse(host, page.key, (fingerprint.digest,))
            return Placement(
                completes_template=self._settings.wants_records,
                is_refused=True,
            )

        template = host.place(fingerprint, verdict or page.is_article)
        if features.signals:
            host.grouping.add_signals(fingerprint, features.signals)
        assigned = _template_of_article(host, page)
        if assigned is None:
            assigned = host.find_assigned(page.key, record, fingerprint)
        if assigned:
            template = assigned
            if assigned.key not in host.templates:
                self._apart.setdefault(assigned.key, assigned)
        is_assigned = assigned is not None
        if template and self._may_release(host, template, page, features, is_assigned):
            placed_pages = template.placed + 1
            template = self.update(template, placed=placed_pages)
            self._spool.make_ready(page.key, template.key)
            return Placement(template)

        self._spool.compress(page.key)
        cluster = host.grouping.cluster_of(fingerprint)
        is_complete = cluster is not None and self._is_complete(host, cluster)
        if cluster is not None and is_complete and self._may_learn(host, cluster):
            self._make_ready(host, cluster)
            return Placement(completes_template=True)

        has_many_new = host.grouping.unknown_pages >= self._next_choice[host.host]
        if has_many_new and not host.grouping.has_feed:
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
            name, _ = self._complete.popitem()
            host = self.host(name)
            host.grouping.measure()
            yield
            for cluster in host.grouping.clusters():
                if self._is_complete(host, cluster):
                    self._make_ready(host, cluster)
                    yield
        while self._due:
            name, _ = self._due.popitem()
            yield from self._choose(self.host(name))

    def flush_steps(self, name: str) -> Iterator[None]:
        """Decide, in small steps, on all waiting pages of a host, because no more pages will
        come: articles are made ready, the other pages are dropped."""
        host = self.host(name)
        host.grouping.measure()
        yield
        has_feed = host.grouping.has_feed
        if not has_feed:
            yield from self._choose(host, is_last=True)
        for cluster in host.grouping.clusters():
            template = host.template_of(cluster)
            if cluster.articles or _is_trusted(host, template, cluster.digests):
                self._make_ready(host, cluster)
                yield
        if has_feed:  # of its articles, some may have another layout than those that the feed lists
            yield from self._choose(host, is_last=True)
        for key, digest, is_article in self._spool.waiting_pages(name):
            yield
            if not self._spool.is_waiting(key):  # something happened meanwhile
                continue
            fingerprint = self._spool.fingerprints.get(name, digest)
            template = host.recognise(fingerprint)
            is_article = is_article or bool(host.verdict_on(fingerprint))
            if template is None and is_article:
                template = self._add_template(host, (digest,))
            elif not is_article:
                digests = host.cluster_digests(fingerprint)
                if not _is_trusted(host, template, digests):
                    template = None
            if template:
                self._spool.make_ready(key, template.key)
                continue
            self._decide(key, False, "template")
            digests = host.cluster_digests(fingerprint)
            self._refuse(host, key, digests)

    def recall(self) -> Iterator[None]:
        """Count, in small steps, the pages that an earlier run of this crawl has seen."""
        for name, digest, is_article in list(self._spool.seen_pages()):
            yield
            fingerprint = self._spool.fingerprints.get(name, digest)
            host = self.host(name)
            is_article = is_article or bool(host.verdict_on(fingerprint))
            host.grouping.add(fingerprint, is_article)
        for name in self._spool.hosts_with_feeds():
            host = self.host(name)
            host.grouping.has_feed = True
        for name in self._spool.waiting_hosts():
            for page in self._spool.unclassified_pages(name):
                yield
                fingerprint = self._spool.fingerprints.get(name, page.fingerprint)
                host = self.host(name)
                host.grouping.add_signals(fingerprint, page.signals)

    def _add_template(self, host: core.HostTemplates, digests: Iterable[str]) -> core.Template:
        self._stats.inc_value("forest/templates/found")
        return host.add_template(digests)

    def _template_with(self, host: core.HostTemplates, digests: tuple[str, ...]) -> core.Template:
        """The template of a cluster, given by its digests; a new one if it has none."""
        return host.template_with(digests) or self._add_template(host, digests)

    def _make_ready(self, host: core.HostTemplates, cluster: core.Cluster) -> None:
        template = self._template_with(host, cluster.digests)
        self._spool.make_all_ready(host.host, cluster.digests, template.key)

    def _template_of_others(
        self, host: core.HostTemplates, digests: tuple[str, ...]
    ) -> core.Template:
        """The template of the pages of a cluster that are not articles."""
        template = host.template_of_others(digests)
        if template.key in host.templates:
            return template
        return self._apart.setdefault(template.key, template)

    def _may_release(
        self,
        host: core.HostTemplates,
        template: core.Template,
        page: SpooledPage,
        features: PageFeatures,
        is_assigned: bool,
    ) -> bool:
        """Whether a page of a template is known to be an article, or one of the kind that the
        template is of: if no feed says which templates are of articles, the page has to look like
        one."""
        if page.is_article or features.signals is None or template.is_of_threads:
            return True
        is_known = is_assigned or host.grouping.has_feed
        digests = host.cluster_digests(features.fingerprint)
        if is_known and _is_trusted(host, template, digests):
            return True
        chances = host.grouping.classify(
            features.fingerprint,
            features.signals,
            host.known_articles(),
        )
        if chances is None or chances.probability < core.MIN_CHANCE:
            return False
        self._decide(
            page.key,
            True,
            "content",
            chances.probability,
            chances.explain(),
        )
        return True

    def _decide_by_content(self, key: str, is_article: bool, choice: core.ClassifiedPages) -> None:
        self._decide(
            key,
            is_article,
            "content",
            choice.chances[key],
            choice.type.explain(),
            len(choice.chances),
        )

    def _decide(
        self,
        key: str,
        is_article: bool,
        decided_by: str,
        chance: float | None = None,
        reasons: str = "",
        pages: int = 1,
    ) -> None:
        """Note how it was decided whether a page is an article."""
        if self.on_decision:
            decision = Decision(key, is_article, decided_by, chance, reasons, pages)
            self.on_decision(decision)

    def _is_complete(self, host: core.HostTemplates, cluster: core.Cluster) -> bool:
        """Whether there are enough articles to learn from."""
        return host.grouping.has_articles(cluster, self._settings.pages)

    def _may_learn(self, host: core.HostTemplates, cluster: core.Cluster) -> bool:
        """Whether no more pages of the host are expected, or the template has so many that its
        articles should not wait for them."""
        if cluster.pages >= _MANY_PAGES:
            return True
        return not self._outstanding.may_bring(host.host)

    def _refuse(self, host: core.HostTemplates, key: str, digests: tuple[str, ...]) -> None:
        """Drop a page that is not an article; if other kinds of pages are wanted, make it ready to
        be looked at as one of these."""
        if self._settings.wants_records:
            template = self._template_of_others(host, digests)
            self._spool.make_ready(key, template.key)
        else:
            template_key = host.template_of_others(digests).key
            page = None
            if self.survey.needs_page(template_key, key):
                page = rebuild_page(self._spool.read(key))
            self.survey.add(template_key, False, page)
            outcome = Outcome.dropped("not_article")
            self._ledger.record(key, outcome)

    def _choose(self, host: core.HostTemplates, is_last: bool = False) -> Iterator[None]:
        """Decide by content which waiting pages of a host are articles.  Unless this is the last
        time, only templates with enough articles to learn from are made ready, and no page is
        dropped."""
        self._next_choice[host.host] = 2 * host.grouping.unknown_pages
        choices = yield from self._classify(host)
        min_articles = 1 if is_last else self._settings.pages
        of_articles = []
        for choice in choices:
            if len(choice.articles) >= min_articles:
                of_articles.append(choice)
        for choice in of_articles:
            template = self._template_with(host, choice.digests)
            for key in choice.articles:
                self._spool.make_ready(key, template.key)
                self._decide_by_content(key, True, choice)
                yield
            self._stats.inc_value("forest/pages/by_content", len(choice.articles))
        has_feed = host.grouping.has_feed
        if of_articles or not has_feed:
            self._stats.inc_value("forest/templates/by_content", len(of_articles))
        if not is_last:
            return

        for choice in choices:
            for key in choice.other_pages:
                yield
                if has_feed and not choice.articles:
                    self._decide(key, False, "template")
                else:
                    self._decide_by_content(key, False, choice)
                self._refuse(host, key, choice.digests)
        if self._settings.wants_records or not choices or of_articles:
            return
        has_articles = any(cluster.articles for cluster in host.grouping.clusters())
        if not has_articles:
            logger.info(_NO_ARTICLE, host.host, crawl_command())

    def _classify(
        self, host: core.HostTemplates
    ) -> Generator[None, None, list[core.ClassifiedPages]]:
        """Classify the waiting pages of a host that are not known to be articles, and log what was
        decided, and why.  In small steps: up to 1 ms for each page, then 20 us for each at once."""
        has_feed = host.grouping.has_feed
        waiting: defaultdict[tuple[str, ...], list[UnclassifiedPage]] = defaultdict(list)
        for page in self._spool.unclassified_pages(host.host):
            fingerprint = self._spool.fingerprints.get(host.host, page.fingerprint)
            digests = host.cluster_digests(fingerprint)
            waiting[digests].append(page)
            yield

        unknown: dict[tuple[str, ...], list[core.UnknownPage]] = {}
        if has_feed:  # the others are compared with the pages of the templates of the feed
            for cluster in host.grouping.clusters():
                if cluster.articles:
                    unknown[cluster.digests] = []
        for digests, pages in waiting.items():
            unknown[digests] = []
            for page in pages:
                is_service = core.is_service_url(page.url)
                unknown[digests].append(
                    core.UnknownPage(page.key, page.fingerprint, page.signals, is_service)
                )
        choices = host.grouping.choose(unknown, host.known_articles())
        choices = [choice for choice in choices if choice.digests in waiting]
        for choice in choices:
            if choice.articles or not has_feed:
                _log_choice(host.host, waiting[choice.digests], choice)
        return choices


def _is_trusted(
    host: core.HostTemplates,
    template: core.Template | None,
    digests: Iterable[str],
) -> bool:
    """Whether the pages of a template, in the cluster with these digests, may be articles because
    of the template alone."""
    if template is None:
        return False
    if not template.is_stored:
        return True
    if template.is_of_records and host.may_be_others(digests):
        return False
    return not template.is_only_named


def _log_choice(host: str, pages: list[UnclassifiedPage], choice: core.ClassifiedPages) -> None:
    level = logging.INFO if len(pages) > 1 else logging.DEBUG
    example = min(page.url for page in pages)
    chance = choice.type.probability
    verb = "is" if len(pages) == 1 else "are"
    noun = "an article" if len(pages) == 1 else "articles"
    verdict = f"{verb} {noun}" if chance >= core.MIN_CHANCE else f"{verb} not {noun}"
    logger.log(
        level,
        "%s: %s like %s %s (%.2f): %s",
        host,
        count(len(pages), "page"),
        example,
        verdict,
        chance,
        choice.type.explain(),
    )


def _template_of_article(host: core.HostTemplates, page: SpooledPage) -> core.Template | None:
    """The template of the page before, for a further page of an article: it is read by the same
    rules, however it looks."""
    key = notes_in(page.meta).template
    template = host.templates.get(key) if key else None
    if template is None or not template.wrapper.keep:
        return None
    return template
