"""From the pages of one host to its templates, and from these to rules.

The same grouping decides as in a crawl, over all pages at once: a batch finds the same templates as
a crawl that receives the same pages.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from forest_scrapy.core import Fingerprint, Options, Page, Template, TemplateRules, learn_rules
from forest_scrapy.core.hosts import HostTemplates, choose_fingerprints
from forest_scrapy.core.repeated import MOST_TEMPLATES, may_repeat, read_lines
from forest_scrapy.core.templates.files import find_article_files
from forest_scrapy.core.templates.grouping import Choice
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import NotedPage

#: Pages that are classified at a time, so that memory does not grow with the number of pages.
_CHUNK = 20_000


@dataclass(frozen=True)
class HostPlan:
    """The templates of a host, and the key of the template by the key of each page that is an
    article."""

    host: str
    templates: tuple[Template, ...]
    assigned: dict[str, str]


def plan_host(host: str, pages: Iterable[NotedPage], options: Options) -> HostPlan:
    """Group all pages of a host, and decide which are articles.

    ``pages``: gives the same pages each time it is iterated.  The outcome does not depend on their
    order.  Cost: some 0.2 ms a page, and up to 50 ms each time the number of pages doubles.
    """
    planner = _Planner(host, options)
    for page in pages:
        planner.host.grouping.add(page.fingerprint, page.signals is None, page.signals)
    planner.host.grouping.measure()
    planner.choose_by_content(pages)
    planner.assign_named(pages)
    return planner.finish(pages)


class _Planner:
    """Assigns the pages of a host to templates."""

    def __init__(self, host: str, options: Options) -> None:
        self.host, self._options = HostTemplates(host, options), options
        self._assigned: dict[str, str] = {}
        #: The templates of pages that are no articles, but may be of another kind.
        self._others: dict[str, Template] = {}

    def choose_by_content(self, pages: Iterable[NotedPage]) -> None:
        """Assign those of the pages that are not known to be articles and look like some."""
        clusters = {self._digests(page) for page in pages if page.signals}
        known, files = self.host.known_articles(), _article_files(pages)
        for chunk in _chunks(page for page in pages if page.signals):
            waiting: dict[tuple[str, ...], list[tuple[str, Signals]]] = {c: [] for c in clusters}
            for page in chunk:
                assert page.signals is not None
                waiting[self._digests(page)].append((page.key, page.signals))
            for choice in self.host.grouping.choose(waiting, known):
                if not self.host.host:
                    choice = _choose_files(choice, files)
                if choice.articles:
                    template = self.host.template_with(choice.digests)
                    template = template or self.host.add_template(choice.digests)
                    self._assigned.update(dict.fromkeys(choice.articles, template.key))
                if choice.others and self._options.wants_records:
                    other = self._template_of_others(choice.digests)
                    self._assigned.update(dict.fromkeys(choice.others, other.key))

    def assign_named(self, pages: Iterable[NotedPage]) -> None:
        """Assign the pages that are known to be articles."""
        for cluster in self.host.grouping.clusters():
            if cluster.articles and not self.host.template_of(cluster):
                self.host.add_template(cluster.digests)
        for page in pages:
            if page.signals is None:
                template = self.host.recognise(page.fingerprint)
                template = template or self.host.add_template((page.fingerprint.digest,))
                self._assigned[page.key] = template.key

    def finish(self, pages: Iterable[NotedPage]) -> HostPlan:
        """The plan, with the pages that each template is learned from: the first by sample key."""
        samples: defaultdict[str, list[tuple[str, str, Fingerprint]]] = defaultdict(list)
        most = self._options.params.pages
        for page in pages:
            if key := self._assigned.get(page.key):
                samples[key].append((page.sample_key, page.key, page.fingerprint))
                if len(samples[key]) > 2 * most:
                    samples[key] = _first(samples[key], most)
        host, known = self.host, {**self.host.templates, **self._others}
        features: dict[str, Fingerprint] = {}
        wanted = {key: _first(own, most) for key, own in samples.items()}
        chosen = {
            key: choose_fingerprints(host.grouping, [fingerprint for *_, fingerprint in own])
            for key, own in wanted.items()
        }
        needed = {digest for digests in chosen.values() for digest in digests}
        for page in pages:
            if page.fingerprint.digest in needed:
                features[page.fingerprint.digest] = page.fingerprint
        cut = host.grouping.cut
        templates = tuple(
            replace(
                known[key],
                rules=TemplateRules().with_cut(cut),
                fingerprints=tuple(features[digest] for digest in chosen[key]),
                sample=tuple(page for _, page, _ in wanted[key]),
            )
            for key in dict.fromkeys(self._assigned[key] for key in sorted(self._assigned))
        )
        return HostPlan(host.host, templates, self._assigned)

    def _digests(self, page: NotedPage) -> tuple[str, ...]:
        """The digests of a page's cluster; its own if it has none."""
        cluster = self.host.grouping.cluster_of(page.fingerprint)
        return cluster.digests if cluster else (page.fingerprint.digest,)

    def _template_of_others(self, digests: Sequence[str]) -> Template:
        key = f"{self.host.host} {min(digests)} others"
        template = Template(key, self.host.host, may_be_articles=False)
        return self._others.setdefault(key, template)


