"""The templates of one host: which one a page belongs to.

A crawl, files, ``scrapy forest explain`` and the scrapy-poet provider use the same
``HostTemplates``, so they recognise the same templates.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from forest_scrapy.core.options import Options
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.rules import Template, TemplateRules, kinds_apart, number_id
from forest_scrapy.core.templates.clusters import Cluster
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.grouping import Grouping, read_fingerprint
from forest_scrapy.core.templates.redesigns import is_superseded

#: Fingerprints stored with rules.
_MAX_FINGERPRINTS = 64


class _PageRecord(Protocol):
    """What an earlier crawl knows of a page."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def template(self) -> str: ...
    @property
    def method(self) -> str: ...


class _NamedPage(Protocol):
    """A page that a person has named as an article, or as none."""

    @property
    def fingerprint(self) -> Fingerprint: ...
    @property
    def is_article(self) -> bool: ...


class HostTemplates:
    """The templates of one host, and the clusters that its pages form.

    Starts with the stored templates.  Those learned by another method than that of the ``options``
    are left out, unless that is ``auto``, and those for other kinds than are wanted, see
    ``kinds_apart``.  ``named``: the pages of the host that a person has named.
    """

    def __init__(
        self,
        host: str,
        options: Options,
        stored: Iterable[Template] = (),
        named: Iterable[_NamedPage] = (),
    ) -> None:
        self.host = host
        self._kind = options.fingerprint_kind
        usable = [template for template in stored if _is_usable(template, options)]
        usable.sort(key=_rank_stored)
        min_cut = _largest_cut(usable)
        self.grouping = Grouping(self._kind, options.threshold, min_cut)
        #: The templates by key.
        self.templates: dict[str, Template] = {}
        self._key_of_digest: dict[str, str] = {}
        #: As these, of the templates of pages that are no articles, but of another kind.
        self._key_of_others: dict[str, str] = {}
        for template in usable:
            digests = []
            for fingerprint in template.fingerprints:
                self.grouping.add(fingerprint)
                digests.append(fingerprint.digest)
            if template.is_stored and not template.may_be_articles:
                self._assign_others(template, digests)
            else:
                self._assign(template, digests)

        #: Whether the pages with these digests are articles, as a person has said.
        self._verdicts: dict[str, bool] = {}
        for page in named:
            self.grouping.add(page.fingerprint)
            digest = page.fingerprint.digest
            self._verdicts[digest] = page.is_article

    def verdict_on(self, fingerprint: Fingerprint) -> bool | None:
        """Whether a page is an article, as a person has said of it or of another page of its
        template; None if nobody has, or of both kinds."""
        digest = fingerprint.digest
        if not self._verdicts or digest in self._verdicts:
            return self._verdicts.get(digest)
        cluster = self.grouping.cluster_of(fingerprint)
        digests = cluster.digests if cluster else ()
        verdicts = set()
        for digest in digests:
            if digest in self._verdicts:
                verdicts.add(self._verdicts[digest])
        if len(verdicts) == 1:
            return verdicts.pop()
        return None

    def recognise(self, fingerprint: Fingerprint) -> Template | None:
        """The template of a page, counted or not; None if its cluster has none."""
        cluster = self.grouping.cluster_of(fingerprint)
        return self.template_of(cluster)

    def recognise_page(
        self,
        page: Page,
        counts: bool = False,
    ) -> Template | None:
        """As ``recognise_stored``, for a page whose fingerprint is read now, unless the host has no
        templates.  ``counts``: count it before, so that further pages are recognised better."""
        if not self.templates:
            return None
        fingerprint = read_fingerprint(page, self._kind)
        if counts:
            self.grouping.add(fingerprint)
        return self.recognise_stored(fingerprint)

    def recognise_stored(self, fingerprint: Fingerprint) -> Template | None:
        """As ``recognise``, by who does not tell articles by their content: if the cluster has no
        other template, that of its pages that are no articles."""
        cluster = self.grouping.cluster_of(fingerprint)
        template = self.template_of(cluster)
        if template is None and cluster is not None:
            template = self._stored_others(cluster.digests)
        return template

    def place(
        self,
        fingerprint: Fingerprint,
        is_article: bool = False,
    ) -> Template | None:
        """Count a page and recognise its template, to which pages with this fingerprint belong
        from now on."""
        self.grouping.add(fingerprint, is_article)
        cluster = self.grouping.cluster_of(fingerprint)
        template = self.template_of(cluster)
        if template and cluster and fingerprint.digest in cluster.digests:
            # Only digests that the clusters keep, so that the table stays small.
            self._assign(template, (fingerprint.digest,))
        return template

    def cluster_digests(self, fingerprint: Fingerprint) -> tuple[str, ...]:
        """The digests of the cluster of a page; that of the page alone if it has no cluster."""
        cluster = self.grouping.cluster_of(fingerprint)
        if cluster:
            return cluster.digests
        return (fingerprint.digest,)

    def template_of(self, cluster: Cluster | None) -> Template | None:
        """The template of a cluster.  If several were merged into the cluster, the first by key
        of those with rules; the others are not used any more."""
        digests = cluster.digests if cluster else ()
        return self.template_with(digests)

    def template_with(self, digests: Iterable[str]) -> Template | None:
        """As ``template_of``, for a cluster given by its digests."""
        templates = []
        for digest in digests:
            key = self._key_of_digest.get(digest)
            if key is not None:
                templates.append(self.templates[key])
        return min(templates, key=_rank, default=None)

    def add_template(self, digests: Iterable[str]) -> Template:
        """A new template, of the pages with these fingerprint digests."""
        sorted_digests = sorted(digests)
        key = f"{self.host} {sorted_digests[0]}"
        template = self.templates.get(key)
        if template is None:
            template = Template(key, self.host)
        self._assign(template, sorted_digests)
        return template

    def ensure_template(self, digests: Sequence[str]) -> Template:
        """The template of a cluster, given by its digests; a new one if it has none."""
        template = self.template_with(digests)
        return template or self.add_template(digests)

    def template_of_others(self, digests: Sequence[str]) -> Template:
        """The template of the pages of a cluster that are no articles, but may be of another kind:
        that of the cluster if it is one of threads, else one beside it, which no cluster has."""
        template = self.template_with(digests)
        if template and template.is_of_threads:
            return template
        stored_template = self._stored_others(digests)
        if stored_template:
            return stored_template
        key = f"{self.host} {min(digests)} others"
        return Template(key, self.host, may_be_articles=False)

    def may_be_others(self, digests: Iterable[str]) -> bool:
        """Whether earlier crawls have told some pages of a cluster to be no articles, but of
        another kind."""
        return self._stored_others(digests) is not None

    def new_id(self, rules: TemplateRules, taken: Iterable[str] = ()) -> str:
        """The id of a template with these rules; ``taken``: ids of other templates."""
        ids = {template.id for template in self.templates.values()}
        return number_id(self.host, rules, ids.union(taken))

    def find_assigned(
        self,
        page: str,
        record: _PageRecord | None,
        fingerprint: Fingerprint,
    ) -> Template | None:
        """The stored template that an earlier crawl has assigned to the page with this key, if its
        layout is the same as then, whatever the clusters of this crawl.  A page that was extracted
        as a single page then stays one.  ``record``: what that crawl knows of the page."""
        stored = self._stored_templates()
        if record is None or not stored:
            return None
        if record.fingerprint != fingerprint.digest:
            return None
        for template in stored:
            if template.id == record.template:
                return template
        if record.method == "single":
            return Template(f"{self.host} {page}", self.host, record.template)
        return None

    def find_superseded(
        self,
        pages: int,
        is_of_threads: bool = False,
    ) -> Template | None:
        """The stored template whose place a new one, learned from ``pages`` pages, has taken:
        none of this crawl's pages belongs to it, though it had many before.  ``is_of_threads``:
        whether the new one is; threads do not take the place of articles."""
        stored = self._stored_templates()
        host_pages = sum(template.fit.pages for template in stored)
        superseded = []
        for template in stored:
            if template.placed > 0 or template.is_of_threads != is_of_threads:
                continue
            if template.is_of_records:
                continue
            if is_superseded(template.fit.pages, host_pages, pages):
                superseded.append(template)
        return max(superseded, key=_rank_by_pages, default=None)

    def known_articles(self) -> set[tuple[str, ...]]:
        """The digests of the clusters that have a named article, or stored rules for articles."""
        clusters = set()
        for cluster in self.grouping.clusters():
            template = self.template_of(cluster)
            if cluster.articles or (template and template.are_articles):
                clusters.add(cluster.digests)
        return clusters

    def _stored_templates(self) -> list[Template]:
        stored_templates = []
        for template in self.templates.values():
            if template.is_stored:
                stored_templates.append(template)
        return stored_templates

    def _stored_others(self, digests: Iterable[str]) -> Template | None:
        """The stored template of those pages of a cluster that are no articles, the first by key;
        None if there is none."""
        keys = []
        for digest in digests:
            if digest in self._key_of_others:
                keys.append(self._key_of_others[digest])
        return self.templates[min(keys)] if keys else None

    def _assign_others(self, template: Template, digests: Iterable[str]) -> None:
        self.templates.setdefault(template.key, template)
        for digest in digests:
            self._key_of_others.setdefault(digest, template.key)

    def _assign(self, template: Template, digests: Iterable[str]) -> None:
        self.templates.setdefault(template.key, template)
        for digest in digests:
            self._key_of_digest.setdefault(digest, template.key)


