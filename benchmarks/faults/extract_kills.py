"""``extract`` that is killed or stopped at each of its steps, and two of them at once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

from benchmarks.faults.extracts import Extraction, Result, clean_records
from benchmarks.faults.inputs import write_lines

Fault = Callable[[Path], list[Result]]
_STEPS = (
    "read",
    "read:1",
    "plan",
    "plan:1",
    "collect",
    "collect:1",
    "learn",
    "learn:1",
    "extract",
    "extract:1",
)
_INSIDE = ("read:1", "plan", "collect", "learn+0.1", "extract:1")
#: Exit statuses of a run after what was done to it.
_EXITS = {"kill": [-9], "all": [-9], "int": [1], "term": [1], "worker": [0], "server": [0]}
#: Options with which finishing has the most steps.
_MORE = ("--save-wrappers", "wrappers.db", "--errors", "../in/errors.jsonl")
_SEQUENCES = (
    ("read:1 kill", "plan kill", "collect kill", "learn kill", "extract:1 kill", "finish:1 kill"),
    ("extract:1 kill", "extract:1 kill", "extract:1 kill"),
    ("finish:1 kill", "finish:1 kill", "finish:1 kill", "finish:1 kill"),
    ("finish:2 kill", "finish:2 kill", "finish:1 kill"),
    ("finish:4 kill", "finish:3 kill", "finish:2 kill"),
    ("extract:1 int", "finish:3 int", "finish:2 kill"),
    ("learn:1 all", "extract:1 server", "finish:2 kill"),
)
_FORMATS = ("json", "xml", "csv", "sqlite", "md")
#: Runs that are killed at random moments, and the seconds within which they are.
_RANDOM_RUNS = 6
MAX_SECONDS = 1.2


def kill_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Runs with a fault, the same command again, and once more when it is complete."""
    if quick:
        yield _cell(("extract:1 kill",), "jsonl", 2)
        yield _cell(("finish:3 kill",), "jsonl", 1)
        return
    for step, processes in product(_STEPS, (1, 2)):
        yield _cell((f"{step} kill",), "jsonl", processes)
    for act, (number, step) in product(("int", "term"), enumerate(_INSIDE)):
        yield _cell((f"{step} {act}",), "jsonl", 1 + number % 2)
    for act, step in product(("worker", "server", "all"), ("read:1", *_INSIDE[1:])):
        yield _cell((f"{step} {act}",), "jsonl", 2)
    for number, sequence in enumerate(_SEQUENCES):
        yield _cell(sequence, ("jsonl", "csv")[number % 2], 1 + number % 2)
    for number, kind in enumerate(_FORMATS):
        yield _cell(("extract:1 kill",), kind, 1 + number % 2)
    for number in range(_RANDOM_RUNS):
        faults = []
        for n in range(3):
            moment = Random(number * 3 + n).uniform(0, MAX_SECONDS)
            faults.append(f"read+{moment:.2f} kill")
        yield _cell(tuple(faults), "jsonl", 2)
    for act, format, options in (
        ("kill", "jsonl", ()),
        ("int", "jsonl", ()),
        ("kill", "csv", ()),
        ("kill", "jsonl", _MORE),
    ):
        for number in range(1, count_steps(format, options) + 1):
            yield _cell((f"finish:{number} {act}",), format, 1, options)


@cache
def count_steps(format: str, options: tuple[str, ...]) -> int:
    """The number of the steps of finishing."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = write_lines(Path(scratch, "in"))
        extraction = Extraction(Path(scratch, "out"), paths, format, 1, options)
        extraction.run("finish:0 count", exits=[0])
        return int((extraction.folder / "steps").read_text())


def _cell(
    faults: tuple[str, ...],
    format: str,
    processes: int,
    options: tuple[str, ...] = (),
) -> tuple[str, Fault]:
    more = " with wrappers and errors elsewhere" if options else ""
    name = f"kill | {', '.join(faults)}{more} | {format} | {processes}"

    def run(folder: Path) -> list[Result]:
        expected = clean_records(write_lines, format=format)
        paths = write_lines(folder / "in")
        extraction = Extraction(folder / "out", paths, format, processes, options)
        for fault in faults:
            _, act = fault.split()
            is_late_stop = "finish" in fault and "int" in fault
            may_end_well = len(faults) > 1 or "+" in fault or is_late_stop
            exits = list(_EXITS[act])
            if may_end_well:
                exits.append(0)
            extraction.run(fault, exits)
            extraction.check_whole(expected)

        complete_runs = 2 if "finish" in name else 1
        for _ in range(complete_runs):
            extraction.run(exits=[0])
            extraction.check_whole(expected)
        extraction.check_named(["a.example"])
        return [extraction.check(name, [expected])]

    return name, run


def pair_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Two commands at once: with one output the second is refused, with one errors file or store
    both may end well."""
    if quick:
        yield _pair("output", "extract:1", 1)
        return
    steps = ("read:1", "plan", "collect", "learn", "extract:1", "finish:1", "finish:2")
    for number, step in enumerate(steps):
        yield _pair("output", step, 1 + number % 2)
    for shared, step in product(("output", "linked output", "errors", "store"), ("", "extract:1")):
        if (shared, step) != ("output", "extract:1"):
            yield _pair(shared, step, 2)
    yield _pair("store", "finish:3", 1)


def _pair(shared: str, step: str, processes: int) -> tuple[str, Fault]:
    """``step``: of the first command, at which the second is started; ``""``: both at once."""
    when = f"at {step} of the first" if step else "together"
    name = f"two | same {shared}, {when} | jsonl | {processes}"

    def run(folder: Path) -> list[Result]:
        expected = clean_records(write_lines)
        paths = write_lines(folder / "in")
        store = ("--save-wrappers", "wrappers.db", "--errors", "1.jsonl")
        options: tuple[str, ...] = store if shared == "store" else ()
        first = Extraction(folder / "out", paths, "jsonl", processes, options)
        if shared == "linked output":
            (folder / "link").symlink_to("out")
        elsewhere = folder / ("link" if shared == "linked output" else "out")
        output = "" if "output" in shared else "other.jsonl"
        second = Extraction(elsewhere, paths, "jsonl", processes, options[:2], output=output)
        first_process = first.start(f"{step} pause" if step else "")
        if step:
            first.wait_for("paused", first_process)
        second.end(second.start())
        (folder / "out" / "go").touch()
        first.end(first_process)

        ends = sorted((first.exits[-1], second.exits[-1]))
        if "output" in shared:
            right_ends = [[0, 1]]
        elif shared == "errors":
            right_ends = [[0, 0], [0, 1]]
        else:
            right_ends = [[0, 0]]
        first.problems += second.problems
        if ends not in right_ends:
            first.problems.append(f"ends {ends}")

        for extraction in (first, second):
            extraction.check_whole(expected)
            if extraction.exits[-1] == 1:
                extraction.run(exits=[0])
        results = [extraction.check(name, [expected]) for extraction in (first, second)]
        return [max(results, key=lambda result: not result.is_good)]

    return name, run
