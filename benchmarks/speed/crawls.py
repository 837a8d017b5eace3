"""CPU time of whole crawls of a set's articles, through a local server in its own process.

Four crawls of the same pages, each in a process of its own: a spider that yields the size of the
body; one that calls trafilatura in its callback, if it is installed; one that yields article
pages to forest-scrapy; and the last again, with the wrappers that it stored.  Before them the first
and the third crawl a single page, which is their start.  Each site has a loopback address of its
own, so that sites are separate hosts, as on the web (Linux).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.sets.bench_set import load_groups
from forest_scrapy.items import ArticlePage

_SETTINGS: dict[str, Any] = {
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 16,
    "RETRY_ENABLED": False,
}


class CrawlCost(NamedTuple):
    """CPU time in milliseconds, and the largest resident memory in MB."""

    ms: float
    memory: float


@dataclass(frozen=True)
class CrawlCosts:
    """By kind of crawl the CPU time in milliseconds, the interpreter's start included, and the
    largest resident memory in MB.  ``start``: the milliseconds by which a crawl of a single page
    takes longer than a bare one of it."""

    ms: Mapping[str, float]
    memory: Mapping[str, float]
    start: float

    @property
    def more_memory(self) -> dict[str, float]:
        """The memory of each crawl beyond that of the bare one."""
        bare_memory = self.memory["bare"]
        return {kind: memory - bare_memory for kind, memory in self.memory.items()}


def measure_crawls(folder: str, max_articles: int, rounds: int = 1) -> CrawlCosts:
    """The smallest cost of each crawl in some rounds: other load only adds to it."""
    kinds = ["bare", "first", "stored"]
    if find_spec("trafilatura"):
        kinds.insert(1, "trafilatura")

    costs_of: dict[str, list[CrawlCost]] = {kind: [] for kind in kinds}
    with TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        with serve(folder, max_articles, scratch) as urls:
            start = _measure_start(urls, scratch, 1 + rounds)
            for number in range(rounds):
                round_folder = scratch / str(number)
                for kind in kinds:
                    cost = _measure_crawl(kind, urls, round_folder)
                    costs_of[kind].append(cost)

    ms = {}
    memory = {}
    for kind, costs in costs_of.items():
        ms[kind] = min(cost.ms for cost in costs)
        memory[kind] = min(cost.memory for cost in costs)
    return CrawlCosts(ms, memory, start)


def _measure_start(urls: Path, scratch: Path, rounds: int) -> float:
    """The CPU time of a crawl of one page beyond that of a bare one.  The first round compiles
    modules."""
    all_urls = json.loads(urls.read_text(encoding="utf-8"))
    single_url = scratch / "one.json"
    single_url.write_text(json.dumps(all_urls[:1]), encoding="utf-8")

    bare = []
    first = []
    for number in range(rounds):
        folder = scratch / f"start-{number}"
        bare.append(_measure_crawl("bare", single_url, folder).ms)
        first.append(_measure_crawl("first", single_url, folder).ms)
    return min(first) - min(bare)


def crawl_ratios(ms: Mapping[str, float]) -> dict[str, float]:
    """What crawls are compared by; a ratio is missing where trafilatura is."""
    pairs = {
        "crawl_to_bare": ("stored", "bare"),
        "crawl_to_trafilatura": ("stored", "trafilatura"),
        "first_crawl_to_trafilatura": ("first", "trafilatura"),
    }
    ratios = {}
    for name, (above, below) in pairs.items():
        if above in ms and below in ms:
            ratios[name] = round(ms[above] / ms[below], 2)
    return ratios


class SizeSpider(Spider):
    """Yields the size of each body."""

    name = "bare"

    async def start(self) -> Any:
        file = Path(self.urls)  # type: ignore[attr-defined]
        for url in json.loads(file.read_text(encoding="utf-8")):
            yield Request(url, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        yield {"url": response.url, "size": len(response.body)}


class TrafilaturaSpider(SizeSpider):
    """Calls trafilatura in its callback."""

    name = "trafilatura"

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        import trafilatura

        document = trafilatura.extract(
            response.body,
            with_metadata=True,
            output_format="json",
        )
        if document:
            yield json.loads(document)
        else:
            yield {"url": response.url}


class ForestSpider(SizeSpider):
    """Yields article pages."""

    name = "first"

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        yield ArticlePage.from_response(response)


_SPIDERS = {
    "bare": SizeSpider,
    "trafilatura": TrafilaturaSpider,
    "first": ForestSpider,
    "stored": ForestSpider,
}


def run_crawl(kind: str, urls: str, folder: str, extensions: tuple[type, ...] = ()) -> None:
    """Crawl, in this process, and print its CPU time in milliseconds and its largest resident
    memory in MB."""
    out = Path(folder, f"{kind}.jsonl")
    settings = {
        **_SETTINGS,
        "EXTENSIONS": dict.fromkeys(extensions, 0),
        "FEEDS": {str(out): {"format": "jsonlines", "overwrite": True}},
    }
    if kind in ("first", "stored"):
        settings["ADDONS"] = {"forest_scrapy.Addon": 500}
        settings["FOREST_STORE"] = str(Path(folder, "wrappers.db"))
        settings["FOREST_HISTORY"] = str(Path(folder, "history.db"))

    process = AsyncCrawlerProcess(settings)
    process.crawl(_SPIDERS[kind], urls=urls)
    process.start()

    usage = resource.getrusage(resource.RUSAGE_SELF)
    ms = 1000 * (usage.ru_utime + usage.ru_stime)
    megabytes = peak_memory() / 1e6
    print(round(ms), round(megabytes))


def peak_memory() -> int:
    """The largest resident memory of this process in bytes (Linux).  That of ``getrusage`` may be
    that of the process that started this one."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    for line in status.splitlines():
        if line.startswith("VmHWM"):
            kilobytes = int(line.split()[1])
            return 1024 * kilobytes
    raise OSError("/proc/self/status has no VmHWM")


