"""Pages for a spool."""

from __future__ import annotations

from typing import Any

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import Spool, SpooledPage


def make_fingerprint(*features: int) -> Fingerprint:
    return Fingerprint(frozenset(features or (1, 2, 3)))


def make_spooled(key: str, **changes: Any) -> SpooledPage:
    """A page with this key; ``changes`` are other values."""
    given: dict[str, Any] = {
        "key": key,
        "host": "a.example",
        "url": f"http://a.example/{key}",
        "is_article": True,
        "entry": None,
        "fetched_at": "2024-06-04T08:00:00+00:00",
        "sample_key": key,
        "meta": {},
        "status": 200,
        "headers": [],
        "encoding": "utf-8",
        "body": f"<p>{key}".encode(),
    }
    return SpooledPage(**{**given, **changes})


def add_placed(
    spool: Spool,
    page: SpooledPage,
    fingerprint: Fingerprint | None = None,
    signals: Signals | None = None,
) -> None:
    """Add a page and place it."""
    assert spool.add(page)
    spool.place(page.key, fingerprint or make_fingerprint(), signals)
