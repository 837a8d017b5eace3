"""``scrapy forest edit``: the report of hosts on loopback, to correct their wrappers in."""

import json
import logging
import secrets
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from forest_scrapy.commands.edit import (
    BadEdit,
    Edit,
    compare_all,
    find_edited,
    read_edit,
    read_results,
    store_edit,
    undo_edit,
)
from forest_scrapy.commands.forest_command import Action, AddOption, write_piece
from forest_scrapy.commands.report import HostPages, NothingToReport, stored_report
from forest_scrapy.commands.stored import find_wrappers, site_name
from forest_scrapy.core import ForestError, Page, Template, Wrapper
from forest_scrapy.core.page.urls import split_port
from forest_scrapy.report.page_view import report_file_name
from forest_scrapy.report.preview import Result, preview_values
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

logger = logging.getLogger(__name__)

#: Bytes of the largest body that is read.
MAX_BODY_BYTES = 4_000_000
#: Seconds that a request may take.
MAX_SECONDS = 30
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class EditServer(ThreadingHTTPServer):
    """Serves the files of a report, and passes what is posted to one of ``actions``, by name, which
    returns a text or raises ``ForestError``.

    Only this machine can connect.  Every path starts with a token that is made for each server, so
    that other users, and pages of other sites in the same browser, cannot read or store anything.
    Requests with another ``Host`` (DNS rebinding) or ``Origin`` are refused, also with the token.
    """

    daemon_threads = True

    def __init__(
        self,
        folder: Path,
        actions: Mapping[str, Callable[[str], str]],
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.token = secrets.token_urlsafe(32)
        self.actions = actions
        self._lock = Lock()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """The URL of the overview, with the token."""
        return f"{self.origin}/{self.token}/index.html"

    def act(self, name: str, text: str) -> str:
        """Pass a text to an action, one at a time."""
        with self._lock:
            return self.actions[name](text)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a connection is not an error."""


class _Handler(BaseHTTPRequestHandler):
    server: EditServer
    timeout = MAX_SECONDS
    server_version = "forest-scrapy"
    sys_version = ""

    def do_GET(self) -> None:
        name = self._name()
        if name is None:
            return
        path = self.server.folder / name
        # Only files of the folder itself: a name with a separator is never one of them.
        is_in_folder = Path(name).name == name
        if not is_in_folder or path.suffix != ".html" or not path.is_file():
            self._answer(HTTPStatus.NOT_FOUND, "no such file")
            return
        self._answer(HTTPStatus.OK, path.read_bytes(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        name = self._name()
        if name is None:
            return
        origin = self.headers.get("Origin", self.server.origin)
        if origin != self.server.origin:
            self._answer(HTTPStatus.FORBIDDEN, "another origin")
        elif name not in self.server.actions:
            self._answer(HTTPStatus.NOT_FOUND, "no such action")
        elif self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not JSON")
        elif (size := self._size()) is None:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "no length, or too long")
        else:
            self._act(name, self.rfile.read(size))

    def _act(self, name: str, body: bytes) -> None:
        try:
            text = self.server.act(name, body.decode("utf-8", "replace"))
        except (ForestError, OSError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
        except Exception as error:  # a bug; the browser is told
            logger.exception("The edit cannot be read, previewed or stored")
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}")
        else:
            self._answer(HTTPStatus.OK, text)

    def _name(self) -> str | None:
        """The name after the token; None if the request was refused."""
        host = f"127.0.0.1:{self.server.server_port}"
        token, _, name = self.path.removeprefix("/").partition("/")
        is_ours = self.headers.get_all("Host") == [host]
        expected_token = self.server.token.encode()
        if is_ours and compare_digest(token.encode(), expected_token):
            return name
        self._answer(HTTPStatus.FORBIDDEN, "use the URL that scrapy forest edit has printed")
        return None

    def _size(self) -> int | None:
        """The length of the body; None if the request does not tell it, or it is too large."""
        length = self.headers.get("Content-Length", "")
        is_number = length.isascii() and length.isdigit() and len(length) < 10
        if not is_number or int(length) > MAX_BODY_BYTES:
            return None
        return int(length)

    def _answer(
        self,
        status: HTTPStatus,
        body: str | bytes,
        kind: str = "text/plain",
    ) -> None:
        data = body.encode("utf-8", "replace") if isinstance(body, str) else body
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their paths have the token."""


class Editor:
    """Writes the report of some hosts to a folder; previews, stores and undoes the edits that are
    made there."""

    def __init__(
        self,
        host_pages: HostPages,
        folder: Path,
        config: ForestSettings,
    ) -> None:
        self._host_pages = host_pages
        self._folder = folder
        self._config = config
        #: The template that was last previewed, and what its stored wrapper gives on its pages.
        self._previewed: Template | None = None
        self._results: list[Result] = []

    def check(self) -> None:
        """Raise ``NothingToReport`` if no template is one of articles, which can be edited here."""
        templates = stored_report(self._host_pages, self._config).templates
        if all(template.kind for template in templates):
            raise NothingToReport("\n".join(template.note for template in templates))

    @property
    def actions(self) -> dict[str, Callable[[str], str]]:
        """What a page of the report can post JSON to, by name."""
        return {"preview": self.preview, "save": self.save, "undo": self.undo}

    def write(self) -> None:
        """Write the report, with the wrappers as they are stored now."""
        report = stored_report(self._host_pages, self._config)
        write_report(report, self._folder, self._config, saves=True)

    def preview(self, text: str) -> str:
        """What an edit would change, as JSON, see ``preview_values``; ``page`` of the posted object
        is the URL of the page that is shown.  Nothing is stored.  Raises as ``save``."""
        edit = self._read(text)
        stored, rules = find_edited(edit, self._config)
        pages = self._pages(edit.host, edit.template_id)
        if self._previewed != stored:
            self._results = read_results(pages, stored.wrapper, self._config)
            self._previewed = stored

        wrapper = rules.text_wrapper
        changes = compare_all(pages, self._results, wrapper, self._config)
        files = {
            page.url: report_file_name("page", edit.host, stored.id, page.url) for page in pages
        }
        url = json.loads(text).get("page")
        shown_page = next((page for page in pages if page.url == url), None)
        values = preview_values(changes, files, shown_page, wrapper, self._config.params)
        return json.dumps(values)

    def save(self, text: str) -> str:
        """Store an edit; returns what it changes.  Raises ``BadEdit``, also for another host."""
        edit = self._read(text)
        pages = self._pages(edit.host, edit.template_id)
        message = store_edit(edit, pages, self._config)
        self.write()
        return message

    def undo(self, text: str) -> str:
        """Undo the last correction of the ``template`` of a ``host``; returns what its wrapper is
        now.  The posted wrapper is the one that the page shows.  Raises ``BadEdit``."""
        edit = self._read(text)
        base = edit.edited if isinstance(edit.edited, Wrapper) else None
        message = undo_edit(edit.host, edit.template_id, self._config, base)
        self.write()
        return message

    def _read(self, text: str) -> Edit:
        edit = read_edit(text, "the edit")
        hosts = self._host_pages.hosts
        name, _ = split_port(edit.host)
        if edit.host not in hosts and name not in hosts:
            raise BadEdit(f"{edit.host} is not among {', '.join(hosts)}")
        return edit

    def _pages(self, host: str, template_id: str) -> Sequence[Page]:
        return self._host_pages.pages_of(host, template_id)


class EditHosts(Action):
    """Serve the report of hosts on loopback, to correct their wrappers in a browser."""

    name = "edit"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("hosts", nargs="+", type=site_name, metavar="HOST", help="or a URL of the host")
        add("--feed", default="", metavar="URL|FILE", help="use its entries for the articles")

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``, ``UnknownHost``, and ``OSError``."""
        hosts = tuple(dict.fromkeys(options.hosts))
        for host in hosts:
            find_wrappers(host, self.config)  # an unknown host is named before anything is fetched
        host_pages = HostPages.fetch(hosts, self, options.feed)
        for error in self.errors:  # not only when the server is stopped
            write_piece(f"scrapy forest edit: {error}\n", sys.stderr)
        self.errors.clear()
        with TemporaryDirectory(prefix="forest-edit-") as folder:
            editor = Editor(host_pages, Path(folder), self.config)
            editor.check()
            editor.write()
            with EditServer(Path(folder), editor.actions) as server:
                _stop_by_signals()
                print(f"Open {server.url} - this URL is secret; stop with Ctrl-C", flush=True)
                with suppress(KeyboardInterrupt):
                    server.serve_forever()
        return ""


def _stop_by_signals() -> None:
    """Handle signals as Python does: after a crawl, Scrapy's handlers are still there."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
