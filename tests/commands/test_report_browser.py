"""A report in a real browser: from disk, without the network, safe, and editable."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from core.page.test_markup import PAYLOADS, XSS
from crawls.helpers import Project

from benchmarks.report.command import measure_report, site_template
from benchmarks.sets.bench_set import load_groups
from demo import DemoServer
from forest_scrapy.core import Page, Wrapper, learn
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.report.contents import Drops, Report, ReportPage, ReportTemplate
from forest_scrapy.report.safe_page import write_safe_page
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

from .browser import Opened
from .conftest import Run
from .test_report import stored_wrappers

HOST = "127.0.0.1"
#: Recorded sites.
SITES = Path(__file__).parents[3] / "shared/bench/feeds-dev"
#: Articles of the demo whose text has headings.
WITH_HEADINGS = ("council-passes-budget-by-one-vote", "jumelage-delegation-bretonne")


@pytest.fixture(scope="module")
def report(
    demo: DemoServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[Wrapper]]:
    """The folder of a report of the demo's two templates, and their wrappers."""
    folder = tmp_path_factory.mktemp("report")
    templates = []
    for section in ("news", "journal"):
        found = [a for a in demo.site.articles if a.path.startswith(f"/{section}/")]
        pages = [
            Page.from_html(demo.site.files[a.path][1].decode(), f"http://{HOST}{a.path}")
            for a in found
        ]
        shown = tuple(ReportPage(page.url, "article", lambda page=page: page) for page in pages[:6])
        wrapper = learn(pages)
        wrapper = replace(wrapper, drop=(f"({wrapper.keep[0]})/descendant::p[1]",))
        templates.append(ReportTemplate(HOST, section, wrapper, shown))
    drops = (Drops(HOST, "not_article", 2, (f"http://{HOST}/about",)),)
    write_report(Report("Demo", tuple(templates), drops), folder, ForestSettings())
    return folder, [one.wrapper for one in templates]


