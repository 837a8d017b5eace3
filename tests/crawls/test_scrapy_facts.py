"""Facts about Scrapy that the add-on relies on; a Scrapy version that differs fails here."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from demo import DemoServer

from .helpers import Project, Run, wait_until

PROBE = """
import asyncio

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.pipelines import ItemPipelineManager


class Watch:
    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        watch = cls(crawler)
        crawler.signals.connect(watch.idle, signal=signals.spider_idle)
        crawler.signals.connect(watch.closed, signal=signals.spider_closed)
        return watch

    def idle(self):
        self.crawler.stats.inc_value("probe/idle")

    async def closed(self, spider):
        if hasattr(spider, "state"):  # with JOBDIR only
            spider.state["at_closed"] = True
        scraper = self.crawler.engine.scraper
        await scraper.start_itemproc_async({"from": "spider_closed"}, response=None)


class Processor(ItemPipelineManager):
    async def close_spider_async(self):
        scraper = self.crawler.engine.scraper
        await scraper.start_itemproc_async({"from": "processor"}, response=None)
        await super().close_spider_async()


class Probe(Spider):
    name = "probe"

    def __init__(self, start="", **options):
        super().__init__(**options)
        self.begin = start

    async def start(self):
        for i in range(16):
            yield Request(f"{self.begin}/?{i}", self.parse_page)

    def parse_page(self, response):
        if hasattr(self, "state"):
            self.state["count"] = self.state.get("count", 0) + 1
            self.crawler.stats.set_value("probe/state", sorted(self.state))
        yield {"from": "page"}


class Hang:
    # Starts an item directly at idle, and closes the crawl while it is in flight.

    @classmethod
    def from_crawler(cls, crawler):
        hang = cls()
        hang.crawler = crawler
        crawler.signals.connect(hang.idle, signal=signals.spider_idle)
        return hang

    def idle(self):
        engine = self.crawler.engine
        item = engine.scraper.start_itemproc_async({"from": "idle"}, response=None)
        self.tasks = [asyncio.ensure_future(item)]
        self.tasks.append(asyncio.ensure_future(engine.close_spider_async(reason="probe")))
        raise DontCloseSpider


class Slow:
    async def process_item(self, item):
        await asyncio.sleep(0.2)
        return item


class Gone(Spider):
    name = "gone"

    def start_requests(self):
        yield Request("data:,x")

    def parse(self, response):
        self.crawler.stats.inc_value("probe/gone")
"""

SETTINGS: dict[str, Any] = {
    "ADDONS": {},
    "SPIDER_MODULES": ["probe"],
    "ITEM_PROCESSOR": "probe.Processor",
    "EXTENSIONS": {"probe.Watch": 1},
    "CONCURRENT_REQUESTS": 1,
}


@pytest.fixture
def plain(tmp_path: Path) -> Project:
    """A project without the add-on."""
    return Project(tmp_path / "plain", {"probe.py": PROBE}, **SETTINGS)


def origins(run: Run) -> set[str]:
    return {item["from"] for item in run.items}


def test_idle_fires_once_in_a_crawl_that_is_not_interrupted(
    plain: Project, demo: DemoServer
) -> None:
    run = plain.crawl("probe", f"start={demo.url}")
    assert run.stats["probe/idle"] == 1


def test_closespider_fires_no_idle_and_exports_are_closed_at_spider_closed(
    plain: Project, demo: DemoServer
) -> None:
    run = plain.crawl("probe", f"start={demo.url}", CLOSESPIDER_PAGECOUNT=3)
    assert "probe/idle" not in run.stats
    assert run.stats["finish_reason"] == "closespider_pagecount"
    assert origins(run) == {"page", "processor"}


def test_sigint_fires_no_idle_and_late_state_is_not_saved(plain: Project) -> None:
    with DemoServer(delay=0.03) as server:
        arguments: dict[str, Any] = {"JOBDIR": "job"}
        crawling = plain.start("probe", f"start={server.url}", **arguments)
        wait_until(lambda: len(server.requests) >= 5)
        crawling.send(signal.SIGINT)
        run = crawling.finish()
        again = plain.crawl("probe", f"start={server.url}", **arguments)
    assert "probe/idle" not in run.stats
    assert origins(run) == {"page", "processor"}
    assert again.stats["probe/state"] == ["count"]


def test_item_started_directly_at_idle_hangs_the_close(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "ADDONS": {},
        "SPIDER_MODULES": ["probe"],
        "EXTENSIONS": {"probe.Hang": 1},
    }
    pipelines = {"probe.Slow": 300}
    project = Project(tmp_path / "p", {"probe.py": PROBE}, ITEM_PIPELINES=pipelines, **settings)
    crawling = project.start("gone")
    wait_until(lambda: "Scraped from" in crawling.log())
    time.sleep(0.8)
    assert "Closing spider (probe)" in crawling.log()
    assert not crawling.is_over()
    crawling.send(signal.SIGKILL)
    crawling.finish()


def test_start_requests_is_not_called(plain: Project) -> None:
    run = plain.crawl("gone")
    assert run.stats["finish_reason"] == "finished"
    assert "probe/gone" not in run.stats
