"""A recorded site on a local server: an HTTP proxy that answers for the site's own host names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree, html

from benchmarks.sets.bench_set import ENTRY_CHARACTERS, BenchPage, Group

#: Elements of feeds that hold the text of an item, without namespace.
_TEXTS = frozenset(("encoded", "description", "content", "summary"))
_ITEMS = frozenset(("item", "entry"))


class RecordedSite:
    """The pages of a group by their URL, whatever its scheme, and the links between them.

    ``with_feed``: whether the feed is served.
    """

    def __init__(self, group: Group, with_feed: bool = True) -> None:
        self.group = group
        self.with_feed = with_feed
        self._pages = {_key(page.url): page for page in reversed(group.pages)}
        keys = [*self._pages, _key(group.feed_url)]
        hosts = {re.escape(host) for host, _ in keys if host}
        longest_first = sorted(hosts, key=lambda name: (-len(name), name))
        names = "|".join(longest_first)
        self._secure = re.compile(rb"https:(?=(?:\\?/){2}(?:" + names.encode() + rb")\b)")

    def find(self, url: str) -> BenchPage | None:
        """The recorded page of a URL, with or without a final slash, ``index.html`` or
        ``.html``; None if there is none.  A URL with a query that is not recorded has none."""
        host, path = _key(url)
        paths = [path]
        if "?" not in path:
            paths += [
                path + "/",
                path.rstrip("/"),
                path + "index.html",
                path + "/index.html",
                path + ".html",
                path.removesuffix("index.html"),
            ]
        for spelling in paths:
            page = self._pages.get((host, spelling))
            if page is not None:
                return page
        return None

    def body(self, url: str) -> tuple[bytes, str] | None:
        """Body and content type of a URL; None if it is not recorded.  Links to the site's own
        hosts are changed to http, because the server has no certificates."""
        feed_url = self.group.feed_url
        if self.with_feed and feed_url and _key(url) == _key(feed_url):
            feed = cut_feed(self.group.feed_body)
            return self._secure.sub(b"http:", feed), "application/xml"
        page = self.find(url)
        if page is None:
            return None
        return self._secure.sub(b"http:", page.html), "text/html"

    @cached_property
    def links(self) -> dict[str, list[str]]:
        """Ids of the recorded pages that each recorded page links, by its id."""
        return {page.id: self._linked(page) for page in self.group.pages}

    def reachable(self, start: BenchPage) -> set[str]:
        """Ids of the pages that can be reached from ``start`` by links, itself included."""
        reached = {start.id}
        waiting = [start.id]
        while waiting:
            for linked in self.links[waiting.pop()]:
                if linked not in reached:
                    reached.add(linked)
                    waiting.append(linked)
        return reached

    @property
    def home(self) -> BenchPage | None:
        """The page other than articles with the shortest path; None if there is none."""
        listings = [page for page in self.group.pages if not page.is_article]
        return min(
            listings,
            key=lambda page: (len(urlsplit(page.url).path), page.url),
            default=None,
        )

    def _linked(self, page: BenchPage) -> list[str]:
        if not page.html.strip():
            return []
        root = html.document_fromstring(page.html)
        stated_base = next(iter(root.xpath("//base/@href")), "")
        base = urljoin(page.url, stated_base)
        ids: dict[str, None] = {}
        for url in _absolute(root.xpath("//a/@href"), base):
            linked = self.find(url)
            if linked is not None:
                ids[linked.id] = None
        return list(ids)


def cut_feed(body: bytes) -> bytes:
    """The feed with at most ``ENTRY_CHARACTERS`` characters of each item's text: full texts are
    the gold texts."""
    root = etree.fromstring(body, etree.XMLParser(recover=True, huge_tree=True))
    if root is None:
        return body
    for element in list(root.iter(etree.Element)):
        is_item_text = _name(element) in _TEXTS and _name(element.getparent()) in _ITEMS
        if is_item_text:
            markup = " ".join(element.itertext())
            text = html.fromstring(f"<div>{markup}</div>").text_content()
            tail = element.tail
            element.clear()
            element.text = " ".join(text.split())[:ENTRY_CHARACTERS]
            element.tail = tail
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


class SiteServer(ThreadingHTTPServer):
    """Answers as the host names of ``site``, with ETags, and 404 for all that is not recorded.
    ``requested``: the URLs of the requests."""

    site: RecordedSite

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.requested: list[str] = []  # threads only append, which is atomic

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serve_sites() -> Iterator[SiteServer]:
    """A running server; its ``site`` is set by the caller."""
    with SiteServer(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SiteServer

    def do_GET(self) -> None:
        self.server.requested.append(self.path)
        body, kind = self.server.site.body(self.path) or (b"", "")
        etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        is_known = kind and self.headers.get("If-None-Match") == etag
        body = b"" if is_known else body
        self.send_response(304 if is_known else 200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        if kind:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def _key(url: str) -> tuple[str, str]:
    """Host, and path with query."""
    parts = urlsplit(url)
    return (parts.hostname or "").lower(), unquote(parts.path or "/") + (
        f"?{parts.query}" if parts.query else ""
    )


def _absolute(links: list[str], base: str) -> Iterator[str]:
    for link in links:
        try:
            yield urljoin(base, link.strip())
        except ValueError:
            continue


def _name(element: Any) -> str:
    return etree.QName(element).localname.lower() if element is not None else ""
