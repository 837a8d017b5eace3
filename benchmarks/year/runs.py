"""Crawls at a moment that is told, each a fork of a process that has imported all.

``python -m benchmarks.year.runs`` reads jobs as lines of JSON from the standard input; for each it
prints the id of the process, and then what came of it.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import resource
import subprocess
import sys
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import time_machine

from benchmarks.year.sites import START, Site
from forest_scrapy import extract_pages
from forest_scrapy.core.page.urls import site_of

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Job:
    """A command of ``forest-scrapy`` at a moment, in seconds since 1970; ``limit``: bytes of a
    file, 0 for no limit."""

    arguments: tuple[str, ...]
    now: float
    log: str
    limit: int = 0


@dataclass(frozen=True)
class Ended:
    """The exit status (below 0: the signal), processor seconds, and the peak memory in MB."""

    status: int
    seconds: float
    mb: float


class Lane:
    """A process that starts one crawl at a time, in a folder."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.year.runs"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def start(self, job: Job) -> int:
        """Start a job; the id of its process."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(asdict(job)) + "\n")
        self._process.stdin.flush()
        return int(self._read())

    def finish(self) -> Ended:
        """Wait for the end of the job."""
        return Ended(**self._read())

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _read(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())


def _serve() -> Job | None:
    """Fork for each line; the fork returns its job, the other process None at the end."""
    for line in sys.stdin:
        job = Job(**json.loads(line))
        pid = os.fork()
        if not pid:
            return job
        print(pid, flush=True)
        _, status, usage = os.wait4(pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        ended = Ended(os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss / 1000)
        print(json.dumps(asdict(ended)), flush=True)
    return None


def _run(job: Job) -> None:
    """Run the command of a job in this process."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(job.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for target, file in enumerate((null, log, log)):
        os.dup2(file, target)
    if job.limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job.limit, job.limit))
    time_machine.travel(job.now, tick=True).start()
    sys.argv = ["forest-scrapy", *job.arguments]
    import_module("forest_scrapy.commands.main").main()


def _import_everything() -> None:
    """Import what crawls import, without a reactor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for root in ("scrapy", "forest_scrapy"):
            for _, name, _ in pkgutil.walk_packages(import_module(root).__path__, f"{root}."):
                if not name.endswith("__main__") and "integrations" not in name:
                    with suppress(ImportError):
                        import_module(name)
        import_module("scrapy_poet")
    _warm_up()
    gc.collect()
    gc.freeze()


def _warm_up() -> None:
    """Load the models and the list of public suffixes."""
    site = Site(0, 1, 0)
    pages = [(story.path, site.page(story, START)) for story in site.stories[:3]]
    site_of(site.feed_url)
    assert list(extract_pages([(f"http://{site.host}{path}", html) for path, html in pages]))


if __name__ == "__main__":
    _import_everything()
    if asked := _serve():
        _run(asked)
