"""The pages of one host by template: fingerprints in, clusters and kinds of pages out.

A grouping is plain state, which can be written as JSON, read again, and merged with that of other
pages of the host.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.templates.clusters import MAX_CUT, Cluster, Cut, HostClusters
from forest_scrapy.core.templates.fingerprints import Fingerprint, bound_features, read_features
from forest_scrapy.core.templates.kinds import (
    MIN_CHANCE,
    MIN_CHANCE_ALIKE,
    MIN_CHANCE_ALIKE_BESIDE_FEED,
    MIN_CHANCE_BESIDE_FEED,
    ArticleChances,
    classify_templates,
)
from forest_scrapy.core.templates.signals import HostSignals, Signals

#: Pages of a host after which articles are told from its other pages while more may come; before
#: that, a host is decided when no more pages come.  Not tuned: the hosts that the classifier was
#: trained on have 10 to 43 pages.
ENOUGH_PAGES = 100


#: The digests of a template's pages.
Digests = tuple[str, ...]


class _Limits(NamedTuple):
    """The least probability of an article, and that of one whose fingerprint is that of articles on
    average."""

    min_chance: float
    min_chance_alike: float


_WITHOUT_FEED = _Limits(MIN_CHANCE, MIN_CHANCE_ALIKE)
_BESIDE_FEED = _Limits(MIN_CHANCE_BESIDE_FEED, MIN_CHANCE_ALIKE_BESIDE_FEED)


def _min_chance_of_service(has_feed: bool) -> float:
    """How likely a page has to be an article that is named as a page about the site: beside a feed
    it never is one; without a feed an article may have such a name."""
    return inf if has_feed else MIN_CHANCE_BESIDE_FEED


class UnknownPage(NamedTuple):
    """A page that is not known to be an article; ``digest``: that of its fingerprint;
    ``is_service``: whether its URL names a page about the site (see ``is_service_url``)."""

    key: str
    digest: str
    signals: Signals
    is_service: bool = False


@dataclass(frozen=True)
class ClassifiedPages:
    """The pages of one template that were looked at: the digests of the template, the keys of the
    pages that are articles and of the others, what decided, and the probability of each page."""

    digests: Digests
    articles: tuple[str, ...]
    other_pages: tuple[str, ...]
    type: ArticleChances
    chances: Mapping[str, float]


class Grouping:
    """The clusters of a host's pages, and which of them are articles.

    ``kind``: that of the fingerprints, see ``fingerprint_kind``; ``threshold``: the option of this
    name; ``min_cut``: see ``HostClusters``.
    ``has_feed``: whether a page has a feed entry; then its template's pages are articles.
    """

    def __init__(
        self,
        kind: str = "typed",
        threshold: float | None = None,
        min_cut: float = 0.0,
    ) -> None:
        self.has_feed = False
        self._signals = HostSignals()
        self._clusters = HostClusters(kind == "typed", threshold, min_cut=min_cut)

    @property
    def cut(self) -> Cut:
        """Where the clusters were cut when they were last measured, and why."""
        return self._clusters.cut

    @property
    def unknown_pages(self) -> int:
        """The number of pages that are not known to be articles."""
        return self._signals.pages

    def add(
        self,
        fingerprint: Fingerprint,
        is_article: bool = False,
        signals: Signals | None = None,
    ) -> None:
        """Count a page; ``signals``: those of one that is not known to be an article."""
        self._clusters.add(fingerprint, is_article)
        if signals:
            self.add_signals(fingerprint, signals)

    def add_signals(self, fingerprint: Fingerprint, signals: Signals) -> None:
        """Count the signals of a page that has been added."""
        cluster = self.cluster_of(fingerprint)
        digests = cluster.digests if cluster else ()
        # Only digests that the clusters keep, so that the table stays small.
        digest = fingerprint.digest
        if digests and digest not in digests:
            digest = digests[0]
        self._signals.add(digest, signals)

    def measure(self) -> None:
        """Cut the clusters over all pages counted; the outcome does not depend on their order."""
        self._clusters.measure()

    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters as last measured, sorted by their digests."""
        return self._clusters.clusters()

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, counted or not; None if no cluster is near enough."""
        return self._clusters.cluster_of(fingerprint)

    def distance_to(self, fingerprint: Fingerprint) -> float:
        """The distance of a page to the nearest one that was counted, to compare with ``cut``; 2 if
        there is none."""
        distance, _ = self._clusters.nearest(fingerprint)
        return distance

    def has_articles(self, cluster: Cluster, enough: int) -> bool:
        """Whether a cluster has ``enough`` articles.  If a page has a feed entry, all pages of its
        cluster are articles."""
        are_all_articles = self.has_feed and cluster.articles
        articles = cluster.pages if are_all_articles else cluster.articles
        return articles >= enough

    def choose(
        self,
        pages: Mapping[Digests, Sequence[UnknownPage]],
        article_templates: Collection[Any],
    ) -> list[ClassifiedPages]:
        """Classify pages that are not known to be articles, by their content.

        A page that just misses is an article, too, if the pages with its fingerprint are articles
        on average: they differ in words alone.  If the host has a feed, most articles are in the
        clusters of its items; others have to be likelier, to resemble a known article in layout,
        and not to be named as a page about the site, which without a feed has to be as likely.

        ``pages``: by the digests of their cluster.
        ``article_templates``: the digests of the templates that are known to have articles.  20 us
        for each page.
        """
        limits = _BESIDE_FEED if self.has_feed else _WITHOUT_FEED
        templates = sorted(pages)
        signals = []
        for template in templates:
            signals.append([page.signals for page in pages[template]])
        template_chances = self._classify(templates, signals, article_templates)
        article_layouts = self._choose_layouts(
            templates,
            pages,
            article_templates,
            limits.min_chance,
        )

        choices = []
        for template, article_chances in zip(templates, template_chances, strict=True):
            chances = {}
            articles = []
            other_pages = []
            for page, chance in zip(pages[template], article_chances.pages, strict=True):
                chances[page.key] = chance
                is_alike = page.digest in article_layouts
                min_chance = limits.min_chance_alike if is_alike else limits.min_chance
                if page.is_service:
                    min_chance = _min_chance_of_service(self.has_feed)
                if chance >= min_chance:
                    articles.append(page.key)
                else:
                    other_pages.append(page.key)
            # Looked at last: up to 2 ms for each fingerprint of the template.
            if articles and not self._may_have_articles(template):
                other_pages = [page.key for page in pages[template]]
                articles = []
            choice = ClassifiedPages(
                digests=template,
                articles=tuple(articles),
                other_pages=tuple(other_pages),
                type=article_chances,
                chances=chances,
            )
            choices.append(choice)
        return choices

    def classify(
        self,
        fingerprint: Fingerprint,
        signals: Signals,
        article_templates: Collection[Any],
    ) -> ArticleChances | None:
        """Whether a new page is an article; None as long as too few pages of the host are known.
        Cost: up to 0.5 ms."""
        cluster = self.cluster_of(fingerprint)
        if cluster is None or self.unknown_pages < ENOUGH_PAGES:
            return None
        templates = [cluster.digests for cluster in self.clusters()]
        pages = []
        for template in templates:
            is_of_page = template == cluster.digests
            pages.append([signals] if is_of_page else [])
        for chances in self._classify(templates, pages, article_templates):
            if chances.pages:
                return chances
        return None

    def _choose_layouts(
        self,
        templates: Sequence[Digests],
        pages: Mapping[Digests, Sequence[UnknownPage]],
        article_templates: Collection[Any],
        min_chance: float,
    ) -> set[str]:
        """The digests of the pages that are articles on average, over all pages of the host with
        this fingerprint."""
        layouts = []
        signals = []
        for template in templates:
            digests = sorted({page.digest for page in pages[template]})
            counted = [digest for digest in digests if self._signals.has(digest)]
            layouts.append(counted)
            signals.append([self._signals.mean(digest) for digest in counted])

        article_layouts = set()
        template_chances = self._classify(templates, signals, article_templates)
        for digests, article_chances in zip(layouts, template_chances, strict=True):
            for digest, chance in zip(digests, article_chances.pages, strict=True):
                if chance >= min_chance:
                    article_layouts.add(digest)
        return article_layouts

    def _may_have_articles(self, template: Digests) -> bool:
        """Whether the layout of a template does not speak against it: if the host has a feed, it is
        not farther from that of each known article than pages of one template may be."""
        if not self.has_feed:
            return True
        return self._clusters.distance_to_articles(template) <= MAX_CUT

    def _classify(
        self,
        templates: Sequence[Digests],
        pages: Sequence[Sequence[Signals]],
        article_templates: Collection[Any],
    ) -> list[ArticleChances]:
        with_articles = set()
        for index, template in enumerate(templates):
            if template in article_templates:
                with_articles.add(index)
        return classify_templates(self._signals, templates, pages, with_articles)

    def to_dict(self) -> dict[str, Any]:
        """The grouping as JSON values.  Pages beyond the points that the clusters keep are not in
        it."""
        return {
            "has_feed": self.has_feed,
            "points": self._clusters.to_list(),
            "signals": self._signals.to_dict(),
        }

    def merge(self, data: Mapping[str, Any]) -> None:
        """Count the pages of another grouping of the host, as ``to_dict`` wrote it."""
        self.has_feed |= bool(data["has_feed"])
        self._clusters.merge(data["points"])
        self._signals.merge(data["signals"])


def read_fingerprint(page: Page, kind: str) -> Fingerprint:
    """The fingerprint that pages are compared by, of this kind (see ``fingerprint_kind``)."""
    features = read_features(page, kind)
    return Fingerprint(bound_features(features))


def group_pages(
    pages: Sequence[Page],
    kind: str = "typed",
    threshold: float | None = None,
) -> tuple[list[list[Page]], Cut]:
    """The pages by template, the largest group first (then in the order of the pages), and
    where the clusters were cut.  Pages with a feed entry are known to be articles."""
    grouping = Grouping(kind, threshold)
    fingerprints = []
    for page in pages:
        fingerprint = read_fingerprint(page, kind)
        grouping.add(fingerprint, page.entry is not None)
        fingerprints.append(fingerprint)
    grouping.measure()

    group_of: dict[str, int] = {}
    for number, cluster in enumerate(grouping.clusters()):
        for digest in cluster.digests:
            group_of[digest] = number
    groups: dict[int, list[Page]] = {}
    for page, fingerprint in zip(pages, fingerprints, strict=True):
        # A digest is missing only if there are more different pages than the clusters keep.
        number = group_of.get(fingerprint.digest, -1)
        groups.setdefault(number, []).append(page)
    largest_first = sorted(groups.values(), key=len, reverse=True)
    return largest_first, grouping.cut
