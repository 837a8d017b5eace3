"""Real crawls that are stopped, killed, or run out of disk; what is lost and what is doubled.

    python -m benchmarks.faults [--quick] [--only NAME] [--replay replay.py SET]

Prints a table row for each crawl.  ``fetched``, ``drops`` and ``left`` are those of the runs that
were closed; ``lost`` are the pages that should be articles and are not; ``doubled`` the items of
pages that were exported before.  The exit status is 1 if anything was lost or doubled.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.fault_cells import Cell, matrix, quick_matrix
from benchmarks.fault_disks import disk_faults
from benchmarks.fault_jobs import Job, Outcome
from benchmarks.fault_kills import random_kills, replayed_kills
from benchmarks.fault_rows import HEADER, Row
from demo import DemoServer

#: Seconds before each response, so that a signal reaches the crawl at the intended moment.
DELAY = 0.08

Fault = Callable[[Path], list[Row]]


def run_cell(cell: Cell, folder: Path) -> Row:
    """Crawl the demo, stop it at the moments of the cell, and resume it if it has a JOBDIR."""
    with DemoServer(delay=DELAY) as server:
        wanted = {article.path for article in server.site.articles}
        arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
        job = Job(folder, arguments, cell.format, cell.has_job)
        for stop, moment in zip(cell.stops, cell.moments(), strict=True):
            count = round(moment * len(wanted))
            job.run(
                _setting(stop, count),
                lambda: len(wanted.intersection(server.requests)) >= count,  # noqa: B023
            )
        if cell.has_job:
            job.run()
        outcome = job.finish()
        urls = {f"{server.url}{path}" for path in wanted}
        return Row(cell.name, outcome, _lost(cell, outcome, urls))


def _setting(stop: str, count: int) -> str:
    """The setting that stops a crawl; other stops are signals."""
    settings = {
        "pagecount": f"CLOSESPIDER_PAGECOUNT={count}",
        "itemcount": f"CLOSESPIDER_ITEMCOUNT={max(1, count // 2)}",
        "timeout": "CLOSESPIDER_TIMEOUT=1",
    }
    return settings.get(stop, stop)


def _lost(cell: Cell, outcome: Outcome, wanted: set[str]) -> int:
    """A job that is resumed must have all articles; a crawl that is stopped, an outcome for each
    page that was fetched."""
    if cell.has_job:
        return len(wanted.difference(outcome.urls))
    return outcome.fetched - len(outcome.urls) - sum(outcome.drops.values())


def _faults(quick: bool, replay: list[str]) -> Iterator[tuple[str, Fault]]:
    for cell in quick_matrix() if quick else matrix():
        yield cell.name, lambda folder, cell=cell: [run_cell(cell, folder)]  # type: ignore[misc]
    yield from disk_faults(quick)
    yield from random_kills(jobs=1 if quick else 10)
    if replay and not quick:
        yield from replayed_kills(*replay)


def main() -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few cells, in some minutes")
    parser.add_argument("--only", default="", help="only the crawls whose name contains this")
    parser.add_argument("--replay", nargs=2, default=[], metavar=("REPLAY", "SET"))
    parser.add_argument("--jobs", type=int, default=2, help="crawls at a time")
    options = parser.parse_args()
    faults = [f for f in _faults(options.quick, options.replay) if options.only in f[0]]
    print(HEADER, flush=True)
    count = failed = 0
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:

        def run(number: int) -> list[Row]:
            return faults[number][1](Path(scratch, str(number)))

        for rows in pool.map(run, range(len(faults))):
            print(*rows, sep="\n", flush=True)
            count += len(rows)
            failed += sum(not row.is_good for row in rows)
    print(f"\n{count} crawls, {failed} with lost or doubled articles")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
