"""Crawls whose disk is full or read-only, resumed when it is not any more."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from benchmarks.faults.jobs import Job
from benchmarks.faults.rows import Row
from demo import DemoServer

Fault = Callable[[Path], list[Row]]
#: Bytes.  The largest size of a file, from the moment on at which some articles are requested.
LIMITS = (1_000, 60_000, 140_000, 200_000)
STARTED = 6
#: KB of a file system in memory.
SIZES = (300, 700, 1200)


def disk_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Files of limited size, small file systems, and one that can only be read.  The last two
    need the rights to mount; without them there are no rows."""
    limits = LIMITS[2:3] if quick else LIMITS
    for limit, has_job, format in product(limits, (True, False), ("jsonl", "csv")):
        job = "JOBDIR" if has_job else "-"
        name = f"files up to {limit // 1000} KB | {STARTED} articles | {job} | {format}"
        yield name, _limited(name, limit, has_job, format)
    if not quick:
        for size in SIZES:
            name = f"disk of {size} KB | - | JOBDIR | jsonl"
            yield name, _mounted(name, f"size={size}k", "size=100m")
    name = "read-only disk | - | JOBDIR | jsonl"
    yield name, _mounted(name, "size=100m,ro", "size=100m,rw")


def _limited(name: str, limit: int, has_job: bool, format: str) -> Fault:
    def run(folder: Path) -> list[Row]:
        with DemoServer(delay=0.05) as server:
            expected = {article.path for article in server.site.articles}

            def is_time() -> bool:
                started = expected.intersection(server.requests)
                return len(started) >= STARTED

            arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
            job = Job(folder, arguments, format, has_job)
            job.run(is_time=is_time, limit=limit)
            row = _finish(name, job, server)
            return [row]

    return run


def _mounted(name: str, before: str, after: str) -> Fault:
    def run(folder: Path) -> list[Row]:
        folder.mkdir(parents=True)
        if not mount(folder, "size=100m"):
            return []
        try:
            with DemoServer() as server:
                arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
                job = Job(folder, arguments, "jsonl", has_job=True)
                mount(folder, f"remount,{before}")
                job.run(keeps_log=False)
                mount(folder, f"remount,{after}")
                row = _finish(name, job, server)
                return [row]
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=False)

    return run


def mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    process = subprocess.run(command, capture_output=True, check=False)
    return process.returncode == 0


def _finish(name: str, job: Job, server: DemoServer) -> Row:
    """Resume the job if it can be; the row.  Without a JOBDIR a crawl whose disk was full must
    say so by its exit status, and have an outcome for each page."""
    first_exit = job.outcome.exits[0]
    expected = {f"{server.url}{article.path}" for article in server.site.articles}
    if job.has_job:
        job.run()
        outcome = job.finish()
        lost = len(expected.difference(outcome.urls))
    else:
        outcome = job.finish()
        dropped = sum(outcome.drops.values())
        lost = outcome.fetched - len(outcome.urls) - dropped

    problem = ""
    exported = set(outcome.urls)
    is_incomplete = bool(outcome.drops) or len(exported) < len(expected)
    if first_exit == 0 and is_incomplete:
        problem = "exit status 0"
    return Row(name, outcome, lost, problem)
