"""Pages a second, memory and F1 of ``forest-scrapy extract``, beside trafilatura's own command.

    python -m benchmarks.speed.batch SET [--pages N] [--hosts N] [--sites N] [--rounds N]
        [--no-trafilatura] [--json]

The articles of a set, and copies of them with other texts under other URLs of the same hosts, are
written as a WARC file and as a folder of HTML files.  ``forest-scrapy extract --articles`` reads
the WARC file with 1 and with 2 processes, learning included; ``trafilatura --input-dir --parallel
2 --json`` reads the folder, without metadata, as it does by itself, and with it, which our articles
always have.  Commands take turns; printed is the best of the rounds, since other
load only adds time.  Memory is the largest sum of the resident memory of a command's processes,
at all pages and at a tenth of them.  F1 is that of the set's own articles, by this command and by
the components of a crawl.

The same articles as 1,000 hosts with two pages each, as in a corpus of the web, are read by
``extract`` with 1 process, and by trafilatura's function with metadata in this process.  Memory is
also printed as the largest sum of proportional set sizes: what processes share counts once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from benchmarks.sets.bench_set import BenchPage, load_groups, read_items, run_command
from benchmarks.sets.offline import crawl_pages
from benchmarks.sets.scores import mean_score, score_text
from benchmarks.sets.warcs import write_warc
from benchmarks.speed.crawls import environment
from forest_scrapy.settings import ForestSettings

#: Seconds between two looks at the memory.
_LOOK = 0.1


@dataclass(frozen=True)
class Cost:
    """Wall-clock seconds, seconds of processor time, and bytes of memory at the peak: the sum of
    the resident memory of the processes, and that of their proportional set sizes."""

    seconds: float
    cpu: float
    memory: int
    proportional: int


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=1000, help="hosts with two pages each")
    parser.add_argument("--sites", type=int, help="use only the first sites of the set")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--no-trafilatura", action="store_true")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    articles = list(read_articles(options.set, options.sites))
    with_trafilatura = bool(find_spec("trafilatura")) and not options.no_trafilatura
    with TemporaryDirectory() as name:
        folder = Path(name)
        report = measure(articles, folder, options.pages, options.rounds)
        if with_trafilatura:
            report |= measure_trafilatura(articles, folder, options.pages, options.rounds)
            report |= compare_speed(report)
            report |= measure_hosts(articles, folder, options.hosts, options.rounds)
        report |= measure_f1(articles, folder)

    if options.json:
        print(json.dumps(report))
    else:
        print(table(report))


def measure(articles: Sequence[BenchPage], folder: Path, pages: int, rounds: int) -> dict[str, Any]:
    """Our figures."""
    tenth_pages = pages // 10
    all_varied = islice(vary_pages(articles), pages)
    full = write_warc(folder / "pages.warc.gz", all_varied)
    tenth_varied = islice(vary_pages(articles), tenth_pages)
    tenth = write_warc(folder / "tenth.warc.gz", tenth_varied)

    single = best(run_ours(full, 1) for _ in range(rounds))
    two = best(run_ours(full, 2) for _ in range(rounds))
    small = run_ours(tenth, 2)
    speed = pages / two.seconds
    speed_at_tenth = tenth_pages / small.seconds
    return {
        "pages": pages,
        "pages/s, 1 process": pages / single.seconds,
        "pages/s, 2 processes": speed,
        "2 processes / 1": single.seconds / two.seconds,
        "ms of processor time a page": 1000 * two.cpu / pages,
        "pages/s / pages/s at a tenth of the pages": speed / speed_at_tenth,
        "MB, 1 process": single.memory / 1e6,
        "MB, 2 processes": two.memory / 1e6,
        "MB, 2 processes, shared memory counted once": two.proportional / 1e6,
        "MB, 2 processes, a tenth of the pages": small.memory / 1e6,
        "memory / memory at a tenth": two.memory / small.memory,
    }


def measure_trafilatura(
    articles: Sequence[BenchPage],
    folder: Path,
    pages: int,
    rounds: int,
) -> dict[str, Any]:
    """trafilatura's figures, on the same pages as files."""
    place = folder / "html"
    place.mkdir()
    for number, page in enumerate(islice(vary_pages(articles), pages)):
        path = place / f"{number:06}.html"
        path.write_bytes(page.html)
    command = ["-m", "trafilatura.cli", "--input-dir", str(place), "--json", "--parallel", "2"]
    report = {}
    for name, more in (("trafilatura", []), ("trafilatura with metadata", ["--with-metadata"])):
        costs = []
        for number in range(rounds):
            out = folder / f"{name} {number}"
            costs.append(run_timed([*command, *more, "-o", str(out)]))
        cost = best(costs)
        report[f"{name}: pages/s, 2 processes"] = pages / cost.seconds
        report[f"{name}: ms of processor time a page"] = 1000 * cost.cpu / pages
        report[f"{name}: MB"] = cost.memory / 1e6
    return report


