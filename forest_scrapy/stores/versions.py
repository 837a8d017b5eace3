"""The versions of each article: what it was from when until when.

A table of the history.  A row is an article as it was emitted, or says that it was gone; it is
extended as long as nothing is told to have changed.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from forest_scrapy.stores.database import Database, Row

VERSIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, kind TEXT NOT NULL, status INTEGER NOT NULL,
    change TEXT NOT NULL, fields TEXT NOT NULL, text_digest BLOB NOT NULL, digest BLOB NOT NULL,
    content BLOB NOT NULL, size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS versions_by_key ON versions (key, id);
CREATE INDEX IF NOT EXISTS versions_by_age ON versions (last_seen, id, size);
"""
#: Versions that are kept of an article: the first and the latest.
MAX_VERSIONS = 20
#: Bytes of all versions together.
MAX_BYTES = 200_000_000
#: Versions that are added between two looks at their bytes.
_PRUNE_INTERVAL = 500
#: Bytes of a row without its texts.
_ROW_BYTES = 100

#: The fields of an article that are compressed; all others are stored as they are.
_CONTENT_FIELDS = (
    "text",
    "html",
    "markdown",
    "images",
    "videos",
    "audios",
    "links",
    "related",
    "comments",
    "entry",
    "extra",
)

_INSERT = """
INSERT INTO versions (
    key, first_seen, last_seen, kind, status, change, fields, text_digest, digest, content, size
) VALUES (
    :key, :first_seen, :last_seen, :kind, :status, :change, :fields, :text_digest, :digest,
    :content, :size
)
"""
_EXTEND = "UPDATE versions SET last_seen = ? WHERE id = ? AND last_seen < ?"
_LATEST = "SELECT * FROM versions WHERE key = ? ORDER BY id DESC LIMIT 1"
_LATEST_ARTICLE = """
SELECT * FROM versions WHERE key = ? AND kind <> 'gone' ORDER BY id DESC LIMIT 1
"""
#: All but the first versions of a page and the latest ones.
_PRUNE_PAGE = """
DELETE FROM versions WHERE key = :key AND id IN (
    SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place,
            ROW_NUMBER() OVER (ORDER BY id DESC) AS place_from_end
        FROM versions WHERE key = :key
    ) AS numbered WHERE place > :first AND place_from_end > :latest
)
"""
#: The versions that were seen last longest ago.
_PRUNE_OLDEST = """
DELETE FROM versions WHERE id IN (
    SELECT id FROM (
        SELECT id, SUM(size) OVER (ORDER BY last_seen DESC, id DESC) AS total FROM versions
    ) AS summed WHERE total > ?
)
"""
#: SQLite takes no heed of the case of letters in ``LIKE``.
_FIND_URL = "SELECT key, fields FROM versions WHERE fields LIKE ? ESCAPE '!' ORDER BY id DESC"
_OF_PAGE = "SELECT * FROM versions WHERE key = ? ORDER BY id"
_OF_HOST = """
SELECT versions.*, pages.url FROM versions JOIN pages ON pages.key = versions.key
JOIN hosts ON hosts.id = pages.host WHERE hosts.name = ? ORDER BY pages.url, versions.id
"""


#: Versions from which the rates of changes are estimated.
_MAX_SPANS = 5000
_SPANS = """
SELECT latest.*, hosts.name AS host, pages.template FROM (
    SELECT id, key, first_seen, last_seen, kind FROM versions
    WHERE kind IN ('new', 'changed', 'unchanged') ORDER BY last_seen DESC, id DESC LIMIT ?
) AS latest JOIN pages ON pages.key = latest.key JOIN hosts ON hosts.id = pages.host
WHERE pages.template <> '' ORDER BY latest.key, latest.id
"""


def _key_of(row: Row) -> bytes:
    return bytes(row["key"])


