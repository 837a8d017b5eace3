"""``scrapy forest report``: what wrappers keep and drop, as a folder of HTML."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scrapy.settings import Settings

from forest_scrapy.commands.explanation import PageGroup, learn_groups, match_stored
from forest_scrapy.commands.fetching import is_url
from forest_scrapy.commands.host_report import HostPages, report_pages, stored_report
from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.commands.lookup import find_hosts, read_host
from forest_scrapy.core import ForestError
from forest_scrapy.report.contents import Report, ReportTemplate
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

__all__ = ["DEFAULT_FOLDER", "NothingToReport", "make_report"]

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
        report = stored_report(HostPages(tuple(find_hosts(config))), config)
    elif _are_hosts(names):
        hosts = tuple(dict.fromkeys(map(read_host, names)))
        found = HostPages.fetch(hosts, options, config, settings)
        report, errors = stored_report(found, config), found.errors
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


def _make_template(group: PageGroup) -> ReportTemplate:
    return ReportTemplate(
        host=group.host,
        id=group.template_id,
        wrapper=group.wrapper,
        pages=report_pages(group.pages),
        is_edited=group.is_edited,
        others=group.others,
    )
