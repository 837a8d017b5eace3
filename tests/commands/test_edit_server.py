"""``scrapy forest edit``: the report on loopback, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html import escape
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
from core.page.test_markup import XSS
from crawls.helpers import ROOT, Project

from demo import DemoServer
from forest_scrapy.commands.edit_server import Editor, EditServer
from forest_scrapy.commands.report import HostPages
from forest_scrapy.commands.stored import match_stored
from forest_scrapy.core import ForestError, Page, TemplateRules, Wrapper
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore

from .browser import Opened
from .conftest import Run
from .test_report import stored_wrappers

HOST = "127.0.0.1"
JSON = {"Content-Type": "application/json"}


class Served:
    """A server with two files, and the texts that were saved."""

    def __init__(self, folder: Path) -> None:
        (folder / "index.html").write_text("the overview")
        (folder / "wrappers.db").write_text("a store")
        (folder.parent / "secret.html").write_text("outside")
        self.saved: list[str] = []
        actions = dict.fromkeys(("preview", "save", "undo"), self.save)
        self.server = EditServer(folder, actions)
        self.own = f"{HOST}:{self.server.server_port}"

    def save(self, text: str) -> str:
        if text == "{}":
            raise ForestError("not an edit")
        if text == "[]":
            raise ValueError("a bug")
        self.saved.append(text)
        return "stored"

    def ask(
        self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str]:
        connection = HTTPConnection(HOST, self.server.server_port, timeout=60)
        connection.request(
            method, path, body.encode() or None, {"Host": self.own, **(headers or {})}
        )
        answer = connection.getresponse()
        found = answer.status, answer.read().decode()
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["Access-Control-Allow-Origin"] is None
        connection.close()
        return found


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "report").mkdir()
    given = Served(tmp_path / "report")
    thread = Thread(target=given.server.serve_forever)
    thread.start()
    yield given
    given.server.shutdown()
    thread.join()
    given.server.server_close()


def test_the_token_opens_files_and_saves(served: Served) -> None:
    token = served.server.token
    assert served.ask("GET", f"/{token}/index.html") == (200, "the overview")
    assert served.ask("POST", f"/{token}/save", '{"a": 1}', JSON) == (200, "stored")
    own = {**JSON, "Origin": f"http://{served.own}"}
    assert served.ask("POST", f"/{token}/save", '{"a": 2}', own) == (200, "stored")
    assert served.saved == ['{"a": 1}', '{"a": 2}']
    assert served.ask("POST", f"/{token}/save", "{}", JSON) == (400, "not an edit")
    assert served.ask("POST", f"/{token}/save", "[]", JSON) == (500, "ValueError: a bug")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path",
    [
        *("/", "/index.html", "/save", "//index.html", "/TOKE/save", "/TOKENx/save", "/token/save"),
        *("/preview", "/TOKE/preview", "/undo", "/token/undo"),
    ],
)
def test_without_the_token_nothing_is_answered(served: Served, method: str, path: str) -> None:
    given = path.replace("TOKEN", served.server.token).replace("TOKE", served.server.token[:-1])
    status, text = served.ask(method, given, '{"a": 1}', JSON)
    assert status == 403
    assert served.server.token not in text
    assert served.saved == []


@pytest.mark.parametrize(
    "host", ["attacker.example", "attacker.example:PORT", "localhost:PORT", HOST, "[::1]:PORT", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_hosts_are_refused_with_the_token(served: Served, method: str, host: str) -> None:
    """A page whose name resolves to 127.0.0.1 (DNS rebinding) sends its own name."""
    headers = {**JSON, "Host": host.replace("PORT", str(served.server.server_port))}
    status, _ = served.ask(method, f"/{served.server.token}/index.html", '{"a": 1}', headers)
    assert status == 403
    assert served.saved == []


@pytest.mark.parametrize("action", ["preview", "save", "undo"])
@pytest.mark.parametrize("origin", ["http://attacker.example", "null", "https://127.0.0.1", ""])
def test_other_origins_cannot_act(served: Served, origin: str, action: str) -> None:
    path = f"/{served.server.token}/{action}"
    assert served.ask("POST", path, '{"a": 1}', {**JSON, "Origin": origin})[0] == 403
    assert served.ask("GET", path)[0] == 404
    assert served.saved == []


def test_forms_and_large_bodies_cannot_save(served: Served) -> None:
    path = f"/{served.server.token}/save"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert served.ask("POST", path, '{"a": 1}', {"Content-Type": kind})[0] == 415
    for size in ("", "-1", "x", "4000001", "9" * 30):
        assert served.ask("POST", path, "", {**JSON, "Content-Length": size})[0] == 413
    assert served.ask("POST", f"/{served.server.token}/index.html", '{"a": 1}', JSON)[0] == 404
    assert served.saved == []


@pytest.mark.parametrize(
    "name",
    ["", "../secret.html", "%2e%2e/secret.html", "wrappers.db", "none.html", "..", "/secret.html"],
)
def test_only_files_of_the_report_are_served(served: Served, name: str) -> None:
    status, text = served.ask("GET", f"/{served.server.token}/{name}")
    assert (status, text) == (404, "no such file")


def test_only_this_machine_can_connect(served: Served) -> None:
    assert served.server.server_address[0] == HOST
    name, port = socket.gethostname(), served.server.server_port
    others = {info[4][0] for info in socket.getaddrinfo(name, port, socket.AF_INET)} - {HOST}
    for address in sorted(map(str, others)):
        with pytest.raises(OSError), socket.create_connection((address, port), timeout=10):
            pass


@pytest.mark.slow
@pytest.mark.thorough
def test_edits_are_previewed_stored_and_undone(
    project: Project, tmp_path: Path, run: Run, demo: DemoServer
) -> None:
    shutil.copy(project.folder / ".scrapy/forest/wrappers.db", tmp_path)
    store = {"FOREST_STORE": str(tmp_path / "wrappers.db")}
    (template_id, wrapper), *_ = stored_wrappers(run, store).items()
    bad = replace(wrapper, keep=("//p[document('file:///etc/passwd')]",))
    good = replace(wrapper, keep=(f"{wrapper.xpath}[not(self::aside)]",))
    failing = replace(wrapper, drop=("//h1[text()[has-class('a')]]",))  # on pages with an h1
    config = ForestSettings(store=store["FOREST_STORE"])
    bodies = {one.path: demo.site.files[one.path][1].decode() for one in demo.site.articles}
    pages = [Page.from_html(body, f"{demo.url}{path}") for path, body in bodies.items()]
    groups, _ = match_stored(pages, config)
    own = {(HOST, template.id): found for template, found in groups}
    editor = Editor(HostPages((HOST,), own), tmp_path, config)
    with EditServer(tmp_path, editor.actions) as server:
        Thread(target=server.serve_forever).start()

        def post(action: str, edited: Wrapper, **more: object) -> tuple[int, str]:
            edit = {"host": HOST, "template": template_id, "wrapper": edited.to_dict(), **more}
            connection = HTTPConnection(HOST, server.server_port, timeout=60)
            connection.request("POST", f"/{server.token}/{action}", json.dumps(edit).encode(), JSON)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        try:
            for action in ("preview", "save"):
                status, text = post(action, bad)
                assert (status, text[:29]) == (400, 'the edit: keep: "//p[document')
                assert "Unregistered function" in text
                status, text = post(action, failing)
                assert status == 400
                assert text.startswith("on a page of the template, //h1[text()[has-class(")
                assert post(action, good, host="b.example")[0] == 400
                assert post(action, good, base=good.to_dict())[0] == 400
            url = own[HOST, template_id][0].url
            status, text = post("preview", replace(wrapper, drop=("//p[1]",)), page=url)
            found = json.loads(text)
            assert (status, len(found["pages"])) == (200, len(own[HOST, template_id]))
            assert all(one["deleted"] for one in found["pages"])
            assert "-" in {sign for sign, _ in found["lines"]}
            assert stored_wrappers(run, store)[template_id] == wrapper  # nothing was stored
            assert post("save", good, base=wrapper.to_dict())[0] == 200
            assert stored_wrappers(run, store)[template_id] == good
            assert post("undo", wrapper)[0] == 400  # not the one that is stored
            assert post("undo", good)[0] == 200
            assert stored_wrappers(run, store)[template_id] == wrapper
            assert [post("undo", one)[0] for one in (good, wrapper)] == [400, 400]
        finally:
            server.shutdown()


@pytest.mark.slow
def test_an_edit_is_stored_and_shown(
    browser: Opened, project: Project, tmp_path: Path, run: Run
) -> None:
    stores = {}
    for name in ("wrappers", "history"):
        stores[name] = shutil.copy(project.folder / f".scrapy/forest/{name}.db", tmp_path)
    settings = (f"FOREST_STORE={stores['wrappers']}", f"FOREST_HISTORY={stores['history']}")
    options = [word for one in settings for word in ("-s", one)]
    command = [sys.executable, "-m", "scrapy", "forest", "edit", HOST, *options]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=project.folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+/\S+", process.stdout.readline())
            assert found
            edit_in_browser(browser, found[0], run, stores["wrappers"])
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0
    assert list(tmp_path.glob("forest-edit-*")) == []


def open_changed_page(browser: Opened) -> None:
    """Go to a page whose text changes without its paragraphs: on another one, the wrapper may find
    nothing then, and another method the same text."""
    page = browser.page
    browser.frame.locator("[data-forest=kept] p").first.click()
    page.click("[data-do=drop]")
    changed = page.locator("#preview-pages tbody a").first.get_attribute("href")
    page.click("[data-do=reset]")
    page.goto(page.url.rsplit("/", 1)[0] + f"/{changed}")
    browser.wait()


def preview_in_browser(browser: Opened) -> None:
    """Drop a paragraph, look at what that changes on all pages, and start again."""
    page = browser.page
    text = page.inner_text("#article")
    marks = browser.frame.locator("[data-forest=kept]").count()
    paragraph = browser.frame.locator("[data-forest=kept] p").first
    dropped = paragraph.inner_text()
    paragraph.click()
    page.click("[data-do=drop]")
    page.wait_for_selector("#text del")
    assert " ".join(dropped.split()) in page.locator("#text del").all_inner_texts()
    assert paragraph.get_attribute("data-forest") == "dropped"
    assert page.locator("#previewed").is_visible()
    rows = page.locator("#preview-pages tbody tr")
    assert rows.count() == 10
    assert page.inner_text("#preview").startswith("10 pages: the text of ")
    first = rows.filter(has_text="this page")
    first.locator("summary").click()
    assert " ".join(dropped.split()) in " ".join(first.locator("del").all_inner_texts())
    own, changes = page.url, page.inner_text("#changes")
    rows.locator("a", has_text="http").first.click()  # the edit goes on on other pages
    page.wait_for_url(lambda url: url != own)
    page.wait_for_selector("#previewed:visible")
    assert page.inner_text("#changes") == changes
    page.go_back()
    page.wait_for_url(own)
    page.wait_for_selector("#text del")
    page.click("[data-do=reset]")
    page.wait_for_selector("#text:not(:has(del))")
    assert page.inner_text("#article") == text
    assert browser.frame.locator("[data-forest=kept]").count() == marks


def edit_in_browser(browser: Opened, url: str, run: Run, store: str) -> None:
    page = browser.page
    page.goto(url)
    page.locator("table").first.locator("tbody a").first.click()
    page.wait_for_url("**/template-*")
    page.locator("tbody a").first.click()
    page.wait_for_url("**/page-*")
    browser.wait()
    open_changed_page(browser)
    preview_in_browser(browser)
    wrappers = stored_wrappers(run, {"FOREST_STORE": store})
    browser.frame.locator("h1").last.click()
    page.click("[data-do=title]")
    page.wait_for_selector("#preview-pages:visible")
    edited = json.loads(page.input_value("#json"))
    page.click("[data-do=store]")
    page.wait_for_selector("#stored-link:visible")
    assert page.inner_text("#save-state") == "Stored"
    assert "edited by hand" in page.inner_text("#stored")
    assert "mean F1 1.000" in page.inner_text("#stored")
    assert stored_wrappers(run, {"FOREST_STORE": store}) == {
        **wrappers,
        edited["template"]: Wrapper.from_dict(edited["wrapper"]),
    }
    with page.expect_navigation():
        page.click("#stored-link a")
    browser.wait()
    page.click("header a[href^=template]")
    page.wait_for_url("**/template-*")
    assert "edited by a person" in page.inner_text("main")
    page.go_back()
    page.wait_for_url("**/page-*")
    browser.wait()
    with page.expect_navigation():
        page.click("[data-do=undo]")
    browser.wait()
    page.wait_for_selector("#stored:visible")
    assert not page.is_visible("[data-do=undo]")
    assert "is what a crawl has learned" in page.inner_text("#stored")
    assert stored_wrappers(run, {"FOREST_STORE": store}) == wrappers
    assert browser.messages == []
    assert {one.split("/")[2] for one in browser.requests} == {url.split("/")[2]}


@pytest.mark.slow
def test_the_preview_of_a_hostile_site_runs_nothing(browser: Opened, tmp_path: Path) -> None:
    config = ForestSettings(store=str(tmp_path / "wrappers.db"))
    attacks, body = "\n".join(XSS), f"<p class=text>{'Boats come in. ' * 40}</p>"
    pages = [
        Page.from_html(
            f"<html><head><title>{attack}</title></head><body><h1>{attack}</h1><article>"
            f"{body}<p class=ad>{escape(attack)}</p>{attacks}</article></body></html>",
            f"http://a.example/{attack}",
        )
        for attack in XSS[:3]
    ]
    with closing(RulesStore(config.store, config.distance)) as store:
        store.save("a.example", "1", TemplateRules(Wrapper("trained", ("//article",))), [])
    (tmp_path / "report").mkdir()
    editor = Editor(
        HostPages(("a.example",), {("a.example", "1"): pages}), tmp_path / "report", config
    )
    editor.write()
    with EditServer(tmp_path / "report", editor.actions) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (first, *_) = sorted((tmp_path / "report").glob("page-*"))
        browser.page.goto(server.url.replace("index.html", first.name))
        browser.wait()
        for name, selector in (("drop", "p.ad"), ("title", "p.ad")):
            browser.frame.locator(selector).click()
            browser.page.click(f"[data-do={name}]")
            browser.page.wait_for_selector("#preview-pages del", state="attached")
        assert browser.page.locator("#preview-pages tbody tr").count() == 3
        browser.page.click("[data-do=store]")
        browser.page.wait_for_selector("#stored-link:visible")
        server.shutdown()
    browser.page.click("[data-do=undo]")
    text = "No answer: is scrapy forest edit still running?"
    browser.page.get_by_text(text).wait_for()
    assert [one for one in browser.messages if "ERR_CONNECTION_REFUSED" not in one] == []
    assert {one.split("/")[2] for one in browser.requests} == {server.url.split("/")[2]}
    assert browser.page.locator("img, iframe:not([sandbox=allow-same-origin])").count() == 0
