"""What is put in order before a crawl goes on whose last run was killed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from scrapy.settings import BaseSettings
from scrapy.utils.python import to_unicode
from w3lib.url import file_uri_to_path

from forest_scrapy.runtime.responses import page_key
from forest_scrapy.stores import Spool

__all__ = ["recover_job"]

logger = logging.getLogger(__name__)

#: So much of the end of an export is looked at: the few lines that were written when the kill
#: came, before the spool knew.
_TAIL = 4_000_000


def recover_job(jobdir: Path, settings: BaseSettings, spool: Spool) -> None:
    """Delete the request queue, which a killed run leaves unreadable (its pages are asked for
    again), and note the articles whose lines were written but not noted."""
    logger.info("The last run of this job was killed; it goes on from the pages in the spool")
    rmtree(jobdir / "requests.queue", ignore_errors=True)
    for path in _appended_lines(settings):
        for url in _last_urls(path):
            if spool.is_pending(page_key(url)):
                spool.finish(page_key(url), "article: before the kill", keep=0)


def _appended_lines(settings: BaseSettings) -> Iterator[Path]:
    """The local JSON lines files that the crawl appends to."""
    for uri, options in settings.getdict("FEEDS").items():
        path = Path(file_uri_to_path(str(uri)) if "://" in str(uri) else str(uri))
        is_lines = options.get("format") in ("jsonlines", "jsonl", "jl")
        if is_lines and not options.get("overwrite") and path.is_file():
            yield path


def _last_urls(path: Path) -> Iterator[str]:
    """URLs of the last items; a line that was cut off by the kill is taken away, since its
    article comes again."""
    with path.open("rb+") as lines:
        size = lines.seek(0, 2)
        start = lines.seek(max(0, size - _TAIL))
        tail = lines.read()
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            logger.info("%s: took away the last line, which the kill cut off", path)
            lines.truncate(start + whole)
    for line in tail[:whole].splitlines():
        try:
            item = json.loads(to_unicode(line))
        except ValueError:  # the first line of the tail may begin before it
            continue
        if isinstance(item, dict) and isinstance(item.get("url"), str):
            yield item["url"]
