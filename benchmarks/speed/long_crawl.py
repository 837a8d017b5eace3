"""Memory and speed of a long crawl, beside a spider that only yields the size of each body.

    python -m benchmarks.speed.long_crawl SET [--pages N] [--early N] [--json]

The articles of the set are crawled again and again under other URLs and with other words, through
a local server.  Printed are the peak memory of both crawls, what ours takes beyond the other, how
much that grows after the first pages (``--early``), and the pages per second of CPU time after
them, as a share of that before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from benchmarks.sets.bench_set import run_command
from benchmarks.speed.crawls import run_crawl, serve

#: Articles of the set that are copied, and items between two samples.
_ARTICLES = 400
_STEP = 200

Samples = list[dict[str, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--early", type=int, default=2_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    copies = max(1, options.pages // _ARTICLES)
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        with serve(options.set, _ARTICLES, scratch, copies) as urls:
            bare = _crawl("bare", urls, scratch)
            forest = _crawl("first", urls, scratch)

    report = summarize(bare, forest, options.early)
    if options.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:24s} {value:10.2f}")


def summarize(bare: Samples, forest: Samples, early: int) -> dict[str, float]:
    """Megabytes and ratios of two crawls.

    >>> sample = [{"items": i, "mb": 90 + i, "cpu": float(i)} for i in (1, 2, 4)]
    >>> summarize(sample, sample, 2)["rate_late_to_early"]
    1.0
    """
    first = next(sample for sample in forest if sample["items"] >= early)
    early_rate = first["items"] / first["cpu"]

    last = forest[-1]
    late_items = last["items"] - first["items"]
    late_seconds = last["cpu"] - first["cpu"]
    late_rate = late_items / (late_seconds or 1)

    peak = max(sample["mb"] for sample in forest)
    bare_peak = max(sample["mb"] for sample in bare)
    return {
        "pages": last["items"],
        "peak_mb": peak,
        "bare_peak_mb": bare_peak,
        "mb_over_bare": peak - bare_peak,
        "mb_grown_after_early": last["mb"] - first["mb"],
        "rate_late_to_early": round(late_rate / early_rate, 2),
    }


class Sampler:
    """A Scrapy extension that prints memory and CPU time after every few items."""

    def __init__(self) -> None:
        self._items = 0
        self._start = process_time()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        sampler = cls()
        crawler.signals.connect(sampler.item_scraped, signal=signals.item_scraped)
        return sampler

    def item_scraped(self, item: Any) -> None:
        self._items += 1
        if self._items % _STEP == 0:
            cpu = process_time() - self._start
            sample = {
                "items": self._items,
                "mb": _resident_mb(),
                "cpu": cpu,
            }
            print(json.dumps(sample))


def _resident_mb() -> float:
    """The resident memory of this process (Linux)."""
    numbers = Path("/proc/self/statm").read_text(encoding="ascii")
    _, resident, *_ = numbers.split()
    pages = int(resident)
    return pages * 4096 / 1e6


def _crawl(kind: str, urls: Path, folder: Path) -> Samples:
    command = [
        sys.executable,
        "-m",
        "benchmarks.speed.long_crawl",
        "crawl",
        kind,
        str(urls),
        str(folder),
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    samples = []
    for line in process.stdout.splitlines():
        if line.startswith("{"):
            sample = json.loads(line)
            samples.append(sample)
    return samples


if __name__ == "__main__":
    if sys.argv[1:2] == ["crawl"]:
        run_crawl(sys.argv[2], sys.argv[3], sys.argv[4], (Sampler,))
    else:
        run_command(main)