def _largest_cut(templates: Iterable[Template]) -> float:
    """The largest distance at which templates were cut from others; 0 if there are none."""
    largest = 0.0
    for template in templates:
        if template.rules:
            largest = max(largest, template.rules.cut.distance)
    return largest


def _rank(template: Template) -> tuple[bool, str]:
    """Which template a cluster has, smaller first: one with rules, then by key."""
    return template.rules is None, template.key


def _rank_stored(template: Template) -> tuple[bool, bool, str]:
    """Which of several stored templates has a fingerprint, smaller first: one that a person has
    edited, one of articles, then by id."""
    return not template.is_edited, not template.may_be_articles, template.id


def _rank_by_pages(template: Template) -> tuple[int, str]:
    return template.fit.pages, template.id


def choose_fingerprints(
    grouping: Grouping,
    sample: Sequence[Fingerprint],
) -> list[str]:
    """Digests of the fingerprints by which the next crawl recognises a template: those of its
    sample, then those in the same clusters."""
    of_sample = {fingerprint.digest for fingerprint in sample}
    digests = set(of_sample)
    for fingerprint in sample:
        cluster = grouping.cluster_of(fingerprint)
        digests.update(cluster.digests if cluster else ())
    ranked = sorted(digests, key=lambda digest: (digest not in of_sample, digest))
    return ranked[:_MAX_FINGERPRINTS]


