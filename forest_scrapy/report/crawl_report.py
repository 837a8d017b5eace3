"""The report of a crawl, written at its end to the folder ``FOREST_REPORT``."""

import logging
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

from itemadapter import ItemAdapter, is_item
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, TextResponse

from forest_scrapy.core import Entry, ForestError, Page, Template
from forest_scrapy.core.codec import from_json
from forest_scrapy.core.health.doubts import Doubts
from forest_scrapy.core.page.urls import host_with_port, page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import CrawlContext, context_of, open_rules
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.forms.form_graph import read_graph
from forest_scrapy.forms.search import FormSearch
from forest_scrapy.items import ArticlePage
from forest_scrapy.report.contents import Change, Drops, Report, ReportPage, ReportTemplate
from forest_scrapy.report.feeds_view import FeedsView, view_feeds
from forest_scrapy.report.form_view import FormReport
from forest_scrapy.report.page_view import FIELDS
from forest_scrapy.report.version_view import view_latest
from forest_scrapy.report.writing import write_report
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.stores import PageVersion, RulesStore, StoreFailed

logger = logging.getLogger(__name__)

#: Pages that are kept of a template.
MAX_PAGES = 10
#: Once so many pages are kept in all, fewer are kept of each further template.
MANY_PAGES = 1000
MAX_FURTHER_PAGES = 2
#: Articles that have changed: the first are shown.
MAX_CHANGES = 500
#: URLs that are shown for each reason of a drop on a host.
MAX_EXAMPLES = 5


