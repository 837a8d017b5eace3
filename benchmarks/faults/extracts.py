"""One ``extract`` of the demo's pages, in as many runs as it takes, and what is wrong with it."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

from benchmarks.faults.jobs import ROOT
from benchmarks.faults.launch import processes as list_processes
from demo import build_site

#: Seconds that a run may take, and that its processes may live longer, on an idle machine.
LIMIT = 60.0
GRACE = 1.0
#: The time of all input files.
WHEN = 1_900_000_000
HOSTS = ("http://a.example", "http://b.example")

EXTRACT_HEADER = (
    "| kind | what | export | processes | articles | lost | doubled | exit | problems |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
Records = Counter[str]
#: Writes the pages, without those at some positions, into a folder: the paths to extract.
Writer = Callable[[Path, frozenset[int]], list[str]]


@cache
def demo_pages() -> tuple[tuple[str, bytes], ...]:
    """The HTML pages of the demo on two hosts, half of the articles on each; the first one, the
    last one and the one in the middle are articles."""
    pages = []
    for number, host in enumerate(HOSTS):
        site = build_site(host)
        articles = sorted(article.path for article in site.articles)
        other_paths = sorted({*site.pages}.difference(articles))
        articles_of_host = articles[number * 15 : number * 15 + 15]
        paths = [*articles_of_host[:8], *other_paths[number::2], *articles_of_host[8:]]
        for path in paths:
            _, body = site.files[path]
            pages.append((host + path, body))
    return tuple(pages)


@dataclass
class Result:
    """A row.  ``problems``: what is wrong besides lost and doubled articles."""

    name: str
    articles: int = 0
    lost: int = 0
    doubled: int = 0
    exits: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.problems)

    def __str__(self) -> str:
        problems = "; ".join(dict.fromkeys(self.problems)).replace("|", "/")
        exits = " ".join(map(str, self.exits))
        bold = f"**{problems}**" if problems else "-"
        return (
            f"| {self.name} | {self.articles} | {self.lost} | {self.doubled} | {exits} | {bold} |"
        )


class Extraction:
    """A command in a folder.  ``options``: beside the output, the errors and the processes."""

    def __init__(
        self,
        folder: Path,
        paths: Sequence[str],
        format: str = "jsonl",
        processes: int = 2,
        options: Sequence[str] = (),
        prefix: Sequence[str] = (),
        output: str = "",
    ) -> None:
        self.folder = folder
        self.output = Path(folder, output or f"out.{format}")
        self.errors = self.output.with_name(f"{self.output.stem}.errors.jsonl")
        if "--errors" in options:
            position = options.index("--errors") + 1
            self.errors = Path(folder, options[position])
        self._arguments = [
            *prefix,
            sys.executable,
            *("-m", "benchmarks.faults.launch", "extract"),
            *paths,
            *("-o", str(self.output.relative_to(folder))),
            *options,
            *("--processes", str(processes)),
        ]
        self.exits: list[int] = []
        self.problems: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, fault: str = "", **environment: str) -> subprocess.Popen[bytes]:
        """Start a run, in a session of its own."""
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "FAULT": fault, **environment}
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115
        return subprocess.Popen(
            self._arguments,
            cwd=self.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._messages,
            start_new_session=True,
        )

    def end(self, process: subprocess.Popen[bytes]) -> str:
        """Wait for the end of a run; what it said."""
        try:
            process.wait(LIMIT * _load())
        except subprocess.TimeoutExpired:
            self.problems.append("hung")
            process.kill()
            process.wait()
        self.exits.append(process.returncode)
        with self._messages as file:
            file.seek(0)
            output = file.read().decode("utf-8", "replace").strip()
        if orphans := _end_session(process.pid):
            self.problems.append(f"{orphans} orphans")
        if "Traceback" in output:
            self.problems.append(f"traceback: {output.splitlines()[-1][:60]}")
        if process.returncode != -signal.SIGKILL and not output:
            self.problems.append("no message")
        return output

    def run(self, fault: str = "", exits: Sequence[int] = (), **environment: str) -> str:
        """A run to its end; what it said.  ``exits``: the exit statuses that are right."""
        output = self.end(self.start(fault, **environment))
        if exits and self.exits[-1] not in exits:
            self.problems.append(f"exit {self.exits[-1]}: {output.rpartition(chr(10))[2][:200]}")
        return output

    def check(self, name: str, expectations: Sequence[Records], allowed: str = "") -> Result:
        """The row.  ``expectations``: the articles that may come; the nearest of them count.
        ``allowed``: what other articles must contain."""
        try:
            articles = read_records(self.output)
        except (OSError, ValueError, sqlite3.Error) as error:
            self.problems.append(f"output: {type(error).__name__}")
            articles = Counter()
        nearest = min(expectations, key=lambda expected: (expected - articles).total())
        lost = (nearest - articles).total()
        additions = articles - nearest
        doubled = 0
        for text in additions.elements():
            is_allowed = bool(allowed) and allowed in text
            if not is_allowed:
                doubled += 1
        problems = list(self.problems)
        if nearest.total() < 25:
            problems.append(f"only {nearest.total()} articles are wanted")
        return Result(name, articles.total(), lost, doubled, list(self.exits), problems)

    def wait_for(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Wait until a file is there, or the process ends."""
        while not (self.folder / name).exists() and process.poll() is None:
            time.sleep(0.01)

    def check_whole(self, expected: Records) -> None:
        """The output must be complete or not there."""
        if self.output.exists():
            result = self.check("", [expected])
            if result.lost or result.doubled:
                self.problems.append(f"an output of {result.articles} after run {len(self.exits)}")

    def refused(self, name: str) -> Result:
        """The row of a command that must end without an output."""
        if self.output.exists():
            self.problems.append("an output")
        return Result(name, exits=list(self.exits), problems=list(self.problems))

    def check_named(self, marks: Sequence[str], or_else: str = "") -> None:
        """Each mark must be in a line of the errors, or what may stand for it."""
        text = ""
        if self.errors.exists():
            text = self.errors.read_bytes().decode("utf-8", "replace")
        messages = []
        for line in text.splitlines():
            error = json.loads(line)
            messages.append(f"{error['source']} {error['url']} ")

        def is_named(mark: str) -> bool:
            return any(mark in message for message in messages)

        missing = []
        for mark in marks:
            has_substitute = bool(or_else) and is_named(or_else)
            if not is_named(mark) and not has_substitute:
                missing.append(mark)
        if missing:
            self.problems.append(f"{len(missing)} not named: {', '.join(missing[:3])}")


