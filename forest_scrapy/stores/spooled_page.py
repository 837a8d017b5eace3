"""A page in the spool, and the rows that hold it."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import Entry

#: Compression level of bodies: level 1 takes 0.3 ms for a page of 48 KB and leaves a quarter of it.
_LEVEL = 1


@dataclass(frozen=True)
class SpooledPage:
    """A fetched page.

    - ``key`` identifies the page in the crawl, ``template_key`` its template (``""`` until one
      is assigned).
    - ``fingerprint``: the digest of the page's fingerprint; ``""`` until the page is placed.
    - ``is_article``: whether the page is known to be an article.
    - ``sample_key``: the pages of a template are learned from in the order of it.
    - ``meta``: the values of the request's meta that can be written as JSON.
    - ``encoding``: the encoding the response was decoded with.
    """

    key: str
    host: str
    url: str
    is_article: bool
    entry: Entry | None
    fetched_at: str
    sample_key: str
    meta: dict[str, Any]
    status: int
    headers: list[tuple[str, str]]
    encoding: str | None
    body: bytes
    fingerprint: str = ""
    template_key: str = ""

    def to_row(self) -> dict[str, Any]:
        """The values of the page's columns: JSON for entry, meta and headers; the body as it
        is."""
        return {
            **vars(self),
            "entry": json.dumps(self.entry.to_dict()) if self.entry else None,
            "meta": json.dumps(self.meta),
            "headers": json.dumps(self.headers),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "SpooledPage":
        """The page that ``to_row`` was called on, from a row with ``is_compressed``, too."""
        body = zlib.decompress(row["body"]) if row["is_compressed"] else row["body"]
        read = {
            "is_article": bool(row["is_article"]),
            "entry": Entry.from_dict(json.loads(row["entry"])) if row["entry"] else None,
            "meta": json.loads(row["meta"]),
            "headers": [(name, value) for name, value in json.loads(row["headers"])],
            "body": body,
        }
        return cls(**{name: row[name] for name in cls.__dataclass_fields__} | read)


def compress(body: bytes) -> bytes:
    """The body as it is stored while its page waits."""
    return zlib.compress(body, _LEVEL)
