"""What the history keeps of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from forest_scrapy.core.changes.text_summary import TextSummary

__all__ = ["MOST_FAILURES", "PageRecord", "page_columns"]

#: After so many failed requests in a row, a feed is not read again only to request the page.
MOST_FAILURES = 5
_SIMHASH_BYTES = 8


@dataclass(frozen=True)
class PageRecord:
    """One URL that was requested as a possible article.  Times are seconds since 1970, UTC; None
    if unknown.

    - ``url``: the URL that was asked for, before redirects; ``key``: its key.
    - ``first_seen``, ``last_seen``: when a feed or a crawl had the URL first, and last.
    - ``fetched``: when the page was last fetched, or confirmed by status 304; ``status``: the
      last HTTP status; ``failures``: failed requests since the last success.
    - ``outcome``: ``article``, ``gone`` (an article that was deleted), the reason of a drop, or
      ``""`` as long as the page is still to be fetched.
    - ``page_digest``: of the body; ``text``: of the article's text; ``entry_digest``: of the feed
      entry that the page was last fetched with.
    - ``published_source``, ``modified_source``: where the dates come from.
    - ``feed``, ``entry_id``: the feed that listed the URL, and the id there.
    - ``template``, ``wrapper``, ``method``: what the article was extracted with; ``fingerprint``:
      the digest by which the template was recognised.
    """

    key: str
    host: str
    url: str
    first_seen: int
    last_seen: int
    fetched: int | None = None
    status: int = 0
    failures: int = 0
    outcome: str = ""
    etag: str = ""
    last_modified: str = ""
    page_digest: bytes = b""
    entry_digest: bytes = b""
    text: TextSummary = field(default_factory=TextSummary)
    published: int | None = None
    published_source: str = ""
    modified: int | None = None
    modified_source: str = ""
    feed: str = ""
    entry_id: str = ""
    template: str = ""
    wrapper: str = ""
    method: str = ""
    fingerprint: str = ""

    @property
    def is_failing(self) -> bool:
        """Whether the page is still to be fetched because requests for it have failed."""
        return (self.outcome == "" or self.failures > 0) and self.failures < MOST_FAILURES

    def to_row(self) -> dict[str, Any]:
        """The values of the page's columns; digests are packed."""
        text = self.text
        return {
            **vars(self),
            "key": bytes.fromhex(self.key),
            "fingerprint": bytes.fromhex(self.fingerprint),
            "entry_id": "" if self.entry_id == self.url else self.entry_id,
            "text": text.digest + text.simhash.to_bytes(_SIMHASH_BYTES, "big") + text.sketch
            if text.digest
            else b"",
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PageRecord:
        """The page that ``to_row`` was called on."""
        values = {name: row[name] for name in page_columns()}
        return cls(
            **{
                **values,
                "key": row["key"].hex(),
                "fingerprint": row["fingerprint"].hex(),
                "entry_id": row["entry_id"] or row["url"],
                "text": _unpack(row["text"]),
            }
        )


def page_columns() -> tuple[str, ...]:
    """The names of the columns, those of the fields."""
    return tuple(one.name for one in fields(PageRecord))


def _unpack(packed: bytes) -> TextSummary:
    digest, number, sketch = packed[:8], packed[8:16], packed[16:]
    return TextSummary(digest, int.from_bytes(number, "big"), sketch) if packed else TextSummary()