def write_file(file: Path, data: bytes) -> str:
    """Write an input file; its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, (WHEN, WHEN))
    return str(file)


_clean: dict[tuple[object, ...], Records] = {}
_lock = Lock()


def clean_records(
    writer: Writer,
    missing: frozenset[int] = frozenset(),
    format: str = "jsonl",
    *options: str,
) -> Records:
    """The articles of a run without a fault, of the pages without those at some positions."""
    with _lock, tempfile.TemporaryDirectory() as scratch:
        key = (writer, missing, format, options)
        if key not in _clean:
            paths = writer(Path(scratch, "in"), missing)
            extraction = Extraction(Path(scratch, "out"), paths, format, options=options)
            extraction.run(exits=[0])
            _clean[key] = read_records(extraction.output)
        return _clean[key]


def read_records(file: Path) -> Records:
    """The articles of an output; of other formats than these the whole file."""
    kind = file.suffix
    data = file.read_bytes()
    if kind == ".sqlite":
        with closing(sqlite3.connect(file)) as database:
            (table,) = database.execute("SELECT name FROM sqlite_master WHERE type='table'")
            return Counter(repr(row) for row in database.execute(f"SELECT * FROM {table[0]}"))
    text = data.decode()
    if kind == ".csv":
        csv.field_size_limit(1 << 30)
        return Counter(map(repr, csv.reader(text.splitlines(keepends=True))))
    if kind == ".json":
        return Counter(map(json.dumps, json.loads(text)))
    if kind == ".md":
        return Counter(re.split(r"\n(?=# )", text))
    return Counter(filter(None, re.split(r"(?<=</item>)|\n(?=\{)", text.rstrip("\n"))))


def _load() -> float:
    """The processes that want to run for each processor; at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _end_session(session: int) -> int:
    """Kill the processes that are left of a session; their number."""
    end = time.monotonic() + GRACE * _load()
    while (processes := _members(session)) and time.monotonic() < end:
        time.sleep(0.02)
    for pid in processes:
        os.kill(pid, signal.SIGKILL)
    return len(processes)


def _members(session: int) -> list[int]:
    """The processes of a session."""
    members = []
    for pid, _, session_of_process in list_processes():
        if session_of_process == session:
            members.append(pid)
    return members
