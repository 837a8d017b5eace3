"""What the components of one crawler share."""

from __future__ import annotations

import logging
import os
from asyncio import to_thread as in_thread
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from forest_scrapy.runtime.recovery import recover_job
from forest_scrapy.runtime.release import Releaser
from forest_scrapy.runtime.templates import Templates
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores import Spool, WrapperStore

__all__ = ["LARGE", "CrawlContext", "context_of", "in_thread", "open_wrappers"]

logger = logging.getLogger(__name__)

#: Bytes from which a page is read beside the event loop: below, it takes less than 50 ms.
LARGE = 300_000


@dataclass(frozen=True)
class CrawlContext:
    """One crawl's settings, templates and releaser."""

    config: ForestSettings
    templates: Templates
    releaser: Releaser


_crawls: WeakKeyDictionary[Crawler, CrawlContext] = WeakKeyDictionary()


def context_of(crawler: Crawler) -> CrawlContext:
    """What this crawler's components share; its stores open when the first of them asks.

    Raises ``BadSetting`` and ``BadStore``, which name the remedy.
    """
    if crawler not in _crawls:
        if not is_asyncio_available():
            raise BadSetting(
                "TWISTED_REACTOR", crawler.settings["TWISTED_REACTOR"],
                "Scrapy's default, the asyncio reactor",
            )  # fmt: skip
        config = read_settings(crawler.settings)
        assert crawler.stats is not None
        templates = Templates(config, _open_spool(crawler), open_wrappers(config), crawler.stats)
        _crawls[crawler] = CrawlContext(config, templates, Releaser(crawler, templates))
    return _crawls[crawler]


def open_wrappers(config: ForestSettings, must_exist: bool = False) -> WrapperStore:
    """The store that the settings name.  Raises ``BadStore``."""
    place = config.store if "://" in config.store else data_path(config.store)
    return WrapperStore(place, config.distance, must_exist)


def _open_spool(crawler: Crawler) -> Spool:
    """In JOBDIR, to be found again; else a file of this process under the data path."""
    if jobdir := job_dir(crawler.settings):
        spool = Spool(str(Path(jobdir, "forest", "spool.db")))
        if spool.was_killed:
            recover_job(Path(jobdir), crawler.settings, spool)
        return spool
    folder = Path(data_path("forest"))
    for old in folder.glob("spool-*"):
        if not _is_running(old.name.split("-")[1]):
            old.unlink(missing_ok=True)  # of a crawl that was killed and can't be resumed
    return Spool(str(folder / f"spool-{os.getpid()}-{id(crawler):x}.db"), temporary=True)


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):
        return True
    return True