def environment() -> dict[str, str]:
    """That of the processes that are measured, which read compiled modules, as those of installed
    packages are, from their second start on."""
    variables = dict(os.environ)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def _measure_crawl(kind: str, urls: Path, folder: Path) -> CrawlCost:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.speed.crawls", kind, str(urls), str(folder)]
    process = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    ms, memory = process.stdout.split()[-2:]
    return CrawlCost(float(ms), float(memory))


@contextmanager
def serve(folder: str, max_articles: int, scratch: Path, copies: int = 1) -> Iterator[Path]:
    """Serve at most ``max_articles`` articles of the set, and ``copies`` of each whose paragraphs
    differ; the file with their URLs."""
    command = [sys.executable, "-m", "benchmarks.speed.crawls", "serve"]
    command += [folder, str(max_articles), str(copies)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        urls = scratch / "urls.json"
        urls.write_text(server.stdout.readline(), encoding="utf-8")
        try:
            yield urls
        finally:
            server.kill()


def serve_set(folder: str, max_articles: int, copies: int) -> None:
    """Print the URLs of the pages as JSON on one line, then serve them until killed.  The copies
    of a page have a number at the end of each paragraph."""
    pages = _read_pages(folder)
    hosts = sorted({host for host, _ in pages})
    step = max(1, len(hosts) * 10 // max_articles)
    hosts = hosts[::step]

    class Handler(_PageHandler):
        pages_of_set = pages

    first_server = ThreadingHTTPServer((hosts[0], 0), Handler)
    port = first_server.server_address[1]
    other_servers = [ThreadingHTTPServer((host, port), Handler) for host in hosts[1:]]

    urls = [f"http://{host}:{port}{path}" for host, path in sorted(pages) if host in hosts]
    urls = urls[:max_articles]
    urls_of_copies = []
    for number in range(1, copies):
        urls_of_copies += [f"{url}?copy={number}" for url in urls]
    print(json.dumps([*urls, *urls_of_copies]), flush=True)

    for server in other_servers:
        Thread(target=server.serve_forever, daemon=True).start()
    first_server.serve_forever()


def _read_pages(folder: str) -> dict[tuple[str, str], bytes]:
    """The HTML of the articles by host and path; each site has a loopback address."""
    pages = {}
    for site, group in enumerate(load_groups(folder)):
        host = f"127.0.{1 + site // 250}.{1 + site % 250}"
        for number, page in enumerate(group.articles):
            pages[host, f"/{number}.html"] = page.html
    return pages


class _PageHandler(BaseHTTPRequestHandler):
    """Answers with the pages of a set."""

    #: The HTML by host and path.
    pages_of_set: Mapping[tuple[str, str], bytes]

    def do_GET(self) -> None:
        host, _, _ = (self.headers["Host"] or "").partition(":")
        path, _, number = self.path.partition("?copy=")
        body = self.pages_of_set.get((host, path), b"")
        if number:
            body = body.replace(b"</p>", f" {number}</p>".encode())
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve_set(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        run_crawl(sys.argv[1], sys.argv[2], sys.argv[3])
