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
from forest_scrapy.commands.report import HostPages, stored_report
from forest_scrapy.commands.stored import find_wrappers, host_name
from forest_scrapy.core import ForestError, Page, Template, Wrapper
from forest_scrapy.report.page_view import file_name
from forest_scrapy.report.preview import Result, preview_values
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

logger = logging.getLogger(__name__)

#: The largest body that is read, in bytes, and how long a request may take, in seconds.
_MOST_BYTES, _SECONDS = 4_000_000, 30
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

    def __init__(self, folder: Path, actions: Mapping[str, Callable[[str], str]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.token = folder, secrets.token_urlsafe(32)
        self.actions, self._lock = actions, Lock()

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
    timeout = _SECONDS
    server_version, sys_version = "forest-scrapy", ""

    def do_GET(self) -> None:
        name = self._name()
        if name is None:
            return
        path = self.server.folder / name
        # Only files of the folder itself: a name with a separator is never one of them.
        if Path(name).name != name or path.suffix != ".html" or not path.is_file():
            self._answer(HTTPStatus.NOT_FOUND, "no such file")
            return
        self._answer(HTTPStatus.OK, path.read_bytes(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        name = self._name()
        if name is None:
            return
        if self.headers.get("Origin", self.server.origin) != self.server.origin:
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
        if is_ours and compare_digest(token.encode(), self.server.token.encode()):
            return name
        self._answer(HTTPStatus.FORBIDDEN, "use the URL that scrapy forest edit has printed")
        return None

    def _size(self) -> int | None:
        given = self.headers.get("Content-Length", "")
        size = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else -1
        return size if 0 <= size <= _MOST_BYTES else None

    def _answer(self, status: HTTPStatus, body: str | bytes, kind: str = "text/plain") -> None:
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
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

    def __init__(self, given: HostPages, folder: Path, config: ForestSettings) -> None:
        self._given, self._folder, self._config = given, folder, config
        #: The template that was last previewed, and what its stored wrapper gives on its pages.
        self._last: tuple[Template | None, list[Result]] = None, []

    @property
    def actions(self) -> dict[str, Callable[[str], str]]:
        """What a page of the report can post JSON to, by name."""
        return {"preview": self.preview, "save": self.save, "undo": self.undo}

    def write(self) -> None:
        """Write the report, with the wrappers as they are stored now."""
        report = stored_report(self._given, self._config)
        write_report(report, self._folder, self._config, saves=True)

    def preview(self, text: str) -> str:
        """What an edit would change, as JSON, see ``preview_values``; ``page`` of the posted object
        is the URL of the page that is shown.  Nothing is stored.  Raises as ``save``."""
        edit = self._read(text)
        stored, rules = find_edited(edit, self._config)
        pages = self._pages(edit.host, edit.template_id)
        if self._last[0] != stored:
            self._last = stored, read_results(pages, stored.wrapper, self._config)
        wrapper, params = rules.text_wrapper, self._config.params
        changes = compare_all(pages, self._last[1], wrapper, self._config)
        files = {page.url: file_name("page", edit.host, stored.id, page.url) for page in pages}
        url = json.loads(text).get("page")
        shown = next((page for page in pages if page.url == url), None)
        return json.dumps(preview_values(changes, files, shown, wrapper, params))

    def save(self, text: str) -> str:
        """Store an edit; what it changes.  Raises ``BadEdit``, also for another host."""
        edit = self._read(text)
        done = store_edit(edit, self._pages(edit.host, edit.template_id), self._config)
        self.write()
        return done

    def undo(self, text: str) -> str:
        """Undo the last correction of the ``template`` of a ``host``; what its wrapper is now.  The
        posted wrapper is the one that the page shows.  Raises ``BadEdit``."""
        edit = self._read(text)
        base = edit.edited if isinstance(edit.edited, Wrapper) else None
        done = undo_edit(edit.host, edit.template_id, self._config, base)
        self.write()
        return done

    def _read(self, text: str) -> Edit:
        edit = read_edit(text, "the edit")
        if edit.host not in self._given.hosts:
            raise BadEdit(f"{edit.host} is not among {', '.join(self._given.hosts)}")
        return edit

    def _pages(self, host: str, template_id: str) -> Sequence[Page]:
        return self._given.pages.get((host, template_id), ())


class EditHosts(Action):
    """Serve the report of hosts on loopback, to correct their wrappers in a browser."""

    name = "edit"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("hosts", nargs="+", type=host_name, metavar="HOST", help="or a URL of the host")
        add("--feed", default="", metavar="URL|FILE", help="use its entries for the articles")

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``, ``UnknownHost``, and ``OSError``."""
        hosts = tuple(dict.fromkeys(options.hosts))
        for host in hosts:
            find_wrappers(host, self.config)  # an unknown host is named before anything is fetched
        given = HostPages.fetch(hosts, self, options.feed)
        for error in self.errors:  # not only when the server is stopped
            write_piece(f"scrapy forest edit: {error}\n", sys.stderr)
        self.errors.clear()
        with TemporaryDirectory(prefix="forest-edit-") as folder:
            editor = Editor(given, Path(folder), self.config)
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
