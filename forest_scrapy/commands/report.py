"""``scrapy forest report``: what wrappers keep and drop, as a folder of HTML; also of the stored
wrappers of hosts, with their latest articles, which are fetched again."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.pages import is_url, read_kept, read_pages
from forest_scrapy.commands.stored import (
    by_host,
    find_hosts,
    find_wrappers,
    match_stored,
    read_host,
)
from forest_scrapy.core import METHODS, ForestError, NotEnoughPages, Page, Template, learn
from forest_scrapy.core.templates.grouping import group_pages
from forest_scrapy.crawl.context import open_history, open_rules
from forest_scrapy.report.contents import Change, Report, ReportPage, ReportTemplate
from forest_scrapy.report.fit import change_since
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.database import BadStore

_NO_PAGES = (
    "Wrappers only: no page was kept, so that it is not known how they fit. Name pages (URLs,"
    " files, folders or WARC files), or a host, whose articles in the history are then fetched"
    " again; FOREST_WARC keeps the pages of crawls."
)


class NothingToReport(ForestError):
    """No page could be read, and no wrapper is stored."""


class WriteReport(Action):
    """Write what wrappers keep and drop on pages as HTML.

    Of pages (URLs or files) the wrappers are learned; of hosts the stored wrappers are shown, with
    the latest articles of the history; without arguments, the stored wrappers of all hosts.
    """

    name = "report"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("names", nargs="*", metavar="HOST|URL|FILE", help="hosts, or pages")
        text = "use its entries for the pages; without pages, report on its first items"
        add("--feed", default="", metavar="URL|FILE", help=text)
        text = "the method to learn with (default: FOREST_METHOD)"
        add("--method", choices=("auto", *METHODS), help=text)
        text = "compare with this method; can be repeated"
        add(
            "--also", action="append", choices=tuple(METHODS), default=[], metavar="NAME", help=text
        )
        text = "do not learn: use the stored templates of the pages' hosts"
        add("--stored", action="store_true", help=text)
        text = "write to this folder (default: report)"
        add("-o", "--output", default="report", metavar="FOLDER", help=text)

    def run(self, options: Namespace) -> str:
        """Write the report; what was written.

        Raises ``NothingToReport``, ``BadStore``, ``UnknownHost``, and ``OSError``.
        """
        self.config = replace(self.config, method=options.method or self.config.method)
        if not options.names and not options.feed:
            hosts = tuple(find_hosts(self.config))
            report = stored_report(HostPages.read_kept(hosts, self), self.config)
        elif _are_hosts(options.names):
            hosts = tuple(dict.fromkeys(map(read_host, options.names)))
            report = stored_report(HostPages.fetch(hosts, self), self.config)
        else:
            report = self._report_pages(options)
        if not report.templates:
            raise NothingToReport(
                "nothing to report: no wrapper is stored yet; crawl first, or name pages"
            )
        written = write_report(report, Path(options.output), self.config)
        return f"{written.index}: {written.pages} pages, {written.size:,} bytes\n"

    def _report_pages(self, options: Namespace) -> Report:
        pages = read_pages(options.names, options.feed, self)
        if not pages:
            raise NothingToReport("no page to report")
        if options.stored:
            groups, notes = match_stored(pages, self.config)
            templates = [ReportTemplate.of(stored, report_pages(own)) for stored, own in groups]
        else:
            templates, notes = _learn_templates(pages, self.config, options.also)
        return Report("Report", tuple(templates), notes=tuple(notes))


def _are_hosts(names: Sequence[str]) -> bool:
    return bool(names) and not any(is_url(name) or Path(name).exists() for name in names)


def _learn_templates(
    pages: Sequence[Page], config: ForestSettings, others: Sequence[str]
) -> tuple[list[ReportTemplate], list[str]]:
    """A wrapper for each template of each host, also by the methods ``others``, and notes on pages
    too few to learn from."""
    templates, notes = [], []
    for host, own in by_host(pages):
        for group in group_pages(own, config.distance, config.threshold)[0]:
            try:
                wrapper, *more = (
                    learn(group, replace(config.params, method=method))
                    for method in (config.method, *others)
                )
            except NotEnoughPages as error:
                notes += [f"{page.url}: {error}" for page in group]
                continue
            compared = dict(zip(others, more, strict=True))
            templates.append(
                ReportTemplate(host, "", wrapper, report_pages(group), others=compared)
            )
    return templates, notes


@dataclass(frozen=True)
class HostPages:
    """Pages of hosts.

    ``pages``: those that match a stored template, by host and its id; ``changes``: of their
    articles, by URL.
    """

    hosts: tuple[str, ...]
    pages: Mapping[tuple[str, str], Sequence[Page]] = field(default_factory=dict)
    changes: Mapping[str, Change] = field(default_factory=dict)

    @classmethod
    def fetch(cls, hosts: Sequence[str], action: Action, feed: str = "") -> "HostPages":
        """Read the latest articles of the hosts' templates: those that were kept, and those that
        can be fetched.  Raises ``BadStore``."""
        urls = _latest_urls(hosts, action.config)
        if not urls:
            return cls(tuple(hosts))
        pages = read_pages(urls, feed, action, announced=", ".join(hosts))
        return cls._match(hosts, pages, action.config)

    @classmethod
    def read_kept(cls, hosts: Sequence[str], action: Action) -> "HostPages":
        """As ``fetch``, without fetching anything."""
        pages = read_kept(_latest_urls(hosts, action.config), action)
        if not pages:
            return cls(tuple(hosts))
        return cls._match(hosts, pages, action.config)

    @classmethod
    def _match(
        cls,
        hosts: Sequence[str],
        pages: Sequence[Page],
        config: ForestSettings,
    ) -> "HostPages":
        groups, _ = match_stored(pages, config)
        pages_by_template = {
            (template.host, template.id): template_pages for template, template_pages in groups
        }
        return cls(tuple(hosts), pages_by_template, _find_changes(groups, config))


def _latest_urls(hosts: Sequence[str], config: ForestSettings) -> list[str]:
    urls = []
    for host in hosts:
        urls += history_urls(host, config)
    return urls


def history_urls(host: str, config: ForestSettings) -> list[str]:
    """The latest articles of each stored template of a host, ``FOREST_PAGES`` of each, to read
    them again.  Empty without a history."""
    try:
        with closing(open_history(config, must_exist=True)) as store:
            pages = [one for one in store.host_pages(host) if one.outcome == "article"]
    except BadStore:
        return []
    pages.sort(key=lambda one: (-(one.fetched or 0), one.url))
    templates = sorted({page.template for page in pages} - {""})
    return [
        page.url
        for template in templates
        for page in [one for one in pages if one.template == template][: config.pages]
    ]


def stored_report(given: HostPages, config: ForestSettings) -> Report:
    """The stored wrappers of the hosts, with these pages.  Raises ``UnknownHost``."""
    templates = tuple(
        _make_template(host, stored, given, config)
        for host in given.hosts
        for stored in find_wrappers(host, config)
    )
    of_articles = [one for one in templates if one.wrapper.method != "records"]
    lacks_pages = bool(of_articles or not templates) and not any(one.pages for one in of_articles)
    notes = (_NO_PAGES,) if lacks_pages else ()
    changes = tuple(given.changes[url] for url in sorted(given.changes))
    return Report("Stored wrappers", templates, (), notes, changes)


def _make_template(
    host: str, stored: Template, given: HostPages, config: ForestSettings
) -> ReportTemplate:
    with closing(open_rules(config, must_exist=True)) as store:
        versions = tuple(store.versions(host, stored.id))
    pages = report_pages(given.pages.get((host, stored.id), ()), given.changes)
    return ReportTemplate.of(stored, pages, versions)


def _find_changes(
    groups: Sequence[tuple[Template, Sequence[Page]]], config: ForestSettings
) -> dict[str, Change]:
    """The changes of the pages, which were fetched again, by URL."""
    with closing(open_history(config, must_exist=True)) as store:
        found = [
            change_since(page, template.wrapper, store, config.params)
            for template, own in groups
            for page in own
        ]
    return {one.url: one for one in found if one}


def report_pages(
    pages: Sequence[Page], changes: Mapping[str, Change] | None = None
) -> tuple[ReportPage, ...]:
    """Pages that are in memory, as pages of a report."""
    return tuple(
        ReportPage(page.url, "article", partial(_same, page), (changes or {}).get(page.url))
        for page in pages
    )


def _same(page: Page) -> Page:
    return page
