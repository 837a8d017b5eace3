"""From the pages of one host to its templates, and from these to rules.

The same grouping decides as in a crawl, over all pages at once: a batch finds the same templates as
a crawl that receives the same pages.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from forest_scrapy.core import Fingerprint, Options, Page, Template, TemplateRules, learn_rules
from forest_scrapy.core.hosts import HostTemplates, choose_fingerprints
from forest_scrapy.core.learning import (
    MAX_PAGES_WITH_FEW_POSTS,
    adopt_posts,
    may_have_few_posts,
)
from forest_scrapy.core.repeated import MAX_TEMPLATES, may_repeat, read_lines
from forest_scrapy.core.templates.files import find_article_files
from forest_scrapy.core.templates.grouping import ClassifiedPages, UnknownPage
from forest_scrapy.core.templates.signals import is_service_url
from forest_scrapy.stores import NotedPage

#: Pages that are classified at a time, so that memory does not grow with the number of pages.
_CHUNK_SIZE = 20_000

#: The digests of a cluster, which identify it.
_Digests = tuple[str, ...]
#: Reads the pages with these keys.
ReadPages = Callable[[Sequence[str]], Sequence[Page]]


@dataclass(frozen=True)
class HostPlan:
    """The templates of a host, and the key of the template by the key of each page that is an
    article.  ``refused``: the same of the pages that are none, whose templates are not learned."""

    host: str
    templates: tuple[Template, ...]
    assigned: dict[str, str]
    refused: dict[str, str] = field(default_factory=dict)


def plan_host(
    host: str,
    pages: Iterable[NotedPage],
    options: Options,
) -> HostPlan:
    """Group all pages of a host, and decide which are articles.

    ``pages``: gives the same pages each time it is iterated.  The outcome does not depend on their
    order.  Cost: some 0.2 ms a page, and up to 50 ms each time the number of pages doubles.
    """
    planner = _Planner(host, pages, options)
    planner.group()
    planner.assign_by_content()
    planner.assign_named()
    return planner.plan()


class _SamplePage(NamedTuple):
    """A page that a template may be learned from; the smallest by rank and key are taken."""

    rank: str
    key: str
    fingerprint: Fingerprint


class _Planner:
    """Assigns the pages of a host to templates."""

    def __init__(
        self,
        host: str,
        pages: Iterable[NotedPage],
        options: Options,
    ) -> None:
        self._pages = pages
        self._options = options
        self._host = HostTemplates(host, options)
        self._grouping = self._host.grouping
        #: The keys of templates by those of pages.
        self._assigned: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        #: The templates of pages that are no articles, but may be of another kind.
        self._other_templates: dict[str, Template] = {}

    def group(self) -> None:
        """Cut the clusters over all pages."""
        for page in self._pages:
            is_article = page.signals is None
            self._grouping.add(page.fingerprint, is_article, page.signals)
        self._grouping.measure()

    def assign_by_content(self) -> None:
        """Assign those of the pages that are not known to be articles and look like some."""
        clusters = set()
        for page in self._unclassified():
            clusters.add(self._host.cluster_digests(page.fingerprint))

        known_articles = self._host.known_articles()
        is_of_files = not self._host.host
        article_files = _find_article_files(self._pages) if is_of_files else set()
        for chunk in _chunks(self._unclassified()):
            waiting = self._by_cluster(clusters, chunk)
            for choice in self._grouping.choose(waiting, known_articles):
                if is_of_files:
                    choice = _choose_files(choice, article_files)
                self._assign_choice(choice)

    def assign_named(self) -> None:
        """Assign the pages that are known to be articles."""
        for cluster in self._grouping.clusters():
            if cluster.articles:
                self._host.ensure_template(cluster.digests)

        for page in self._pages:
            if page.signals is not None:
                continue
            fingerprint = page.fingerprint
            template = self._host.recognise(fingerprint)
            if template is None:
                template = self._host.add_template([fingerprint.digest])
            self._assigned[page.key] = template.key

    def plan(self) -> HostPlan:
        """The plan, with the pages that each template is learned from: the first by sample key."""
        samples = self._choose_samples()
        digests = self._choose_fingerprints(samples)
        fingerprints = self._find_fingerprints(digests)
        rules = TemplateRules().with_cut(self._grouping.cut)
        templates = {**self._host.templates, **self._other_templates}

        planned = []
        for key in self._template_keys():
            template_fingerprints = [fingerprints[digest] for digest in digests[key]]
            sample_keys = [page.key for page in samples[key]]
            template = replace(
                templates[key],
                rules=rules,
                fingerprints=tuple(template_fingerprints),
                sample=tuple(sample_keys),
            )
            planned.append(template)
        return HostPlan(
            host=self._host.host,
            templates=tuple(planned),
            assigned=self._assigned,
            refused=self._refused,
        )

    def _unclassified(self) -> Iterator[NotedPage]:
        """The pages that are not known to be articles."""
        return (page for page in self._pages if page.signals)

    def _by_cluster(
        self,
        clusters: Iterable[_Digests],
        pages: Iterable[NotedPage],
    ) -> dict[_Digests, list[UnknownPage]]:
        """Pages by their cluster, for ``Grouping.choose``: it compares all
        clusters, also those without a page among these."""
        waiting: dict[_Digests, list[UnknownPage]] = {}
        for digests in clusters:
            waiting[digests] = []
        for page in pages:
            assert page.signals is not None
            digests = self._host.cluster_digests(page.fingerprint)
            unknown = UnknownPage(
                page.key,
                page.fingerprint.digest,
                page.signals,
                is_service_url(page.url),
            )
            waiting[digests].append(unknown)
        return waiting

    def _assign_choice(self, choice: ClassifiedPages) -> None:
        if choice.articles:
            template = self._host.ensure_template(choice.digests)
            self._assign(choice.articles, template)

        if not choice.other_pages:
            return
        template = self._host.template_of_others(choice.digests)
        if not self._options.wants_records:
            self._refused.update(dict.fromkeys(choice.other_pages, template.key))
        else:
            self._other_templates.setdefault(template.key, template)
            self._assign(choice.other_pages, template)

    def _assign(self, pages: Iterable[str], template: Template) -> None:
        for key in pages:
            self._assigned[key] = template.key

    def _template_keys(self) -> list[str]:
        """The keys of the templates that have pages, in the order of their first pages by key."""
        keys = {}
        for page in sorted(self._assigned):
            keys[self._assigned[page]] = True
        return list(keys)

    def _choose_samples(self) -> dict[str, list[_SamplePage]]:
        """The pages to learn from by the key of their template."""
        max_pages = self._options.params.pages
        samples: defaultdict[str, list[_SamplePage]] = defaultdict(list)
        for page in self._pages:
            key = self._assigned.get(page.key)
            if not key:
                continue
            sample_page = _SamplePage(
                rank=page.sample_key,
                key=page.key,
                fingerprint=page.fingerprint,
            )
            sample = samples[key]
            sample.append(sample_page)
            if len(sample) > 2 * max_pages:
                samples[key] = _first_pages(sample, max_pages)

        for key, sample in samples.items():
            samples[key] = _first_pages(sample, max_pages)
        return samples

    def _choose_fingerprints(
        self,
        samples: dict[str, list[_SamplePage]],
    ) -> dict[str, list[str]]:
        """The digests of the fingerprints that each template is recognised by."""
        digests = {}
        for key, sample in samples.items():
            fingerprints = [page.fingerprint for page in sample]
            digests[key] = choose_fingerprints(self._grouping, fingerprints)
        return digests

    def _find_fingerprints(
        self,
        digests: dict[str, list[str]],
    ) -> dict[str, Fingerprint]:
        """The fingerprints with these digests."""
        needed: set[str] = set()
        needed.update(*digests.values())
        fingerprints = {}
        for page in self._pages:
            fingerprint = page.fingerprint
            if fingerprint.digest in needed:
                fingerprints[fingerprint.digest] = fingerprint
        return fingerprints


def _first_pages(
    sample: Iterable[_SamplePage],
    number: int,
) -> list[_SamplePage]:
    ranked = sorted(sample, key=lambda page: (page.rank, page.key))
    return ranked[:number]


def _find_article_files(pages: Iterable[NotedPage]) -> set[str]:
    """The keys of the articles among pages without a URL, which have no host in common."""
    return find_article_files(
        (page.key, page.fingerprint, page.file) for page in pages if page.file
    )


def _choose_files(choice: ClassifiedPages, articles: Collection[str]) -> ClassifiedPages:
    """The choice of pages without a URL."""
    keys = choice.articles + choice.other_pages
    article_keys = [key for key in keys if key in articles]
    other_keys = [key for key in keys if key not in articles]
    return replace(
        choice,
        articles=tuple(article_keys),
        other_pages=tuple(other_keys),
    )


def _chunks(pages: Iterable[NotedPage]) -> Iterator[list[NotedPage]]:
    chunk: list[NotedPage] = []
    for page in pages:
        chunk.append(page)
        if len(chunk) == _CHUNK_SIZE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def learn_templates(
    host: str,
    templates: Sequence[Template],
    read_pages: ReadPages,
    options: Options,
) -> Iterator[tuple[Template, Sequence[Page]]]:
    """Each of the templates of one host with its rules, in their order, and its sample, of which
    much is known now that extracting from it needs, too."""
    first_pages: dict[str, Page] = {}
    if host:  # files without a URL have no host in common
        first_pages = _read_first_pages(templates, read_pages, options)
    lines = {}
    for key, page in first_pages.items():
        lines[key] = read_lines(page)

    # As in a crawl, which learns the templates that are not full when no more pages come.
    full = set()
    for template in templates:
        if len(template.sample) >= options.params.pages:
            full.add(template.key)

    learned_templates = HostTemplates(host, options)

    def add(template: Template, rules: TemplateRules) -> Template:
        id = learned_templates.new_id(rules)
        learned = replace(template, id=id, rules=rules)
        learned_templates.templates[learned.key] = learned
        return learned

    waiting = []
    for template in templates:
        articles = []
        for key, article in lines.items():
            is_known = key in full or template.key not in full
            if key != template.key and is_known:
                articles.append(article)

        pages = _read_sample(template, first_pages, read_pages)
        rules = learn_rules(pages, options, template.may_be_articles, articles)
        assert template.rules is not None
        rules = rules.with_cut(template.rules.cut)
        if len(templates) > 1 and may_have_few_posts(rules, options):
            # The first pages only, so that memory does not grow.
            waiting.append((template, rules, pages[:MAX_PAGES_WITH_FEW_POSTS]))
            continue
        yield add(template, rules), pages

    rules_of_host = []
    rules_of_full = []
    for learned in learned_templates.templates.values():
        if learned.rules:
            rules_of_host.append(learned.rules)
            if learned.key in full:
                rules_of_full.append(learned.rules)
    for template, rules, pages in waiting:
        rules_of_threads = rules_of_full if template.key in full else rules_of_host
        yield add(template, adopt_posts(rules, pages, rules_of_threads)), pages


def _read_sample(
    template: Template,
    first_pages: dict[str, Page],
    read_pages: ReadPages,
) -> list[Page]:
    """The sample of a template.  Its first page is taken out of ``first_pages`` if it was read to
    be compared with those of other templates."""
    first = first_pages.pop(template.key, None)
    if first is None:
        return list(read_pages(template.sample))
    return [first, *read_pages(template.sample[1:])]


def _read_first_pages(
    templates: Sequence[Template],
    read_pages: ReadPages,
    options: Options,
) -> dict[str, Page]:
    """The first page of some templates of articles by their keys; none if there is nothing to
    compare."""
    of_articles = [template for template in templates if template.may_be_articles]
    if len(of_articles) < 2 or not may_repeat(options):
        return {}
    of_articles.sort(key=lambda template: template.key)
    pages = {}
    for template in of_articles[:MAX_TEMPLATES]:
        for page in read_pages(template.sample[:1]):
            pages[template.key] = page
    return pages
