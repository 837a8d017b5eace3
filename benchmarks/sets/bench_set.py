"""Read a folder of recorded pages with gold texts.

``SET/manifest.json``: ``{"name", "groups": [{"group", "language", "feed": {"url", "file"} or
null, "pages": [{"id", "url", "kind", "html", "gold", "title", "authors", "published"}]}]}``.
``html`` and ``feed.file`` are gzipped files, with paths relative to the folder; ``gold`` is a text
file with the article, without title and byline.  ``title``, ``authors`` and ``published`` may be
missing.  ``kind`` is ``article`` or the name of another page type, which needs no ``gold``.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy.http import HtmlResponse, Request

from forest_scrapy.core import Entry, Page
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.responses.conversion import page_of, repair_encoding

#: Feeds of a set may hold the whole articles, which are the gold texts.  Descriptions are cut to
#: this many characters, as in most feeds on the web.  Not tuned.
ENTRY_CHARACTERS = 280

#: The exceptions that reading a set can raise.
_ERRORS = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zlib.error)
#: Keys of a page that name files.
_FILES = ("html", "gold")


class UnreadableSet(Exception):
    """The set's folder or one of its files cannot be read; the message says which and why."""


@dataclass(frozen=True)
class BenchPage:
    """A recorded page.  ``url`` is made up if the recording has none.  ``title``, ``authors`` and
    ``published`` are the correct ones; empty if they are not known."""

    id: str
    url: str
    kind: str
    html: bytes = field(repr=False)
    gold: str = field(repr=False)
    entry: Entry | None = None
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""

    @property
    def is_article(self) -> bool:
        return self.kind == "article"

    def make_response(self) -> HtmlResponse:
        """A new response, as a crawl would get it."""
        headers = {"Content-Type": "text/html"}
        return HtmlResponse(self.url, body=self.html, headers=headers, request=Request(self.url))

    def parse(self) -> Page:
        """The page as a crawl would parse it, without its feed entry."""
        return page_of(repair_encoding(self.make_response()))


@dataclass(frozen=True)
class Group:
    """The pages of one site, and its feed: ``feed_url`` is ``""`` if there is none."""

    name: str
    pages: tuple[BenchPage, ...]
    language: str = ""
    feed_url: str = ""
    feed_body: bytes = field(default=b"", repr=False)

    @property
    def has_feed(self) -> bool:
        return bool(self.feed_url)

    @property
    def articles(self) -> list[BenchPage]:
        """The pages that are scored: articles with a gold text."""
        return [page for page in self.pages if page.is_article and page.gold]


def load_groups(folder: str) -> Iterator[Group]:
    """The groups of a set, one at a time.  Raises ``UnreadableSet``."""
    with _explain_errors(folder):
        groups = _read_manifest(folder)["groups"]
        if not any(group["pages"] for group in groups):
            raise UnreadableSet(f"{folder}: it has no pages")
        for group in groups:
            yield _read_group(Path(folder), group)


def read_items(file: Path) -> list[dict[str, Any]]:
    """The items of a file with JSON lines, none if there is no file; texts may have other
    characters that end lines."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def set_name(folder: str) -> str:
    """The name in the manifest, or else the folder's.  Raises ``UnreadableSet``."""
    with _explain_errors(folder):
        return str(_read_manifest(folder).get("name") or Path(folder).name)


def digest_set(folder: str) -> str:
    """The SHA-256 of the set's contents: the values of the manifest, pages, gold texts and
    feeds, however they are compressed.  Raises ``UnreadableSet``."""
    digest = sha256()
    with _explain_errors(folder):
        manifest = _read_manifest(folder)
        digest.update(json.dumps(manifest, sort_keys=True).encode())
        for group in manifest["groups"]:
            feed = group.get("feed") or {}
            names = [feed.get("file"), *(page.get(k) for page in group["pages"] for k in _FILES)]
            for name in filter(None, names):
                content = Path(folder, name).read_bytes()
                content = gzip.decompress(content) if name.endswith(".gz") else content
                digest.update(sha256(content).digest())
    return digest.hexdigest()


def run_command(main: Callable[[], None]) -> None:
    """Run the ``main`` of a benchmark; an unreadable set ends it with the reason and status 1."""
    try:
        main()
    except UnreadableSet as error:
        sys.exit(f"cannot read the set: {error}")


@contextmanager
def _explain_errors(folder: str) -> Iterator[None]:
    try:
        yield
    except _ERRORS as error:
        raise UnreadableSet(f"{folder}: {type(error).__name__}: {error}") from error


def _read_manifest(folder: str) -> Any:
    return json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))


def _read_group(base: Path, group: dict[str, Any]) -> Group:
    feed = group.get("feed") or {"url": ""}
    body = gzip.decompress((base / feed["file"]).read_bytes()) if feed["url"] else b""
    entries = _read_entries(body, feed["url"]) if body else {}
    pages = []
    for page in group["pages"]:
        url = page["url"] or f"http://{_as_host(group['group'])}.invalid/{page['id']}"
        gold = page.get("gold")
        pages.append(
            BenchPage(
                id=page["id"],
                url=url,
                kind=page["kind"],
                html=gzip.decompress((base / page["html"]).read_bytes()),
                gold=(base / gold).read_text(encoding="utf-8") if gold else "",
                entry=entries.get(_url_key(url)),
                title=page.get("title") or "",
                authors=tuple(page.get("authors") or ()),
                published=page.get("published") or "",
            )
        )
    language = group.get("language") or ""
    return Group(group["group"], tuple(pages), language, feed["url"], body)


def _read_entries(body: bytes, feed_url: str) -> dict[str, Entry]:
    items = read_feed(body, feed_url, {"content-type": "application/xml"}).items
    return {
        _url_key(url): replace(entry, description=entry.description[:ENTRY_CHARACTERS], content="")
        for url, entry in items
    }


def _url_key(url: str) -> str:
    """The URL without its scheme, percent-encoding and final slash."""
    parts = urlsplit(unquote(url))
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc}{parts.path}{query}".rstrip("/")


def _as_host(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())
