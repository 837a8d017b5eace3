"""``python -m benchmarks.hostile.crawl SPIDER ARGUMENT FOLDER``: one crawl, or
``extract`` with the pages of URLs; prints what it took as JSON."""

from __future__ import annotations

import asyncio
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.request import urlopen

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler

from benchmarks.sets.bench_set import read_items
from forest_scrapy import extract_pages
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.form_spider import FormSpider
from forest_scrapy.spiders.records_spider import RecordsSpider
from forest_scrapy.spiders.site_spider import SiteSpider

_SPIDERS = {
    "feeds": FeedsSpider,
    "site": SiteSpider,
    "records": RecordsSpider,
    "form": FormSpider,
    "sitemap": FeedsSpider,
}


class Watch:
    """Scrapy extension that finds the longest time, in seconds of processor time, for which the
    event loop ran one step."""

    #: Of the loop's own thread: a busy machine does not count.
    clock: Callable[[], float] = staticmethod(time.thread_time)

    def __init__(self) -> None:
        self.longest = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        watch = cls()
        crawler.signals.connect(watch.opened, signal=signals.spider_opened)
        crawler.signals.connect(watch.closed, signal=signals.spider_closed)
        crawler.watch = watch  # type: ignore[attr-defined]
        return watch

    def opened(self) -> None:
        self._task = asyncio.ensure_future(self._watch())

    def closed(self) -> None:
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            before = self.clock()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, self.clock() - before)


def main(spider: str, argument: str, folder: str) -> None:
    """Crawl with a spider and ``argument``, ``feeds=URL`` say; or extract pages."""
    if spider == "extract":
        extract(argument.partition("=")[2].split(","))
        return
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"forest_scrapy.Addon": 500},
            "EXTENSIONS": {Watch: 0},
            "FEEDS": {f"{folder}/out.jsonl": {"format": "jsonlines", "overwrite": True}},
            "FOREST_STORE": f"{folder}/wrappers.db",
            "LOG_LEVEL": "CRITICAL",
            "RETRY_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            **({"FOREST_KINDS": "article,thread,product"} if spider == "records" else {}),
            "DOWNLOAD_TIMEOUT": 20,
            "CLOSESPIDER_PAGECOUNT": 2_500,
        }
    )
    crawler = process.create_crawler(_SPIDERS[spider])
    name, _, value = argument.partition("=")
    arguments = {name: value}
    if spider == "form":
        arguments["probes"] = "1"
    process.crawl(crawler, **arguments)
    process.start()
    print(json.dumps(_result(crawler, Path(folder, "out.jsonl"))))


def extract(urls: list[str]) -> None:
    """Extract the articles of pages that are there already."""
    pages = [(url, urlopen(url).read()) for url in urls]
    stories = {article.url for article in extract_pages(pages) if "/story/" in article.url}
    result = {**usage(), "gap": 0.0, "stories": len(stories), "leaked": False, "stats": {}}
    print(json.dumps(result))


def _result(crawler: Any, out: Path) -> dict[str, Any]:
    items = read_items(out) if out.exists() else []
    stats = crawler.stats.get_stats()
    return {
        **usage(),
        "gap": crawler.watch.longest,
        "stories": len({item["url"] for item in items if "/story/" in item["url"]}),
        "leaked": out.exists() and "root:" in out.read_text("utf-8"),
        "ended": stats.get("finish_reason"),
        "stats": {
            key.removeprefix("forest/"): value
            for key, value in stats.items()
            if re.match(r"forest/(articles|dropped|failed|feeds|form|refused|sitemaps)/", key)
        },
    }


def usage() -> dict[str, Any]:
    """What this process and those that it started took: seconds of processor time, and megabytes of
    the largest one."""
    own_usage = resource.getrusage(resource.RUSAGE_SELF)
    child_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    own_seconds = own_usage.ru_utime + own_usage.ru_stime
    child_seconds = child_usage.ru_utime + child_usage.ru_stime

    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    assert peak is not None
    own_megabytes = int(peak[1]) / 1000
    child_megabytes = child_usage.ru_maxrss / 1000
    return {
        "seconds": own_seconds + child_seconds,
        "probed": child_usage.ru_utime > 0.2,
        "megabytes": max(own_megabytes, child_megabytes),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
