"""Writing a report: a folder of HTML files, each complete in itself."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from forest_scrapy.core.health.doubts import Doubt, Doubts
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import BadOutput, follow_links, locked, replacing
from forest_scrapy.report.contents import Report, ReportTemplate
from forest_scrapy.report.form_view import draw_graph
from forest_scrapy.report.html_pages import render_page
from forest_scrapy.report.page_view import PageView
from forest_scrapy.report.template_view import HostDistances, PageRow, TemplateView, view_template
from forest_scrapy.settings import ForestSettings

#: The page about all feeds.
FEEDS_FILE = "feeds-of-the-history.html"
_REPORT_FILE = re.compile(
    r"\.?(?:(?:form|page|template|versions)-[0-9a-f]{10}|feeds-of-the-history)"
    r"\.html(?:\.forest-part)?"
)

#: How the files of each report begin.
_HEAD = (
    b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    b'<meta http-equiv="Content-Security-Policy" content="default-src'
)


@dataclass(frozen=True)
class Written:
    """A report that was written: the overview, the number of pages, and the size of all files in
    bytes."""

    index: Path
    pages: int
    size: int


def write_report(
    report: Report,
    folder: Path,
    config: ForestSettings,
    saves: bool = False,
) -> Written:
    """Write the report to a folder, which is made if it is missing.

    Templates of threads are named, not shown.  ``saves``: the pages are served, and post edited
    wrappers to ``save``.

    The files of an earlier report in it are replaced, each as a whole and the overview last; other
    files stay.  One template's pages are in memory at a time.  Raises ``OSError``, ``InUse`` if
    another process writes to the folder, and ``BadOutput`` if its ``index.html`` is no report's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(follow_links(folder)):
        return _write(report, folder, config, saves)


def _write(
    report: Report,
    folder: Path,
    config: ForestSettings,
    saves: bool,
) -> Written:
    index = folder / "index.html"
    if index.exists() and not read_bytes(index).startswith(_HEAD):
        raise BadOutput(f"{folder} has an index.html that no report wrote; name another folder")
    report = report.without_records()
    writer = _Writer(folder, config, saves)
    views = []
    ordered = sorted(report.templates, key=_template_order)
    for host, templates in groupby(ordered, key=lambda template: template.host):
        views += writer.write_host(host, list(templates))
    for form in report.forms:
        writer.write(form.file, "form.html", {"form": form, "picture": draw_graph(form)})

    for change in report.changes:
        if change.versions is not None:
            writer.write(change.versions.file, "versions.html", {"view": change.versions})

    if report.feeds is not None:
        writer.write(FEEDS_FILE, "feeds.html", {"view": report.feeds})

    views.sort(key=lambda view: (*view.fit.sort_key, view.template.host, view.file))
    values = {
        "report": report,
        "views": views,
        "sites": _list_sites(views, report),
        "files": {page.url: page.file for view in views for page in view.pages},
        "doubts": _find_doubts(views, report),
        "feeds_file": FEEDS_FILE,
    }
    writer.write("index.html", "overview.html", values)
    writer.remove_others()
    pages = sum(len(view.pages) for view in views)
    return Written(index, pages, writer.size)


def _template_order(template: ReportTemplate) -> tuple[str, str, str]:
    return template.host, template.id, template.wrapper.id


@dataclass(frozen=True)
class ReportedSite:
    """A site in the overview."""

    host: str
    templates: int
    pages: int
    articles: int
    dropped: int


def _list_sites(views: Sequence[TemplateView], report: Report) -> list[ReportedSite]:
    hosts = {view.template.host for view in views}
    hosts.update(drops.host for drops in report.drops)
    rows = []
    for host in sorted(hosts):
        host_views = [view for view in views if view.template.host == host]
        articles = sum(view.articles for view in host_views)
        dropped = sum(drops.pages for drops in report.drops if drops.host == host)
        row = ReportedSite(
            host=host,
            templates=len(host_views),
            pages=articles + dropped,
            articles=articles,
            dropped=dropped,
        )
        rows.append(row)
    return rows


def _find_doubts(views: Sequence[TemplateView], report: Report) -> tuple[Doubt, ...]:
    """The items of lowest confidence, of the crawl and of the pages in the report, the worst
    first."""
    confidence = {page.url: page.confidence for view in views for page in view.pages}
    confidence |= {doubt.url: doubt.confidence for doubt in report.doubts}
    doubts = Doubts()
    for url, value in confidence.items():
        doubts.add(url, value)
    return doubts.worst


class _Writer:
    """Writes the files of one report."""

    def __init__(
        self,
        folder: Path,
        config: ForestSettings,
        saves: bool,
    ) -> None:
        self._folder = folder
        self._config = config
        self._saves = saves
        self._written: set[str] = set()
        self.size = 0

    def write_host(self, host: str, templates: Iterable[ReportTemplate]) -> list[TemplateView]:
        """Write the pages of a host, then its templates."""
        distances = HostDistances(self._config)
        views = []
        for template in templates:
            view, pages = view_template(template, distances, self._config.params)
            views.append(view)
            self._write_pages(pages, view)

        picture = distances.picture()
        links: dict[str, PageRow] = {}
        for view in views:
            for row in view.pages:
                links.setdefault(row.digest, row)
        for view in views:
            digests = {row.digest for row in view.pages}
            values = {
                "view": view,
                "picture": picture,
                "own": digests,
                "links": links,
                "map": distances.map_of(digests),
            }
            self.write(view.file, "template.html", values)
        return views

    def _write_pages(self, pages: Sequence[PageView], view: TemplateView) -> None:
        """Write the pages of a template, each with links to those before and after it."""
        files = ["", *(row.file for row in view.pages), ""]
        for number, page in enumerate(pages):
            values = {
                "page": page,
                "view": view,
                "previous": files[number],
                "next": files[number + 2],
            }
            self.write(page.file, "page.html", values)

    def write(
        self,
        name: str,
        template: str,
        values: Mapping[str, Any],
    ) -> None:
        """Write a file from the template."""
        body = render_page(template, values, self._saves)
        path = self._folder / name
        with replacing(path, is_synced=False) as part:  # it can be written again
            part.write(body)
        self._written.add(name)
        self.size += len(body)

    def remove_others(self) -> None:
        """Remove the files of an earlier report that this one does not have."""
        for path in self._folder.iterdir():
            if _REPORT_FILE.fullmatch(path.name) and path.name not in self._written:
                path.unlink()
