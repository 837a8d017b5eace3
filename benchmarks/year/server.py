"""The sites of a year, served through a proxy, with a note of each answer."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import blake2b
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from benchmarks.year.sites import Site, Story

#: Seconds that a feed with a timeout waits; crawls wait for less.
_HANGS = 8.0
#: The number of a version that was not served: the page failed.
FAILED = -1
GONE = -2


@dataclass(frozen=True)
class Answer:
    """One answer: of a feed the numbers of its stories, of a page the number of the version."""

    run: int
    site: int
    status: int
    stories: tuple[int, ...] = ()
    version: int | None = None


class YearServer(ThreadingHTTPServer):
    """Answers as the hosts of the sites at the moment ``now``, which the caller sets.

    ``run``: the number of the run that is noted with each answer.  ``watch``: called after each
    answer with a page.
    """

    daemon_threads = True

    def __init__(self, sites: Mapping[str, Site]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sites = sites
        self.now = 0
        self.run = 0
        self.answers: list[Answer] = []  # threads only append, which is atomic
        self.watch: Callable[[], None] = lambda: None
        #: The digests that were posted to the hook, which may be down.
        self.told: list[dict[str, Any]] = []
        self.hook_is_down = False
        self.hook_failures = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def serve_year(sites: list[Site]) -> Iterator[YearServer]:
    with YearServer({site.host: site for site in sites}) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    wbufsize = -1
    server: YearServer

    def do_GET(self) -> None:  # the name http.server calls
        parts = urlsplit(self.path)
        site = self.server.sites.get((parts.hostname or "").removeprefix("www."))
        if site and parts.path == site.feed_path:
            self._answer_feed(site)
        elif site and parts.path in site.by_path:
            self._answer_page(site, site.by_path[parts.path])
        elif site and site.has_sitemap and parts.path == "/sitemap.xml":
            self._send(200, _sitemap(site, self.server.now).encode(), "application/xml")
        else:
            self._send(404, b"nothing here", "text/plain")

    def do_POST(self) -> None:  # the name http.server calls
        """Take a digest, as ``FOREST_ON_TROUBLE``."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.hook_is_down:
            self.server.hook_failures += 1
            self._send(503, b"down", "text/plain")
            return
        self.server.told.append(json.loads(body))
        self._send(200, b"taken", "text/plain")

    def _answer_feed(self, site: Site) -> None:
        now = self.server.now
        failure = site.failure(self.server.now)
        if failure:
            self._fail(failure)
            self._note(Answer(self.server.run, site.number, 0))
            return
        stories = site.listed(now)
        body = (_atom if site.is_atom else _rss)(site, stories, now).encode()
        status = self._send(200, body, "application/xml", site.has_etags)
        self._note(Answer(self.server.run, site.number, status, tuple(s.number for s in stories)))

    def _fail(self, failure: str) -> None:
        if failure.isdigit():
            self._send(int(failure), b"<h1>Failed</h1>", "text/html")
        elif failure == "timeout":
            time.sleep(_HANGS)
        elif failure == "cut":
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        elif failure == "page":
            self._send(200, b"<html><body><h1>Under maintenance</h1></body></html>", "text/html")
        else:
            empty = b"<rss version='2.0'><channel><title>Paper</title></channel></rss>"
            self._send(200, b"" if failure == "empty" else empty, "application/xml")

    def _answer_page(self, site: Site, story: Story) -> None:
        server = self.server
        now = self.server.now
        number = story.version_at(now)
        if story.is_gone(now):
            number = GONE
            status = self._send(404, b"<h1>Not found</h1>", "text/html")
        elif now < story.fails_until:
            number = FAILED
            status = self._send(500, b"<h1>Failed</h1>", "text/html")
        else:
            page = site.page(story, now).encode()
            status = self._send(200, page, "text/html", site.pages_have_etags)
        self._note(Answer(server.run, site.number, status, (story.number,), number))
        server.watch()

    def _send(self, status: int, body: bytes, kind: str, has_etag: bool = False) -> int:
        etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        if has_etag and self.headers.get("If-None-Match") == etag:
            status = 304
            body = b""
        self.send_response(status)
        if has_etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return status

    def _note(self, answer: Answer) -> None:
        self.server.answers.append(answer)

    def log_message(self, *args: Any) -> None:
        pass


def _listed_version(story: Story, now: int) -> int:
    """The latest version that the feed tells of."""
    last = story.version_at(now)
    return max(n for n in range(last + 1) if story.versions[n].is_listed)


def _rss(site: Site, stories: list[Story], now: int) -> str:
    items = "".join(
        f"<item><title>{escape(_title(story, now))}</title>"
        f"<link>{escape(site.link(story, now))}</link>"
        f"<guid>{site.number}-{story.number}</guid>{_date(story) if site.has_dates else ''}"
        f"<description>{escape(_teaser(story, now))}</description></item>"
        for story in stories
    )
    head = f"<title>Paper {site.number}</title><link>http://{site.host}/</link>"
    return f'<rss version="2.0"><channel>{head}{items}</channel></rss>'


def _date(story: Story) -> str:
    return f"<pubDate>{format_datetime(_moment(story.published))}</pubDate>"


def _atom(site: Site, stories: list[Story], now: int) -> str:
    entries = "".join(_atom_entry(site, story, now) for story in stories)
    head = f"<title>Paper {site.number}</title><id>urn:{site.number}</id>"
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{head}{entries}</feed>'


def _atom_entry(site: Site, story: Story, now: int) -> str:
    listed_version = story.versions[_listed_version(story, now)]
    updated = _moment(listed_version.since).isoformat()
    published = _moment(story.published).isoformat()
    return (
        f"<entry><title>{escape(listed_version.title)}</title>"
        f"<id>urn:{site.number}:{story.number}</id>"
        f'<link href="{escape(site.link(story, now))}"/>'
        f"<published>{published}</published>"
        f"<updated>{updated}</updated>"
        f"<summary>{escape(_teaser(story, now))}</summary></entry>"
    )


def _title(story: Story, now: int) -> str:
    return story.versions[_listed_version(story, now)].title


def _sitemap(site: Site, now: int) -> str:
    """All stories that are there, with the times of their versions."""
    rows = []
    for story in site.published(0, now):
        if not story.is_gone(now):
            changed = _moment(story.versions[story.version_at(now)].since)
            link = escape(site.link(story, now))
            rows.append(f"<url><loc>{link}</loc><lastmod>{changed.isoformat()}</lastmod></url>")
    urls = "".join(rows)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


def _teaser(story: Story, now: int) -> str:
    version = _listed_version(story, now)
    mark = f" (corrected {version})" if version else ""
    return story.versions[0].paragraphs[0][:90] + mark


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
