"""``extract`` on disks that are full or read-only, and with outputs that cannot be written."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.faults.disks import mount
from benchmarks.faults.extracts import Extraction, Result, clean_records
from benchmarks.faults.inputs import write_lines

Fault = Callable[[Path], list[Result]]
#: Bytes.  The output of the demo has some 150,000.
_LIMITS = (1_000, 30_000, 100_000, 200_000)


@dataclass(frozen=True)
class Disk:
    """A folder on a file system of its own, and how it is in the first run.

    ``place``: ``out``, the folder of the command, or one in it.  ``options``: of the mount;
    ``fault``: what is done in the run.  ``ends``: whether the first run may end well.
    """

    place: str
    options: str
    fault: str = ""
    ends: bool = False
    format: str = "jsonl"
    extra: tuple[str, ...] = ()


_FILL = "dd if=/dev/zero of=%s/fill bs=1000"
_ERRORS = ("--errors", "disk/errors.jsonl")
_DISKS: dict[str, Disk] = {
    "output: 40 KB": Disk("out", "size=40k"),
    "output: 120 KB": Disk("out", "size=120k"),
    "output: 300 KB": Disk("out", "size=300k"),
    "output: 700 KB": Disk("out", "size=700k", ends=True),
    "output: 300 KB, csv": Disk("out", "size=300k", format="csv"),
    "output: full at extract:1": Disk(
        "out",
        "size=2m",
        fault=f"extract:1 {_FILL % '.'}",
        ends=True,
    ),
    "output: full at finish:1": Disk(
        "out",
        "size=2m",
        fault=f"finish:1 {_FILL % '.'}",
        ends=True,
    ),
    "output: full at finish:1, csv": Disk(
        "out",
        "size=2m",
        fault=f"finish:1 {_FILL % '.'}",
        ends=True,
        format="csv",
    ),
    "output: full at finish:2, json": Disk(
        "out",
        "size=2m",
        fault=f"finish:2 {_FILL % '.'}",
        ends=True,
        format="json",
    ),
    "output: read-only": Disk("out", "size=2m,ro"),
    "errors: another file system": Disk(
        "out/disk",
        "size=2m",
        ends=True,
        extra=_ERRORS,
    ),
    "errors: full": Disk(
        "out/disk",
        "size=4k",
        fault=f"read {_FILL % 'disk'}",
        extra=_ERRORS,
    ),
    "errors: full at finish:1": Disk(
        "out/disk",
        "size=8k",
        fault=f"finish:1 {_FILL % 'disk'}",
        ends=True,
        extra=_ERRORS,
    ),
    "errors: read-only": Disk(
        "out/disk",
        "size=2m,ro",
        extra=_ERRORS,
    ),
    "wrappers: 8 KB": Disk(
        "out/disk",
        "size=8k",
        extra=("--save-wrappers", "disk/wrappers.db"),
    ),
    "folder of the job: 60 KB": Disk("out/out.jsonl.job", "size=60k"),
    "temporary files: none": Disk("out/temp", "size=4k,nr_inodes=1", ends=True),
    "temporary files: read-only": Disk("out/temp", "size=4k,ro", ends=True),
}


def disk_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """A run that has no space, and the same command when there is space."""
    limits = [("read", 30_000)]
    if not quick:
        steps = ("read", "extract:1", "finish:1")
        limits = list(product(steps, _LIMITS))
    for number, (step, limit) in enumerate(limits):
        format = ("jsonl", "csv")[number // 2 % 2]
        processes = 1 + number % 2
        yield _limited(step, limit, format, processes)
    if quick:
        return
    for kind, options in _DISKS.items():
        yield _mounted(kind, options)
    for kind in _ODD_PLACES:
        yield _odd_place(kind)


def _limited(step: str, limit: int, format: str, processes: int) -> tuple[str, Fault]:
    name = f"disk | files up to {limit // 1000} KB from {step} on | {format} | {processes}"

    def run(folder: Path) -> list[Result]:
        expected = clean_records(write_lines, format=format)
        paths = write_lines(folder / "in")
        extraction = Extraction(folder / "out", paths, format, processes)
        extraction.run(f"{step} limit {limit}", exits=[0, 1])
        extraction.check_whole(expected)
        if extraction.exits[-1]:
            extraction.run(exits=[0])
        result = extraction.check(name, [expected])
        return [result]

    return name, run


def _mounted(kind: str, disk: Disk) -> tuple[str, Fault]:
    """No row without the right to mount."""
    name = f"disk | {kind} | {disk.format} | 2"

    def run(folder: Path) -> list[Result]:
        place = folder / disk.place
        place.mkdir(parents=True)
        if not mount(place, disk.options):
            return []
        try:
            result = _extract(folder, name, disk)
            return [result]
        finally:
            subprocess.run(["umount", "-l", str(place)], check=False)

    return name, run


def _extract(folder: Path, name: str, disk: Disk) -> Result:
    place = folder / disk.place
    expected = clean_records(write_lines, format=disk.format)
    paths = write_lines(folder / "in")
    extraction = Extraction(
        folder / "out",
        paths,
        disk.format,
        2,
        disk.extra,
    )
    environment = {}
    if "temp" in disk.place:
        environment["TMPDIR"] = str(place)
    exits = [0, 1] if disk.ends else [1]
    extraction.run(disk.fault, exits, **environment)
    extraction.check_whole(expected)

    mount(place, "remount,size=100m,nr_inodes=0,rw")
    filling = place / "fill"
    filling.unlink(missing_ok=True)
    if extraction.exits[-1]:
        extraction.run(exits=[0])
    extraction.check_named(["a.example"])
    return extraction.check(name, [expected])


@dataclass(frozen=True)
class OddPlace:
    """``before``: a shell command that puts something in the way; ``options``: more of the
    extraction; ``may_end``: whether it may end well."""

    before: str
    options: tuple[str, ...] = ()
    may_end: bool = False


_ODD_PLACES: dict[str, OddPlace] = {
    "the output is a folder": OddPlace("mkdir out.jsonl"),
    "the folder of the job is a file": OddPlace("touch out.jsonl.job"),
    "the errors are a folder": OddPlace("mkdir out.errors.jsonl"),
    "the errors are in a folder that is missing": OddPlace(
        before="",
        options=("--errors", "a/b/errors.jsonl"),
        may_end=True,
    ),
    "the errors are the output": OddPlace(
        before="",
        options=("--errors", "./out.jsonl"),
    ),
    "the errors are an input": OddPlace(
        before="",
        options=("--errors", "../in/pages.jsonl"),
    ),
    "the errors are linked to the output": OddPlace("ln -s out.jsonl out.errors.jsonl"),
    "the store is the output": OddPlace(
        before="",
        options=("--save-wrappers", "out.jsonl"),
    ),
    "the store is a folder": OddPlace(
        before="mkdir w",
        options=("--save-wrappers", "w"),
    ),
    "the store is in a folder that is missing": OddPlace(
        before="",
        options=("--save-wrappers", "a/b/w.db"),
        may_end=True,
    ),
    "the store is no store": OddPlace(
        before="echo no > w",
        options=("--save-wrappers", "w"),
        may_end=True,
    ),
    "the notes of the job are damaged": OddPlace(
        before="mkdir out.jsonl.job; echo no >out.jsonl.job/pages.db",
        may_end=True,
    ),
    "an output is there": OddPlace(
        before="echo old > out.jsonl",
        may_end=True,
    ),
}


def _odd_place(kind: str) -> tuple[str, Fault]:
    name = f"place | {kind} | jsonl | 2"
    place = _ODD_PLACES[kind]
    exits = [0, 1, 2] if place.may_end else [1, 2]

    def run(folder: Path) -> list[Result]:
        expected = clean_records(write_lines)
        (path,) = write_lines(folder / "in")
        extraction = Extraction(folder / "out", [path], "jsonl", 2, place.options)
        subprocess.run(place.before, shell=True, cwd=extraction.folder, check=True)
        pages = Path(path)
        data = pages.read_bytes()
        extraction.run(exits=exits)
        if pages.read_bytes() != data:
            extraction.problems.append("an input was changed")

        if extraction.exits[-1]:
            result = Result(
                name,
                exits=extraction.exits,
                problems=extraction.problems,
            )
        else:
            result = extraction.check(name, [expected])
        return [result]

    return name, run
