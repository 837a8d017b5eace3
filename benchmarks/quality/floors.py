"""Check that the F1 of every method on a set is not below its floor.

    python -m benchmarks.quality.floors SET [--update] [--floors FILE]

``floors.json`` has for each set, by its name, the SHA-256 of its contents and a floor for each
method.  The status is 1 if a method is below its floor, if the set has no floors, or if its
contents differ from those that were measured.  ``--update`` measures and writes new floors: an
explicit act, visible in a review.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.quality.command import LINES
from benchmarks.quality.comparison import compare, summarize
from benchmarks.sets.bench_set import digest_set, run_command, set_name
from benchmarks.sets.placed_pages import read_sites
from forest_scrapy.core import Params

FILE = Path(__file__).with_name("floors.json")
#: How far the floor is below the measured figure: more than other versions of the parser, the
#: stemmers or the stop words change it.  Not tuned.
MARGIN = 0.002

#: By the set's name: ``{"sha256": ..., "f1": {method: floor}}``.
Floors = dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--update", action="store_true", help="measure and write new floors")
    parser.add_argument("--floors", default=FILE, type=Path, metavar="FILE")
    options = parser.parse_args()
    name = set_name(options.set)
    digest = digest_set(options.set)
    floors = read_floors(options.floors)
    if not options.update:
        reason = refuse_set(name, digest, floors)
        if reason:
            sys.exit(reason)

    measured = measure_set(options.set)
    if options.update:
        new_floors = {method: lower(f1) for method, f1 in measured.items()}
        floors[name] = {"sha256": digest, "f1": new_floors}
        text = json.dumps(floors, indent=2, sort_keys=True)
        options.floors.write_text(f"{text}\n", "utf-8")

    set_floors = floors[name]["f1"]
    for method, f1 in measured.items():
        floor = set_floors.get(method, 0)
        print(f"{method:14s} F1 {f1:.4f}, floor {floor:.4f}")
    failures = check_floors(measured, set_floors)
    if failures:
        sys.exit("\n".join(failures))


def read_floors(file: Path) -> Floors:
    """The floors of all sets; empty if there is no file."""
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    floors: Floors = json.loads(text)
    return floors


def refuse_set(name: str, digest: str, floors: Floors) -> str:
    """Why the set cannot be checked; ``""`` if it can."""
    if name not in floors:
        return f"there are no floors for {name}: --update measures it and writes them"
    measured_digest = floors[name]["sha256"]
    if measured_digest != digest:
        return (
            f"this {name} differs from the set that was measured: its SHA-256 is {digest}, "
            f"not {measured_digest}; --update measures it and writes its floors"
        )
    return ""


def measure_set(folder: str) -> dict[str, float]:
    """Mean F1 of each method, with the classifier that ships."""
    sites = read_sites(folder)
    methods = [Params(name) for name in LINES]
    results = compare(sites, methods, {})
    means = {}
    for params, pages in results.methods.items():
        figures = summarize(pages)
        means[params.method] = figures["f1"]
    return means


def lower(f1: float) -> float:
    """The floor for a measured figure: a small margin below it, in thousandths.

    >>> lower(0.9533), lower(0.001)
    (0.951, 0.0)
    """
    # Rounded first: 0.951 may be computed as a little less.
    thousandths = round((f1 - MARGIN) * 1000, 6)
    floor = math.floor(thousandths) / 1000
    return max(0.0, floor)


def check_floors(measured: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """The methods that are below their floor, were not measured, or have no floor.

    >>> check_floors({"mss": 0.71, "auto": 0.93}, {"mss": 0.7, "auto": 0.95})
    ['auto: F1 0.9300 is below its floor 0.9500']
    """
    failures = []
    for name, floor in floors.items():
        f1 = measured.get(name, floor)
        if f1 < floor:
            failures.append(f"{name}: F1 {f1:.4f} is below its floor {floor:.4f}")
    for name in sorted(floors.keys() - measured):
        failures.append(f"{name}: it has a floor and is not measured")
    for name in sorted(measured.keys() - floors):
        failures.append(f"{name}: it has no floor; --update")
    return failures


if __name__ == "__main__":
    run_command(main)
