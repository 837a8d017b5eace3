"""Whole crawls on several days: the same articles again, and feeds that have nothing new."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from benchmarks.sets.bench_set import Group, read_items
from benchmarks.sets.recorded_site import RecordedSite, serve_sites
from forest_scrapy.stores import FeedRecord, HistoryStore

#: The fields that have to be the same in every crawl.
_SAME = ("text", "title", "authors", "published")
#: The programs forest-scrapy and scrapy.
_OURS = ("-c", "from forest_scrapy.commands.main import main; main()")
_SCRAPY = ("-m", "scrapy")
_OPTIONS = """
    -L ERROR
    -s ROBOTSTXT_OBEY=False
    -s RETRY_ENABLED=False
    -s DOWNLOAD_DELAY=0
    -s AUTOTHROTTLE_ENABLED=False
    -s CONCURRENT_REQUESTS_PER_DOMAIN=16
""".split()
_HISTORY = ".scrapy/forest/history.db"
_ETAG = '"1"'
#: The feeds of ``measure_not_modified``.
_FEEDS = 1000
#: How often it is measured.
_ROUNDS = 1

#: A spider that requests the same URLs with the same headers, and does nothing else.
_BARE = """
import scrapy

class Bare(scrapy.Spider):
    name = "bare"

    async def start(self):
        for url in open("feeds.txt").read().split():
            yield scrapy.Request(url, headers={"If-None-Match": '"1"'}, dont_filter=True,
                                 meta={"handle_httpstatus_list": [304]})

    def parse(self, response):
        assert response.status == 304
"""


def run(folder: Path, *arguments: str, proxy: str = "", program: tuple[str, ...] = _OURS) -> float:
    """Run a command of a program in a folder; its processor time in seconds."""
    environment = {**os.environ, "http_proxy": proxy}
    command = [sys.executable, *program, *arguments, *_OPTIONS]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user_seconds = after.ru_utime - before.ru_utime
    system_seconds = after.ru_stime - before.ru_stime
    return user_seconds + system_seconds


def score_runs(groups: Iterable[Group]) -> dict[str, Any]:
    """Crawl the feeds of these sites three times: in full, ``only_new``, and in full again.

    The number of articles of the first run, of those that the third one gives with the same
    text, title, authors and date, of those that the second one emits, and of its requests: those
    of feeds, of robots.txt, of pages that are recorded, and of others, which answer 404.
    """
    totals: dict[str, int] = {}
    with serve_sites() as server, TemporaryDirectory() as folder:
        for group in groups:
            if not group.has_feed:
                continue
            server.site = RecordedSite(group)
            place = Path(folder, group.name)
            place.mkdir()
            numbers = _crawl_three_times(place, group, server)
            for name, number in numbers.items():
                total = totals.get(name, 0)
                totals[name] = total + number
    return totals


def _crawl_three_times(folder: Path, group: Group, server: Any) -> dict[str, int]:
    feed = group.feed_url.replace("https:", "http:", 1)

    def crawl(out: str, *arguments: str) -> dict[str, tuple[Any, ...]]:
        server.requested.clear()
        command = ("crawl", "feeds", "-a", f"feeds={feed}", "-o", out, *arguments)
        run(folder, *command, proxy=server.url)
        return _read_fields(folder / out)

    first = crawl("1.jsonl")
    second = crawl("2.jsonl", "-a", "only_new=yes")
    requests = list(server.requested)
    third = crawl("3.jsonl")

    pages = [url for url in requests if url != feed]
    recorded_pages = [url for url in pages if server.site.find(url) is not None]
    same_articles = 0
    for url, fields in first.items():
        if third.get(url) == fields:
            same_articles += 1
    return {
        "sites": 1,
        "articles": len(first),
        "same_in_third_run": same_articles,
        "emitted_by_only_new": len(second),
        "feed_requests": len(requests) - len(pages),
        "page_requests": len(recorded_pages),
        "missing_page_requests": len(pages) - len(recorded_pages),
    }


def _read_fields(file: Path) -> dict[str, tuple[Any, ...]]:
    """The compared values of the articles, by URL."""
    fields_by_url = {}
    for item in read_items(file):
        url = item["url"]
        fields_by_url[url] = tuple(item[name] for name in _SAME)
    return fields_by_url


def measure_not_modified(feeds: int = _FEEDS, rounds: int = _ROUNDS) -> dict[str, Any]:
    """Processor time of polling feeds that all answer 304, and of a spider that only makes the
    same requests; the least of the rounds.  ``requests_only``: without that of an empty crawl.
    """
    with TemporaryDirectory() as folder, _serve_not_modified() as server:
        place = Path(folder)
        (place / "bare.py").write_text(_BARE, encoding="utf-8")
        urls = [f"{server}/feed/{number}" for number in range(feeds)]
        _write_history(place / _HISTORY, urls)
        (place / "feeds.txt").write_text("\n".join(urls), encoding="utf-8")
        (place / "none.txt").write_text(f"{urls[0]}\n", encoding="utf-8")
        polls = ("crawl", "feeds", "-a", "only_new=yes", "-a")

        def poll(file: str) -> float:
            return min(run(place, *polls, f"feeds_file={file}") for _ in range(rounds))

        def request() -> float:
            arguments = ("runspider", "bare.py")
            return min(run(place, *arguments, program=_SCRAPY) for _ in range(rounds))

        forest = poll("feeds.txt")
        start = poll("none.txt")
        bare = request()
        (place / "feeds.txt").write_text(urls[0], encoding="utf-8")
        bare_start = request()
    forest_requests = forest - start
    bare_requests = max(bare - bare_start, 0.01)
    return {
        "feeds": feeds,
        "seconds": round(forest, 2),
        "bare_seconds": round(bare, 2),
        "ratio": round(forest / bare, 2),
        "start_seconds": round(start, 2),
        "bare_start_seconds": round(bare_start, 2),
        "ratio_without_start": round(forest_requests / bare_requests, 2),
    }


def _write_history(file: Path, urls: list[str]) -> None:
    """A history that has read these feeds."""
    file.parent.mkdir(parents=True)
    with closing(HistoryStore(str(file))) as history:
        for url in urls:
            now = int(time.time())  # feeds that were read long ago are read in full
            feed = FeedRecord(
                url,
                etag=_ETAG,
                status=200,
                polled=now,
                read=now,
            )
            history.save(feed=feed)


@contextmanager
def _serve_not_modified() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _NotModified) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class _NotModified(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_known = self.headers.get("If-None-Match") == _ETAG
        status = 304 if is_known else 404
        self.send_response(status)
        self.send_header("ETag", _ETAG)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass
