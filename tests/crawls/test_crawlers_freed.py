"""Crawls that are run one after the other in one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo import DemoServer

from .helpers import ROOT

SCRIPT = """
import asyncio, gc, sys, weakref

from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import reactor

from forest_scrapy.spiders.feeds_spider import FeedsSpider

SETTINGS = {
    "ADDONS": {"forest_scrapy.Addon": 500}, "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "WARNING"
}


async def crawl_three_times():
    crawlers = []
    for _ in range(3):
        runner = AsyncCrawlerRunner(SETTINGS)
        crawler = runner.create_crawler(FeedsSpider)
        crawlers.append(weakref.ref(crawler))
        await runner.crawl(crawler, feeds=sys.argv[1])
        print("articles:", crawler.stats.get_value("forest/articles/trained"))
        del crawler, runner
    for _ in range(50):  # callbacks of the last crawl may still be running
        await asyncio.sleep(0.05)
        gc.collect()
        if not any(crawler() for crawler in crawlers):
            break
    print("alive:", sum(crawler() is not None for crawler in crawlers))
    reactor.stop()


reactor.callWhenRunning(lambda: deferred_from_coro(crawl_three_times()))
reactor.run()
"""


@pytest.mark.slow
def test_a_closed_crawler_is_freed(tmp_path: Path, demo: DemoServer) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, demo.feed_url],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["articles: 30"] * 3 + ["alive: 0"]
