"""``scrapy forest report``: what wrappers keep and drop, as a folder of HTML."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from scrapy.settings import Settings

from forest_scrapy.commands.fetching import is_url
from forest_scrapy.commands.grouping import PageGroup, learn_groups, match_stored
from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.commands.lookup import find_hosts, find_wrappers, read_host
from forest_scrapy.core import ForestError, Page
from forest_scrapy.runtime.context import open_history, open_wrappers
from forest_scrapy.runtime.report.contents import Report, ReportPage, ReportTemplate, older_versions
from forest_scrapy.runtime.report.writing import write_report
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.database import BadStore

__all__ = ["DEFAULT_FOLDER", "NothingToReport", "history_urls", "make_report"]

DEFAULT_FOLDER = "report"


class NothingToReport(ForestError):
    """No page could be read, and no wrapper is stored; the message has one reason a line."""


def make_report(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> tuple[str, Sequence[str]]:
    """Write the report; what was written, and a message for each input that cannot be used.

    Raises ``NothingToReport``, ``BadStore``, ``UnknownHost``, and ``OSError``.
    """
    config = replace(config, method=options.method or config.method)
    errors: tuple[str, ...] = ()
    if not names and not options.feed:
        report = _stored_report(find_hosts(config), {}, config)
    elif _are_hosts(names):
        hosts = dict.fromkeys(map(read_host, names))
        urls = [url for host in hosts for url in history_urls(host, config)]
        inputs = read_inputs(urls, options, config, settings) if urls else None
        groups, _ = match_stored(inputs.pages, config) if inputs else ([], [])
        found = {(one.host, one.template_id): one.pages for one in groups}
        report = _stored_report(hosts, found, config)
        errors = inputs.errors if inputs else ()
    else:
        inputs = read_inputs(names, options, config, settings)
        errors = inputs.errors
        if not inputs.pages:
            raise NothingToReport("\n".join((*errors, "no page to report")))
        if options.stored:
            groups, notes = match_stored(inputs.pages, config)
        else:
            groups, notes = learn_groups(inputs.pages, config, options.also or ())
        report = Report("Report", tuple(map(_make_template, groups)), notes=tuple(notes))
    written = write_report(report, Path(options.output or DEFAULT_FOLDER), config)
    return f"{written.index}: {written.pages} pages, {written.size:,} bytes\n", errors


def _are_hosts(names: Sequence[str]) -> bool:
    return bool(names) and not any(is_url(name) or Path(name).exists() for name in names)


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


def _stored_report(
    hosts: Sequence[str] | dict[str, object] | dict[str, int],
    pages: dict[tuple[str, str], tuple[Page, ...]],
    config: ForestSettings,
) -> Report:
    """The stored wrappers of the hosts, with these pages."""
    templates, notes = [], []
    for host in hosts:
        stored = find_wrappers(host, config)
        with closing(open_wrappers(config, must_exist=True)) as store:
            versions = {one.template_id: store.versions(host, one.template_id) for one in stored}
        for one in stored:
            template = ReportTemplate(
                host=host,
                id=one.template_id,
                wrapper=one.wrapper,
                pages=_pages(pages.get((host, one.template_id), ())),
                versions=tuple(versions[one.template_id]),
                others=older_versions(versions[one.template_id], one.wrapper),
                is_edited=one.is_edited,
            )
            templates.append(template)
    if not any(template.pages for template in templates):
        notes.append(
            "Wrappers only: crawls store no pages. Name pages (files or URLs), or one host, whose"
            " articles in the history are then fetched again."
        )
    return Report("Stored wrappers", tuple(templates), notes=tuple(notes))


def _make_template(group: PageGroup) -> ReportTemplate:
    return ReportTemplate(
        host=group.host,
        id=group.template_id,
        wrapper=group.wrapper,
        pages=_pages(group.pages),
        is_edited=group.is_edited,
        others=group.others,
    )


def _pages(pages: Sequence[Page]) -> tuple[ReportPage, ...]:
    return tuple(ReportPage(page.url, "article", partial(_same, page)) for page in pages)


def _same(page: Page) -> Page:
    return page
