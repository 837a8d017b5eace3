"""A server of hostile answers, each under a path of its own."""

from __future__ import annotations

import socketserver
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

#: Articles that each crawl must give, whatever the hostile answer.
STORIES = 3
_WORDS = "harbour lantern quarry meadow copper violin glacier orchard beacon ferry".split()


@dataclass(frozen=True)
class Answer:
    """A raw HTTP response, and where a crawl meets it: as a ``page`` that a feed lists, a
    ``feed``, a ``site`` to find feeds on, a ``sitemap``, or the ``robots`` file."""

    raw: bytes
    where: str


def answer(
    body: bytes,
    where: str = "page",
    kind: str = "",
    status: str = "200 OK",
    **headers: str,
) -> Answer:
    """A response with a correct length.  ``kind``: its Content-Type; by default that which fits
    ``where``."""
    usual = {"feed": "application/rss+xml", "robots": "text/plain"}.get(where, "text/html")
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind or usual}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    return Answer(head.encode("latin-1") + body, where)


@contextmanager
def serve(answers: Mapping[str, Answer]) -> Iterator[str]:
    """The URL of a server on loopback.

    ``/NAME`` is the answer itself, ``/feed/NAME`` a feed that lists it and the stories,
    ``/form/NAME`` a page with a form whose answers are this one; a request for ``/robots/NAME``
    makes it the robots.txt.
    """
    server = _Server(("127.0.0.1", 0), _Handler)
    server.answers = answers
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64
    answers: Mapping[str, Answer]
    robots: Answer | None = None

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients hang up on hostile answers."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        path = self.rfile.readline(65537).split(b" ")[1].decode("latin-1").partition("?")[0]
        while self.rfile.readline(65537).strip():
            pass
        self.wfile.write(self._find(path).raw)

    def _find(self, path: str) -> Answer:
        kind, _, name = path.strip("/").partition("/")
        if path == "/robots.txt" and self.server.robots:
            return self.server.robots
        if kind == "robots":  # from now on, this is the robots.txt; without a name, there is none
            self.server.robots = self.server.answers.get(name)
            return answer(b"")
        if kind == "feed":
            return answer(_feed(name), "feed")
        if kind == "links":
            paths = [f"/story/{number}" for number in range(STORIES)] + [f"/{name}"]
            return answer("".join(f"<p><a href={path}>x</a>" for path in paths).encode())
        if kind == "form":
            form = f"<form role=search action=/{name}><input name=q></form><p>A register"
            return answer(form.encode())
        if kind == "story":
            return answer(_story(int(name)))
        return self.server.answers.get(path.strip("/"), answer(b"", status="404 Not Found"))


def _feed(name: str) -> bytes:
    links = [f"/story/{number}" for number in range(STORIES)] + ([f"/{name}"] if name else [])
    items = "".join(f"<item><title>An item</title><link>{link}</link></item>" for link in links)
    return f"<rss version='2.0'><channel><title>a</title>{items}</channel></rss>".encode()


def _story(number: int) -> bytes:
    text = " ".join(f"{word}{number}" for word in _WORDS * 3)
    rows = "".join(f"<p>{text.capitalize()}. Paragraph {i} of {number}.</p>" for i in range(6))
    return (
        f"<html lang=en><head><title>Story {number}</title></head><body><ul><li>Home</ul>"
        f"<div class=story><h1>Story {number}</h1><div class=text>{rows}</div></div></body></html>"
    ).encode()