def compare_speed(report: Mapping[str, Any]) -> dict[str, float]:
    """How many times as long we take as trafilatura, with 2 processes each: by the clock, which
    other load changes, and by the processor time."""
    ratios = {}
    for name in ("trafilatura", "trafilatura with metadata"):
        speed_ratio = report[f"{name}: pages/s, 2 processes"] / report["pages/s, 2 processes"]
        cpu_of_peer = report[f"{name}: ms of processor time a page"]
        ratios[f"our time / that of {name}"] = speed_ratio
        ratios[f"our processor time / that of {name}"] = (
            report["ms of processor time a page"] / cpu_of_peer
        )
    return ratios


def measure_hosts(
    articles: Sequence[BenchPage],
    folder: Path,
    hosts: int,
    rounds: int,
) -> dict[str, float]:
    """Processor time on hosts with two pages each, beside trafilatura's function with metadata."""
    pages = list(islice(vary_hosts(articles), 2 * hosts))
    warc = write_warc(folder / "hosts.warc.gz", pages)
    seconds = min(run_ours(warc, 1).cpu for _ in range(rounds))
    trafilatura_seconds = min(time_trafilatura(pages) for _ in range(rounds))
    return {
        "hosts with two pages": len(pages) / 2,
        "hosts: ms of processor time a page": 1000 * seconds / len(pages),
        "hosts: trafilatura's function, ms a page": 1000 * trafilatura_seconds / len(pages),
        "hosts: our processor time / trafilatura's": seconds / trafilatura_seconds,
    }


def time_trafilatura(pages: Iterable[BenchPage]) -> float:
    """Seconds of processor time of trafilatura's function, after its first call."""
    import trafilatura

    pages = list(pages)
    trafilatura.extract(pages[0].html, with_metadata=True, output_format="json")
    start = time.process_time()
    for page in pages:
        trafilatura.extract(page.html, with_metadata=True, output_format="json")
    return time.process_time() - start


def measure_f1(articles: Sequence[BenchPage], place: Path) -> dict[str, float]:
    """F1 of the articles by the command, and by the components of a crawl."""
    warc = write_warc(place / "set.warc.gz", articles)
    run_ours(warc, 2)
    item_texts = {item["url"]: item["text"] for item in read_items(place / "set.warc.gz.jsonl")}
    crawled = asyncio.run(crawl_pages(articles, ForestSettings()))
    texts = {url: article.text for url, article in crawled.items()}
    return {
        "F1": f1(articles, item_texts),
        "F1 of the components of a crawl": f1(articles, texts),
        "articles that differ": sum(item_texts.get(url) != text for url, text in texts.items()),
    }


def f1(pages: Iterable[BenchPage], texts: Mapping[str, str]) -> float:
    scores = []
    for page in pages:
        if page.gold:
            text = texts.get(page.url, "")
            scores.append(score_text(page.gold, text))
    return mean_score(scores).f1