def learn_templates(
    host: str,
    templates: Sequence[Template],
    read: Callable[[Sequence[str]], Sequence[Page]],
    options: Options,
) -> Iterator[tuple[Template, Sequence[Page]]]:
    """Each of the templates of one host with its rules, in their order, and its sample, of which
    much is known now that extracting from it needs, too.  ``read``: the pages with these keys."""
    known = HostTemplates(host, options)
    # Files without a URL have no host in common.
    first = _read_first(templates, read, options) if host else {}
    lines = {key: (pages, read_lines(page)) for key, (pages, page) in first.items()}
    for template in templates:
        # As in a crawl, which learns the others when no more pages come.
        is_full = len(template.sample) >= options.params.pages
        others = [
            article
            for key, (pages, article) in lines.items()
            if key != template.key and (pages >= options.params.pages or not is_full)
        ]
        # The first page was read already, if it was compared with those of other templates.
        known_pages = [first.pop(template.key)[1]] if template.key in first else []
        pages = [*known_pages, *read(template.sample[len(known_pages) :])]
        rules = learn_rules(pages, options, template.may_be_articles, others)
        assert template.rules is not None
        rules = rules.with_cut(template.rules.cut)
        learned = replace(template, id=known.new_id(rules), rules=rules)
        known.templates[learned.key] = learned
        yield learned, pages


def _read_first(
    templates: Sequence[Template],
    read: Callable[[Sequence[str]], Sequence[Page]],
    options: Options,
) -> dict[str, tuple[int, Page]]:
    """The size of the sample and the first page of some templates by their keys; none if there is
    nothing to compare."""
    articles = sorted((one for one in templates if one.may_be_articles), key=lambda one: one.key)
    if len(articles) < 2 or not may_repeat(options):
        return {}
    return {
        one.key: (len(one.sample), page)
        for one in articles[:MOST_TEMPLATES]
        for page in read(one.sample[:1])
    }


def _article_files(pages: Iterable[NotedPage]) -> set[str]:
    """The keys of the articles among pages without a URL, which have no host in common."""
    return find_article_files((one.key, one.fingerprint, one.file) for one in pages if one.file)


def _choose_files(choice: Choice, articles: Collection[str]) -> Choice:
    """The choice of pages without a URL."""
    keys = choice.articles + choice.others
    return replace(
        choice,
        articles=tuple(key for key in keys if key in articles),
        others=tuple(key for key in keys if key not in articles),
    )


def _first(
    pages: list[tuple[str, str, Fingerprint]], most: int
) -> list[tuple[str, str, Fingerprint]]:
    return sorted(pages, key=lambda page: page[:2])[:most]


def _chunks(pages: Iterable[NotedPage]) -> Iterator[list[NotedPage]]:
    chunk: list[NotedPage] = []
    for page in pages:
        chunk.append(page)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
