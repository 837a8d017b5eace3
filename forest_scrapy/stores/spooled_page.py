"""A page in the spool, and its row in the database."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import Entry
from forest_scrapy.core.clustering.page_types import Signals

__all__ = ["SpooledPage"]

#: Compression level of bodies: level 1 takes 2 ms for a page of 170 KB, level 6 takes 6 ms.
_LEVEL = 1


@dataclass(frozen=True)
class SpooledPage:
    """A fetched page.

    - ``key`` identifies the page in the crawl, ``template_key`` its template (``""`` until one
      is assigned).
    - ``fingerprint``: the digest of the page's fingerprint.
    - ``is_article``: whether the page is known to be an article; if not, ``signals`` is what is
      known of its type.
    - ``sample_key``: the pages of a template are learned from in the order of it.
    - ``meta``: the values of the request's meta that can be written as JSON.
    - ``encoding``: the encoding the response was decoded with.
    """

    key: str
    host: str
    url: str
    fingerprint: str
    is_article: bool
    entry: Entry | None
    fetched_at: str
    sample_key: str
    meta: dict[str, Any]
    status: int
    headers: list[tuple[str, str]]
    encoding: str | None
    body: bytes
    template_key: str = ""
    signals: Signals | None = None

    def to_row(self) -> dict[str, Any]:
        """The values of the page's columns: JSON for entry, signals, meta and headers, the body
        compressed."""
        return {
            **vars(self),
            "entry": json.dumps(self.entry.to_dict()) if self.entry else None,
            "signals": json.dumps(self.signals.to_dict()) if self.signals else None,
            "meta": json.dumps(self.meta),
            "headers": json.dumps(self.headers),
            "body": zlib.compress(self.body, _LEVEL),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> SpooledPage:
        """The page that ``to_row`` was called on."""
        return cls(
            key=row["key"],
            host=row["host"],
            url=row["url"],
            fingerprint=row["fingerprint"],
            is_article=bool(row["is_article"]),
            entry=Entry.from_dict(json.loads(row["entry"])) if row["entry"] else None,
            fetched_at=row["fetched_at"],
            sample_key=row["sample_key"],
            meta=json.loads(row["meta"]),
            status=row["status"],
            headers=[(name, value) for name, value in json.loads(row["headers"])],
            encoding=row["encoding"],
            body=zlib.decompress(row["body"]),
            template_key=row["template_key"],
            signals=Signals.from_dict(json.loads(row["signals"])) if row["signals"] else None,
        )
