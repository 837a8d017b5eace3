"""The report of a crawl, written at its end to the folder ``FOREST_REPORT``."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from itemadapter import ItemAdapter, is_item
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from forest_scrapy.core import ForestError
from forest_scrapy.crawl.context import CrawlContext, context_of, open_wrappers
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.items import ArticlePage
from forest_scrapy.report.contents import (
    Change,
    Drops,
    Report,
    ReportPage,
    ReportTemplate,
    older_versions,
)
from forest_scrapy.report.marks import FIELDS
from forest_scrapy.report.page_view import KeptPage, PageFile
from forest_scrapy.report.writing import write_report
from forest_scrapy.responses.background import to_thread
from forest_scrapy.stores import WrapperVersion

__all__ = ["CrawlReport"]

logger = logging.getLogger(__name__)

#: Pages that are kept of a template; and once so many are kept in all, of each further template.
_PAGES, _MANY, _FEW = 10, 1000, 2
#: Articles that have changed: the first are shown.
_CHANGES = 500
#: URLs that are shown for each reason of a drop on a host.
_EXAMPLES = 5


class CrawlReport:
    """Extension: keeps some pages of each template, and counts the outcomes of all, for the
    report.  Not configured without ``FOREST_REPORT``."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl, self._file = crawl, PageFile()
        self._pages: defaultdict[str, list[tuple[str, KeptPage]]] = defaultdict(list)
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._drops: Counter[tuple[str, str]] = Counter()
        self._examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._fields: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._kept = 0
        self._changes: dict[str, Change] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("FOREST_REPORT"):
            raise NotConfigured
        report = cls(context_of(crawler))
        report._crawl.ledger.listeners.append(report.add)
        crawler.signals.connect(report.count_fields, signal=signals.item_scraped)
        crawler.signals.connect(report.write, signal=signals.spider_closed)
        return report

    def add(self, outcome: Outcome, url: str, page: ArticlePage | None) -> None:
        """Count an outcome, and keep the page if it is one of the first of its template."""
        detail = "article" if outcome.kind == "article" else outcome.detail
        if outcome.kind != "article":
            key = ((urlsplit(url).hostname or "").lower(), detail)
            self._drops[key] += 1
            if len(self._examples[key]) < _EXAMPLES:
                self._examples[key].append(url)
        if page is None or not page.template_key:
            return
        self._outcomes[page.template_key][detail] += 1
        kept = self._pages[page.template_key]
        if len(kept) < (_PAGES if self._kept < _MANY else _FEW) and page.response.body:
            self._keep(kept, detail, page)

    def _keep(self, kept: list[tuple[str, KeptPage]], detail: str, page: ArticlePage) -> None:
        try:
            kept.append((detail, self._file.add(page.response, page.entry)))
            self._kept += 1
        except OSError as error:
            logger.warning("A page for the report cannot be kept: %s", error)

    def count_fields(self, item: Any) -> None:
        """Count the fields of an article, and note how it has changed."""
        if is_item(item) and "template_id" in (adapter := ItemAdapter(item)):
            self._note_change(str(adapter.get("url")), adapter.get("change") or {})
            found = [name for name in FIELDS if adapter.get(name)]
            self._fields[f"{_host(adapter.get('url'))} {adapter['template_id']}"].update(found)

    def _note_change(self, url: str, change: Mapping[str, Any]) -> None:
        if change.get("kind") in ("changed", "gone") and len(self._changes) < _CHANGES:
            self._changes[url] = Change(
                url,
                change.get("since", ""),
                change.get("share", 0.0),
                tuple(change.get("inserted", ())),
                tuple(change.get("deleted", ())),
                change["kind"] == "gone",
            )

    async def write(self) -> None:
        """Write the report, in a thread."""
        folder = Path(self._crawl.settings.report)
        try:
            with closing(self._file):
                written = await to_thread(
                    write_report, self._report(), folder, self._crawl.settings
                )
        except (OSError, ForestError) as error:
            self._crawl.stats.inc_value("forest/report/failed")
            logger.error("The report cannot be written to %s: %s", folder, error)
            return
        self._crawl.stats.set_value("forest/report/pages", written.pages)
        logger.info("Report of %d pages: %s", written.pages, written.index)

    def _report(self) -> Report:
        keys = sorted(self._outcomes)
        templates = (self._crawl.templates.get(key) for key in keys)
        versions: dict[tuple[str, str], tuple[WrapperVersion, ...]] = {}
        found = [one for one in templates if one and one.wrapper]
        with closing(open_wrappers(self._crawl.settings)) as store:
            for one in found:
                versions[one.host, one.id] = tuple(store.versions(one.host, one.id))
        drops = tuple(
            Drops(*key, self._drops[key], tuple(self._examples[key]))
            for key in sorted(self._drops, key=lambda key: (-self._drops[key], key))
        )
        made = tuple(self._template(one, versions[one.host, one.id]) for one in found)
        changes = tuple(self._changes[url] for url in sorted(self._changes))
        return Report("Crawl", made, drops, changes=changes)

    def _template(self, template: Template, versions: tuple[WrapperVersion, ...]) -> ReportTemplate:
        assert template.wrapper is not None
        pages = self._pages[template.key]
        return ReportTemplate(
            host=template.host,
            id=template.id,
            wrapper=template.wrapper,
            pages=tuple(
                ReportPage(page.url, outcome, page.read, self._changes.get(page.url))
                for outcome, page in pages
            ),
            outcomes=self._outcomes[template.key],
            fields=self._fields[f"{template.host} {template.id}"],
            versions=versions,
            others=older_versions(versions, template.wrapper),
            is_edited=template.is_edited,
        )


def _host(url: Any) -> str:
    return (urlsplit(str(url or "")).hostname or "").lower()
