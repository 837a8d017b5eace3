"""Jobs with several exports that are killed between two writes of one item, and resumed."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from signal import SIGKILL
from urllib.parse import urlsplit

from benchmarks.faults.jobs import Job
from benchmarks.faults.rows import Row
from demo import DemoServer

Fault = Callable[[Path], list[Row]]
#: Jobs, and kills of each: 40 in all.
JOBS = 10
KILLS = 4
#: The files before ``out.jsonl``, which is the last export; the crawl is killed before it writes
#: to the one that ends in ``.jl``, or to the last.
_ORDERS = (("a.csv", "b.jl"), ("b.jl", "a.csv"), ("a.csv", "c.csv"))


def several_exports(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Jobs whose files are compared with those of one that is not killed."""
    jobs = 1 if quick else JOBS
    kills = 2 if quick else KILLS
    for number in range(jobs):
        names = _ORDERS[number % len(_ORDERS)]
        name = f"kill x {kills} between writes | {', '.join(names)}, out.jsonl | {number}"
        yield (
            name,
            lambda folder, name=name, names=names, number=number, kills=kills: [  # type: ignore[misc]
                _kill_between(name, names, number, kills, folder)
            ],
        )


def _kill_between(name: str, names: tuple[str, ...], number: int, kills: int, folder: Path) -> Row:
    random = Random(number)
    killing = "jl" if "b.jl" in names else "jsonl"
    exporters = {killing: "benchmarks.faults.stats.KillingExporter"}
    with DemoServer() as server:
        arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
        for file in names:
            arguments += ["-o", file]
        whole = Job(folder / "whole", arguments, "jsonl", False)
        whole.run()
        job = Job(folder / "killed", arguments, "jsonl", True, FEED_EXPORTERS=exporters)
        for _ in range(kills):
            job.run(f"KILL_BEFORE_WRITE={random.randint(1, 7)}")
        job.run()
        outcome = job.finish()
    is_killed = outcome.exits == [*[-SIGKILL] * kills, 0]
    problem = "" if is_killed else "it was not killed, or not resumed"
    lost = 0
    for file in (*names, "out.jsonl"):
        expected = read_articles(whole.folder / file)
        articles = read_articles(job.folder / file)
        lost_here = (expected - articles).total()
        more_here = (articles - expected).total()
        lost += lost_here
        if articles != expected:
            problem = f"{file}: {lost_here} lost, {more_here} more"
    return Row(name, outcome, lost, problem)


def read_articles(path: Path) -> Counter[tuple[str, str]]:
    """How often a file has each article: path of its URL, and text."""
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            rows = [row for row in csv.DictReader(file) if row["url"] != "url"]
        else:
            rows = [json.loads(line) for line in file]
    return Counter((urlsplit(row["url"]).path, row["text"]) for row in rows)
