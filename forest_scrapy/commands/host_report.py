"""The stored wrappers of hosts, with their latest articles, which are fetched again."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from scrapy.settings import Settings

from forest_scrapy.commands.explanation import PageGroup, match_stored
from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.commands.lookup import find_wrappers
from forest_scrapy.core import Page, Template
from forest_scrapy.crawl.context import open_history, open_rules
from forest_scrapy.report.contents import (
    Change,
    Report,
    ReportPage,
    ReportTemplate,
    older_versions,
)
from forest_scrapy.report.fit import change_since
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.database import BadStore

__all__ = ["HostPages", "history_urls", "report_pages", "stored_report"]


_NO_PAGES = (
    "Wrappers only: crawls store no pages. Name pages (files or URLs), or one host, whose articles"
    " in the history are then fetched again."
)


@dataclass(frozen=True)
class HostPages:
    """Pages of hosts.

    ``pages``: those that match a stored template, by host and its id; ``changes``: of their
    articles, by URL; ``errors``: one message for each page that cannot be used.
    """

    hosts: tuple[str, ...]
    pages: Mapping[tuple[str, str], tuple[Page, ...]] = field(default_factory=dict)
    changes: Mapping[str, Change] = field(default_factory=dict)
    errors: tuple[str, ...] = ()

    @classmethod
    def fetch(
        cls, hosts: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
    ) -> HostPages:
        """Fetch the latest articles of the hosts' templates.  Raises ``BadStore``."""
        urls = [url for host in hosts for url in history_urls(host, config)]
        if not urls:
            return cls(tuple(hosts))
        inputs = read_inputs(urls, options, config, settings)
        groups, _ = match_stored(inputs.pages, config)
        found = {(one.host, one.template_id): one.pages for one in groups}
        return cls(tuple(hosts), found, _find_changes(groups, config), inputs.errors)


def history_urls(host: str, config: ForestSettings) -> list[str]:
    """The latest articles of each stored template of a host, ``FOREST_PAGES`` of each, to fetch
    them again, since no crawl stores pages.  Empty without a history."""
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
    of_articles = [one for one in templates if not one.is_of_threads]
    lacks_pages = bool(of_articles or not templates) and not any(one.pages for one in of_articles)
    notes = (_NO_PAGES,) if lacks_pages else ()
    changes = tuple(given.changes[url] for url in sorted(given.changes))
    return Report("Stored wrappers", templates, (), notes, changes)


def _make_template(
    host: str, stored: Template, given: HostPages, config: ForestSettings
) -> ReportTemplate:
    with closing(open_rules(config, must_exist=True)) as store:
        versions = tuple(store.versions(host, stored.id))
    return ReportTemplate(
        host=host,
        id=stored.id,
        wrapper=stored.wrapper,
        pages=report_pages(given.pages.get((host, stored.id), ()), given.changes),
        versions=versions,
        others=older_versions(versions, stored.wrapper),
        is_edited=stored.is_edited,
    )


def _find_changes(groups: Sequence[PageGroup], config: ForestSettings) -> dict[str, Change]:
    """The changes of the pages, which were fetched again, by URL."""
    with closing(open_history(config, must_exist=True)) as store:
        found = [
            change_since(page, group.wrapper, store, config.params)
            for group in groups
            for page in group.pages
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
