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
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
from crawls.helpers import ROOT, Project

from demo import DemoServer
from forest_scrapy.commands.edit import Editor, EditServer
from forest_scrapy.commands.report import HostPages
from forest_scrapy.commands.stored import match_stored
from forest_scrapy.core import ForestError, Page, Wrapper
from forest_scrapy.settings import ForestSettings

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
        self.server = EditServer(folder, self.save)
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
    ["/", "/index.html", "/save", "//index.html", "/TOKE/save", "/TOKENx/save", "/token/save"],
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


@pytest.mark.parametrize("origin", ["http://attacker.example", "null", "https://127.0.0.1", ""])
def test_other_origins_cannot_save(served: Served, origin: str) -> None:
    path = f"/{served.server.token}/save"
    assert served.ask("POST", path, '{"a": 1}', {**JSON, "Origin": origin})[0] == 403
    assert served.saved == []


def test_forms_and_large_bodies_cannot_save(served: Served) -> None:
    path = f"/{served.server.token}/save"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert served.ask("POST", path, '{"a": 1}', {"Content-Type": kind})[0] == 415
    for size in ("", "-1", "x", "1000001", "9" * 30):
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


def test_an_xpath_that_cannot_be_evaluated_is_refused(
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
    pages = [Page.from_html(body, f"http://{HOST}{path}") for path, body in bodies.items()]
    groups, _ = match_stored(pages, config)
    given = HostPages((HOST,), {(HOST, template.id): own for template, own in groups})
    editor = Editor(given, tmp_path, config)
    asked = []
    with EditServer(tmp_path, editor.save) as server:
        Thread(target=server.serve_forever).start()
        for edited in (bad, failing, good):
            edit = {"host": HOST, "template": template_id, "wrapper": edited.to_dict()}
            connection = HTTPConnection(HOST, server.server_port, timeout=60)
            body = json.dumps(edit).encode()
            connection.request("POST", f"/{server.token}/save", body, JSON)
            answer = connection.getresponse()
            asked.append((answer.status, answer.read().decode()))
        server.shutdown()
    assert [status for status, _ in asked] == [400, 400, 200]
    texts = [text for _, text in asked]
    assert texts[0].startswith('the edit: keep: "//p[document(')
    assert "Unregistered function" in texts[0]
    assert texts[1].startswith("not stored: on a page of the template, //h1[text()[has-class(")
    assert stored_wrappers(run, store)[template_id] == good


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


def edit_in_browser(browser: Opened, url: str, run: Run, store: str) -> None:
    page = browser.page
    page.goto(url)
    page.locator("table").first.locator("tbody a").first.click()
    page.wait_for_url("**/template-*")
    page.locator("tbody a").first.click()
    page.wait_for_url("**/page-*")
    browser.wait()
    browser.frame.locator("h1").last.click()
    page.click("[data-do=title]")
    page.click("[data-do=store]")
    page.wait_for_selector("#stored-link:not([hidden])")
    assert "edited by hand" in page.inner_text("#stored")
    assert "mean F1 1.000" in page.inner_text("#stored")
    edited = json.loads(page.input_value("#json"))
    wrappers = stored_wrappers(run, {"FOREST_STORE": store})
    assert wrappers[edited["template"]] == Wrapper.from_dict(edited["wrapper"])
    page.click("#stored-link a")
    page.wait_for_selector("#edited", state="hidden")
    browser.wait()
    page.click("header a[href^=template]")
    assert "edited by a person" in page.inner_text("main")
    assert browser.messages == []
    assert {one.split("/")[2] for one in browser.requests} == {url.split("/")[2]}
