"""Scratch projects, servers, feeds and scores for the crawl tests."""

from __future__ import annotations

import json
import os
import re
import signal
import socketserver
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from _pytest.mark import ParameterSet

import forest_scrapy
from benchmarks.support.starter import Started, run, start

ROOT = Path(forest_scrapy.__file__).parents[1]
HTML = "text/html; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"

_PROBES = '''
"""Writes the final stats and the peak memory to a file."""
import json
import re
from pathlib import Path

from scrapy.statscollectors import MemoryStatsCollector


class JsonStats(MemoryStatsCollector):
    def _persist_stats(self, stats):
        status = Path("/proc/self/status")
        if status.exists():
            stats["peak_kb"] = int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
        place = Path(self._crawler.settings["STATS_FILE"])
        place.write_text(json.dumps(stats, default=str), encoding="utf-8")
'''

_BASE_SETTINGS: dict[str, Any] = {
    "TELNETCONSOLE_ENABLED": False,
    "STATS_CLASS": "probes.JsonStats",
    "LOG_LEVEL": "DEBUG",
    "ROBOTSTXT_OBEY": False,  # so that the servers' lists of requests are those of the tests
}


def slow(*values: object) -> ParameterSet:
    """A case of a parametrized test that is as slow as another, and is left to CI."""
    return pytest.param(*values, marks=pytest.mark.slow)


def thorough(*values: object) -> ParameterSet:
    """A case of a parametrized test that is left to releases."""
    return pytest.param(*values, marks=(pytest.mark.slow, pytest.mark.thorough))


@dataclass(frozen=True)
class Run:
    """A process that has ended: its status, log, stats and items."""

    status: int
    log: str = field(repr=False)
    stats: dict[str, Any] = field(repr=False)
    items: list[dict[str, Any]] = field(repr=False)

    def stat(self, name: str) -> int:
        """A stat under ``forest/``, 0 if it was never counted."""
        return int(self.stats.get(f"forest/{name}", 0))

    def counted(self, stage: str) -> dict[str, int]:
        """The stats under ``forest/<stage>/``."""
        start = f"forest/{stage}/"
        return {key[len(start) :]: n for key, n in self.stats.items() if key.startswith(start)}

    @cached_property
    def complaints(self) -> list[str]:
        """The log lines from WARNING upwards, and the first lines of tracebacks."""
        pattern = r"^.*?\] (?:WARNING|ERROR|CRITICAL): .*$|^Traceback .*$|^Unhandled error.*$"
        return re.findall(pattern, self.log, re.MULTILINE)

    @property
    def paths(self) -> list[str]:
        """The paths of the items' URLs, sorted."""
        return sorted(urlsplit(item["url"]).path for item in self.items if "url" in item)

    @property
    def by_path(self) -> dict[str, dict[str, Any]]:
        return {urlsplit(item["url"]).path: item for item in self.items}

    @property
    def partition(self) -> set[frozenset[str]]:
        """The paths, grouped by template."""
        groups: dict[str, set[str]] = {}
        for path, item in self.by_path.items():
            groups.setdefault(item["template_id"], set()).add(path)
        return {frozenset(group) for group in groups.values()}


class Crawling:
    """A running crawl."""

    def __init__(self, process: Started, log: Path, stats: Path, out: Path) -> None:
        self._process, self._log, self._stats, self._out = process, log, stats, out

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def is_over(self) -> bool:
        return self._process.poll() is not None

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def finish(self, timeout: float = 400) -> Run:
        """Wait for the end; a crawl that hangs is killed and fails the test."""
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"the crawl hangs:\n{self.log()[-3000:]}") from None
        stats = json.loads(self._stats.read_text("utf-8")) if self._stats.exists() else {}
        return Run(status, self.log(), stats, read_items(self._out))


class Project:
    """A scratch Scrapy project with the add-on."""

    def __init__(
        self, folder: Path, modules: Mapping[str, str] | None = None, **settings: Any
    ) -> None:
        self.folder = folder
        self._runs = 0
        folder.mkdir(parents=True, exist_ok=True)
        lines = {"ADDONS": {"forest_scrapy.Addon": 500}, **_BASE_SETTINGS, **settings}
        text = "".join(f"{name} = {value!r}\n" for name, value in lines.items())
        self.write("scrapy.cfg", "[settings]\ndefault = settings\n")
        self.write("settings.py", text)
        self.write("probes.py", _PROBES)
        for name, code in (modules or {}).items():
            self.write(name, code)

    def write(self, name: str, text: str) -> Path:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        return place

    def start(self, spider: str, *arguments: str, out: str = "", **settings: Any) -> Crawling:
        """``scrapy crawl``; ``arguments`` are those of the spider.  The items are
        appended to the file ``out``, one of the run's own where not named."""
        self._runs += 1
        log, stats = (self.folder / f"{self._runs}.{end}" for end in ("log", "json"))
        target = self.folder / (out or f"{self._runs}.jsonl")
        command = ["-m", "scrapy", "crawl", spider]
        if out != "-":
            command += ["-o", target.name]
        for argument in arguments:
            command += ["-a", argument]
        for name, value in {**settings, "STATS_FILE": stats.name}.items():
            command += ["-s", f"{name}={value}"]
        with log.open("wb") as stream:
            process = start(command, self.folder, environment(), stream, stream)
        return Crawling(process, log, stats, target)

    def crawl(self, spider: str, *arguments: str, out: str = "", **settings: Any) -> Run:
        return self.start(spider, *arguments, out=out, **settings).finish()

    def forest(self, *arguments: str) -> str:
        """What ``scrapy forest`` prints, on both streams."""
        done = run(["-m", "scrapy", "forest", *arguments], self.folder, environment())
        return done.stdout + done.stderr

    def wrappers(self) -> list[tuple[Any, ...]]:
        """The stored rules, by host and template."""
        with sqlite3.connect(self.folder / ".scrapy/forest/wrappers.db") as database:
            query = "SELECT host, template, rules FROM template_rules ORDER BY host, template"
            rows = database.execute(query).fetchall()
        database.close()
        return rows