def find_stored(
    pages: Sequence[Page],
    stored: Sequence[Template],
    options: Options,
) -> list[Template | None]:
    """The stored template of each page of one host, as a crawl of these pages recognises it;
    None if there is none."""
    host = HostTemplates("", options, stored)
    fingerprints = []
    for page in pages:
        fingerprint = read_fingerprint(page, options.fingerprint_kind)
        host.grouping.add(fingerprint, page.entry is not None)
        fingerprints.append(fingerprint)
    host.grouping.measure()

    by_id = {template.id: template for template in stored}
    templates: list[Template | None] = []
    for fingerprint in fingerprints:
        template = host.recognise_stored(fingerprint)
        stored_template = by_id[template.id] if template else None
        templates.append(stored_template)
    return templates


#: The kinds of pages whose rules, where a store of an earlier version has some, do not depend on
#: which other kinds were asked for.
_KINDS_OF_OLD_RULES = ("article", "thread", "other")


def _is_usable(template: Template, options: Options) -> bool:
    rules = template.rules
    if rules is None or not _are_of_kinds(template, rules, options):
        return False
    if rules.are_of_threads:  # by one method only
        return "thread" in options.kinds
    if rules.are_of_records:
        return options.may_store_records and rules.kind in options.kinds
    return options.params.method in ("auto", rules.wrapper.method)


def _are_of_kinds(template: Template, rules: TemplateRules, options: Options) -> bool:
    """Whether the rules were learned for the kinds that are wanted; those without kinds are those
    of a person, or of an earlier version, if the kind of the pages was looked at."""
    kinds = kinds_apart(options.kinds)
    if kinds_apart(rules.kinds) == kinds:
        return True
    if not kinds or kinds_apart(rules.kinds):
        return False
    is_of_earlier_version = not rules.kinds and rules.kind in _KINDS_OF_OLD_RULES
    return template.is_edited or is_of_earlier_version or rules.are_of_records
