"""A simulated year: four crawls a day of sites that change, with faults in every sixth crawl.

    python -m benchmarks.year [--days N] [--sites N] [--seed N] [--keep FOLDER] [--atom] [--json]

The sites are made: new articles, corrections (half of them within hours; some are headlines, in the
page and in the feed), articles that are deleted and return, redesigns, feeds of limited length,
with and without ETags, that fail for hours or days in eight ways, and from time to time lose more
articles between two crawls than they list; some sites have a sitemap then.  The crawls are those of
a crontab, ``forest-scrapy crawl feeds -a only_new=yes -o FILE``, all in one folder; each is a
process whose clock is set.  Every sixth one has a fault: kill, limited size of files, a second
crawl at the same time, a clock that is wrong, Ctrl-C, SIGTERM, or an output that is full.

Checked is, by what the server has answered: each listed article is new once, each served change,
each deletion and each return is emitted once, no text comes twice, each text is that of its page,
each line is JSON, no log has a traceback, and neither stores nor time and memory of a run grow
beyond what is kept.  What a feed has lost is told by the digest, or found in the sitemap.
``forest-scrapy feed -o full.xml`` writes the rolling feed after each of the first 100 runs and
every tenth one later: it is valid, and has what was emitted.  The health digest of each run
tells of the feeds that fail, and of nothing that is not the matter; each one with something new is
handed on once, though the hook is down on one day of each week.  Printed are, by month, the
items, requests, seconds, memory and sizes of stores, the delays of corrections, and the problems;
status 1 if there are any.  ``--atom``: each crawl also appends to ``-o app.atom``, which stays
valid.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from threading import Event, Timer
from typing import Any

from benchmarks.year.checks import Checker, delay_names
from benchmarks.year.digests import CLOCK_FAULTS, DigestChecker
from benchmarks.year.feed import check_feed, check_last, check_run
from benchmarks.year.runs import Ended, Job, Lane
from benchmarks.year.server import GONE, YearServer, serve_year
from benchmarks.year.sites import DAY, HOUR, START, Site

#: Seconds between two runs.
_STEP = 6 * HOUR
#: One in so many runs has a fault.
_EVERY = 6
_FAULTS = "kill limit overlap back term store-limit int ahead int-int full back-far epoch".split()
_SIGNALS = {
    "kill": (signal.SIGKILL,),
    "term": (signal.SIGTERM,),
    "int": (signal.SIGINT,),
    "int-int": (signal.SIGINT, signal.SIGINT),
}
_SHIFTS = {"back": -3 * HOUR, "back-far": -60 * DAY, "ahead": 400 * DAY}
#: The day of each week on which the hook for troubles is down.
_HOOK_DOWN_DAY = 3
#: Limits of time for one run, in seconds.
_MAX_SECONDS = 120
_SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "CONCURRENT_ITEMS": "10",
    "DOWNLOAD_TIMEOUT": "5",
    "RETRY_TIMES": "1",
    "TELNETCONSOLE_ENABLED": "False",
    "ROBOTSTXT_OBEY": "False",
    "FOREST_ON_TROUBLE": "http://hook.example/",
}
#: KB of the rules of a template and of what recognizes it.
_DESIGN = 40
#: The fewest runs of a quarter whose time and memory are compared.
MIN_RUNS = 20
_STORES = Path(".scrapy/forest")
#: The rolling feed; it is written after each of the first runs, and then after one of so many.
_FEED = "full.xml"
_FEEDS = 100
_FEED_EVERY = 10
#: A feed that crawls append to.
_APPENDED = "app.atom"
#: The faults that may cut it; the next crawl repairs it.
_CUTS = ("kill", "limit", "store-limit", "int-int")


@dataclass(frozen=True)
class Ran:
    """One run: its fault, what came of its processes, and sizes of files in KB after it."""

    number: int
    fault: str
    ended: tuple[Ended, ...]
    items: int
    requests: int
    sizes: dict[str, int]


class Year:
    """The runs of a year in a folder."""

    def __init__(self, folder: Path, sites: list[Site], seed: int, server: YearServer) -> None:
        #: Whether crawls append to a feed as well.
        self.appends = False
        self._folder = folder
        self.sites = sites
        self._server = server
        self._chance = random.Random(f"year {seed}")
        proxy = {"http_proxy": server.url}
        self._lanes = [Lane(folder, proxy), Lane(folder, proxy)]
        self.checker = Checker({site.host: site for site in sites})
        self.digests = DigestChecker(sites)
        self.messages: Counter[str] = Counter()
        #: How often the rolling feed was written and checked.
        self.feeds = 0
        #: How much was read of each export.
        self._read: Counter[str] = Counter()

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()

    def run(self, number: int, fault: str) -> Ran:
        now = START + number * _STEP
        server = self._server
        server.now = now
        server.run = number
        server.hook_is_down = number // 4 % 7 == _HOOK_DOWN_DAY
        seen = len(server.answers)
        out = f"{number // 120}.jsonl"
        with self._fault(fault) as kill:
            ended = self._crawl(number, fault, out, kill)
        answers = server.answers[seen:]
        items = self.checker.add(number, now, answers, self._new_lines(out))
        self._read_log(number, fault, ended)
        place = self._folder / _STORES / "health.json"
        status = ended[0].status
        for problem in self.digests.add(now, fault, place, status, answers):
            self.checker.problems.append((number, problem))
        if number < _FEEDS or number % _FEED_EVERY == 0:
            self._check_feed(number, fault)
        appended = self._folder / _APPENDED
        if self.appends and appended.exists() and fault not in _CUTS:
            document = appended.read_bytes()
            for problem in check_feed(document, self.checker):
                self.checker.problems.append((number, f"{_APPENDED}: {problem}"))
        return Ran(number, fault, ended, items, len(answers), self._sizes())

    def finish(self, runs: list[Ran]) -> None:
        """Check the rolling feed after the last run."""
        last = len(runs) - 1
        for problem in self.digests.check_told(self._server.told):
            self.checker.problems.append((last, problem))
        for site, story in sorted(self.digests.in_sitemaps):
            if not self.checker.tracks[site, story].emitted:
                problem = f"paper{site}/{story}: lost by its feed, in the sitemap, never emitted"
                self.checker.problems.append((last, problem))
        document = self._write_feed(last)
        if document:
            wrong_clocks = [run.number for run in runs if run.fault in CLOCK_FAULTS]
            for problem in check_last(document, self.checker, wrong_clocks):
                self.checker.problems.append((last, problem))

    def _check_feed(self, number: int, fault: str) -> None:
        document = self._write_feed(number)
        if not document:
            return
        self.feeds += 1
        problems = list(check_feed(document, self.checker))
        if not fault:
            now = START + number * _STEP
            problems += check_run(document, self.checker, number, now)
        for problem in problems:
            self.checker.problems.append((number, problem))

    def _write_feed(self, number: int) -> bytes:
        """The rolling feed; nothing before there are articles."""
        log = f"{number}.feed.log"
        now = START + number * _STEP + HOUR
        job = Job(("feed", "-o", _FEED), now, log)
        lane = self._lanes[0]
        lane.start(job)
        status = lane.finish().status
        if status == 0:
            feed = self._folder / _FEED
            return feed.read_bytes()

        text = (self._folder / log).read_text(encoding="utf-8", errors="replace")
        has_articles = any(track.emitted for track in self.checker.tracks.values())
        if has_articles or "keeps no article" not in text:
            self.checker.problems.append((number, f"no feed, status {status}: {text[-200:]}"))
        return b""

    def _crawl(self, number: int, fault: str, out: str, kill: list[int]) -> tuple[Ended, ...]:
        if fault == "full":
            arguments = self._arguments("/dev/full:jsonlines")
        else:
            arguments = self._arguments(out)
        now = START + number * _STEP + _SHIFTS.get(fault, 0)
        if fault == "epoch":
            now = DAY
        limit = 0
        if fault in ("limit", "store-limit"):
            file = out if fault == "limit" else _STORES / "history.db"
            limit = self._size(file) + self._chance.randint(200, 3000)
        job = Job(arguments, now, f"{number}.log", limit)

        lanes = self._lanes if fault == "overlap" else self._lanes[:1]
        with ExitStack() as stack:
            for lane in lanes:
                pid = lane.start(job)
                kill.append(pid)
                timer = Timer(_MAX_SECONDS, _signal, (pid, signal.SIGKILL))
                timer.daemon = True
                timer.start()
                stack.callback(timer.cancel)  # later, another process may have the number
            ended = tuple(lane.finish() for lane in lanes)
        kill.clear()
        return ended

    def _arguments(self, out: str) -> tuple[str, ...]:
        feeds = ",".join(site.feed_url for site in self.sites)
        arguments = ["crawl", "feeds", "-a", f"feeds={feeds}", "-a", "only_new=yes"]
        arguments += ["-o", out]
        if self.appends:
            arguments += ["-o", _APPENDED]
        for name, value in _SETTINGS.items():
            arguments += ["-s", f"{name}={value}"]
        return tuple(arguments)

    @property
    def hook_failures(self) -> int:
        """How many digests were posted while the hook was down."""
        return self._server.hook_failures

    @contextmanager
    def _fault(self, fault: str) -> Iterator[list[int]]:
        """Stop the process whose id is added to the list after a few pages."""
        pids: list[int] = []
        pages = self._chance.randint(1, 6)

        def stop() -> None:
            nonlocal pages
            pages -= 1
            if pages == 0:
                for stop_signal in _SIGNALS[fault]:
                    for pid in pids:
                        _signal(pid, stop_signal)
                    time.sleep(0.05)

        self._server.watch = stop if fault in _SIGNALS else lambda: None
        try:
            yield pids
        finally:
            self._server.watch = lambda: None

    def _new_lines(self, out: str) -> list[str]:
        """The lines that an export has beyond those that were read."""
        place = self._folder / out
        if not place.exists():
            return []
        with place.open("rb") as file:
            file.seek(self._read[out])
            body = file.read()
        self._read[out] += len(body)
        return body.decode("utf-8", "replace").splitlines()

    def _read_log(self, number: int, fault: str, ended: tuple[Ended, ...]) -> None:
        text = (self._folder / f"{number}.log").read_text(encoding="utf-8", errors="replace")
        if "Traceback" in text:
            errors = re.findall(r"^[\w.]+(?:Error|Exception).*", text, re.MULTILINE)
            problem = f"traceback ({fault or 'no fault'}): {errors[:1]}"
            self.checker.problems.append((number, problem))
        for line in re.findall(r"(?:ERROR|WARNING|CRITICAL): (.*)", text):
            self.messages[f"{fault or '-'}: {_generalize(line)}"] += 1
        statuses = {crawl.status for crawl in ended}
        fine = {1} if "nothing could be fetched" in text else {0, 3}
        if not fault and not statuses <= fine:
            self.checker.problems.append((number, f"exit status {statuses} without a fault"))

    def _size(self, name: str | Path) -> int:
        place = self._folder / name
        return place.stat().st_size if place.exists() else 0

    def _sizes(self) -> dict[str, int]:
        stores = self._folder / _STORES
        files = [path for path in stores.glob("*") if path.is_file()]
        sizes = Counter[str]()
        for path in files:
            name = re.sub(r"-(wal|shm|journal)$", "", path.name)
            sizes[name] += path.stat().st_size
        return {name: size // 1024 for name, size in sizes.items()}


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _generalize(line: str) -> str:
    """A message without what differs from run to run."""
    return re.sub(r"paper\d+\S*|\d+", "#", line)[:110]


@contextmanager
def _until_ctrl_c() -> Iterator[Event]:
    """An event that Ctrl-C sets, so that the run at hand is finished and checked."""
    event = Event()
    before = signal.signal(signal.SIGINT, lambda *_: event.set())
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def simulate(
    folder: Path,
    days: int,
    number: int,
    seed: int,
    every: int = _EVERY,
    appends: bool = False,
) -> tuple[list[Ran], Year]:
    """Run all days, or until Ctrl-C.  One of ``every`` runs has a fault, none of the last four."""
    sites = [Site(site_number, days, seed) for site_number in range(number)]
    runs = []
    last = days * 4
    with ExitStack() as stack:
        year = Year(folder, sites, seed, stack.enter_context(serve_year(sites)))
        stack.callback(year.close)
        year.appends = appends
        is_stopped = stack.enter_context(_until_ctrl_c())
        for run in range(last):
            if is_stopped.is_set():
                break
            has_fault = run % every == every - 1 and run < last - 4
            fault = _FAULTS[run // every % len(_FAULTS)] if has_fault else ""
            runs.append(year.run(run, fault))
            if run % 100 == 99:
                print(f"{run + 1} of {last} runs", file=sys.stderr)
        year.finish(runs)
    return runs, year


def check_growth(runs: list[Ran], sites: list[Site]) -> list[str]:
    """What has grown: stores beyond what they keep, time and memory of runs without faults."""
    plain = [run for run in runs[4:] if not run.fault]
    problems = []
    articles = sum(run.items for run in runs)
    designs = sum(len(site.redesigns) + 1 for site in sites)
    limits = {"history.db": 500 + 5 * articles, "wrappers.db": 200 + _DESIGN * designs}
    for name, limit in limits.items():
        size = runs[-1].sizes.get(name, 0)
        if size > limit:
            problems.append(f"{name} has {size} KB, more than {limit}")
    quarter = len(plain) // 4
    if quarter < MIN_RUNS:
        return problems
    for name, max_growth in (("seconds", 1.3), ("mb", 1.15)):
        values = [getattr(run.ended[0], name) for run in plain]
        early = median(values[:quarter])
        late = median(values[-quarter:])
        if late > max_growth * early:
            problems.append(f"{name} of a run have grown from {early:.2f} to {late:.2f}")
    return problems


def print_year(runs: list[Ran], year: Year, problems: list[str]) -> None:
    _print_months(runs)
    statuses: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for run in runs:
        exits = tuple(crawl.status for crawl in run.ended)
        statuses[run.fault or "-", exits] += 1
    rows = [f"{fault} {exits}: {count}" for (fault, exits), count in sorted(statuses.items())]
    print("\nexit statuses:", ", ".join(rows))

    _print_delays(year.checker)
    print("\nmessages:")
    for message, count in year.messages.most_common(40):
        print(f"{count:6d} {message}")
    print(f"\n{year.feeds} rolling feeds were checked")

    gaps = year.digests.gaps
    lost_stories = sum(lost for _, lost in gaps)
    told_stories = sum(told for told, _ in gaps)
    print(
        f"{len(gaps)} times a feed without a sitemap has lost stories, which was told each time:"
        f" {lost_stories} in all, about {told_stories} were told;"
        f" {len(year.digests.in_sitemaps)} that other feeds have lost were in their sitemaps"
    )

    _print_returns(year.checker)
    emitted: Counter[str] = Counter()
    for track in year.checker.tracks.values():
        emitted.update(emission.kind for emission in track.emitted)
    print("emitted:", _join_counts(emitted))

    redesigns = sum(len(site.redesigns) for site in year.sites)
    troubles = _join_counts(year.digests.troubles) or "none"
    print(f"{year.digests.checked} digests were checked; troubles that they tell: {troubles}")
    print(
        f"{year.digests.news} of them have something new, {year.digests.told} of which were handed"
        f" on once; the hook was down for {year.hook_failures} requests"
    )
    print(f"{len(year.digests.redesigns)} of {redesigns} redesigns were told")
    print(f"{len(year.checker.hidden)} changes were hidden by redesigns")
    print(f"\n{len(problems)} problems")
    print("\n".join(problems[:200]))


def _print_returns(checker: Checker) -> None:
    """How many stories were gone when they were requested, and of these there again later."""
    gone = 0
    back = 0
    returned = 0
    for track in checker.tracks.values():
        gone_in = [fetch.run for fetch in track.served if fetch.version == GONE]
        if not gone_in:
            continue
        gone += 1
        back += any(fetch.version >= 0 and fetch.run > gone_in[0] for fetch in track.served)
        returned += any(emission.kind == "returned" for emission in track.emitted)
    print(
        f"{gone} stories were gone when a crawl requested them, {back} of these were there again"
        f" for a later one, {returned} were emitted as returned"
    )


def _print_months(runs: list[Ran]) -> None:
    """A table with a row for each 120 runs."""
    names = sorted({name for run in runs for name in run.sizes})
    heads = ("runs", "items", "requests", "cpu s", "MB", *(f"{name} KB" for name in names))
    print("by 30 days (without the runs with faults):")
    print("  ".join(f"{head:>10s}" for head in heads))
    for start in range(0, len(runs), 120):
        month = runs[start : start + 120]
        plain = [run for run in month if not run.fault] or month
        seconds = sum(run.ended[0].seconds for run in plain) / len(plain)
        memory = max(run.ended[0].mb for run in plain)
        values: list[Any] = [
            len(month),
            sum(run.items for run in month),
            sum(run.requests for run in month),
            f"{seconds:.2f}",
            f"{memory:.0f}",
        ]
        last_sizes = month[-1].sizes
        for name in names:
            values.append(last_sizes.get(name, 0))

        cells = []
        for head, value in zip(heads, values, strict=True):
            width = max(10, len(head))
            cells.append(f"{value!s:>{width}s}")
        print("  ".join(cells))


def _print_delays(checker: Checker) -> None:
    names = delay_names()
    print("\ncorrections, by the time until the new text was emitted:")
    heads = "".join(f"{name:>8s}" for name in names)
    print(f"{'':20s}{heads}")
    for kind, counts in sorted(checker.delays().items()):
        row = "".join(f"{counts[name]:8d}" for name in names)
        print(f"{kind:20s}{row}")


def _join_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.year", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--sites", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="work in this folder, and keep it")
    parser.add_argument("--atom", action="store_true", help="append to a feed as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    folder = Path(options.keep or mkdtemp(prefix="year"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        runs, year = simulate(
            folder, options.days, options.sites, options.seed, appends=options.atom
        )
        problems = year.checker.finish(len(runs) - 1) + check_growth(runs, year.sites)
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    if options.json:
        report = {
            "problems": problems,
            "delays": year.checker.delays(),
        }
        print(json.dumps(report, indent=2))
    else:
        print_year(runs, year, problems)
    sys.exit(1 if problems else 0)
