"""Write the pictures of docs/report.md: ``python -m benchmarks.report_pictures [FOLDER]``.

Makes a report of the demo site, with one wrapper that is wrong, and opens it in Chromium, which has
to be installed (``apt-get install chromium``).
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from demo import build_site
from forest_scrapy.commands.report import report_pages
from forest_scrapy.core import Page, learn
from forest_scrapy.report.contents import Report, ReportTemplate
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

_SITE = "http://demo.example"


def write_demo_report(folder: Path) -> Path:
    """A report of the demo's two templates, of which one reads the title from a paragraph; the
    overview."""
    site, templates = build_site(_SITE), []
    for section in ("news", "journal"):
        found = [one for one in site.articles if one.path.startswith(f"/{section}/")]
        pages = [
            Page.from_html(site.files[one.path][1].decode(), _SITE + one.path) for one in found
        ]
        wrapper = learn(pages)
        if section == "journal":
            wrapper = replace(wrapper, fields=replace(wrapper.fields, title=("//p",)))
        templates.append(ReportTemplate("demo.example", section, wrapper, report_pages(pages)))
    report = Report("Demo site", tuple(templates))
    return write_report(report, folder, ForestSettings()).index


def take_pictures(index: Path, folder: Path) -> None:
    """Pictures of the overview, a template, its distances, and one of its pages, as PNG."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("benchmarks.report_pictures: needs Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(index.as_uri())
        _save(page, folder / "overview.png")
        page.get_by_role("link", name="news").click()
        for name, number in (("template", 0), ("distances", 1)):
            figure = page.locator("figure").nth(number)
            figure.evaluate("one => one.previousElementSibling.scrollIntoView()")
            _save(page, folder / f"{name}.png")
        page.locator("tbody a").first.click()
        page.wait_for_selector("html[data-ready]", state="attached")
        page.frames[1].locator("[data-forest=kept] p").first.hover()
        _save(page, folder / "page.png")
        browser.close()


def _save(page: Any, path: Path) -> None:
    page.screenshot(path=path)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as report:
        take_pictures(write_demo_report(Path(report)), folder)


if __name__ == "__main__":
    main()
