"""Real crawls and extractions that are stopped, killed, or run out of disk; what is lost and what
is doubled.

    python -m benchmarks.faults [PART ...] [--quick] [--only NAME] [--replay replay.py SET]

Prints a table row for each cell of these parts, or of all:

- ``crawls`` of the demo's feeds, with one export and with several, whose files are compared with
  those of a crawl without a fault, and with pages that are kept: ``fetched``, ``drops`` and
  ``left`` are those of the runs that were closed; ``lost`` are the pages that should be articles
  and are not, or are not kept; ``doubled`` the items of pages that were exported before.
- ``records``: crawls of threads and products, in the same columns; posts and products are counted.
- ``form``: crawls of a search form that are stopped and resumed, and whose server fails, changes
  hidden fields, answers in other encodings, or has an odd form.  The records are compared with
  those of a crawl without a fault, or of all answers that the server gave.
- ``files``: commands that find a named pipe, a folder, a loop of links, a device or something that
  may not be read in the place of a file.
- ``extract``: of the demo's pages from files.  The articles are compared, byte by byte, with those
  of a run without a fault.  Further problems: a run that hangs, a traceback, no message at the end,
  a wrong exit status, processes that are left, bad input that is not named.

The exit status is 1 if anything was lost or doubled, or if there was a problem.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.faults.archives import archive_faults
from benchmarks.faults.cells import Cell, matrix, quick_matrix
from benchmarks.faults.disks import disk_faults
from benchmarks.faults.exports import several_exports
from benchmarks.faults.extract_disks import disk_faults as extract_disk_faults
from benchmarks.faults.extract_kills import kill_faults, pair_faults
from benchmarks.faults.extracts import EXTRACT_HEADER, Result
from benchmarks.faults.forms import form_faults
from benchmarks.faults.inputs import input_faults
from benchmarks.faults.jobs import Job, Outcome
from benchmarks.faults.kept_pages import kept_faults
from benchmarks.faults.kills import export_kills, random_kills, replayed_kills
from benchmarks.faults.odd_files import odd_file_faults
from benchmarks.faults.records import records_faults
from benchmarks.faults.rows import HEADER, Row
from demo import DemoServer

#: Seconds before each response, so that a signal reaches the crawl at the intended moment.
DELAY = 0.08

Results = Sequence[Row | Result]
Fault = Callable[[Path], Results]


def run_cell(cell: Cell, folder: Path) -> Row:
    """Crawl the demo, stop it at the moments of the cell, and resume it if it has a JOBDIR."""
    with DemoServer(delay=DELAY) as server:
        expected = {article.path for article in server.site.articles}
        arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
        job = Job(folder, arguments, cell.format, cell.has_job)
        for stop, moment in zip(cell.stops, cell.moments(), strict=True):
            count = round(moment * len(expected))
            job.run(
                _setting(stop, count),
                lambda: len(expected.intersection(server.requests)) >= count,  # noqa: B023
            )
        if cell.has_job:
            job.run()
        outcome = job.finish()
        urls = {f"{server.url}{path}" for path in expected}
        return Row(cell.name, outcome, _lost(cell, outcome, urls))


def _setting(stop: str, count: int) -> str:
    """The setting that stops a crawl; other stops are signals."""
    settings = {
        "pagecount": f"CLOSESPIDER_PAGECOUNT={count}",
        "itemcount": f"CLOSESPIDER_ITEMCOUNT={max(1, count // 2)}",
        "timeout": "CLOSESPIDER_TIMEOUT=1",
    }
    return settings.get(stop, stop)


def _lost(cell: Cell, outcome: Outcome, expected: set[str]) -> int:
    """A job that is resumed must have all articles; a crawl that is stopped, an outcome for each
    page that was fetched."""
    if cell.has_job:
        return len(expected.difference(outcome.urls))
    return outcome.fetched - len(outcome.urls) - sum(outcome.drops.values())


def _crawl_faults(quick: bool, replay: list[str]) -> Iterator[tuple[str, Fault]]:
    cells = quick_matrix() if quick else matrix()
    for cell in cells:
        yield cell.name, lambda folder, cell=cell: [run_cell(cell, folder)]  # type: ignore[misc]
    yield from disk_faults(quick)
    yield from export_kills(quick)
    yield from several_exports(quick)
    yield from kept_faults(quick)
    yield from random_kills(jobs=1 if quick else 10)
    if replay and not quick:
        yield from replayed_kills(*replay)


def _faults(part: str, options: Namespace) -> Iterator[tuple[str, Fault]]:
    quick: bool = options.quick
    if part == "crawls":
        yield from _crawl_faults(quick, options.replay)
    elif part == "records":
        yield from records_faults(quick)
    elif part == "form":
        yield from form_faults(quick)
    elif part == "files":
        yield from odd_file_faults(quick)
    else:
        yield from input_faults(quick)
        yield from archive_faults(quick)
        yield from kill_faults(quick)
        yield from pair_faults(quick)
        yield from extract_disk_faults(quick)


def main() -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    headers = {
        "crawls": HEADER,
        "records": HEADER,
        "form": HEADER,
        "files": EXTRACT_HEADER,
        "extract": EXTRACT_HEADER,
    }
    parts = tuple(headers)
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"{', '.join(parts)}; default: all",
    )
    parser.add_argument("--quick", action="store_true", help="a few cells, in some minutes")
    parser.add_argument("--only", default="", help="only the cells whose name contains this")
    parser.add_argument("--replay", nargs=2, default=[], metavar=("REPLAY", "SET"))
    parser.add_argument("--jobs", type=int, default=2, help="cells at a time")
    options = parser.parse_args()
    if unknown := set(options.parts).difference(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    failed = 0
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        started = {}
        for part in options.parts or parts:
            faults = [fault for name, fault in _faults(part, options) if options.only in name]
            started[part] = start_faults(faults, Path(scratch, part), pool)
        try:
            for part, results in started.items():
                print(f"\n## {part}\n\n{headers[part]}", flush=True)
                failed += print_results(results)
        except BaseException:  # Ctrl-C, too: else all other cells run before the command ends
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return 1 if failed else 0


def start_faults(faults: list[Fault], folder: Path, pool: Executor) -> Iterator[Results]:
    """The rows of each cell, in order, of cells that start now."""

    def run(number: int) -> Results:
        return faults[number](folder / str(number))

    return pool.map(run, range(len(faults)))


def print_results(results: Iterator[Results]) -> int:
    """Print the rows of cells and a sum; the number of rows that are not good."""
    count = failed = 0
    for rows in results:
        if rows:
            print(*rows, sep="\n", flush=True)
        count += len(rows)
        failed += sum(not row.is_good for row in rows)
    print(f"\n{count} cells, {failed} with lost or doubled articles or another problem")
    return failed