@dataclass(frozen=True)
class PageVersion:
    """An article from when it was seen so first until it was seen so last; times are seconds since
    1970, UTC.

    - ``kind``: that of the item's ``change``: ``new``, ``changed``, ``wrapper``, ``returned``,
      ``gone``, or ``unchanged`` for the state in which it was when versions were kept first.
    - ``status``: the HTTP status; ``change``: the item's, without ``kind``.
    - ``values``: the fields of the item that are not empty; of one that is gone its URL and
      its type.
    - ``text_digest``: that of the text's summary; ``digest``: of what is compared.
    - ``url``: that under which the history has the page; ``""`` if only its versions were asked
      for.
    """

    key: str
    first_seen: int
    last_seen: int
    kind: str
    status: int = 200
    change: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    text_digest: bytes = b""
    digest: bytes = b""
    url: str = ""

    @property
    def is_gone(self) -> bool:
        """Whether there was no article."""
        return self.kind == "gone"

    @property
    def text(self) -> str:
        """The text of the article; ``""`` if it was gone."""
        text = self.values.get("text")
        if isinstance(text, str):
            return text
        return ""

    def to_item(self) -> dict[str, Any]:
        """The item as it was emitted, without its empty fields.  Only articles have a status."""
        change = {"kind": self.kind, **self.change}
        item = {**self.values, "change": change}
        if self.values.get("type", "article") == "article":
            item["status"] = self.status
        return item