def files_of(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


@pytest.mark.slow
def test_nothing_leaves_the_disk(browser: Opened, report: tuple[Path, list[Wrapper]]) -> None:
    folder, _ = report
    for path in files_of(folder, "*.html"):
        browser.open(path)
    assert browser.messages == []
    assert browser.requests == [path.as_uri() for path in files_of(folder, "*.html")]


@pytest.mark.slow
def test_pages_fit_a_narrow_window(browser: Opened, report: tuple[Path, list[Wrapper]]) -> None:
    size = browser.page.viewport_size
    browser.page.set_viewport_size({"width": 400, "height": 800})
    for name in ("index.html", *(path.name for path in report[0].glob("template-*"))):
        browser.open(report[0] / name)
        assert browser.page.evaluate("document.documentElement.scrollWidth") <= 400
    browser.page.set_viewport_size(size)


@pytest.mark.slow
def test_the_overview_sorts_and_searches(
    browser: Opened, report: tuple[Path, list[Wrapper]], demo: DemoServer
) -> None:
    browser.open(report[0] / "index.html")
    page = browser.page
    names = page.locator("table").first.locator("tbody tr td:nth-child(2)")
    extremes = page.locator("td.extreme a")
    assert [link.locator("svg rect.kept").count() > 0 for link in extremes.all()] == [True] * 4
    titles = {article.title for article in demo.site.articles}
    assert titles.issuperset(extremes.all_inner_texts())
    header = page.locator("table").first.locator("th:nth-child(2) button")
    header.click()
    assert names.all_inner_texts() == ["journal", "news"]
    header.press("Enter")
    assert names.all_inner_texts() == ["news", "journal"]
    page.fill("#search", "NOT_ART")
    assert page.locator("tbody tr:visible").count() == 1
    assert page.inner_text("#found") == "1 row"
    page.fill("#search", "")
    assert page.locator("tbody tr:visible").count() == 4


def boxes(frame: Any, xpath: str) -> list[Any]:
    """The bounding boxes of the elements that an XPath finds in the frame."""
    return [one.bounding_box() for one in frame.locator(f"xpath={xpath}").all()]


@pytest.mark.slow
def test_marks_are_where_the_wrapper_says(
    browser: Opened, report: tuple[Path, list[Wrapper]]
) -> None:
    folder, wrappers = report
    kinds = {"kept": 0, "dropped": 0}
    for path in files_of(folder, "page-*"):
        browser.open(path)
        about = browser.page.inner_text("header a[href^=template]")
        wrapper = wrappers[about.endswith("journal")]
        kept = boxes(browser.frame, wrapper.keep[0])
        assert kept
        assert boxes(browser.frame, "//*[@data-forest='kept']") == kept
        for number, drop in enumerate(wrapper.drop, start=1):
            marked = f"//*[@data-forest='dropped'][@data-rule='drop {number}']"
            assert boxes(browser.frame, marked) == boxes(browser.frame, drop)
            kinds["dropped"] += len(boxes(browser.frame, marked))
        kinds["kept"] += len(kept)
    assert min(kinds.values()) >= 6


@pytest.mark.slow
def test_keys_and_hints(browser: Opened, report: tuple[Path, list[Wrapper]]) -> None:
    path = next(p for p in files_of(report[0], "page-*") if 'rel="prev"' not in p.read_text())
    browser.open(path)
    browser.frame.locator("[data-forest=kept] p").last.hover()
    hint = browser.page.inner_text("#hint")
    assert re.search(r"^p on \d pages: //", hint)
    assert re.search(r"kept by keep 1 \(confidence [01]\.\d\d, learned on 4 pages[;)]", hint)
    assert re.search(r"the classifier alone: \d+% content", hint)
    browser.page.keyboard.press("ArrowRight")
    browser.page.wait_for_url(lambda url: url != path.as_uri())
    browser.wait()
    browser.frame.locator("p").first.click()
    browser.page.keyboard.press("ArrowLeft")
    browser.page.wait_for_url(path.as_uri())


@pytest.mark.slow
def test_attacks_run_nothing_without_the_frame(browser: Opened) -> None:
    """The markup alone is safe: here it has neither the sandbox nor the policy of a report."""
    for attack in XSS:
        safe = write_safe_page(parse_html(f"<div>{attack}</div>"), {})
        without_policy = re.sub("<meta http-equiv[^>]*>", "", safe)
        assert without_policy != safe
        browser.page.set_content(without_policy)
    assert browser.messages == []
    assert [url for url in browser.requests if not url.startswith("about:")] == []


@pytest.mark.slow
@pytest.mark.skipif(not PAYLOADS.exists(), reason="needs the payloads of DOMPurify")
def test_public_attacks_run_nothing(browser: Opened) -> None:
    attacks = json.loads(PAYLOADS.read_text(encoding="utf-8"))
    texts = [one["payload"] if isinstance(one, dict) else str(one) for one in attacks]
    assert len(texts) > 100
    for text in texts:
        safe = write_safe_page(parse_html(f"<div>{text}</div>"), {})
        browser.page.set_content(re.sub("<meta http-equiv[^>]*>", "", safe))
    assert browser.messages == []
    assert [url for url in browser.requests if not url.startswith("about:")] == []


@pytest.mark.slow
@pytest.mark.skipif(not SITES.exists(), reason="needs the recorded sites")
def test_wrong_wrappers_of_recorded_sites_are_first(browser: Opened, tmp_path: Path) -> None:
    config = ForestSettings()
    found = (site_template(group, config, held_out=False) for group in load_groups(str(SITES)))
    templates = list(islice(filter(None, found), 12))
    figures = measure_report(templates, 10, tmp_path, config)
    assert sorted(figures["rows_of_wrong"]) == list(range(1, 11))
    assert figures["to_pages"] < 1.5
    opened = [tmp_path / "index.html", *files_of(tmp_path, "template-*")]
    opened += files_of(tmp_path, "page-*")[::10]
    for path in opened:
        browser.open(path)
    assert browser.messages == []
    assert browser.requests == [path.as_uri() for path in opened]


@pytest.mark.slow
def test_a_hostile_site_runs_nothing(browser: Opened, tmp_path: Path) -> None:
    attacks = "\n".join(XSS)
    body = f"<article><p>{'Boats come in. ' * 40}</p></article>"
    pages = [
        Page.from_html(
            f"<html><head><title>{attack}</title><meta property=og:title content='"
            f"{escape(attack)}'></head><body><h1>{attack}</h1>{body}{attacks}</body></html>",
            f"http://a.example/{attack}",
        )
        for attack in XSS[:4]
    ]
    shown = tuple(ReportPage(page.url, XSS[0], lambda page=page: page) for page in pages)
    wrapper = Wrapper("trained", ("//article",))
    template = ReportTemplate("a.example<script>alert(1)</script>", XSS[1], wrapper, shown)
    drops = (Drops(XSS[0], XSS[1], 1, XSS[:4]),)
    write_report(Report(XSS[0], (template,), drops, (XSS[1],)), tmp_path, ForestSettings())
    paths = files_of(tmp_path, "*.html")
    assert len(paths) == 6
    for path in paths:
        browser.open(path)
        assert browser.page.locator("img").count() == 0
    assert browser.messages == []
    assert browser.requests == [path.as_uri() for path in paths]


@pytest.mark.slow
def test_a_click_becomes_a_rule_of_the_stored_wrapper(
    browser: Opened, run: Run, project: Project, folder: Path
) -> None:
    store = shutil.copy(project.folder / ".scrapy/forest/wrappers.db", folder)
    names = [f"news-{name}.html" for name in WITH_HEADINGS]
    assert run("report", *names, "--stored", "-o", "out", FOREST_STORE=store).status == 0
    browser.open(files_of(folder / "out", "page-*")[0])
    heading = browser.frame.locator("[data-forest=kept] h3").first
    dropped = heading.inner_text()
    heading.click()
    browser.page.click("[data-do=drop]")
    browser.frame.locator("h1").last.click()
    browser.page.click("[data-do=title]")
    edited = browser.page.input_value("#json")
    assert json.loads(edited)["wrapper"]["fields"]["title"][0].startswith("//h1")
    with browser.page.expect_download() as saved:
        browser.page.click("[data-do=save]")
    saved.value.save_as(folder / "edited.json")
    assert (folder / "edited.json").read_text(encoding="utf-8") == edited
    done = run("import", "edited.json", *names, FOREST_STORE=store)
    assert (done.status, done.err) == (0, "")
    assert f"\n  -{dropped}\n" in done.out
    wrappers = stored_wrappers(run, {"FOREST_STORE": store})
    assert Wrapper.from_dict(json.loads(edited)["wrapper"]) in wrappers.values()
    assert browser.messages == []


@pytest.mark.slow
def test_methods_are_switched(browser: Opened, run: Run, folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("journal-*"))[:3]
    assert run("report", *names, "--also", "forest", "-o", "out").status == 0
    browser.open(files_of(folder / "out", "page-*")[0])
    frame, kept = browser.frame, "//*[@data-forest='kept']"
    trained, by_forest = (f"//*[@data-m{n}[starts-with(., 'kept')]]" for n in (0, 1))
    assert boxes(frame, by_forest) != []
    browser.page.select_option("#method", "1")
    assert boxes(frame, kept) == boxes(frame, by_forest)
    assert browser.page.locator("#edit").is_hidden()
    assert browser.page.locator(".delta:visible").count() == 1
    browser.page.check("#beside")
    browser.page.wait_for_selector("#other iframe[data-ready='1']")
    assert boxes(frame, kept) == boxes(frame, trained)
    other = browser.page.frames[2]
    assert boxes(other, kept) == boxes(other, by_forest) != []
    assert browser.page.locator("#article").is_hidden()
    browser.page.select_option("#method", "0")
    assert boxes(frame, kept) == boxes(frame, trained)
    assert frame.locator("[data-differs]").count() == 0
    assert browser.page.locator("#article").is_visible()
    assert browser.messages == []


@pytest.mark.slow
def test_differences_between_versions_are_marked(browser: Opened, tmp_path: Path) -> None:
    html = "<article><p>Boats come in.</p><p class=ad>Buy now.</p><h2>Fog</h2></article>"
    page = Page.from_html(html, "http://a.example/1")
    wrapper = Wrapper("trained", ("//article",), drop=("//p[@class='ad']",))
    template = ReportTemplate(
        "a.example",
        "1",
        wrapper,
        (ReportPage(page.url, "article", lambda: page),),
        others={"version 1": replace(wrapper, drop=("//h2",))},
    )
    write_report(Report("Versions", (template,)), tmp_path, ForestSettings())
    browser.open(files_of(tmp_path, "page-*")[0])
    browser.page.select_option("#method", "1")
    assert browser.frame.locator("[data-differs]").all_inner_texts() == ["Buy now.", "Fog"]
    delta = browser.page.locator(".delta:visible")
    delta.locator("summary").click()
    assert delta.locator("del").all_inner_texts() == ["Fog"]
    assert delta.locator("ins").all_inner_texts() == ["Buy now."]


@pytest.mark.slow
def test_thumbnails_are_links_to_the_pages(
    browser: Opened, report: tuple[Path, list[Wrapper]]
) -> None:
    browser.open(files_of(report[0], "template-*")[0])
    places = browser.page.locator("svg.map a")
    assert 2 <= places.count() <= 6
    found = [one.bounding_box() for one in places.all()]
    assert len({(box["x"], box["y"]) for box in found}) == len(found)
    places.first.focus()
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_url("**/page-*")
    assert browser.messages == []


@pytest.mark.slow
def test_dark_mode(browser: Opened, report: tuple[Path, list[Wrapper]]) -> None:
    browser.open(report[0] / "index.html")
    colour = "getComputedStyle(document.body).backgroundColor"
    browser.page.emulate_media(color_scheme="dark")
    dark = browser.page.evaluate(colour)
    browser.page.emulate_media(color_scheme="light")
    assert (dark, browser.page.evaluate(colour)) == ("rgb(13, 17, 23)", "rgb(255, 255, 255)")
