"""``scrapy forest report`` and ``import``, without a browser."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from crawls.helpers import Project

from demo import DemoServer
from forest_scrapy.core import Page, TemplateRules, Wrapper
from forest_scrapy.core.changes import summarize_text
from forest_scrapy.report.contents import (
    Report,
    ReportPage,
    ReportTemplate,
    older_versions,
)
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, RulesVersion

from .conftest import Run

HOST = "127.0.0.1"


def read_files(folder: Path, pattern: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob(pattern)}


@pytest.fixture
def own_store(project: Project, tmp_path: Path) -> dict[str, str]:
    """Settings that name a copy of the project's stores."""
    for name in ("wrappers", "history"):
        shutil.copy(project.folder / f".scrapy/forest/{name}.db", tmp_path)
    return {
        "FOREST_STORE": str(tmp_path / "wrappers.db"),
        "FOREST_HISTORY": str(tmp_path / "history.db"),
    }


def stored_wrappers(run: Run, store: dict[str, str]) -> dict[str, Wrapper]:
    """The wrappers of articles by template id."""
    rules = json.loads(run("show", HOST, "--json", **store).out)
    return {id: TemplateRules.from_dict(one).wrapper for id, one in rules.items()}


def test_report_of_files(run: Run, folder: Path) -> None:
    done = run("report", *sorted(path.name for path in folder.glob("*.html")), "-o", "out")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("out/index.html: 30 pages, ")
    pages, templates = (
        read_files(folder / "out", "page-*"),
        read_files(folder / "out", "template-*"),
    )
    assert (len(pages), len(templates)) == (30, 2)
    index = (folder / "out/index.html").read_text(encoding="utf-8")
    for name, text in templates.items():
        assert f'href="{name}"' in index
        assert all(link in pages for link in re.findall(r'href="(page-[^"]*)"', text))
        assert "<polyline" in text
        assert "//" in text
    for text in (index, *pages.values(), *templates.values()):
        assert "Content-Security-Policy" in text.partition("<title>")[0]
        assert "default-src &#39;none&#39;" in text


