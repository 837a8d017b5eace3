"""Kills between an export and its record, and at random moments, of crawls of a large feed, and of
recorded sites."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
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
        yield (
            name,
            lambda folder, name=name, count=count, format=format: [  # type: ignore[misc]
                _kill_at_export(name, count, format, folder)
            ],
        )


def _kill_at_export(name: str, count: int, format: str, folder: Path) -> Row:
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
        is_killed = outcome.exits == [-SIGKILL, 0, 0]
        problem = "" if is_killed else "it was not killed, or not resumed"
        return Row(name, outcome, len(expected.difference(outcome.urls)), problem)


def random_kills(jobs: int) -> Iterator[tuple[str, Fault]]:
    """Jobs that are killed ``KILLS`` times, at random moments, and then resumed."""
    for number in range(jobs):
        name = f"kill x {KILLS} | random {number} | JOBDIR | {('jsonl', 'csv')[number % 2]}"
        yield name, lambda folder, number=number, name=name: _kill_often(number, name, folder)  # type: ignore[misc]


def _kill_often(number: int, name: str, folder: Path) -> list[Row]:
    random = Random(number)
    with LargeDemo(delay=0.005) as server:
        arguments = ["feeds", "-a", f"feeds={server.url}/large.xml"]
        job = Job(folder, arguments, ("jsonl", "csv")[number % 2], True, FOREST_PAGES=20)
        for share in sorted(random.random() for _ in range(KILLS)):
            count = 1 + int(share * (COPIES * 30 - 2))
            wait = random.uniform(0, 0.4)

            def is_time() -> bool:
                reached = len(set(server.requests)) >= count  # noqa: B023
                if reached:
                    time.sleep(wait)  # noqa: B023
                return reached

            job.run("kill", is_time)
        job.run()
        outcome = job.finish()
        expected = {f"{server.url}{path}" for path in server.copies}
        return [Row(name, outcome, len(expected.difference(outcome.urls)))]


class LargeDemo(DemoServer):
    """The demo with a feed, ``/large.xml``, of copies of its articles at other URLs.

    ``copies``: the paths of the copies.
    """

    def __init__(self, delay: float) -> None:
        site = build_site("http://127.0.0.1")
        self.copies = [
            f"/copy/{n}{article.path}" for n in range(COPIES) for article in site.articles
        ]
        super().__init__(extra=_copy_files(site), delay=delay)


def _copy_files(site: DemoSite) -> dict[str, tuple[str, bytes]]:
    files = {}
    items = []
    for number in range(COPIES):
        for article in site.articles:
            kind, body = site.files[article.path]
            path = f"/copy/{number}{article.path}"
            body = body.replace(article.path.encode(), path.encode())  # its canonical URL, too
            files[path] = (kind, body.replace(b"</h1>", f" {number}</h1>".encode()))
            items.append(f"<item><title>{article.title} {number}</title><link>{path}</link></item>")
    feed = f"<rss version='2.0'><channel><title>All</title>{''.join(items)}</channel></rss>"
    files["/large.xml"] = ("application/rss+xml", feed.encode())
    return files


def replayed_kills(replay: str, data: str) -> Iterator[tuple[str, Fault]]:
    """Crawls of recorded sites of which a third of the answers is bad the first time: to the
    end, stopped once and resumed, killed three times and resumed."""
    yield "replay", lambda folder: _compare_replays(replay, data, folder)


def _compare_replays(replay: str, data: str, folder: Path) -> list[Row]:
    rows: list[Row] = []
    expected: set[str] = set()
    for stops in ((), ("int",), ("kill", "kill", "kill")):
        outcome = _crawl_replay(replay, data, stops, folder / str(len(stops)), len(expected))
        lost = len(expected.difference(outcome.urls))
        if not stops:  # what the others must have, too
            expected = set(outcome.urls)
            lost = outcome.fetched - len(outcome.urls) - sum(outcome.drops.values())
        name = f"{', '.join(stops) or 'none'} | replay, faults 0.3 | JOBDIR | jsonl"
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
            feeds = ",".join(recorded_feeds(port)[:FEEDS])
            job = Job(folder, ["feeds", "-a", f"feeds={feeds}"], "jsonl", True, DOWNLOAD_TIMEOUT=20)
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
                return str(answer.read().decode()).split()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
