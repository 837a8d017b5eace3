"""``scrapy forest report``: the text that wrappers keep and drop, as a folder of HTML; also of the
stored wrappers of hosts, with their latest articles, which are fetched again."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.pages import read_kept, read_pages
from forest_scrapy.commands.stored import (
    by_host,
    find_hosts,
    find_wrappers,
    lines_text,
    match_stored,
    read_host,
)
from forest_scrapy.core import METHODS, ForestError, NotEnoughPages, Page, Template, learn
from forest_scrapy.core.items import OTHER_ITEMS
from forest_scrapy.core.page.urls import host_with_port, is_of_host, is_url, split_port
from forest_scrapy.core.plurals import count
from forest_scrapy.core.templates.grouping import group_pages
from forest_scrapy.crawl.context import open_history, open_rules
from forest_scrapy.report.contents import Change, Report, ReportPage, ReportTemplate
from forest_scrapy.report.feeds_view import FeedsView, view_feeds
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
        add(
            "--feed",
            default="",
            metavar="URL|FILE",
            help="use its entries for the pages; without pages, report on its first items",
        )
        add(
            "--method",
            choices=("auto", *METHODS),
            help="the method to learn with (default: FOREST_METHOD)",
        )
        add(
            "--also",
            action="append",
            choices=tuple(METHODS),
            default=[],
            metavar="NAME",
            help="compare with this method; can be repeated",
        )
        add(
            "--stored",
            action="store_true",
            help="do not learn: use the stored templates of the pages' hosts",
        )
        add(
            "-o",
            "--output",
            default="report",
            metavar="FOLDER",
            help="write to this folder (default: report)",
        )

    def run(self, options: Namespace) -> str:
        """Write the report; returns a line that says what was written.

        Raises ``NothingToReport``, ``BadStore``, ``UnknownHost``, and ``OSError``.
        """
        self.config = replace(self.config, method=options.method or self.config.method)
        if not options.names and not options.feed:
            hosts = tuple(find_hosts(self.config))
            report = stored_report(HostPages.read_kept(hosts, self), self.config)
            report = replace(report, feeds=_view_feeds(self.config))
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
        size = count(written.size, "byte", spec=",")
        lines = [f"{written.index}: {count(written.pages, 'page')}, {size}"]
        lines += [template.note for template in report.templates if template.note]
        return lines_text(lines)

    def _report_pages(self, options: Namespace) -> Report:
        pages = read_pages(options.names, options.feed, self)
        if not pages:
            raise NothingToReport("no page to report")
        if options.stored:
            groups, notes = match_stored(pages, self.config)
            templates = [
                ReportTemplate.of(template, report_pages(template_pages))
                for template, template_pages in groups
            ]
        else:
            templates, notes = _learn_templates(pages, self.config, options.also)
        return Report("Report", tuple(templates), notes=tuple(notes))


def _are_hosts(names: Sequence[str]) -> bool:
    if not names:
        return False
    return not any(is_url(name) or Path(name).exists() for name in names)


def _learn_templates(
    pages: Sequence[Page],
    config: ForestSettings,
    compared_methods: Sequence[str],
) -> tuple[list[ReportTemplate], list[str]]:
    """A wrapper for each template of each host, also by the compared methods, and notes on pages
    too few to learn from."""
    templates = []
    notes = []
    for _, host_pages in by_host(pages):
        groups, _ = group_pages(host_pages, config.fingerprint_kind, config.threshold)
        for group in groups:
            try:
                templates.append(_learn_template(group, config, compared_methods))
            except NotEnoughPages as error:
                notes += [f"{page.url}: {error}" for page in group]
    return templates, notes


def _learn_template(
    pages: Sequence[Page],
    config: ForestSettings,
    compared_methods: Sequence[str],
) -> ReportTemplate:
    """The wrapper of a template, also by the compared methods.  Raises ``NotEnoughPages``."""
    wrapper = learn(pages, replace(config.params, method=config.method))
    compared = {}
    for method in compared_methods:
        compared[method] = learn(pages, replace(config.params, method=method))
    return ReportTemplate(
        host=host_with_port(pages[0].url),
        id="",
        wrapper=wrapper,
        pages=report_pages(pages),
        others=compared,
    )


@dataclass(frozen=True)
class HostPages:
    """Pages of hosts.

    ``pages``: those that match a stored template, by host without its port and its id;
    ``changes``: of their articles, by URL.
    """

    hosts: tuple[str, ...]
    pages: Mapping[tuple[str, str], Sequence[Page]] = field(default_factory=dict)
    changes: Mapping[str, Change] = field(default_factory=dict)

    def pages_of(self, host: str, template_id: str) -> Sequence[Page]:
        """The pages of a stored template of a host, with its port or without."""
        name, _ = split_port(host)
        return self.pages.get((name, template_id), ())

    @classmethod
    def fetch(
        cls,
        hosts: Sequence[str],
        action: Action,
        feed: str = "",
    ) -> "HostPages":
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
        pages_by_template: dict[tuple[str, str], list[Page]] = {}
        for template, template_pages in groups:
            name, _ = split_port(template.host)
            pages_by_template.setdefault((name, template.id), []).extend(template_pages)
        return cls(tuple(hosts), pages_by_template, _find_changes(groups, config))


def _view_feeds(config: ForestSettings) -> FeedsView | None:
    """The feeds of the history; None without one."""
    try:
        with closing(open_history(config, must_exist=True)) as store:
            return view_feeds(store.feeds.all())
    except BadStore:
        return None


def _latest_urls(
    hosts: Sequence[str],
    config: ForestSettings,
) -> list[str]:
    urls = []
    for host in hosts:
        urls += history_urls(host, config)
    return urls


def history_urls(host: str, config: ForestSettings, are_records: bool = False) -> list[str]:
    """The latest articles of each stored template of a host, ``FOREST_PAGES`` of each, to read
    them again; or, if they ``are_records``, the latest items of the other kinds.  Empty without a
    history."""
    try:
        with closing(open_history(config, must_exist=True)) as store:
            articles = []
            name, _ = split_port(host)
            for page in store.host_pages(name):
                is_record = page.method in OTHER_ITEMS
                if page.outcome != "article" or is_record != are_records:
                    continue
                if is_of_host(page.url, host):
                    articles.append(page)
    except BadStore:
        return []
    articles.sort(key=lambda page: (-(page.fetched or 0), page.url))

    urls_by_template: dict[str, list[str]] = {}
    for page in articles:
        if page.template:
            urls_by_template.setdefault(page.template, []).append(page.url)
    urls: list[str] = []
    for template in sorted(urls_by_template):
        urls += urls_by_template[template][: config.pages]
    return urls


def stored_report(host_pages: HostPages, config: ForestSettings) -> Report:
    """The stored wrappers of the hosts, with these pages.  Raises ``UnknownHost``."""
    templates = []
    for host in host_pages.hosts:
        for stored in find_wrappers(host, config):
            templates.append(_make_template(host, stored, host_pages, config))

    of_articles = [template for template in templates if not template.kind]
    has_only_records = bool(templates) and not of_articles
    has_pages = any(template.pages for template in of_articles)
    notes = () if has_pages or has_only_records else (_NO_PAGES,)
    changes = tuple(host_pages.changes[url] for url in sorted(host_pages.changes))
    return Report("Stored wrappers", tuple(templates), (), notes, changes)


def _make_template(
    host: str,
    stored: Template,
    host_pages: HostPages,
    config: ForestSettings,
) -> ReportTemplate:
    with closing(open_rules(config, must_exist=True)) as store:
        versions = tuple(store.versions(host, stored.id))
    template_pages = host_pages.pages_of(host, stored.id)
    pages = report_pages(template_pages, host_pages.changes)
    return ReportTemplate.of(stored, pages, versions)


def _find_changes(
    groups: Sequence[tuple[Template, Sequence[Page]]],
    config: ForestSettings,
) -> dict[str, Change]:
    """The changes of the pages, which were fetched again, by URL."""
    changes = {}
    with closing(open_history(config, must_exist=True)) as store:
        for template, pages in groups:
            for page in pages:
                change = change_since(page, template.wrapper, store, config.params)
                if change:
                    changes[change.url] = change
    return changes


def report_pages(
    pages: Sequence[Page],
    changes: Mapping[str, Change] | None = None,
) -> tuple[ReportPage, ...]:
    """Pages that are in memory, as pages of a report."""
    changes = changes or {}
    report = []
    for page in pages:
        report.append(ReportPage(page.url, "article", partial(_same, page), changes.get(page.url)))
    return tuple(report)


def _same(page: Page) -> Page:
    return page
