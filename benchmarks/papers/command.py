"""Print tables and figures of the papers beside those that are measured on a set.

    python -m benchmarks.papers SET [--paper NAME] [--sites 30] [--pictures FOLDER]

Under each table stands what differs from the paper.  Sites are sampled evenly; ``--sites 0`` takes
all.  Intervals are at 95%, by bootstrap over sites with a fixed seed.  Chapter 2 of the
thesis is in the tables of FOREST, chapter 1 in those of the thesis; chapter 3 is measured by
``benchmarks.forms`` and ``benchmarks.alignment``.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from benchmarks.papers.forest import print_forest
from benchmarks.papers.gottron import print_gottron
from benchmarks.papers.luo import print_luo
from benchmarks.papers.samples import sample_evenly
from benchmarks.papers.thesis import print_thesis
from benchmarks.papers.zhang import print_zhang
from benchmarks.sets.bench_set import UnreadableSet, load_groups, set_name

PAPERS = {
    "forest": print_forest,
    "gottron": print_gottron,
    "luo": print_luo,
    "zhang": print_zhang,
    "thesis": print_thesis,
}
#: Sites of a sample; FOREST and Gottron take 6 minutes with it on feeds-dev.
SITES = 30


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--paper", choices=tuple(PAPERS), help="one paper only")
    parser.add_argument("--sites", type=int, default=SITES, help="sample so many sites; 0: all")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="figures as PNG")
    options = parser.parse_args()
    if options.sites < 0:
        parser.error("--sites must be 0 or more")
    if options.pictures and find_spec("matplotlib") is None:
        sys.exit("--pictures needs matplotlib: pip install -e '.[bench]'")

    sites = [group.name for group in load_groups(options.set) if group.articles]
    if not sites:
        raise UnreadableSet(f"{options.set}: it has no articles with a gold text")
    sample = sample_evenly(sites, options.sites)
    print(f"{set_name(options.set)}: {len(sample)} of {len(sites)} sites, sampled evenly")
    start = perf_counter()
    for name in [options.paper] if options.paper else PAPERS:
        PAPERS[name](options.set, set(sample), options.pictures)
    print(f"\n{perf_counter() - start:.0f} seconds")
