"""``scrapy forest edit``: a report on loopback, in which edited wrappers are saved directly."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from forest_scrapy.core import ForestError

__all__ = ["EditServer"]

#: The largest body that is read, in bytes, and how long a request may take, in seconds.
_MOST_BYTES, _SECONDS = 1_000_000, 30
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class EditServer(ThreadingHTTPServer):
    """Serves the files of a report, and passes what is posted to ``save``, which returns a text or
    raises ``ForestError``.

    Only this machine can connect.  Every path starts with a token that is made for each server, so
    that other users, and pages of other sites in the same browser, cannot read or save anything.
    Requests with another ``Host`` (DNS rebinding) or ``Origin`` are refused, also with the token.
    """

    daemon_threads = True

    def __init__(self, folder: Path, save: Callable[[str], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.token = folder, secrets.token_urlsafe(32)
        self._save, self._lock = save, Lock()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """The URL of the overview, with the token."""
        return f"{self.origin}/{self.token}/index.html"

    def save(self, text: str) -> str:
        """Save an edit, one at a time."""
        with self._lock:
            return self._save(text)

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
        elif name != "save":
            self._answer(HTTPStatus.NOT_FOUND, "nothing is saved here")
        elif self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not JSON")
        elif (size := self._size()) is None:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "no length, or too long")
        else:
            self._save(self.rfile.read(size))

    def _save(self, body: bytes) -> None:
        try:
            text = self.server.save(body.decode("utf-8", "replace"))
        except (ForestError, OSError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
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