def read_articles(folder: str, sites: int | None = None) -> Iterator[BenchPage]:
    """The articles of a set, without feed entries."""
    for group in islice(load_groups(folder), sites):
        yield from (replace(page, entry=None) for page in group.pages if page.is_article)


def vary_pages(articles: Sequence[BenchPage]) -> Iterator[BenchPage]:
    """The pages, then copies of them without end: each paragraph of the n-th copy ends with n."""
    yield from articles
    copy = 0
    while articles:
        copy += 1
        for page in articles:
            html = page.html.replace(b"</p>", b" %d</p>" % copy)
            html = html.replace(page.url.encode(), f"{page.url}?copy={copy}".encode())
            yield replace(page, url=f"{page.url}?copy={copy}", html=html)


def vary_hosts(articles: Sequence[BenchPage]) -> Iterator[BenchPage]:
    """The pages and copies of them, each two of a site as a host of their own: ``h<n>.`` before the
    site's host, also in the markup."""
    waiting: dict[str, BenchPage] = {}
    number = 0
    for page in vary_pages(articles):
        host = urlsplit(page.url).netloc
        first = waiting.pop(host, None)
        if first is None:
            waiting[host] = page
            continue
        number += 1
        name = f"h{number}.{host}"
        for copied in (first, page):
            html = copied.html.replace(host.encode(), name.encode())
            yield replace(copied, url=copied.url.replace(host, name, 1), html=html)


def run_ours(warc: Path, processes: int) -> Cost:
    """Extract a WARC file to a file beside it."""
    program = "from forest_scrapy.commands.main import main; main()"
    out = ("-o", f"{warc}.jsonl", "--articles", "--processes", str(processes))
    return run_timed(["-c", program, "extract", str(warc), *out])


def run_timed(command: Sequence[str]) -> Cost:
    """Run Python with these arguments to its end."""
    start = time.perf_counter()
    with TemporaryFile() as errors:  # not a pipe, which a talkative command would fill
        process = subprocess.Popen(
            [sys.executable, *command],
            stderr=errors,
            stdout=subprocess.DEVNULL,
            env=environment(),
        )
        memory, proportional, cpu = watch_usage(process)
        if process.returncode:
            errors.seek(0)
            sys.exit(errors.read().decode())
    return Cost(time.perf_counter() - start, cpu, memory, proportional)


def watch_usage(process: subprocess.Popen[bytes]) -> tuple[int, int, float]:
    """The largest resident memory and the largest proportional set size of a process with its
    children, until its end, and their processor time."""
    peak = shared_once = 0
    seen: dict[int, float] = {}
    while process.poll() is None:
        memory = proportional = 0
        for pid in family(process.pid):
            resident, seconds = read_usage(pid)
            memory += resident
            proportional += read_proportional(pid)
            seen[pid] = max(seen.get(pid, 0.0), seconds)
        peak = max(peak, memory)
        shared_once = max(shared_once, proportional)
        time.sleep(_LOOK)
    return peak, shared_once, sum(seen.values())


def family(pid: int) -> list[int]:
    """A process and those that it started, and so on."""
    pids = [pid]
    for parent in pids:
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            continue
        pids += map(int, children)
    return pids


def read_usage(pid: int) -> tuple[int, float]:
    """Bytes of resident memory, and seconds of processor time; 0 for a process that has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, IndexError):
        return 0, 0.0
    return pages * 4096, (int(values[11]) + int(values[12])) / 100


def read_proportional(pid: int) -> int:
    """Bytes of memory of a process, those that it shares divided by the processes that have them; 0
    for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def best(costs: Iterable[Cost]) -> Cost:
    return min(costs, key=lambda cost: cost.seconds)


def table(report: Mapping[str, Any]) -> str:
    return "\n".join(f"{name:60s} {value:12,.4g}" for name, value in report.items())


if __name__ == "__main__":
    run_command(main)
