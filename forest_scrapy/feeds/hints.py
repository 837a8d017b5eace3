"""What a feed and its server say about polling it, and where its older items are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self
from urllib.parse import urljoin

from forest_scrapy.feeds.bounds import ITEM

__all__ = ["HEAD", "FeedHints", "read_hints", "read_retry_after"]

#: Bytes before the first item that are searched.
HEAD = 20_000
_TTL = re.compile(rb"<ttl>\s*(\d{1,6})\s*</ttl>")
_PERIOD = re.compile(rb"<sy:updatePeriod>\s*(\w+)\s*</sy:updatePeriod>")
_FREQUENCY = re.compile(rb"<sy:updateFrequency>\s*(\d{1,4})\s*</sy:updateFrequency>")
_LINK = re.compile(rb"<(?:\w+:)?link\b([^>]*)>")
_ATTRIBUTE = re.compile(rb"""(rel|href)\s*=\s*["']([^"']*)["']""")
_MAX_AGE = re.compile(r"\bmax-age\s*=\s*(\d{1,9})")
_SECONDS = {
    b"hourly": 3600,
    b"daily": 86_400,
    b"weekly": 7 * 86_400,
    b"monthly": 30 * 86_400,
    b"yearly": 365 * 86_400,
}
#: Values of ``rel`` that lead to older items: RFC 5005, sections 3 and 4.
_OLDER = ("prev-archive", "next")


@dataclass(frozen=True)
class FeedHints:
    """What a feed says of itself; None or ``""`` if it does not.

    - ``ttl``: seconds for which a copy may be kept (RSS ``ttl``); ``max_age``: the same, from the
      server's ``Cache-Control``.
    - ``period``: seconds between two updates (``sy:updatePeriod``, ``sy:updateFrequency``).
    - ``hub``: the URL of a WebSub hub.  It is only noted: a crawl cannot be called back.
    - ``older``: the URL of the document with the next older items (RFC 5005).
    """

    ttl: int | None = None
    max_age: int | None = None
    period: int | None = None
    hub: str = ""
    older: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The hints that are known, as JSON values."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The hints of ``to_dict``."""
        return cls(**{one.name: data[one.name] for one in fields(cls) if one.name in data})


def read_hints(body: bytes, url: str, headers: Mapping[str, str]) -> FeedHints:
    """The hints before a feed's first item, and in the response's headers.

    >>> read_hints(b"<rss><channel><ttl>60</ttl><item>", "http://a.example/", {}).ttl
    3600
    """
    first = ITEM.search(body)
    head = body[: min(first.start() if first else HEAD, HEAD)]
    ttl, period, frequency = (one.search(head) for one in (_TTL, _PERIOD, _FREQUENCY))
    times = max(1, int(frequency[1])) if frequency else 1
    seconds = _SECONDS.get(period[1].lower()) if period else None
    links = _read_links(head, url)
    max_age = _MAX_AGE.search(headers.get("Cache-Control", ""))
    return FeedHints(
        ttl=int(ttl[1]) * 60 if ttl else None,
        max_age=int(max_age[1]) if max_age else None,
        period=seconds // times if seconds else None,
        hub=links.get("hub", ""),
        older=next((links[rel] for rel in _OLDER if rel in links), ""),
    )


def read_retry_after(text: str, now: int) -> int | None:
    """The seconds of a ``Retry-After`` header, which are a number or a date; None for others.

    >>> read_retry_after("120", 0), read_retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0)
    (120, 60)
    """
    if text.strip().isdecimal():
        return int(text.strip()[:9])
    try:
        moment: datetime = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0, int(moment.timestamp()) - now)


def _read_links(head: bytes, url: str) -> dict[str, str]:
    """The absolute URLs of the feed's own links, by ``rel``; the first of each."""
    links: dict[str, str] = {}
    for attributes in _LINK.findall(head):
        found = {name.decode(): value.decode("utf-8", "replace")
                 for name, value in _ATTRIBUTE.findall(attributes)}  # fmt: skip
        if found.keys() >= {"rel", "href"}:
            try:
                links.setdefault(found["rel"], urljoin(url, found["href"].replace("&amp;", "&")))
            except ValueError:
                continue
    return links
