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
    **{f"output: {n} KB": Disk("out", f"size={n}k", ends=n > 500) for n in (40, 120, 300, 700)},
    "output: 300 KB, csv": Disk("out", "size=300k", format="csv"),
    "output: full at extract:1": Disk("out", "size=2m", f"extract:1 {_FILL % '.'}", True),
    "output: full at finish:1": Disk("out", "size=2m", f"finish:1 {_FILL % '.'}", True),
    "output: full at finish:1, csv": Disk("out", "size=2m", f"finish:1 {_FILL % '.'}", True, "csv"),
    "output: full at finish:2, json": Disk(
        "out", "size=2m", f"finish:2 {_FILL % '.'}", True, "json"
    ),
    "output: read-only": Disk("out", "size=2m,ro"),
    "errors: another file system": Disk("out/disk", "size=2m", "", True, "jsonl", _ERRORS),
    "errors: full": Disk("out/disk", "size=4k", f"read {_FILL % 'disk'}", False, "jsonl", _ERRORS),
    "errors: full at finish:1": Disk(
        "out/disk", "size=8k", f"finish:1 {_FILL % 'disk'}", True, "jsonl", _ERRORS
    ),
    "errors: read-only": Disk("out/disk", "size=2m,ro", "", False, "jsonl", _ERRORS),
    "wrappers: 8 KB": Disk(
        "out/disk", "size=8k", "", False, "jsonl", ("--save-wrappers", "disk/wrappers.db")
    ),
    "folder of the job: 60 KB": Disk("out/out.jsonl.job", "size=60k"),
    "temporary files: none": Disk("out/temp", "size=4k,nr_inodes=1", "", True),
    "temporary files: read-only": Disk("out/temp", "size=4k,ro", "", True),
}


def disk_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """A run that has no space, and the same command when there is space."""
    limits = [("read", 30_000)] if quick else product(("read", "extract:1", "finish:1"), _LIMITS)
    for number, (step, limit) in enumerate(limits):
        format = ("jsonl", "csv")[number // 2 % 2]
        yield _limited(step, limit, format, 1 + number % 2)
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
        extraction = Extraction(folder / "out", write_lines(folder / "in"), format, processes)
        extraction.run(f"{step} limit {limit}", exits=[0, 1])
        extraction.check_whole(expected)
        if extraction.exits[-1]:
            extraction.run(exits=[0])
        return [extraction.check(name, [expected])]

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
            return [_extract(folder, name, disk)]
        finally:
            subprocess.run(["umount", "-l", str(place)], check=False)

    return name, run


def _extract(folder: Path, name: str, disk: Disk) -> Result:
    expected = clean_records(write_lines, format=disk.format)
    paths = write_lines(folder / "in")
    extraction = Extraction(folder / "out", paths, disk.format, 2, disk.extra)
    temp = {"TMPDIR": str(folder / disk.place)} if "temp" in disk.place else {}
    extraction.run(disk.fault, [0, 1] if disk.ends else [1], **temp)
    extraction.check_whole(expected)
    mount(folder / disk.place, "remount,size=100m,nr_inodes=0,rw")
    (folder / disk.place / "fill").unlink(missing_ok=True)
    if extraction.exits[-1]:
        extraction.run(exits=[0])
    extraction.check_named(["a.example"])
    return extraction.check(name, [expected])


#: What is in the way (a shell command), more options, and whether the command may end well.
_ODD_PLACES: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "the output is a folder": ("mkdir out.jsonl", (), False),
    "the folder of the job is a file": ("touch out.jsonl.job", (), False),
    "the errors are a folder": ("mkdir out.errors.jsonl", (), False),
    "the errors are in a folder that is missing": ("", ("--errors", "a/b/errors.jsonl"), True),
    "the errors are the output": ("", ("--errors", "./out.jsonl"), False),
    "the errors are an input": ("", ("--errors", "../in/pages.jsonl"), False),
    "the errors are linked to the output": ("ln -s out.jsonl out.errors.jsonl", (), False),
    "the store is the output": ("", ("--save-wrappers", "out.jsonl"), False),
    "the store is a folder": ("mkdir w", ("--save-wrappers", "w"), False),
    "the store is in a folder that is missing": ("", ("--save-wrappers", "a/b/w.db"), True),
    "the store is no store": ("echo no > w", ("--save-wrappers", "w"), True),
    "the notes of the job are damaged": (
        "mkdir out.jsonl.job; echo no >out.jsonl.job/pages.db",
        (),
        True,
    ),
    "an output is there": ("echo old > out.jsonl", (), True),
}


def _odd_place(kind: str) -> tuple[str, Fault]:
    name = f"place | {kind} | jsonl | 2"
    before, options, may_end = _ODD_PLACES[kind]

    def run(folder: Path) -> list[Result]:
        expected = clean_records(write_lines)
        paths = write_lines(folder / "in")
        extraction = Extraction(folder / "out", paths, "jsonl", 2, options)
        subprocess.run(before, shell=True, cwd=extraction.folder, check=True)
        data = Path(*paths).read_bytes()
        extraction.run(exits=[0, 1, 2] if may_end else [1, 2])
        if Path(*paths).read_bytes() != data:
            extraction.problems.append("an input was changed")
        if extraction.exits[-1]:
            return [Result(name, exits=extraction.exits, problems=extraction.problems)]
        return [extraction.check(name, [expected])]

    return name, run
