"""Write the pictures of the documentation.

    python -m benchmarks.report.pictures [FOLDER]

Makes a report of the demo site, with one wrapper that is wrong, serves it as ``scrapy forest edit``
does, and opens it in Chromium, which has to be installed (``apt-get install chromium``); and a
health digest with troubles that are made up; and runs the worked example of a graph.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.forms.example import run_example
from demo import build_site
from forest_scrapy.commands.edit_server import Editor, EditServer
from forest_scrapy.commands.report import HostPages
from forest_scrapy.core import Page, TemplateRules, learn
from forest_scrapy.core.health.digest import DeadLink, Digest, Redesign, SourceHealth
from forest_scrapy.core.health.troubles import (
    HEALTH_FIELDS,
    FeedState,
    SourceRun,
    Trouble,
    Usual,
)
from forest_scrapy.crawl.context import open_rules
from forest_scrapy.report.html_pages import write_page
from forest_scrapy.settings import ForestSettings

_HOST = "demo.example"
_SITE = f"http://{_HOST}"
#: In percent; text stays sharp.
_QUALITY = 40


_USUAL = Usual(20, 0.95, 4120, {"title": 1.0, "published": 1.0, "authors": 0.9})
_SHORT = Trouble(
    "short_texts",
    "https://example.net/news.xml",
    "texts have 310 characters; usually 4120",
    "scrapy forest edit HOST shows what the wrapper takes, and corrects it by clicks",
)
_FAILED = Trouble(
    "feed_failed",
    "https://example.org/feed",
    "the feed cannot be read: status 404, 5 times in a row",
    "look for its new address, or take it from your list",
    is_new=False,
)
#: A digest of three feeds.
DIGEST = Digest(
    3,
    "feeds",
    "2027-03-01T06:00:00+00:00",
    "2027-03-01T06:00:41+00:00",
    "finished",
    "",
    "34 articles (trained 31, single 3) of 37 pages; 3 dropped; 1 wrapper learned, 3 reused",
    (_FAILED, _SHORT),
    (
        SourceHealth(
            SourceRun(
                "https://example.com/rss",
                18,
                17,
                {"duplicate": 1},
                {},
                3890,
                {"title": 17, "published": 17, "authors": 16},
            ),
            _USUAL,
            FeedState("read", 0, 1_803_870_000, 50_400, 1_780_000_000),
        ),
        SourceHealth(
            SourceRun("https://example.org/feed", 0, 0),
            _USUAL,
            FeedState("status 404", 5, 1_803_500_000, 86_400, 1_780_000_000),
            (_FAILED,),
        ),
        SourceHealth(
            SourceRun(
                "https://example.net/news.xml",
                19,
                17,
                {"not_article": 2},
                {"status_503": 1},
                310,
                {"title": 17, "published": 17, "authors": 9},
            ),
            _USUAL,
            FeedState("read", 0, 1_803_868_000, 21_600, 1_780_000_000),
            (_SHORT,),
        ),
    ),
    (
        Redesign(
            "example.com",
            "5f0c91d2aa",
            "https://example.com/2027/harbour-crane",
            "//div[@class='entry']",
            "//div[@class='story-body']",
            "Home News Sport The harbour crane was",
            "The harbour crane was repaired on Monday",
        ),
    ),
    (DeadLink("https://example.com/2026/old-quay", "status 410"),),
)


@contextmanager
def serve_demo_report(folder: Path) -> Iterator[str]:
    """The editor of the demo's two templates; the URL of its overview.  One wrapper reads the title
    from a paragraph, and a third of its pages have no author."""
    site = build_site(_SITE)
    pages = {}
    config = ForestSettings(store=str(folder / "wrappers.db"))
    with closing(open_rules(config)) as store:
        for section in ("news", "journal"):
            articles = [
                article for article in site.articles if article.path.startswith(f"/{section}/")
            ]
            bodies = [site.files[article.path][1].decode() for article in articles]
            parsed_pages = [
                Page.from_html(body if i % 3 else _without_authors(body), _SITE + article.path)
                for i, (article, body) in enumerate(zip(articles, bodies, strict=True))
            ]
            wrapper = learn(parsed_pages)
            if section == "journal":
                wrapper = replace(wrapper, fields=replace(wrapper.fields, title=("//p",)))
            store.save(_HOST, section, TemplateRules(wrapper), [])
            pages[_HOST, section] = parsed_pages
    report = folder / "report"
    report.mkdir()
    editor = Editor(HostPages((_HOST,), pages), report, config)
    editor.write()
    with EditServer(report, editor.actions) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.url
        server.shutdown()


def _without_authors(body: str) -> str:
    """A page of the demo's journal without the names of its authors."""
    return re.sub(r'<meta name="author"[^>]*>|, by [^<]*(?=</small>)', "", body)


