"""``forest-scrapy`` with a fault at one of its steps.

    FAULT="STEP DO" python -m benchmarks.faults.launch extract ...

A step is ``STAGE`` (it begins), ``STAGE:N`` (N chunks of it are done), ``STAGE+S`` (S seconds
later), or ``finish:N``: before the Nth change of a file after the last page was extracted, a
commit of SQLite counts, too.  With ``FAULT="finish:0 count"`` the file ``steps`` has their number.

What is done: ``kill``, ``term``, ``int`` (of the group, as a terminal does), ``worker``, ``server``
and ``all`` (kills of other processes), ``pause`` (until there is a file ``go``), ``limit N`` (bytes
of a file), or a shell command.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.commands.main import main

_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.truncate", "os.mkdir", "os.link"}
_connect = sqlite3.connect
_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Steps(NoProgress):
    """Counts the steps of a batch, and does what is wanted at one of them."""

    def __init__(self, step: str, act: str) -> None:
        self._step = step
        self._act = act
        self._stage = ""
        self._chunks = 0
        self._pages = 0
        self._total = 0
        self._changes = 0
        self._is_finishing = self._is_busy = False

    def begin(self, stage: str, total: int | None) -> None:
        self._stage = stage
        self._chunks = 0
        self._pages = 0
        self._total = total or 0
        self._reach(stage)
        name, _, seconds = self._step.partition("+")
        if seconds and name == stage:
            timer = Timer(float(seconds), self._do)
            timer.daemon = True
            timer.start()

    def advance(self, number: int) -> None:
        self._pages += number
        if number:
            self._chunks += 1
            self._reach(f"{self._stage}:{self._chunks}")
        self._is_finishing = self._stage == "extract" and self._pages >= self._total

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """A hook of ``sys.addaudithook``."""
        if event == "open":
            if isinstance(arguments[2], int) and arguments[2] & _WRITE:
                self._change()
        elif event in _CHANGES:
            self._change()

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """``sqlite3.connect`` of a database whose commits are steps."""
        database: sqlite3.Connection = _connect(*arguments, **options)
        database.set_trace_callback(lambda text: self._change() if text == "COMMIT" else None)
        return database

    def _change(self) -> None:
        if self._is_finishing and not self._is_busy:
            self._changes += 1
            self._reach(f"finish:{self._changes}")
            if self._act == "count":
                self._is_busy = True
                Path("steps").write_text(str(self._changes), encoding="utf-8")
                self._is_busy = False

    def _reach(self, step: str) -> None:
        if step == self._step:
            self._do()

    def _do(self) -> None:
        self._is_busy = True
        act = self._act
        if act in ("kill", "term"):
            os.kill(os.getpid(), signal.SIGKILL if act == "kill" else signal.SIGTERM)
        elif act == "int":
            os.killpg(0, signal.SIGINT)
        elif act in ("worker", "server", "all"):
            _kill_others(act)
        elif act == "pause":
            Path("paused").touch()
            while not Path("go").exists():
                time.sleep(0.01)
        elif act.startswith("limit "):
            limit = int(act.split()[1])
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        else:
            subprocess.run(act, shell=True, check=False, stderr=subprocess.DEVNULL)
        self._is_busy = False


def _kill_others(act: str) -> None:
    """Kill one worker process, the process that starts them, or all and this one."""
    own_pid = os.getpid()
    parents = {pid: parent for pid, parent, session in processes() if session == os.getsid(0)}
    servers = {p for p in parents.values() if p != own_pid and parents.get(p) == own_pid}
    workers = [pid for pid, parent in parents.items() if parent in servers]
    victims = {"worker": workers[:1], "server": list(servers), "all": [*parents, own_pid]}[act]
    for pid in sorted(victims, key=lambda pid: pid == own_pid):
        os.kill(pid, signal.SIGKILL)


def processes() -> list[tuple[int, int, int]]:
    """Each process that lives, its parent, and its session."""
    rows = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            rows.append((int(entry.name), int(parent), int(session)))
    return rows


if __name__ == "__main__":
    if fault := os.environ.pop("FAULT", ""):
        steps = Steps(*fault.split(" ", 1))
        NoProgress.begin = steps.begin  # type: ignore
        NoProgress.advance = steps.advance  # type: ignore
        sqlite3.connect = steps.connect  # type: ignore[assignment]
        sys.addaudithook(steps.audit)
    main()
