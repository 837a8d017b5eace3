"""What a corpus, or many feeds, would take: measured costs of a page, times the numbers.

    python -m benchmarks.speed.scale SET [--sites N] [--pages N] [--hosts N] [--feeds N] [--json]

The costs of each pass are measured in this process on the articles of the set's first sites.  The
hosts of the corpus are simulated: the size of the k-th largest is proportional to 1 / k ** 0.9.
Assumptions are the constants of this module.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy

from benchmarks.sets.bench_set import BenchPage, run_command
from benchmarks.speed.batch import read_articles
from forest_scrapy.batch.batch import Batch
from forest_scrapy.batch.pool import Pool
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import TaskContext, close_stores
from forest_scrapy.core import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore

#: Pages of a host that Spark learns from, as in forest_scrapy.integrations.spark.
SAMPLE = 250
GROUP = 500
#: How the sizes of hosts fall.
_SLOPE = 0.9
#: Articles that a feed has a day, polls a day (of which most are answered by status 304), seconds
#: of processor time for a poll, and concurrent requests of a machine with 1 s each: assumptions.
_ARTICLES = 5
_POLLS = 24
_POLL_SECONDS = 0.004
_REQUESTS = 100
_CORES = 16


@dataclass(frozen=True)
class Costs:
    """``read``, ``extract``: seconds of processor time a page; ``learn``: for each page that is
    learned from; ``plan``: for each page.  ``page``, ``packed``: bytes of a page, plain and
    compressed; ``article``: of an article as JSON; ``wrapper``: of a template in a store."""

    read: float
    plan: float
    learn: float
    extract: float
    page: float
    packed: float
    article: float
    wrapper: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--sites", type=int, default=10, help="sites to measure (default 10)")
    parser.add_argument("--pages", type=float, default=1e9)
    parser.add_argument("--hosts", type=float, default=1e7)
    parser.add_argument("--feeds", type=float, default=1e6)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    articles = list(read_articles(options.set, options.sites))
    measure_costs(articles[:5])  # loads what is loaded once
    costs = measure_costs(articles)
    figures = simulate(costs, int(options.pages), int(options.hosts), int(options.feeds))
    if options.json:
        print(json.dumps({"costs": asdict(costs), "figures": figures}))
        return
    for name, value in (*asdict(costs).items(), *figures.items()):
        print(f"{name:55s} {value:14,.4g}")


class _Clock:
    """The processor time of each stage of a batch."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = ""
        self._start = process_time()

    def begin(self, stage: str, total: int | None) -> None:
        now = process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._start
        self._stage = stage
        self._start = now

    def advance(self, number: int) -> None:
        """Called for the pages that are done."""


def measure_costs(articles: Iterable[BenchPage]) -> Costs:
    """Run a batch of these pages in this process."""
    pages = []
    bodies = []
    for article in articles:
        headers = {"Content-Type": "text/html"}
        page = RawPage(article.url, article.html, headers=headers)
        pages.append(page)
        bodies.append(article.html)
    clock = _Clock()
    with TemporaryDirectory() as folder, closing(Pool(1)) as pool:
        name = str(Path(folder, "pages.db"))
        with closing(BatchStore(name)) as store:
            context = TaskContext(name, ForestSettings(), True)
            batch = Batch(pages, context, store, pool, clock)
            batch.learn()
            outcomes = list(chain.from_iterable(batch.extract()))
            clock.begin("end", None)

            learned_pages = 0
            weights = []
            for host in store.hosts():
                for template in store.templates.of_host(host):
                    learned_pages += len(template.sample)
                    if template.rules:
                        weights.append(_weigh_template(store, template))
        close_stores()

    lines = []
    for outcome in outcomes:
        if outcome.item:
            fields = asdict(outcome.item)
            lines.append(json.dumps(fields))
    page_count = len(pages)
    return Costs(
        read=clock.seconds["read"] / page_count,
        plan=clock.seconds["plan"] / page_count,
        learn=clock.seconds["learn"] / learned_pages,
        extract=clock.seconds["extract"] / page_count,
        page=fmean(map(len, bodies)),
        packed=fmean(len(zlib.compress(body)) for body in bodies),
        article=fmean(map(len, lines)),
        wrapper=fmean(weights),
    )


def _weigh_template(store: BatchStore, template: Template) -> int:
    """The bytes of the rules of a template and of the fingerprints that recognize it."""
    assert template.rules is not None
    size = len(template.rules.dumps())
    for digest in store.templates.digests(template.key):
        fingerprint = store.fingerprints.get(template.host, digest)
        size += len(fingerprint.to_bytes())
    return size


def simulate(costs: Costs, pages: int, hosts: int, feeds: int) -> dict[str, Any]:
    """The figures of a corpus, and of feeds that are polled."""
    sizes = simulate_hosts(pages, hosts)
    sampled = numpy.minimum(sizes, SAMPLE)
    # A template for each 100 sampled pages of a host, and one at least.
    templates = numpy.ceil(sampled / 100)
    sampled_pages = float(sampled.sum())
    template_count = float(templates.sum())
    pages_to_learn = float(numpy.minimum(sampled, 10 * templates).sum())

    planning = costs.read + costs.plan
    extraction = costs.read + costs.extract
    seconds: Mapping[str, float] = {
        "read and plan the sample": sampled_pages * planning,
        "learn": pages_to_learn * costs.learn,
        "extract (fingerprint included)": pages * extraction,
    }
    core_hours = {}
    for name, value in seconds.items():
        core_hours[f"core-hours: {name}"] = value / 3600

    articles = feeds * _ARTICLES
    polls = feeds * _POLLS
    crawl = articles * extraction + polls * _POLL_SECONDS
    waits = articles + polls
    return {
        **core_hours,
        f"hours on 100 machines of {_CORES} cores": sum(seconds.values()) / 3600 / _CORES / 100,
        "TB read": pages * costs.packed / 1e12,
        "TB shuffled to learn": sampled_pages * costs.packed / 1e12,
        "GB of keys shuffled": pages * 40 / 1e9,
        "TB shuffled to extract": pages * costs.packed / 1e12,
        "MB of a learning task": SAMPLE * costs.page / 1e6,
        "MB of an extracting task": GROUP * costs.page / 1e6,
        "groups of the largest host": float(numpy.ceil(sizes[0] / GROUP)),
        "share of pages of the largest host": float(sizes[0] / sizes.sum()),
        "share of hosts with one page": float((sizes <= 1).mean()),
        "GB of wrappers": template_count * costs.wrapper / 1e9,
        "TB of articles": pages * costs.article / 1e12,
        "cores for the feeds": crawl / 86_400,
        "machines for the feeds by requests": waits / 86_400 / _REQUESTS,
    }


def simulate_hosts(pages: int, hosts: int) -> Any:
    """The sizes of the hosts, the largest first; at least 1 each."""
    ranks = numpy.arange(1, hosts + 1, dtype=float)
    shares = ranks**-_SLOPE
    sizes = numpy.round(pages * shares / shares.sum())
    return numpy.maximum(sizes, 1)


if __name__ == "__main__":
    run_command(main)
