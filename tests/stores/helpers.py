"""Pages for a spool, and records for a history."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import PageRecord, Spool, SpooledPage

HOST = "a.example"
FEED = "http://a.example/feed"


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


def make_record(number: int, **values: object) -> PageRecord:
    """A page of the host, listed by the feed; ``values`` are other values."""
    url = f"http://a.example/{number}"
    page = PageRecord(f"{number:024x}", HOST, url, 100, 100, feed=FEED, entry_id=url)
    return replace(page, **values)  # type: ignore[arg-type]


def fill(spool: Spool, *keys: str, template: str = "") -> None:
    """Add and place pages with these keys; with a ``template``, they are ready."""
    for key in keys:
        add_placed(spool, make_spooled(key))
        if template:
            spool.make_ready(key, template)


#: Begins and holds a lock until its input is closed.
LOCK = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    database.execute(statement)
print("locked", flush=True)
sys.stdin.read()
"""
#: Locks that let others read, and that do not.
WRITE = ("BEGIN IMMEDIATE",)
ALL = ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "PRAGMA user_version = 0")


@contextmanager
def locked(path: Path, statements: tuple[str, ...] = WRITE) -> Iterator[subprocess.Popen[str]]:
    """The file is locked by another process."""
    command = [sys.executable, "-c", LOCK, str(path), *statements]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "locked\n"
        yield process
        process.stdin.close()
