"""A folder of recorded pages with gold texts.

``SET/manifest.json``: ``{"name", "groups": [{"group", "language", "feed": {"url", "file"} or
null, "pages": [{"id", "url", "kind", "html", "gold", "title", ...}]}]}``; ``html`` and
``feed.file`` are gzipped files, ``gold`` a text file, all relative to the folder; ``kind`` is
``article`` or the name of another page kind.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from forest_scrapy.core import Entry
from forest_scrapy.feeds.reader import read_feed

__all__ = [
    "BenchPage",
    "Group",
    "UnreadableSet",
    "digest_set",
    "load_groups",
    "set_name",
    "stop_on_unreadable_set",
]

#: Feeds of the set may hold the whole articles, which are the gold: so much of each is left,
#: as in most feeds on the web.
ENTRY_CHARACTERS = 280


#: What reading a set can raise.
_ERRORS = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zlib.error)
#: Keys of a page that name files.
_FILES = ("html", "gold")


class UnreadableSet(Exception):
    """The set's folder or one of its files cannot be read; the message says which and why."""


@dataclass(frozen=True)
class BenchPage:
    """A recorded page.  ``url`` is made up where the recording has none."""

    id: str
    url: str
    kind: str
    html: bytes = field(repr=False)
    gold: str = field(repr=False)
    entry: Entry | None = None

    @property
    def is_article(self) -> bool:
        return self.kind == "article"


@dataclass(frozen=True)
class Group:
    """The pages of one site."""

    name: str
    has_feed: bool
    pages: tuple[BenchPage, ...]

    @property
    def articles(self) -> list[BenchPage]:
        """The pages that are scored: articles with a gold text."""
        return [page for page in self.pages if page.is_article and page.gold]


def load_groups(folder: str) -> Iterator[Group]:
    """The groups of a set, one at a time.  Raises ``UnreadableSet``."""
    base = Path(folder)
    try:
        manifest = json.loads((base / "manifest.json").read_text(encoding="utf-8"))
        if not any(group["pages"] for group in manifest["groups"]):
            raise UnreadableSet(f"{folder}: it has no pages")
        for group in manifest["groups"]:
            yield _read_group(base, group)
    except _ERRORS as error:
        raise UnreadableSet(f"{folder}: {type(error).__name__}: {error}") from error


def set_name(folder: str) -> str:
    """The set's own name, the folder's where it has none.  Raises ``UnreadableSet``."""
    try:
        manifest = json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))
        return str(manifest.get("name") or Path(folder).name)
    except _ERRORS as error:
        raise UnreadableSet(f"{folder}: {type(error).__name__}: {error}") from error


def digest_set(folder: str) -> str:
    """SHA-256 of all that the set holds: the manifest's values, pages, gold texts and feeds,
    whatever they are packed with.  Raises ``UnreadableSet``."""
    digest = sha256()
    try:
        manifest = json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))
        digest.update(json.dumps(manifest, sort_keys=True).encode())
        for group in manifest["groups"]:
            feed = group.get("feed") or {}
            names = [feed.get("file"), *(page.get(k) for page in group["pages"] for k in _FILES)]
            for name in filter(None, names):
                content = Path(folder, name).read_bytes()
                content = gzip.decompress(content) if name.endswith(".gz") else content
                digest.update(sha256(content).digest())
    except _ERRORS as error:
        raise UnreadableSet(f"{folder}: {type(error).__name__}: {error}") from error
    return digest.hexdigest()


def stop_on_unreadable_set(main: Any) -> None:
    """Run a benchmark's ``main``; an unreadable set ends it with its reason and status 1."""
    try:
        main()
    except UnreadableSet as error:
        sys.exit(f"cannot read the set: {error}")


def _read_group(base: Path, group: dict[str, Any]) -> Group:
    feed = group.get("feed")
    entries = _read_entries(base, feed) if feed else {}
    pages = []
    for page in group["pages"]:
        url = page["url"] or f"http://{_plain(group['group'])}.invalid/{page['id']}"
        gold = page.get("gold")
        pages.append(
            BenchPage(
                id=page["id"],
                url=url,
                kind=page["kind"],
                html=gzip.decompress((base / page["html"]).read_bytes()),
                gold=(base / gold).read_text(encoding="utf-8") if gold else "",
                entry=entries.get(_same_url(url)),
            )
        )
    return Group(group["group"], bool(feed), tuple(pages))


def _read_entries(base: Path, feed: dict[str, str]) -> dict[str, Entry]:
    body = gzip.decompress((base / feed["file"]).read_bytes())
    items, _ = read_feed(body, feed["url"], {"content-type": "application/xml"})
    return {
        _same_url(url): replace(entry, description=entry.description[:ENTRY_CHARACTERS])
        for url, entry in items
    }


def _same_url(url: str) -> str:
    """A key that the scheme, a final slash and percent-encoding do not change."""
    parts = urlsplit(unquote(url))
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc}{parts.path}{query}".rstrip("/")


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())
