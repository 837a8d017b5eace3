"""``scrapy forest`` as it is typed."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from crawls.helpers import Project

from demo import DemoServer
from forest_scrapy.commands.forest_command import Action
from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.core.exports import FORMATS
from forest_scrapy.core.records import ProductRules, RecordWrapper
from forest_scrapy.core.templates.kinds import Kind
from forest_scrapy.output_files import locked
from forest_scrapy.stores import HistoryStore, PageRecord, RulesStore

from .conftest import Run

HOST = "127.0.0.1"


def test_help_lists_all_actions(run: Run) -> None:
    done = run("--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Usage\n=====\n  scrapy forest ACTION ... [options]\n")
    listed = re.findall(r"^    ([a-z]+) +[a-z]", done.out, re.MULTILINE)
    assert listed == sorted(listed) and {*listed} == {
        action.name for action in Action.__subclasses__()
    }
    assert "--logfile FILE" in done.out and "FOREST_STORE" in done.out


@pytest.mark.parametrize("arguments", [("show", "-h"), ("-h", "show", HOST)])
def test_help_of_an_action(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.status, done.err) == (0, "")
    usage = "usage: scrapy forest show [-h] [--template ID] [--versions] [--json] [HOST]\n"
    assert done.out.startswith(usage)
    assert "Print the stored wrappers of a host; without a host, list the hosts." in done.out
    assert "--prune" not in done.out


def test_explain_fetches_a_feed_and_writes_no_file(
    scrapy: Run, project: Project, demo: DemoServer
) -> None:
    before = sorted(project.folder.rglob("*"))
    done = scrapy("explain", "--feed", demo.feed_url, "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    (template,) = found["templates"]
    assert len(template["pages"]) == 6
    assert len(found["notes"]) == 2  # the feed's other items are of the other template
    assert template["ranking"][0].keys() >= {"x", "y", "J", "U", "I", "level", "p", "R", "xpath"}
    assert Wrapper.from_dict(template["wrapper"]).method == "trained"
    # The first four of the six leave no doubt; the others are not scored.
    assert template["expressions"][0]["rules"][0]["pages"] == 4
    assert all(page["characters"] > 500 for page in template["page_explanations"])
    assert [path for path in sorted(project.folder.rglob("*")) if "pycache" not in str(path)] == [
        path for path in before if "pycache" not in str(path)
    ]


def test_explain_stored_templates_and_failed_urls(scrapy: Run, demo: DemoServer) -> None:
    article, closed = demo.url + demo.site.articles[0].path, "http://127.0.0.1:9/"
    done = scrapy("explain", "--stored", article, f"{demo.url}/none", f"{demo.url}/", closed)
    assert done.status == 1
    assert f"{demo.url}/none: cannot be fetched: status 404" in done.err
    assert f"{closed}: cannot be fetched: Connection was refused" in done.err
    assert f"note: {demo.url}/: matches no stored template of {HOST}" in done.out
    assert "1 page of template " in done.out
    assert "characters by trained, keep 1" in done.out
    assert "\n  templates cut at distance 0." in done.out


def test_explain_files(run: Run, folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("journal-*"))
    done = run("explain", *names, "--top", "2")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"{len(names)} pages"
    head, first, second = lines[-3:]
    assert head.split() == "rank pages x y J U I level p R XPath".split()
    assert (first.split()[0], second.split()[0]) == ("1", "2")
    assert sum("    first: " in line for line in lines) == len(names)
    assert any("  keep 1  //div[@class='entry']" in line for line in lines)
    rebuilt = [line for line in lines if line.startswith("    rebuilt: ")]
    assert len(rebuilt) == len(names) and all("(template " in line for line in rebuilt)


def test_explain_begins_with_what_the_method_did(run: Run, folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("journal-*"))[:4]
    assert "ranking" not in run("explain", *names).out
    ranked = run("explain", *names, "--method", "forest").out
    assert 0 < ranked.index("ranking of patterns") < ranked.index("\nwrapper\n")


def test_explain_with_the_whole_text(run: Run, folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("journal-*"))[:4]
    (template,) = json.loads(run("explain", *names, "--text", "--json").out)["templates"]
    lines = run("explain", *names, "--text").out.splitlines()
    kept = [line.removeprefix("    kept: ") for line in lines if line.startswith("    kept: ")]
    texts = [page["text"] for page in template["page_explanations"]]
    assert "\n".join(kept) == "\n".join(texts)
    assert min(map(len, texts)) > 500


def test_explain_learns_from_the_largest_group_by_default(run: Run, folder: Path) -> None:
    journal = sorted(path.name for path in folder.glob("journal-*"))[:3]
    news = sorted(path.name for path in folder.glob("news-*"))[:2]
    done = run("explain", *news, *journal, "--method", "auto")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("note: the pages fall into 2 templates (3, 2 pages), cut at ")
    assert "learned from the largest only" in done.out
    assert "\n3 pages\n" in done.out
    together = run("explain", *news, *journal, "--all-together")
    assert "\n5 pages\n" in together.out


@pytest.mark.parametrize("method", ["auto", "sigfeed", "description", "coverage"])
def test_explain_with_any_method(run: Run, folder: Path, method: str) -> None:
    names = sorted(path.name for path in folder.glob("news-*"))[:3]
    done = run("explain", *names, "--method", method)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("3 pages\n")


def test_explain_a_single_page(run: Run, folder: Path) -> None:
    name = next(path.name for path in folder.glob("news-*"))
    done = run("explain", name)
    assert (done.status, done.err) == (0, "")
    assert "  single, learned from 1 page" in done.out
    assert "ranking" not in done.out
    coverage = run("explain", name, "--method", "coverage")
    assert coverage.status == 1
    assert "coverage needs 2 pages or more, 1 given" in coverage.err


def test_explain_with_a_feed_file(run: Run, folder: Path, demo: DemoServer) -> None:
    (folder / "feed.xml").write_bytes(demo.site.files["/feed.xml"][1])
    names = sorted(path.name for path in folder.glob("news-*"))[:3]
    done = run("explain", *names, "--feed", "feed.xml", "--method", "sigfeed", "--json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["templates"][0]["wrapper"]["evidence"]["signifiers"] == "feed"


def test_explain_names_unusable_inputs(run: Run, folder: Path) -> None:
    (folder / "image.html").write_bytes(b"\x89PNG\r\n\0\0")
    (folder / "text.txt").write_text("only text")
    (folder / "void.html").write_bytes(b"")
    (folder / "blank.html").write_text("<html><body><script>1</script></body></html>")
    (folder / "feed.xml").write_text("<rss><channel/></rss>")
    names = ("none.html", "image.html", "text.txt", "void.html", "blank.html", "a/b")
    done = run("explain", *names, "--feed", "feed.xml")
    assert (done.status, done.out) == (1, "")
    errors = [line.removeprefix("scrapy forest explain: ") for line in done.err.splitlines()]
    assert errors[0].endswith("/feed.xml: no items")
    assert errors[1:] == [
        "none.html: not a file, and not an http or https URL",
        "a/b: not a file, and not an http or https URL",
        "image.html: is not HTML",
        "text.txt: is not HTML",
        "void.html: is empty",
        "blank.html: has no text",
        "no page to explain",
    ]
    usable = next(path.name for path in folder.glob("news-*"))
    assert run("explain", usable, "none.html").status == 1


def test_show_lists_hosts(run: Run) -> None:
    assert run("show").out == f"{HOST}  2 templates\n"
    assert json.loads(run("show", "--json").out) == {HOST: 2}


@pytest.mark.parametrize("name", [HOST, "URL/news/", f"{HOST}:80"])
def test_show_a_host(run: Run, demo: DemoServer, name: str) -> None:
    done = run("show", name.replace("URL", demo.url))
    host = demo.url.removeprefix("http://") if "URL" in name else HOST
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{host}: 2 templates\n\ntemplate ")
    assert done.out.count("  trained, learned from 10 pages, with content on 100% of them") == 2
    assert done.out.count("\n  keep  //") == 2
    assert "\n        on 10 pages, confidence 1.00" in done.out


def test_show_one_template_as_json(run: Run) -> None:
    stored = json.loads(run("show", HOST, "--json").out)
    assert len(stored) == 2
    template = max(stored)
    done = run("show", HOST, "--json", "--template", template)
    assert json.loads(done.out) == {template: stored[template]}
    assert TemplateRules.from_dict(stored[template]).wrapper.keep


def test_show_versions(run: Run) -> None:
    out = run("show", HOST, "--versions").out
    assert out.count("\n  version 1, ") == out.count(": new template\n") == 2
    assert out.count("\n    templates cut at distance 0.") == 2
    for versions in json.loads(run("show", HOST, "--versions", "--json").out).values():
        (first,) = versions
        assert (first["version"], first["reason"]) == (1, "new template")
        assert TemplateRules.from_dict(first["rules"]).wrapper.keep


@pytest.mark.parametrize("name", FORMATS)
def test_export(run: Run, name: str, tmp_path: Path) -> None:
    done = run("export", HOST, "--format", name)
    assert done.status == 0
    assert "others, for --template: " in done.err
    template = done.err.split()[-1]
    path = tmp_path / "out"
    other = run("export", HOST, "--format", name, "--template", template, "-o", str(path))
    assert (other.status, other.out, other.err) == (0, "", "")
    assert path.read_text(encoding="utf-8") not in ("", done.out)


def test_export_adds_test_urls(run: Run) -> None:
    done = run("export", HOST, "--format", "ftr", "--url", "http://a/1", "--url", "http://a/2")
    assert done.out.endswith("\ntest_url: http://a/1\ntest_url: http://a/2\n")


def test_export_of_a_template_of_products(run: Run, tmp_path: Path) -> None:
    """As a page object of products, or the rules; other formats are of articles."""
    place = str(tmp_path / "shop.db")
    rules = ProductRules(name=("//h1",), price=("//b",))
    records = RecordWrapper(kind=Kind("product"), product=rules)
    with closing(RulesStore(place, "typed")) as store:
        store.save("shop.example", "t", TemplateRules(records=records), ())
    done = run("export", "shop.example", "--format", "web-poet", FOREST_STORE=place)
    assert (done.status, done.err) == (0, "")
    assert "class ShopExamplePage(WebPage, Returns[Product]):" in done.out and "'//b'" in done.out
    done = run("export", "shop.example", FOREST_STORE=place)
    assert done.status == 1 and "--format web-poet writes a page object" in done.err
    done = run("export", "shop.example", "--format", "json", FOREST_STORE=place)
    edit = json.loads(done.out)
    assert (edit["host"], edit["template"]) == ("shop.example", "t")
    assert TemplateRules.from_dict(edit["rules"]).records == records


@pytest.mark.parametrize("action", ["show", "export"])
def test_unknown_host_template_and_store(run: Run, action: str, tmp_path: Path) -> None:
    unknown = run(action, "127.0.0.2")
    assert (unknown.status, unknown.out) == (1, "")
    assert unknown.err == (
        f"scrapy forest {action}: no wrapper is stored for 127.0.0.2; similar hosts: {HOST}\n"
    )
    template = run(action, HOST, "--template", "x")
    assert template.status == 1
    assert f"{HOST} has no template 'x'; it has " in template.err
    store = run(action, HOST, FOREST_STORE=str(tmp_path / "none.db"))
    assert store.status == 1
    assert "none.db: no wrappers are stored here yet; a crawl stores them" in store.err
    assert not (tmp_path / "none.db").exists()


def test_unreadable_wrappers(run: Run, project: Project, tmp_path: Path) -> None:
    path = tmp_path / "broken.db"
    source = sqlite3.connect(project.folder / ".scrapy/forest/wrappers.db")
    with closing(source), closing(sqlite3.connect(path)) as copy, copy:
        source.backup(copy)
        copy.execute("UPDATE template_rules SET rules = '{'")
    done = run("show", HOST, FOREST_STORE=str(path))
    assert done.status == 1
    assert f"the wrappers stored for {HOST} cannot be read" in done.err


def test_a_wrong_setting(run: Run) -> None:
    done = run("show", FOREST_PAGE=3)
    assert done.status == 1
    assert "FOREST_PAGE is not a setting; did you mean FOREST_PAGES?" in done.err


def test_another_reactor(run: Run) -> None:
    reactor = "twisted.internet.selectreactor.SelectReactor"
    done = run("explain", "http://127.0.0.1:9/", TWISTED_REACTOR=reactor)
    assert (done.status, done.out) == (1, "")
    assert "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor' cannot" in done.err


def test_output_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    (tmp_path / "report").mkdir()
    with locked(tmp_path / "x.py"), locked(tmp_path / "report"):
        for arguments, message in (
            (("export", HOST, "-o", str(tmp_path / "text" / "x.py")), "cannot be written"),
            (("export", HOST, "-o", str(tmp_path / "x.py")), "written by another process"),
            (("report", "-o", str(tmp_path / "report")), "written by another process"),
        ):
            done = run(*arguments)
            (line,) = done.err.splitlines()[-1:]
            assert done.status == 1 and message in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name an action (align, backup, due, edit, "),
        (["learn"], "), not 'learn'"),
        (["explain"], "name the pages to explain"),
        (["explain", "--stored", "--feed", "f.xml"], "name the pages to explain"),
        (["explain", "a.html", "--metod", "x"], "explain: error: unrecognized arguments: --metod"),
        (["explain", "a.html", "--method", "x"], "invalid choice: 'x'"),
        (["explain", "a.html", "--method", "auto", "--stored"], "which learns nothing"),
        (["explain", "a", "--format", "ftr"], "explain: error: unrecognized arguments: --format"),
        (["show", "a", "b"], "scrapy forest show: error: unrecognized arguments: b"),
        (["show", "--top", "3"], "scrapy forest show: error: unrecognized arguments: --top"),
        (["show", "::"], "'::' is not a host"),
        (["export"], "scrapy forest export: error: the following arguments are required: HOST"),
        (["export", "a", "--json"], "export: error: unrecognized arguments: --json"),
        (["export", "a", "--format", "x"], "invalid choice: 'x'"),
        (["import"], "the following arguments are required: FILE"),
        (["edit"], "the following arguments are required: HOST"),
        (["extract"], "the following arguments are required: PATH"),
        (["extract", ".", "--wrappers", "a", "--save-wrappers", "b"], "which learns nothing"),
        (["due", HOST], "scrapy forest due: error: unrecognized arguments: 127.0.0.1"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


def test_options_may_stand_anywhere(run: Run, folder: Path) -> None:
    first, second = sorted(path.name for path in folder.glob("journal-*"))[:2]
    done = run("--json", "explain", first, "--top", "1", "-sFOREST_PAGES=2", second, "--text")
    assert (done.status, done.err) == (0, "")
    (template,) = json.loads(done.out)["templates"]
    assert (len(template["pages"]), len(template["ranking"])) == (2, 1)


@pytest.mark.slow
def test_closed_pipe(project: Project) -> None:
    """``scrapy forest ... | head`` ends without an error message."""
    show = [sys.executable, "-m", "scrapy", "forest", "show", HOST, "--json"]
    with subprocess.Popen(
        show, cwd=project.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_settings_before_and_after_the_action(scrapy: Run, tmp_path: Path) -> None:
    store = f"FOREST_STORE={tmp_path / 'none.db'}"
    for arguments in (("-s", store, "show"), ("show", "-s", store)):
        done = scrapy(*arguments, cwd=tmp_path)
        assert (done.status, done.out) == (1, "")
        assert "none.db: no wrappers are stored here yet" in done.err


def test_other_commands_do_not_load_what_this_one_needs() -> None:
    code = "import sys, forest_scrapy.commands.forest_command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    loaded = {
        name for name in done.stdout.split() if name.startswith(("numpy", "forest_scrapy.core."))
    }
    assert loaded <= {"forest_scrapy.core.lazy"}
    assert done.stderr == ""


def test_history_lists_hosts_and_pages(scrapy: Run, demo: DemoServer) -> None:
    assert scrapy("history").out == f"{HOST}  30 pages\n"
    done = scrapy("history", HOST)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{HOST}: 30 pages\n")
    assert f"article  {demo.url}{demo.site.articles[0].path}" in done.out
    pages = json.loads(scrapy("history", HOST, "--json").out)
    assert len(pages) == 30
    assert {page["outcome"] for page in pages} == {"article"}
    assert all(page["published"] and page["template"] and page["feed"] for page in pages)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.example"], "the history has no page of nowhere.example"),
        (["--prune", "soon"], "'soon' is not an age: use a number with h, d or w, such as 90d"),
        ([HOST, "--prune", "90d"], "--prune deletes from the whole history; name no host"),
    ],
)
def test_history_that_cannot_be_shown(scrapy: Run, arguments: list[str], message: str) -> None:
    done = scrapy("history", *arguments)
    assert done.status in (1, 2) and message in done.err


def test_history_prune(scrapy: Run, tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    now = int(time.time())
    with closing(HistoryStore(str(path))) as store:
        for age, key in ((89, "aa"), (91, "bb")):
            seen = now - age * 86_400
            store.save(PageRecord(key, "a.example", f"http://a.example/{key}", seen, seen))
    setting = f"FOREST_HISTORY={path}"
    assert scrapy("history", "--prune", "90d", "-s", setting).out == "deleted 1 page\n"
    assert "http://a.example/aa" in scrapy("history", "a.example", "-s", setting).out


def test_due_lists_feeds(scrapy: Run, demo: DemoServer) -> None:
    assert scrapy("due").out == ""  # it was polled just now
    done = scrapy("due", "--all")
    assert (done.status, done.err) == (0, "")
    assert demo.feed_url in done.out and "entries a day" in done.out
    (feed,) = json.loads(scrapy("due", "--all", "--json").out)
    assert feed["url"] == demo.feed_url and feed["due"] > feed["polled"]
    assert len(feed["quartiles"]) == 3
