"""The templates of one host: which one a page belongs to.

A crawl, files, ``scrapy forest explain`` and the scrapy-poet provider use the same
``HostTemplates``, so they recognise the same templates.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from forest_scrapy.core.options import Options
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.rules import Template, TemplateRules, number_id
from forest_scrapy.core.templates.clusters import Cluster
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.grouping import Grouping, read_fingerprint
from forest_scrapy.core.templates.redesigns import is_superseded

#: Fingerprints stored with rules.
_MOST_FINGERPRINTS = 64


class _KnownPage(Protocol):
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
    are left out, unless that is ``auto``, and those of kinds that are not wanted.  ``named``: the
    pages of the host that a person has named.
    """

    def __init__(
        self,
        host: str,
        options: Options,
        stored: Iterable[Template] = (),
        named: Iterable[_NamedPage] = (),
    ) -> None:
        self.host = host
        #: Whether the pages with these digests are articles, as a person has said.
        self._said: dict[str, bool] = {}
        usable = [one for one in stored if _is_usable(one, options)]
        least_cut = max((one.rules.cut.distance for one in usable if one.rules), default=0.0)
        self.grouping = Grouping(options.distance, options.threshold, least_cut)
        #: The templates by key.
        self.templates: dict[str, Template] = {}
        self._key_of_digest: dict[str, str] = {}
        for one in sorted(usable, key=lambda one: one.id):
            for fingerprint in one.fingerprints:
                self.grouping.add(fingerprint)
            self._assign(one, (fingerprint.digest for fingerprint in one.fingerprints))

        for page in named:
            self.grouping.add(page.fingerprint)
            self._said[page.fingerprint.digest] = page.is_article

    def said(self, fingerprint: Fingerprint) -> bool | None:
        """Whether a page is an article, as a person has said of it or of another page of its
        template; None if nobody has, or of both kinds."""
        if not self._said or fingerprint.digest in self._said:
            return self._said.get(fingerprint.digest)
        cluster = self.grouping.cluster_of(fingerprint)
        digests = cluster.digests if cluster else ()
        said = {self._said[digest] for digest in digests if digest in self._said}
        return said.pop() if len(said) == 1 else None

    def recognise(self, fingerprint: Fingerprint) -> Template | None:
        """The template of a page, counted or not; None if its cluster has none."""
        return self.template_of(self.grouping.cluster_of(fingerprint))

    def place(self, fingerprint: Fingerprint, is_article: bool = False) -> Template | None:
        """Count a page and recognise its template, to which pages with this fingerprint belong
        from now on."""
        self.grouping.add(fingerprint, is_article)
        cluster = self.grouping.cluster_of(fingerprint)
        template = self.template_of(cluster)
        if template and cluster and fingerprint.digest in cluster.digests:
            # Only digests that the clusters keep, so that the table stays small.
            self._assign(template, (fingerprint.digest,))
        return template

    def template_of(self, cluster: Cluster | None) -> Template | None:
        """The template of a cluster.  If several were merged into the cluster, the first by key
        of those with rules; the others are not used any more."""
        return self.template_with(cluster.digests if cluster else ())

    def template_with(self, digests: Iterable[str]) -> Template | None:
        """As ``template_of``, for a cluster given by its digests."""
        keys = {key for digest in digests if (key := self._key_of_digest.get(digest))}
        ranked = sorted(keys, key=lambda key: (self.templates[key].rules is None, key))
        return self.templates[ranked[0]] if ranked else None

    def add_template(self, digests: Iterable[str]) -> Template:
        """A new template, of the pages with these fingerprint digests."""
        digests = sorted(digests)
        key = f"{self.host} {digests[0]}"
        template = self.templates.get(key) or Template(key, self.host)
        self._assign(template, digests)
        return template

    def new_id(self, rules: TemplateRules) -> str:
        """The id of a template with these rules."""
        return number_id(self.host, rules, {one.id for one in self.templates.values()})

    def find_assigned(
        self, page: str, known: _KnownPage | None, fingerprint: Fingerprint
    ) -> Template | None:
        """The stored template that an earlier crawl has assigned to the page with this key, if its
        layout is the same as then, whatever the clusters of this crawl.  A page that was extracted
        as a single page then stays one.  ``known``: what that crawl knows of the page."""
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

    def known_articles(self) -> set[tuple[str, ...]]:
        """The digests of the clusters that have a named article, or stored rules for articles."""
        return {
            cluster.digests
            for cluster in self.grouping.clusters()
            if cluster.articles or ((known := self.template_of(cluster)) and known.are_articles)
        }

    def _assign(self, template: Template, digests: Iterable[str]) -> None:
        self.templates.setdefault(template.key, template)
        for digest in digests:
            self._key_of_digest.setdefault(digest, template.key)


def choose_fingerprints(grouping: Grouping, sample: Sequence[Fingerprint]) -> list[str]:
    """Digests of the fingerprints by which the next crawl recognises a template: those of its
    sample, then those in the same clusters."""
    own = sorted({fingerprint.digest for fingerprint in sample})
    found = set(own)
    for fingerprint in sample:
        cluster = grouping.cluster_of(fingerprint)
        found.update(cluster.digests if cluster else ())
    return sorted(found, key=lambda digest: (digest not in own, digest))[:_MOST_FINGERPRINTS]


def find_stored(
    pages: Sequence[Page], stored: Sequence[Template], options: Options
) -> list[Template | None]:
    """The stored template of each page of one host, as a crawl of these pages recognises it;
    None if there is none."""
    host = HostTemplates("", options, stored)
    fingerprints = [read_fingerprint(page, options.distance) for page in pages]
    for page, fingerprint in zip(pages, fingerprints, strict=True):
        host.grouping.add(fingerprint, page.entry is not None)
    host.grouping.measure()
    by_id = {one.id: one for one in stored}
    templates = [host.recognise(one) for one in fingerprints]
    return [by_id[template.id] if template else None for template in templates]


def _is_usable(template: Template, options: Options) -> bool:
    rules = template.rules
    if rules is None:
        return False
    if rules.are_of_threads:  # by one method only
        return "thread" in options.kinds
    return options.params.method in ("auto", rules.wrapper.method)
