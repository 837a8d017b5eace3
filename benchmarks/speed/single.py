"""CPU time of the article of a page alone, as a program asks for it, beside other extractors.

    python -m benchmarks.speed.single SET [--pages N] [--rounds N] [--python PATH] [--json]

The pages of a set are read one at a time, without a wrapper, from the bytes to the item: as an
article by ``extract_page``, as one of any kind, by ``extract_pages`` with one page a call, and by
the peers that are installed.  trafilatura is timed with and without metadata, since our items
always have it, and its command's do not.  ``extract_pages`` also reads a page of one paragraph.
``--python`` names another interpreter, which has ``rs_trafilatura``: its wheels are for Python
3.12 only.  Printed is the median of the rounds, and what our times are beside those of the peers.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from benchmarks.sets.bench_set import BenchPage, load_groups, run_command
from benchmarks.speed.pages import make_item, run_with_metadata
from benchmarks.support.peers import installed_peers, run_peer
from forest_scrapy.batch.library import extract_pages
from forest_scrapy.core import Options
from forest_scrapy.core.items import ITEM_KINDS

_TINY_PAGE = b"<html><head><title>News</title></head><body><p>The road is open again.</p></body>"
#: What the other interpreter runs: the files of a folder, each once for every round.
_TIME_RS_TRAFILATURA = """
import json, sys
from pathlib import Path
from time import process_time
from rs_trafilatura import extract

folder, rounds = sys.argv[1:]
pages = [path.read_text(encoding="utf-8") for path in sorted(Path(folder).iterdir())]
extract(pages[0])
times = []
for _ in range(int(rounds)):
    start = process_time()
    for page in pages:
        extract(page)
    times.append(1000 * (process_time() - start) / len(pages))
print(json.dumps(times))
"""

Milliseconds = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.single",
        description=(__doc__ or "").split("\n")[0],
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=200, help="at most so many (default 200)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", metavar="PATH", help="an interpreter that has rs_trafilatura")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    pages = read_single_pages(options.set, options.pages)
    gc.freeze()  # as a crawl does: else each contender looks through all pages for garbage
    ms = time_contenders(pages, options.rounds)
    if options.python:
        ms["rs-trafilatura"] = time_rs_trafilatura(options.python, pages, options.rounds)
    report = {"pages": len(pages), "ms": ms, "ratios": compare(ms)}
    print(json.dumps(report) if options.json else table(report))


def read_single_pages(folder: str, max_pages: int) -> list[BenchPage]:
    """At most ``max_pages`` articles of a set, evenly from all of its sites, without their URLs'
    order."""
    articles = []
    for group in load_groups(folder):
        articles += group.articles
    step = max(1, len(articles) // max_pages)
    return articles[::step][:max_pages]


def contenders() -> dict[str, Callable[[BenchPage], Any]]:
    """By name: our ways to the item of a page alone, and the peers that are installed."""
    all_kinds = Options(kinds=tuple(ITEM_KINDS))
    peers = {name: partial(_run_peer, peer) for name, peer in installed_peers().items()}
    if "trafilatura" in peers:
        peers["trafilatura with metadata"] = partial(_run_peer, run_with_metadata)
    return {
        "extract_page": make_item,
        "extract_page, all kinds": partial(make_item, options=all_kinds),
        "extract_pages, a page a call": _extract_alone,
        "extract_pages, a tiny page": _extract_tiny,
        **peers,
    }


def time_contenders(pages: Sequence[BenchPage], rounds: int) -> Milliseconds:
    """The median over the rounds of each contender's mean CPU time a page; they take turns, and
    what they load at first use is loaded before."""
    runs = contenders()
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run(pages[0])
    for _ in range(rounds):
        for name, run in runs.items():
            start = process_time()
            for page in pages:
                run(page)
            seconds = process_time() - start
            times[name].append(1000 * seconds / len(pages))
    return {name: round(median(values), 3) for name, values in times.items()}


def time_rs_trafilatura(python: str, pages: Sequence[BenchPage], rounds: int) -> float:
    """Its mean CPU time a page, in another interpreter."""
    with TemporaryDirectory() as folder:
        for number, page in enumerate(pages):
            html = page.html.decode("utf-8", "replace")
            Path(folder, f"{number:06}.html").write_text(html, encoding="utf-8")
        command = [python, "-c", _TIME_RS_TRAFILATURA, folder, str(rounds)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{python} cannot run rs_trafilatura: {result.stderr.strip()}")
    times: list[float] = json.loads(result.stdout)
    return round(median(times), 3)


def compare(ms: Mapping[str, float]) -> dict[str, float]:
    """Our times beside those of the peers; a ratio is missing where a peer is.

    >>> compare({"extract_page": 20.0, "trafilatura": 10.0})
    {'extract_page / trafilatura': 2.0}
    """
    ratios = {}
    for name in ("extract_page", "extract_page, all kinds"):
        for peer in ("trafilatura", "trafilatura with metadata", "rs-trafilatura"):
            if name in ms and peer in ms:
                ratio = ms[name] / ms[peer]
                ratios[f"{name} / {peer}"] = round(ratio, 2)
    return ratios


def table(report: Mapping[str, Any]) -> str:
    lines = [f"{report['pages']} pages; CPU time a page, median of the rounds"]
    for name, ms in report["ms"].items():
        lines.append(f"{name:48s} {ms:9.3f} ms")
    for name, ratio in report["ratios"].items():
        lines.append(f"{name:48s} {ratio:9.2f}")
    return "\n".join(lines)


def _extract_alone(page: BenchPage) -> None:
    for _ in extract_pages([(page.url, page.html)], are_articles=True):
        pass


def _extract_tiny(page: BenchPage) -> None:
    for _ in extract_pages([(page.url, _TINY_PAGE)], are_articles=True):
        pass


def _run_peer(peer: Callable[[bytes], str | None], page: BenchPage) -> None:
    run_peer(peer, page.html)


if __name__ == "__main__":
    run_command(main)
