"""One crawl that is stopped, perhaps several times, and what it has exported in the end."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import forest_scrapy
from benchmarks.support.starter import start

ROOT = Path(forest_scrapy.__file__).parents[1]
#: Stops by a signal: the signals, and the seconds between them.
SIGNALS = {
    "int": (signal.SIGINT,),
    "term": (signal.SIGTERM,),
    "kill": (signal.SIGKILL,),
    "int+int": (signal.SIGINT, signal.SIGINT),
    "int+kill": (signal.SIGINT, signal.SIGKILL),
}
BETWEEN = 0.25
_SETTINGS = {
    "ADDONS": {"forest_scrapy.Addon": 500},
    "STATS_CLASS": "benchmarks.faults.stats.FileStats",
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
    "CONCURRENT_REQUESTS": 4,
}
_URL_IN_XML = re.compile(r"<item><url>(.*?)</url>")


@dataclass
class Outcome:
    """What became of the pages of a job: the URLs exported, in order, the drops by reason and
    the pages fetched of the runs that were closed, and the exit statuses of all runs."""

    urls: list[str] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)
    exits: list[int] = field(default_factory=list)
    fetched: int = 0
    articles: int = 0
    left: int = 0

    @property
    def doubled(self) -> int:
        """Lines beyond the first of their page."""
        return len(self.urls) - len(set(self.urls))


class Job:
    """A crawl in a folder of its own.

    ``format``: of the export; files in ``jsonl`` and ``csv`` are appended to, others are written
    by each run anew.
    """

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str],
        format: str,
        has_job: bool,
        **settings: Any,
    ) -> None:
        self.folder = folder
        self.arguments = arguments
        self.format = format
        self.has_job = has_job
        self.outcome = Outcome()
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{n} = {v!r}\n" for n, v in {**_SETTINGS, **settings}.items())
        (folder / "settings.py").write_text(lines, encoding="utf-8")
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n", encoding="utf-8")

    def run(
        self,
        stop: str = "",
        is_time: Callable[[], bool] = lambda: False,
        limit: int = 0,
        environment: Mapping[str, str] | None = None,
        keeps_log: bool = True,
    ) -> None:
        """Crawl until the end, or stop when it ``is_time``.

        ``stop``: a name in ``SIGNALS``, or a setting, as ``CLOSESPIDER_PAGECOUNT=9``.
        ``limit``: the largest size of a file in bytes, when it ``is_time``; 0: any size (Linux).
        """
        number = len(self.outcome.exits) + 1
        log = Path(os.devnull) if limit or not keeps_log else self.folder / f"{number}.log"
        with log.open("wb") as stream:
            process = start(
                self._command(number, stop),
                self.folder,
                {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
                stream,
                stream,
            )
        if limit:
            _wait(lambda: is_time() or process.poll() is not None)
            with suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        for stop_signal in SIGNALS.get(stop, ()):
            _wait(lambda: is_time() or process.poll() is not None)
            process.send_signal(stop_signal)
            time.sleep(BETWEEN)
        self.outcome.exits.append(process.wait(timeout=600))
        self._read_stats(number)

    def exported(self) -> int:
        """The number of lines in the export so far."""
        path = self.folder / f"out.{self.format}"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def finish(self) -> Outcome:
        """The outcome, with what is in the exports."""
        for path in sorted(self.folder.glob(f"out*.{self.format}")):
            self.outcome.urls += _READERS[self.format](path.read_text(encoding="utf-8"))
        return self.outcome

    def _command(self, number: int, stop: str) -> list[str]:
        name = f"out{'' if self.format in ('jsonl', 'csv') else number}.{self.format}"
        command = ["-m", "scrapy", "crawl", *self.arguments, "-o", name]
        command += ["-s", f"FAULT_STATS={number}.json"]
        if self.has_job:
            command += ["-s", "JOBDIR=job"]
        return command + (["-s", stop] if "=" in stop else [])

    def _read_stats(self, number: int) -> None:
        path = self.folder / f"{number}.json"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        try:
            stats = json.loads(text)
        except ValueError:  # the crawl was killed, or there was no space for its stats
            return
        count = {name.removeprefix("forest/"): n for name, n in stats.items()}
        drops = {n[8:]: c for n, c in count.items() if n.startswith("dropped/")}
        self.outcome.drops.update(drops)
        spooled = count.get("pages/spooled", 0) + count.get("pages/recalled", 0)
        self.outcome.fetched += spooled + drops.get("duplicate", 0)
        self.outcome.articles += sum(c for n, c in count.items() if n.startswith("articles/"))
        self.outcome.left += count.get("pages/left", 0)


def _wait(happened: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"the crawl has not come to its stop within {seconds} s")
        time.sleep(0.003)


def _read_lines(text: str) -> list[str]:
    return [json.loads(line)["url"] for line in text.splitlines()]


def _read_csv(text: str) -> list[str]:
    rows = list(csv.reader(text.splitlines(keepends=True)))
    if not rows:
        return []
    column = rows[0].index("url")
    return [row[column] for row in rows if row[column] != "url"]


def _read_json(text: str) -> list[str]:
    return [item["url"] for item in json.loads(text)] if text else []


def _read_xml(text: str) -> list[str]:
    return _URL_IN_XML.findall(text)


_READERS: dict[str, Callable[[str], list[str]]] = {
    "jsonl": _read_lines,
    "csv": _read_csv,
    "json": _read_json,
    "xml": _read_xml,
}