def environment() -> dict[str, str]:
    """The environment of a process: without the settings of Scrapy."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def read_items(place: Path) -> list[dict[str, Any]]:
    """The items of a JSON lines file; every line must be complete."""
    if not place.exists():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def wait_until(happened: Callable[[], bool], seconds: float = 180) -> None:
    """Wait until it has happened; checks every few milliseconds."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise AssertionError(f"it has not happened within {seconds} seconds")
        time.sleep(0.005)


@dataclass(frozen=True)
class Answer:
    """The response to a GET request, after ``delay`` seconds; the connection is closed after
    ``cut`` bytes."""

    body: bytes
    kind: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    delay: float = 0.0


class Server:
    """A context manager that serves answers on loopback, by path with the query, else by path."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.answers: dict[str, Answer] = {}
        self.requests: list[str] = []
        #: The headers of the last request for each path whose answer has an ETag.
        self.asked_with: dict[str, dict[str, str]] = {}
        self._http = _HttpServer((host, 0), _Handler)
        self._http.owner = self
        self.url = f"http://{host}:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def add(self, path: str, body: bytes | str, kind: str = HTML, **options: Any) -> None:
        packed = body.encode() if isinstance(body, str) else body
        self.answers[path] = Answer(packed, kind, **options)

    def add_files(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        for path, (kind, body) in files.items():
            self.add(path, body, kind)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: Server

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """HTTP/1.0: each answer closes its connection."""

    wbufsize = -1
    server: _HttpServer

    def do_GET(self) -> None:  # the name http.server calls
        owner = self.server.owner
        owner.requests.append(self.path)
        missing = Answer(b"", status=404)
        answer = owner.answers.get(self.path, owner.answers.get(urlsplit(self.path).path, missing))
        if etag := answer.headers.get("ETag"):
            owner.asked_with[self.path] = dict(self.headers.items())
            if self.headers.get("If-None-Match") == etag:
                answer = Answer(b"", kind="", status=304, headers=answer.headers)
        time.sleep(answer.delay)
        self.send_response(answer.status)
        if answer.kind:
            self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body[: answer.cut])

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@dataclass(frozen=True)
class Item:
    """An item of a feed."""

    link: str
    title: str = "A title"
    description: str = "A description from the feed"
    published: str = ""


def rss(items: Iterable[Item | str]) -> bytes:
    """An RSS 2.0 feed with these items; a string is a link."""
    rows = []
    for item in items:
        row = Item(item) if isinstance(item, str) else item
        link = f"<link>{row.link}</link>" if row.link else ""
        date = f"<pubDate>{row.published}</pubDate>" if row.published else ""
        rows.append(
            f"<item><title>{row.title}</title>{link}"
            f"<description>{row.description}</description>{date}</item>"
        )
    text = f'<rss version="2.0"><channel><title>Feed</title>{"".join(rows)}</channel></rss>'
    return text.encode()


def story(number: int, template: str = "plain") -> str:
    """An article page of one of two templates; every number has its own words."""
    words = [f"{stem}{number * 7 % 1000 + i}" for i, stem in enumerate(_STEMS * 3)]
    sentences = ". ".join(" ".join(words[i : i + 9]).capitalize() for i in range(0, 36, 9))
    paragraphs = "".join(f"<p>{sentences}. Paragraph {i} of {number}.</p>" for i in range(6))
    return _PAGES[template].format(number=number, title=story_title(number), text=paragraphs)


def story_title(number: int) -> str:
    return f"{_STEMS[number % 12].capitalize()} number {number}"


_STEMS = (
    "harbour lantern quarry meadow copper violin glacier orchard tannery beacon ferry mill".split()
)
_PAGES = {
    "plain": (
        "<!DOCTYPE html><html lang='en'><head><title>{title} - Plain</title></head><body>"
        "<div class='top'><ul class='menu'><li><a href='/'>Home</a></li><li>News</li></ul></div>"
        "<div class='page'><div class='story'><h1>{title}</h1><div class='text'>{text}</div></div>"
        "<div class='side'><h2>More</h2><p>Read every morning by all of the town.</p></div></div>"
        "<div class='foot'><p>All rights reserved by the Plain Paper company.</p></div>"
        "</body></html>"
    ),
    "fancy": (
        "<!DOCTYPE html><html lang='en'><head><title>Fancy: {title}</title></head><body>"
        "<header><nav><a href='/'>Start</a></nav></header><main><section class='lead'>"
        "<h2>{title}</h2></section><article id='post-{number}'>{text}</article></main>"
        "<aside class='links'><ol><li>One</li><li>Two</li></ol></aside>"
        "<footer><small>Fancy since 1999</small></footer></body></html>"
    ),
}


def bigram_f1(text: str, gold: str) -> float:
    """F1 of the two sets of word bigrams."""
    found, wanted = _bigrams(text), _bigrams(gold)
    return 2 * len(found & wanted) / (len(found) + len(wanted) or 1)


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text.lower())
    return set(pairwise(words))


def repeated(values: Sequence[str]) -> dict[str, int]:
    """The values that occur more than once, with their counts."""
    return {value: n for value, n in Counter(values).items() if n > 1}