def test_the_files_of_an_earlier_report_are_removed(run: Run, folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out/page-0123456789.html").write_text("old")
    (folder / "out/mine.html").write_text("mine")
    names = sorted(path.name for path in folder.glob("news-*"))[:2]
    for _ in range(2):
        assert run("report", *names, "-o", "out").status == 0
        assert len(list((folder / "out").iterdir())) == 1 + 1 + 1 + 2
    assert (folder / "out/mine.html").read_text() == "mine"


def test_an_overview_that_no_report_wrote_stays(run: Run, folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out/index.html").write_text("mine")
    names = sorted(path.name for path in folder.glob("news-*"))[:2]
    done = run("report", *names, "-o", "out")
    assert done.status == 1
    assert "out has an index.html that no report wrote; name another folder" in done.err
    assert (folder / "out/index.html").read_text() == "mine"


def test_report_of_the_stored_wrappers(run: Run, folder: Path) -> None:
    done = run("report", "-o", "out")
    assert (done.status, done.err) == (0, "")
    assert len(read_files(folder / "out", "template-*")) == 2
    index = (folder / "out/index.html").read_text(encoding="utf-8")
    assert "<b>0</b> of them fit badly" in index
    assert "no page was kept, so that it is not known how they fit" in index


def test_report_of_a_host_fetches_its_articles_again(
    scrapy: Run, project: Project, tmp_path: Path
) -> None:
    done = scrapy("report", HOST, "-o", str(tmp_path / "out"))
    assert (done.status, done.err) == (0, f"Fetching 20 pages of {HOST}\n")
    assert ": 20 pages, " in done.out  # ten of each template
    assert len(read_files(tmp_path / "out", "template-*")) == 2


def test_report_names_what_cannot_be_used(run: Run, folder: Path) -> None:
    done = run("report", "none.example", "-o", "out")
    assert done.status == 1
    assert "no wrapper is stored for none.example" in done.err
    (folder / "void.html").write_bytes(b"")
    done = run("report", "void.html", "-o", "out")
    assert done.err.splitlines() == [
        "scrapy forest report: void.html: is empty",
        "scrapy forest report: no page to report",
    ]
    assert not (folder / "out").exists()


def test_a_wrapper_edited_by_hand_is_marked_and_does_not_fit_badly(
    run: Run, folder: Path, own_store: dict[str, str], demo: DemoServer
) -> None:
    template_id, wrapper = max(stored_wrappers(run, own_store).items())
    wrapper = replace(wrapper, fields=replace(wrapper.fields, title=("//p",)))
    edit = {"host": HOST, "template": template_id, "wrapper": wrapper.to_dict()}
    (folder / "edited.json").write_text(json.dumps(edit))
    names = sorted(path.name for path in folder.glob("*-*.html"))
    done = run("import", "edited.json", *names, **own_store)
    assert (done.status, done.err) == (0, "")
    assert "  title: " in done.out
    assert "the text of 0 changes; mean F1 1.000" in done.out
    assert stored_wrappers(run, own_store)[template_id] == wrapper
    assert run("forget", HOST, "--template", template_id, **own_store).status == 1  # it is edited
    assert run("report", *names, "--stored", "-o", "out", **own_store).status == 0
    index = (folder / "out/index.html").read_text(encoding="utf-8")
    assert ' class="bad"' not in index
    assert f">{template_id}</a> (edited)" in index


def test_rules_edited_by_hand(run: Run, folder: Path, own_store: dict[str, str]) -> None:
    """The rules as ``show --json`` prints them."""
    stored = json.loads(run("show", HOST, "--json", **own_store).out)
    template_id, rules = max(stored.items(), key=lambda pair: str(pair[1]["text_at"]))
    rules["article"]["drop"] = ["//h2", "//p[1]"]
    edit = {"host": HOST, "template": template_id, "rules": rules}
    (folder / "edited.json").write_text(json.dumps(edit))
    names = sorted(path.name for path in folder.glob("*-*.html"))
    done = run("import", "edited.json", *names, **own_store)
    assert (done.status, done.err) == (0, "")
    assert "the text of 16 changes; mean F1 0." in done.out
    assert json.loads(run("show", HOST, "--json", **own_store).out)[template_id] == rules


def test_edited_xpaths_that_cannot_be_evaluated(
    run: Run, folder: Path, own_store: dict[str, str]
) -> None:
    before = stored_wrappers(run, own_store)
    template_id, wrapper = max(before.items())
    for bad, why in (("//p[re:test(., 'a')]", "prefix"), ("count(//p)", "gives a number")):
        edited = replace(wrapper, drop=(bad,)).to_dict()
        edit = {"host": HOST, "template": template_id, "wrapper": edited}
        (folder / "edited.json").write_text(json.dumps(edit))
        done = run("import", "edited.json", **own_store)
        assert done.status == 1
        assert re.search(rf"edited.json: drop: .*{re.escape(bad)}.* {why}", done.err)
    assert stored_wrappers(run, own_store) == before


def test_older_versions_are_compared_with(tmp_path: Path) -> None:
    old, new = (Wrapper("trained", (xpath,)) for xpath in ("//p", "//div"))
    page = Page.from_html("<div><h2>Boats</h2><p>Come in.</p></div>", "http://a.example/1")
    versions = tuple(
        RulesVersion(number, TemplateRules(wrapper), "", "")
        for number, wrapper in enumerate((old, new), start=1)
    )
    template = ReportTemplate(
        host="a.example",
        id="1",
        wrapper=new,
        pages=(ReportPage(page.url, "article", lambda: page),),
        versions=versions,
        others=older_versions(versions, new),
    )
    write_report(Report("Versions", (template,)), tmp_path, ForestSettings())
    (text,) = read_files(tmp_path, "page-*").values()
    assert '<option value="0">trained: 14 characters</option>' in text
    assert '<option value="1">version 1: 8 characters, ' in text
    assert "version 2" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not an edited wrapper, a JSON object with host, template and rules"),
        ("[]", "not an edited wrapper, a JSON object with host, template and rules"),
        ('{"host": "a.example", "template": "1", "wrapper": {}}', "format None is not 3"),
        ('{"host": "a.example", "template": "", "wrapper": WRAPPER}', "the wrapper was not stored"),
        ('{"host": "a.example", "template": "1", "wrapper": NOTHING}', "keeps nothing"),
        (
            '{"host": "a.example", "template": "1", "wrapper": WRAPPER}',
            "no wrapper is stored for a.example",
        ),
    ],
)
def test_import_refuses(run: Run, folder: Path, text: str, message: str) -> None:
    for name, wrapper in (("WRAPPER", Wrapper("trained", ("//p",))), ("NOTHING", Wrapper("x"))):
        text = text.replace(name, wrapper.dumps())
    (folder / "edited.json").write_text(text)
    done = run("import", "edited.json")
    assert done.status == 1
    assert message in done.err


@pytest.mark.slow
def test_a_crawl_writes_its_report(project: Project, demo: DemoServer, tmp_path: Path) -> None:
    crawl = Project(tmp_path / "project", FOREST_REPORT=str(tmp_path / "out"))
    done = crawl.crawl("feeds", f"feeds={demo.feed_url}")
    assert done.stat("report/pages") == 20
    assert len(read_files(tmp_path / "out", "page-*")) == 20
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert re.search(r'<td class="n">2</td><td class="n">30</td><td class="n">30</td>', index)


@pytest.mark.slow
def test_a_crawl_reports_what_has_changed(demo: DemoServer, tmp_path: Path) -> None:
    crawl = Project(tmp_path / "project", FOREST_REPORT=str(tmp_path / "out"))
    crawl.crawl("feeds", f"feeds={demo.feed_url}")
    assert "Changed articles" not in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    store = HistoryStore(str(crawl.folder / ".scrapy/forest/history.db"))
    with closing(store):
        known = next(one for one in store.host_pages(HOST) if one.outcome == "article")
        old = f"{store.text(known.key)}\nUnchained."
        store.save(replace(known, text=summarize_text(old)), text=old)
    crawl.crawl("feeds", f"feeds={demo.feed_url}")
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    changed = index.partition("Changed articles")[2].partition("</table>")[0]
    assert len(re.findall("<summary>", changed)) == 1
    assert known.url in changed
    assert "<del>Unchained.</del>" in changed


def test_a_report_that_cannot_be_written_is_named(demo: DemoServer, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/index.html").write_text("a page of the user")
    crawl = Project(tmp_path / "project", FOREST_REPORT=str(tmp_path / "out"))
    done = crawl.crawl("feeds", f"feeds={demo.feed_url}")
    assert done.stat("report/failed") == 1
    assert f"The report cannot be written to {tmp_path / 'out'}: " in done.log
    assert len(done.items) == 30
