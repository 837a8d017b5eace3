"""Kills between an export and its record, and at random moments, of crawls of a large feed, and of
recorded sites."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from signal import SIGKILL
from socket import socket
from subprocess import DEVNULL, Popen
from urllib.request import ProxyHandler, build_opener

from benchmarks.faults.jobs import Job, Outcome
from benchmarks.faults.rows import Row
from demo import DemoServer
from demo.demo_site import DemoSite, build_site

Fault = Callable[[Path], list[Row]]
#: Copies of the demo's 30 articles.  The crawl requests 480 pages: Scrapy writes its table of seen
#: requests to the disk after 372.
COPIES = 16
KILLS = 4
#: Recorded feeds that are crawled.
FEEDS = 24


def export_kills(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Jobs with ``only_new`` that are killed between the export of an article and its record, then
    resumed; and then the crawl of the next day, without the JOBDIR, for which nothing is new."""
    exports = [(9, "jsonl")]
    if not quick:
        exports = list(product((1, 9, 30), ("jsonl", "csv")))
    for count, format in exports:
        name = f"kill, next day | export {count} | JOBDIR, - | {format}"
        yield name, partial(_kill_at_export, name, count, format)


def _kill_at_export(name: str, count: int, format: str, folder: Path) -> list[Row]:
    with DemoServer() as server:
        arguments = ["feeds", "-a", f"feeds={server.feed_url}", "-a", "only_new=yes"]
        extensions = {"benchmarks.faults.stats.KillAtExport": 900}
        job = Job(folder, arguments, format, True, EXTENSIONS=extensions)
        job.run(f"KILL_AT_EXPORT={count}")
        job.run()
        job.has_job = False
        job.run()
        outcome = job.finish()
        expected = {f"{server.url}{article.path}" for article in server.site.articles}
        lost = expected.difference(outcome.urls)
        problem = ""
        if outcome.exits != [-SIGKILL, 0, 0]:
            problem = "it was not killed, or not resumed"
        row = Row(name, outcome, len(lost), problem)
        return [row]


def random_kills(jobs: int) -> Iterator[tuple[str, Fault]]:
    """Jobs that are killed ``KILLS`` times, at random moments, and then resumed."""
    for number in range(jobs):
        format = ("jsonl", "csv")[number % 2]
        name = f"kill x {KILLS} | random {number} | JOBDIR | {format}"
        yield name, partial(_kill_often, number, name, format)


def _kill_often(number: int, name: str, format: str, folder: Path) -> list[Row]:
    random = Random(number)
    with LargeDemo(delay=0.005) as server:
        arguments = ["feeds", "-a", f"feeds={server.url}/large.xml"]
        job = Job(folder, arguments, format, True, FOREST_PAGES=20)
        moments = [random.random() for _ in range(KILLS)]
        for moment in sorted(moments):
            count = 1 + int(moment * (COPIES * 30 - 2))
            wait = random.uniform(0, 0.4)

            def is_time() -> bool:
                pages = set(server.requests)
                is_reached = len(pages) >= count  # noqa: B023
                if is_reached:
                    time.sleep(wait)  # noqa: B023
                return is_reached

            job.run("kill", is_time)
        job.run()
        outcome = job.finish()
        expected = {f"{server.url}{path}" for path in server.copies}
        lost = expected.difference(outcome.urls)
        row = Row(name, outcome, len(lost))
        return [row]


class LargeDemo(DemoServer):
    """The demo with a feed, ``/large.xml``, of copies of its articles at other URLs.

    ``copies``: the paths of the copies.
    """

    def __init__(self, delay: float) -> None:
        site = build_site("http://127.0.0.1")
        self.copies = []
        for number in range(COPIES):
            for article in site.articles:
                self.copies.append(f"/copy/{number}{article.path}")
        super().__init__(extra=_copy_files(site), delay=delay)


def _copy_files(site: DemoSite) -> dict[str, tuple[str, bytes]]:
    files = {}
    items = []
    for number in range(COPIES):
        for article in site.articles:
            kind, body = site.files[article.path]
            path = f"/copy/{number}{article.path}"
            heading_end = f" {number}</h1>"
            body = body.replace(article.path.encode(), path.encode())  # its canonical URL, too
            body = body.replace(b"</h1>", heading_end.encode())
            files[path] = (kind, body)
            title = f"{article.title} {number}"
            items.append(f"<item><title>{title}</title><link>{path}</link></item>")
    all_items = "".join(items)
    feed = f"<rss version='2.0'><channel><title>All</title>{all_items}</channel></rss>"
    files["/large.xml"] = ("application/rss+xml", feed.encode())
    return files


def replayed_kills(replay: str, data: str) -> Iterator[tuple[str, Fault]]:
    """Crawls of recorded sites of which a third of the answers is bad the first time: to the
    end, stopped once and resumed, killed three times and resumed."""
    yield "replay", partial(_compare_replays, replay, data)


def _compare_replays(replay: str, data: str, folder: Path) -> list[Row]:
    rows: list[Row] = []
    expected: set[str] = set()
    for stops in ((), ("int",), ("kill", "kill", "kill")):
        place = folder / str(len(stops))
        outcome = _crawl_replay(replay, data, stops, place, len(expected))
        lost = len(expected.difference(outcome.urls))
        if not stops:  # what the others must have, too
            expected = set(outcome.urls)
            dropped = sum(outcome.drops.values())
            lost = outcome.fetched - len(outcome.urls) - dropped
        stop_names = ", ".join(stops) or "none"
        name = f"{stop_names} | replay, faults 0.3 | JOBDIR | jsonl"
        rows.append(Row(name, outcome, lost))
    return rows


def _crawl_replay(
    replay: str,
    data: str,
    stops: tuple[str, ...],
    folder: Path,
    expected: int,
) -> Outcome:
    """``expected``: the number of articles; the stops come when equal shares are exported."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, replay, data, "--port", str(port), "--faults", "0.3"]
    with Popen([*command, "--drop-item-fulltext"], stderr=DEVNULL) as proxy:
        try:
            urls = recorded_feeds(port)
            feeds = ",".join(urls[:FEEDS])
            arguments = ["feeds", "-a", f"feeds={feeds}"]
            job = Job(folder, arguments, "jsonl", True, DOWNLOAD_TIMEOUT=20)
            environment = {"http_proxy": f"http://127.0.0.1:{port}"}
            for i, stop in enumerate(stops):
                count = expected * (i + 1) // (len(stops) + 1)
                job.run(stop, lambda: job.exported() >= count, environment=environment)  # noqa: B023
            job.run(environment=environment)
        finally:
            proxy.kill()
    return job.finish()


def recorded_feeds(port: int) -> list[str]:
    """The feeds that the proxy has, once it is running."""
    opener = build_opener(ProxyHandler({"http": f"http://127.0.0.1:{port}"}))
    end = time.monotonic() + 60
    while True:
        try:
            with opener.open("http://replay.local/", timeout=20) as answer:
                body: bytes = answer.read()
                return body.decode().split()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