class CrawlReport:
    """Extension: keeps some pages of each template, and counts the outcomes of all, for the
    report.  Not configured without ``FOREST_REPORT``."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._file = PageFile()
        self._pages: defaultdict[str, list[ReportPage]] = defaultdict(list)
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._drops: Counter[tuple[str, str]] = Counter()
        self._examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._fields: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._page_count = 0
        self._changes: dict[str, Change] = {}
        self._doubts = Doubts()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.get("FOREST_REPORT"):
            raise NotConfigured
        report = cls(context_of(crawler))
        report._crawl.ledger.listeners.append(report.add)
        crawler.signals.connect(report.count_fields, signal=signals.item_scraped)
        crawler.signals.connect(report.write, signal=signals.spider_closed)
        return report

    def add(
        self,
        outcome: Outcome,
        url: str,
        page: ArticlePage | None,
    ) -> None:
        """Count an outcome, and keep the page if it is one of the first of its template."""
        detail = outcome.detail
        if outcome.kind == "article":
            detail = "article"
        else:
            self._add_drop(host_with_port(url), detail, url)
        if page is None:
            return
        if page.item is not None:
            confidence = getattr(page.item, "confidence", 0.0)
            self._doubts.add(url, confidence)
        if page.template_key:
            self._outcomes[page.template_key][detail] += 1
            self._keep_page(page, page.template_key, detail)

    def _add_drop(
        self,
        host: str,
        reason: str,
        url: str,
    ) -> None:
        key = (host, reason)
        self._drops[key] += 1
        if len(self._examples[key]) < MAX_EXAMPLES:
            self._examples[key].append(url)

    def _keep_page(
        self,
        page: ArticlePage,
        template_key: str,
        outcome: str,
    ) -> None:
        """Keep the page for the report, if there are few of its template."""
        pages = self._pages[template_key]
        has_many_pages = self._page_count >= MANY_PAGES
        max_pages = MAX_FURTHER_PAGES if has_many_pages else MAX_PAGES
        if len(pages) >= max_pages or not page.response.body:
            return
        try:
            read_page = self._file.add(page)
        except OSError as error:
            logger.warning("A page for the report cannot be kept: %s", error)
            return
        report_page = ReportPage(page.response.url, outcome, read_page)
        pages.append(report_page)
        self._page_count += 1

    def count_fields(self, item: Any) -> None:
        """Count the fields of an article, and note how it has changed."""
        if not is_item(item):
            return
        adapter = ItemAdapter(item)
        if "template_id" not in adapter:
            return
        url = str(adapter.get("url") or "")
        self._note_change(url, adapter.get("change") or {})
        names = []
        for name in ("url", *FIELDS):
            if adapter.get(name):
                names.append(name)
        host = host_with_port(url)
        template = f"{host} {adapter['template_id']}"
        self._fields[template].update(names)

    def _note_change(self, url: str, change: Mapping[str, Any]) -> None:
        kind = change.get("kind")
        is_shown = kind in ("changed", "gone", "returned")
        if not is_shown or len(self._changes) >= MAX_CHANGES:
            return
        data = {**change, "url": url, "is_gone": kind == "gone"}
        self._changes[url] = from_json(Change, data, ignore_unknown=True)

    async def write(self, spider: Any = None) -> None:
        """Write the report, in a thread."""
        folder = Path(self._crawl.settings.report)
        try:
            with closing(self._file):
                report = self._report(spider)
                written = await in_thread(write_report, report, folder, self._crawl.settings)
        except (OSError, ForestError) as error:
            self._crawl.stats.inc_value("forest/report/failed")
            logger.error("The report cannot be written to %s: %s", folder, error)
            return
        self._crawl.stats.set_value("forest/report/pages", written.pages)
        logger.info("Report of %s: %s", count(written.pages, "page"), written.index)

    def _report(self, spider: Any) -> Report:
        templates = []
        with closing(open_rules(self._crawl.settings)) as store:
            for key in sorted(self._outcomes):
                template = self._crawl.templates.get(key)
                if template and template.rules:
                    report_template = self._template(template, store)
                    templates.append(report_template)

        search = getattr(spider, "search", None)
        forms: tuple[FormReport, ...] = ()
        if isinstance(search, FormSearch):
            graph = read_graph(search)
            forms = (FormReport(graph),)
        return Report(
            title="Crawl",
            templates=tuple(templates),
            drops=self._list_drops(),
            changes=self._list_changes(),
            unfetched=self._crawl.unfetched.rows(),
            forms=forms,
            doubts=self._doubts.worst,
            feeds=self._view_feeds(),
        )

    def _view_feeds(self) -> FeedsView | None:
        """The feeds of the history; None while it cannot be read."""
        try:
            feeds = self._crawl.history.store.feeds.all()
            return view_feeds(feeds)
        except StoreFailed:
            return None

    def _list_changes(self) -> tuple[Change, ...]:
        """The changes by URL, with the versions that the history has."""
        changes = []
        for url in sorted(self._changes):
            versions: tuple[PageVersion, ...]
            try:
                versions = self._crawl.history.store.versions.of_page(page_key(url))
            except StoreFailed:
                versions = ()
            change = replace(self._changes[url], versions=view_latest(url, versions))
            changes.append(change)
        return tuple(changes)

    def _list_drops(self) -> tuple[Drops, ...]:
        """The drops by host and reason, the most frequent first."""
        drops = []
        ranked_keys = sorted(self._drops, key=lambda key: (-self._drops[key], key))
        for key in ranked_keys:
            host, reason = key
            count = self._drops[key]
            examples = tuple(self._examples[key])
            drops.append(Drops(host, reason, count, examples))
        return tuple(drops)

    def _template(self, template: Template, store: RulesStore) -> ReportTemplate:
        pages = []
        for page in self._pages[template.key]:
            change = self._changes.get(page.url)
            pages.append(replace(page, change=change))
        return ReportTemplate.of(
            template,
            pages,
            versions=store.versions(template.host, template.id),
            outcomes=self._outcomes[template.key],
            fields=self._fields[f"{template.host} {template.id}"],
        )


class PageFile:
    """Pages, compressed, in a temporary file that is deleted when it is closed."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by close
        self._size = 0

    def add(self, page: ArticlePage) -> Callable[[], Page]:
        """Keep a page; a function that parses it.  Both raise ``OSError``."""
        response = page.response
        encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"
        packed = zlib.compress(response.body, 1)
        size = len(packed)
        start = self._size
        self._file.seek(start)
        self._file.write(packed)
        self._size += size
        return partial(self._read, start, size, response.url, encoding, page.entry)

    def close(self) -> None:
        self._file.close()

    def _read(
        self,
        start: int,
        size: int,
        url: str,
        encoding: str,
        entry: Entry | None,
    ) -> Page:
        self._file.seek(start)
        packed = self._file.read(size)
        body = zlib.decompress(packed)
        response = HtmlResponse(url, body=body, encoding=encoding)
        return page_of(response, entry)
