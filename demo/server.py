"""An HTTP server for the demo site, on loopback, in its own thread."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import socketserver
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from demo.demo_site import DemoSite, build_site
from demo.edition import read_layout

#: The port of ``python -m demo``, and of crawls of the demo site if it is free: so its URLs are the
#: same in the next crawl.
DEFAULT_PORT = 8000
#: Names of servers, in their responses; one that stays until it is stopped has the second.
_NAME = "DemoSite"
_LASTING_NAME = "DemoSite-lasting"
#: Seconds to wait for what listens at the default port.
_TIMEOUT = 2


def find_lasting_server(port: int = DEFAULT_PORT) -> str:
    """The URL of the demo site if ``python -m demo`` serves it at this port of 127.0.0.1; else
    ``""``.

    >>> with DemoServer() as server:
    ...     find_lasting_server(server.port)
    ''
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)
    try:
        connection.request("HEAD", "/")
        name = connection.getresponse().headers.get("Server", "")
    except (OSError, HTTPException):
        return ""
    finally:
        connection.close()
    return f"http://127.0.0.1:{port}" if name.startswith(_LASTING_NAME) else ""


class DemoServer:
    """Serves the demo site on loopback between ``start`` and ``close``, or in a ``with`` block.

    ``extra``: more files (content type and bytes by path), which replace those of the site.
    ``delay``: seconds before each response.  ``port``: 0 for any free port; ``may_move``: any free
    one, too, if this one is taken.  ``is_lasting``: crawls of the demo site may use the server.
    ``address``: the loopback address, 127.0.0.1 by default.

    >>> with DemoServer() as server:
    ...     server.feed_url == f"{server.url}/feed.xml"
    True
    """

    def __init__(
        self,
        *,
        extra: Mapping[str, tuple[str, bytes]] | None = None,
        delay: float = 0.0,
        port: int = 0,
        address: str = "127.0.0.1",
        may_move: bool = False,
        is_lasting: bool = False,
    ) -> None:
        self._extra = dict(extra or {})
        self._delay = delay
        self._port = port
        self._address = address
        self._may_move = may_move
        self._is_lasting = is_lasting
        self._site: DemoSite | None = None
        self._http: _HttpServer | None = None
        self._thread: threading.Thread | None = None
        self._requests: list[str] = []  # threads only append, which is atomic

    @property
    def site(self) -> DemoSite:
        """The site that is served; available from the first start on, also after ``close``."""
        if self._site is None:
            raise RuntimeError("the demo server has not been started")
        return self._site

    @property
    def url(self) -> str:
        """``http://<address>:<port>``, without a trailing slash."""
        return self.site.base_url

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    @property
    def feed_url(self) -> str:
        return self.site.feed_url

    @property
    def requests(self) -> list[str]:
        """The paths requested so far, in order, with their query strings (a copy)."""
        return list(self._requests)

    def start(self) -> None:
        """Start the server; does nothing if it is running."""
        if self._http is not None:
            return
        self._http = self._bind()
        self._http.name = _LASTING_NAME if self._is_lasting else _NAME
        self._site = build_site(f"http://{self._address}:{self._http.server_address[1]}")
        self._http.files = {**self._site.files, **self._extra}
        self._http.requests = self._requests
        self._http.delay = self._delay
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="demo-site", daemon=True
        )
        self._thread.start()

    def _bind(self) -> _HttpServer:
        try:
            return _HttpServer((self._address, self._port), _Handler)
        except OSError:
            if not (self._may_move and self._port):
                raise
            return _HttpServer((self._address, 0), _Handler)

    def close(self) -> None:
        """Stop the server, close open connections and free the port; may be called twice."""
        http, self._http = self._http, None
        thread, self._thread = self._thread, None
        if http is None or thread is None:
            return
        http.stopping.set()
        http.shutdown()
        thread.join()
        http.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _HttpServer(ThreadingHTTPServer):
    """Keeps a list of open connections, to close idle ones on shutdown too."""

    daemon_threads = True
    request_queue_size = 128
    files: Mapping[str, tuple[str, bytes]]
    requests: list[str]
    delay: float
    name: str

    def __init__(self, *arguments: Any) -> None:
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(*arguments)

    def server_bind(self) -> None:
        """Bind only; the base class also looks up the host name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        with self._guard:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report errors of this module, but not clients that close the connection."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD from ``server.files``."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet
    server: _HttpServer

    def do_GET(self) -> None:  # the name http.server calls
        self.server.requests.append(self.path)
        self.server.stopping.wait(self.server.delay)
        found = self.server.files.get(urlsplit(self.path).path)
        if found is None:
            page = read_layout("missing.html").encode()
            self._answer(HTTPStatus.NOT_FOUND, "text/html; charset=utf-8", page)
            return
        content_type, body = found
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if self.headers.get("If-None-Match") == etag:
            self._answer(HTTPStatus.NOT_MODIFIED, content_type, b"", etag)
        else:
            self._answer(HTTPStatus.OK, content_type, body, etag)

    def do_HEAD(self) -> None:  # the name http.server calls
        self.do_GET()

    def _answer(self, status: HTTPStatus, content_type: str, body: bytes, etag: str = "") -> None:
        self.send_response(status)
        if etag:
            self.send_header("ETag", etag)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return self.server.name

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: ``DemoServer.requests`` has the requests."""
