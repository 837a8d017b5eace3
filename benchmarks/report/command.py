"""Measure the report, and whether it shows wrappers that are wrong.

    python -m benchmarks.report SET [-o FOLDER] [--pages N] [--wrong N] [--skip N] [--held-out]
                                    [--open] [--json]

Writes a report of the sites' articles, by template, with wrappers learned from at most ten of
them.  The wrappers of the first ``--wrong`` sites are made wrong before: of every second one a rule
is removed, of the others the title is read from a paragraph.  Printed are the seconds that writing
takes (also of processor time), the size of the report against that of its pages, and the rows of
the overview in which the wrong wrappers are.

``--held-out``: the wrappers are learned from half of the pages, and the report shows the other
half, as if they had been stored by an earlier crawl.  ``--skip``: leave out the first sites of the
set, those that the fit was developed on.  ``--open``: also the seconds that Chromium takes to open
the overview, the largest template and the largest page.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from lxml import html

from benchmarks.sets.bench_set import BenchPage, Group, load_groups
from forest_scrapy.core import Wrapper, learn
from forest_scrapy.core.templates.grouping import group_pages
from forest_scrapy.report.contents import Report, ReportPage, ReportTemplate
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

#: The largest number of pages to learn from and to show, and the smallest of a template.
_MOST = 10
_FEWEST = 4


@dataclass(frozen=True)
class SiteTemplate:
    """The wrapper of a site's largest template, and the pages to show."""

    site: str
    wrapper: Wrapper
    pages: tuple[BenchPage, ...]


def site_template(group: Group, config: ForestSettings, held_out: bool) -> SiteTemplate | None:
    """The largest template of a site; None if it has too few pages."""
    articles = {page.url: page for page in group.articles}
    parsed = [page.parse() for page in articles.values()]
    if len(parsed) < _FEWEST:
        return None
    largest = group_pages(parsed, config.fingerprint_kind, config.threshold)[0][0]
    if len(largest) < _FEWEST:
        return None
    half = len(largest) // 2 if held_out else 0
    learned = largest[: half or _MOST][:_MOST]
    articles_shown = [articles[page.url] for page in largest[half : half + _MOST]]
    return SiteTemplate(group.name, learn(learned, config.params), tuple(articles_shown))


def make_wrong(wrapper: Wrapper, number: int) -> Wrapper:
    """The wrapper without a rule, or with the title moved to the paragraphs.

    A rule is the first expression of ``drop``, if there is one, else the first part of the first
    expression of ``keep``.

    >>> make_wrong(Wrapper("trained", ("//div | //p",), drop=("//ul", "//ol")), 0).drop
    ('//ol',)
    >>> make_wrong(Wrapper("trained", ("//div | //p",)), 0).keep
    ('//p',)
    """
    if number % 2:
        return replace(wrapper, fields=replace(wrapper.fields, title=("//p",)))
    if wrapper.drop:
        return replace(wrapper, drop=wrapper.drop[1:])
    further_paths = wrapper.keep[0].split(" | ")[1:]
    keep = (
        (" | ".join(further_paths), *wrapper.keep[1:])
        if further_paths
        else wrapper.keep[1:] or ("//h1",)
    )
    return replace(wrapper, keep=keep)


def measure_report(
    templates: Sequence[SiteTemplate],
    wrong: int,
    folder: Path,
    config: ForestSettings,
) -> dict[str, Any]:
    """Write the report of the templates; its figures."""
    report_templates = [
        ReportTemplate(
            host=template.site,
            id=f"wrong-{i}" if i < wrong else f"right-{i}",
            wrapper=make_wrong(template.wrapper, i) if i < wrong else template.wrapper,
            pages=tuple(ReportPage(page.url, "article", page.parse) for page in template.pages),
        )
        for i, template in enumerate(templates)
    ]
    start = perf_counter()
    cpu_start = process_time()
    written = write_report(Report("Recorded sites", tuple(report_templates)), folder, config)
    seconds = perf_counter() - start
    cpu_seconds = process_time() - cpu_start
    recorded = sum(len(page.html) for template in templates for page in template.pages)
    names = html.fromstring(written.index.read_bytes()).xpath("//table[1]/tbody/tr/td[2]/a/text()")
    rows = {name: row for row, name in enumerate(names, start=1)}
    return {
        "templates": len(report_templates),
        "pages": written.pages,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_seconds, 1),
        "megabytes": round(written.size / 1e6, 1),
        "to_pages": round(written.size / recorded, 3),
        "rows_of_wrong": [rows[f"wrong-{i}"] for i in range(min(wrong, len(report_templates)))],
    }


def measure_opening(folder: Path) -> dict[str, float]:
    """Seconds until Chromium has opened the overview, the largest template and the largest page."""
    from playwright.sync_api import sync_playwright  # needed for --open only

    program = shutil.which("chromium")
    if program is None:
        sys.exit("benchmarks.report: --open needs Chromium: apt-get install chromium")
    names = ["index.html"]
    for pattern in ("template-*.html", "page-*.html"):
        names += [p.name for p in sorted(folder.glob(pattern), key=lambda p: -p.stat().st_size)[:1]]
    seconds = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        for name in names:
            start = perf_counter()
            page.goto((folder.absolute() / name).as_uri())
            if name.startswith("page-"):
                page.wait_for_selector("html[data-ready]", state="attached")
            seconds[f"open_{name.partition('-')[0].partition('.')[0]}"] = perf_counter() - start
        browser.close()
    return {name: round(value, 2) for name, value in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("-o", "--output", help="keep the report in this folder")
    parser.add_argument("--pages", type=int, help="the largest number of pages")
    parser.add_argument("--wrong", type=int, default=10, help="wrappers to make wrong")
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="show other pages than learned from",
    )
    parser.add_argument("--skip", type=int, default=0, help="sites to leave out, the first")
    parser.add_argument("--open", action="store_true", help="measure opening in Chromium")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    config = ForestSettings()
    templates = []
    count = 0
    for group in islice(load_groups(args.set), args.skip, None):
        if (template := site_template(group, config, args.held_out)) is not None:
            templates.append(template)
            count += len(template.pages)
        if args.pages and count >= args.pages:
            break
    with TemporaryDirectory() as folder:
        place = Path(args.output or folder)
        figures = measure_report(templates, args.wrong, place, config)
        if args.open:
            figures |= measure_opening(place)
    if args.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:15s} {value}")