class VersionTable:
    """The versions in the history's database.  ``save`` and ``extend`` are called in a transaction
    of ``write``."""

    def __init__(
        self,
        database: Database,
        max_versions: int = MAX_VERSIONS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """``max_versions``: how many are kept of an article; 1: the latest; 0: none is stored, and
        those that are there stay as they are.  ``max_bytes``: of
        all together, without those of indexes."""
        self._database = database
        self._max_versions = max_versions
        self._max_bytes = max_bytes
        self._added = 0

    def save(self, version: PageVersion) -> None:
        """Store a version after those that the page has.  One that is the same as the latest
        extends it: an article that was extracted, and whose export failed, comes again."""
        if not self._max_versions:
            return
        row = _write(version)
        latest = self._find_latest(version.key)
        is_same_as_latest = latest is not None and _has_same_content(latest, row)
        if latest is not None and is_same_as_latest:
            self._extend(latest, version.last_seen)
            return
        self._database.execute(_INSERT, row)
        if latest is not None:  # most pages have one version
            first = 1 if self._max_versions > 1 else 0
            limits = {"key": row["key"], "first": first, "latest": self._max_versions - first}
            self._database.execute(_PRUNE_PAGE, limits)
        self._added += 1
        if self._added % _PRUNE_INTERVAL == 0:
            self.prune()

    def extend(self, version: PageVersion) -> None:
        """Note that a page was seen as it was.  If no version of it is kept, or the latest has
        another text, because none was stored for a while, this one is stored."""
        if not self._max_versions:
            return
        latest = self._find_latest(version.key)
        if latest is not None and _is_version_of(latest, version.text_digest, version.is_gone):
            self._extend(latest, version.last_seen)
        else:
            self.save(version)

    def touch(self, key: str, now: int, text_digest: bytes, is_gone: bool) -> None:
        """Note that a page was seen as it was, with this text, or still gone, if that version of
        it is kept."""
        latest = self._find_latest(key) if self._max_versions else None
        if latest is not None and _is_version_of(latest, text_digest, is_gone):
            self._extend(latest, now)

    def recall(self, version: PageVersion) -> None:
        """Store a version that was kept elsewhere, unless the page was seen in that moment or
        later: then it is known, or another one has taken its place."""
        latest = self._find_latest(version.key)
        if latest is None or latest["last_seen"] < version.first_seen:
            self.save(version)

    def _find_latest(self, key: str) -> Row | None:
        rows = self._database.rows(_LATEST, (bytes.fromhex(key),))
        return next(iter(rows), None)

    def _extend(self, row: Row, last_seen: int) -> None:
        self._database.execute(_EXTEND, (last_seen, row["id"], last_seen))

    def prune(self) -> None:
        """Delete the versions beyond the bytes that are kept, those that were seen last longest
        ago."""
        if self._added:
            self._database.execute(_PRUNE_OLDEST, (self._max_bytes,))

    def of_page(self, key: str) -> tuple[PageVersion, ...]:
        """The versions of a page, the first first.  Rows that cannot be read are left out."""
        rows = self._database.rows(_OF_PAGE, (bytes.fromhex(key),))
        return tuple(_read_all(rows))

    def spans(self) -> Iterator[tuple[str, str, tuple[tuple[int, int], ...]]]:
        """Of pages whose versions were seen last, at most ``_MAX_SPANS`` versions: the host, the
        template, and the first and the last moment of each version that is the publisher's.  One
        in which nothing was told to have changed belongs to the one before."""
        for _, rows in groupby(self._database.rows(_SPANS, (_MAX_SPANS,)), _key_of):
            versions = list(rows)
            spans: list[tuple[int, int]] = []
            for row in versions:
                first_seen = row["first_seen"]
                if spans and row["kind"] == "unchanged":
                    first_seen, _ = spans.pop()
                spans.append((first_seen, row["last_seen"]))
            yield str(versions[0]["host"]), str(versions[0]["template"]), tuple(spans)

    def find_key(self, url: str) -> str:
        """The key of the page whose article has this URL, which it has after redirects; ``""`` if
        there is none.  Cost: all versions are read."""
        pattern = '"url": ' + _to_json(url)
        for character in "!%_":
            pattern = pattern.replace(character, f"!{character}")
        for row in self._database.rows(_FIND_URL, (f"%{pattern}%",)):
            if _read_url(row) == url:
                key: str = row["key"].hex()
                return key
        return ""

    def of_host(self, host: str) -> Iterator[PageVersion]:
        """The versions of the pages of a host, by URL, then by time; one in memory at a time.  The
        store must not be used for anything else meanwhile."""
        for row in self._database.stream(_OF_HOST, (host,)):
            version = _read(row)
            if version is not None:
                yield replace(version, url=row["url"])

    def latest_article(self, key: str) -> PageVersion | None:
        """The article as it was told last; None if no version of it is kept."""
        rows = self._database.rows(_LATEST_ARTICLE, (bytes.fromhex(key),))
        return next(_read_all(rows), None)


def _has_same_content(row: Row, written: Mapping[str, Any]) -> bool:
    was_gone = row["kind"] == "gone"
    is_gone = written["kind"] == "gone"
    has_same_digest: bool = row["digest"] == written["digest"]
    return has_same_digest and was_gone == is_gone


def _is_version_of(row: Row, text_digest: bytes, is_gone: bool) -> bool:
    """Whether a row is of a page with this text, or of one that is gone."""
    was_gone = row["kind"] == "gone"
    has_same_text = bytes(row["text_digest"]) == text_digest
    return was_gone if is_gone else has_same_text and not was_gone


def _read_url(row: Row) -> str | None:
    """The URL of the article of a row; None if it cannot be read."""
    try:
        url = json.loads(row["fields"])["url"]
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
    if isinstance(url, str):
        return url
    return None


def _write(version: PageVersion) -> dict[str, Any]:
    """The values of the columns."""
    fields = {}
    content = {}
    for name, value in version.values.items():
        if name in _CONTENT_FIELDS:
            content[name] = value
        else:
            fields[name] = value
    packed_content = zlib.compress(_to_json(content).encode())
    fields_text = _to_json(fields)
    change_text = _to_json(version.change)
    return {
        "key": bytes.fromhex(version.key),
        "first_seen": version.first_seen,
        "last_seen": version.last_seen,
        "kind": version.kind,
        "status": version.status,
        "change": change_text,
        "fields": fields_text,
        "text_digest": version.text_digest,
        "digest": version.digest,
        "content": packed_content,
        "size": len(packed_content) + len(fields_text) + len(change_text) + _ROW_BYTES,
    }


def _to_json(values: Any) -> str:
    """JSON in ASCII; values that a pipeline of the project has set, and that JSON does not have,
    are written as texts."""
    return json.dumps(values, default=str)


def _read_all(rows: Iterable[Row]) -> Iterator[PageVersion]:
    for row in rows:
        version = _read(row)
        if version is not None:
            yield version


def _read(row: Row) -> PageVersion | None:
    """The version of a row; None if it is not as it was written."""
    try:
        values = json.loads(row["fields"])
        values.update(json.loads(zlib.decompress(row["content"])))
        change = json.loads(row["change"])
        is_of_article = isinstance(values["url"], str) and isinstance(change, dict)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError, zlib.error):
        return None
    first_seen = row["first_seen"]
    last_seen = row["last_seen"]
    status = row["status"]
    has_numbers = all(isinstance(number, int) for number in (first_seen, last_seen, status))
    if not is_of_article or not has_numbers or not isinstance(row["kind"], str):
        return None
    return PageVersion(
        key=row["key"].hex(),
        first_seen=first_seen,
        last_seen=last_seen,
        kind=row["kind"],
        status=status,
        change=change,
        values=values,
        text_digest=row["text_digest"],
        digest=row["digest"],
    )