def take_pictures(url: str, folder: Path) -> None:
    """Pictures of the overview, a template, its distances, one of its pages, and a correction, as
    WebP; those of the overview and the correction also in dark colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(url)
        _save_both(page, folder, "overview")
        page.get_by_role("link", name="news", exact=True).click()
        for name, number in (("template", 0), ("distances", 1)):
            figure = page.locator("figure").nth(number)
            figure.evaluate("one => one.previousElementSibling.scrollIntoView()")
            _save(page, folder / f"{name}.webp")
        page.locator("tbody a").first.click()
        page.wait_for_selector("html[data-ready]", state="attached")
        page.frames[1].locator("[data-forest=kept] p").first.hover()
        _save(page, folder / "page.webp")
        page.frames[1].locator("[data-forest=kept] h3").first.click()
        page.click("[data-do=drop]")
        page.wait_for_selector("#text del")
        page.locator("#frame").evaluate("one => { one.style.height = '18rem' }")
        dropped = page.frames[1].locator("[data-forest=dropped]").first
        dropped.evaluate("one => one.scrollIntoView({ block: 'center' })")
        page.locator("main").evaluate("one => one.scrollIntoView()")
        _save_both(page, folder, "editor")
        write_page(
            folder / "health.html", "health.html", {"digest": DIGEST, "fields": HEALTH_FIELDS}
        )
        page.goto((folder / "health.html").absolute().as_uri())
        _save_both(page, folder, "health")
        (folder / "health.html").unlink()
        browser.close()


def take_graph_picture(report: Path, folder: Path) -> None:
    """The picture of a graph in the page of a report."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(args=["--no-sandbox"], executable_path=_chromium())
        page = browser.new_page(viewport={"width": 1240, "height": 600})
        page.goto(report.absolute().as_uri())
        figure = page.locator("figure").bounding_box()
        assert figure is not None
        page.set_viewport_size({"width": 1240, "height": round(figure["height"]) + 16})
        page.locator("figure").evaluate("one => one.scrollIntoView()")
        _save(page, folder / "graph.webp")
        browser.close()


def _chromium() -> str:
    program = shutil.which("chromium")
    if program is None:
        sys.exit("benchmarks.report.pictures: needs Chromium: apt-get install chromium")
    return program


def _save_both(page: Any, folder: Path, name: str) -> None:
    _save(page, folder / f"{name}.webp")
    page.emulate_media(color_scheme="dark")
    _save(page, folder / f"{name}-dark.webp")
    page.emulate_media(color_scheme="light")


def _save(page: Any, path: Path) -> None:
    session = page.context.new_cdp_session(page)
    options = {"format": "webp", "quality": _QUALITY}
    path.write_bytes(b64decode(session.send("Page.captureScreenshot", options)["data"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as report, serve_demo_report(Path(report)) as url:
        take_pictures(url, folder)
    with TemporaryDirectory() as example:
        take_graph_picture(run_example(Path(example)), folder)


if __name__ == "__main__":
    main()
