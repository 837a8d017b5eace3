"""Recovery after a killed run, before the crawl is resumed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from scrapy.settings import BaseSettings
from scrapy.utils.python import to_unicode
from w3lib.url import file_uri_to_path

from forest_scrapy.runtime.outcomes import Outcome
from forest_scrapy.runtime.responses import page_key
from forest_scrapy.stores import Spool

__all__ = ["recover_job"]

logger = logging.getLogger(__name__)

#: Bytes read from the end of an export, to find the few lines that were written before the kill
#: but not recorded in the spool.
_TAIL = 4_000_000
#: The outcome of their pages; the method is not known.
_RECOVERED = Outcome.article("recovered")


def recover_job(jobdir: Path, settings: BaseSettings, spool: Spool) -> None:
    """Delete the request queue, which a killed run leaves unreadable (its pages are requested
    again), and record the articles that were exported but not recorded."""
    logger.info("The previous run of this job was killed; resuming from the pages in the spool")
    rmtree(jobdir / "requests.queue", ignore_errors=True)
    for path in _appended_exports(settings):
        for url in _last_urls(path):
            if spool.is_pending(page_key(url)):
                spool.finish(page_key(url), _RECOVERED.kind, _RECOVERED.detail)


def _appended_exports(settings: BaseSettings) -> Iterator[Path]:
    """The local JSON lines files that the crawl appends to."""
    for uri, options in settings.getdict("FEEDS").items():
        path = Path(file_uri_to_path(str(uri)) if "://" in str(uri) else str(uri))
        is_lines = options.get("format") in ("jsonlines", "jsonl", "jl")
        if is_lines and not options.get("overwrite") and path.is_file():
            yield path


def _last_urls(path: Path) -> Iterator[str]:
    """The URLs of the last items.  An incomplete last line is removed, because its article is
    extracted again."""
    with path.open("rb+") as lines:
        size = lines.seek(0, 2)
        start = lines.seek(max(0, size - _TAIL))
        tail = lines.read()
        end = tail.rfind(b"\n") + 1
        if end < len(tail):
            logger.info("%s: removed the last line, which is incomplete", path)
            lines.truncate(start + end)
    for line in tail[:end].splitlines():
        try:
            item = json.loads(to_unicode(line))
        except ValueError:  # the tail may begin within a line
            continue
        if isinstance(item, dict) and isinstance(item.get("url"), str):
            yield item["url"]
