"""Whether crawls in parts on two machines give the articles of a single crawl.

    python -m benchmarks.faults.shards replay.py SET [--feeds N] [--parts N]

The feeds of a set, replayed by a proxy, are crawled by one crawl, and in parts by the example in
``docs/scrapyd``: two scrapyd daemons and one PostgreSQL server of its own.  There are three rounds:
the first one learns; in the second each part runs on the other daemon, with the wrappers that the
first round has stored; the third one is ``only_new``.  Printed for each round are the articles of
each part, those found twice, missing or found by the parts only, those with another text, and the
templates that were learned and reused.  Needs ``scrapyd`` and PostgreSQL.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import ProxyHandler, build_opener

from benchmarks.faults.kills import recorded_feeds
from benchmarks.sets.bench_set import read_items, run_command
from benchmarks.support.postgres import PostgresServer

_EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "scrapyd"
#: The rounds: whether the daemons change places, and further arguments of the spider.
_ROUNDS: Mapping[str, tuple[bool, Sequence[str]]] = {
    "first round": (False, ()),
    "daemons swapped": (True, ()),
    "only_new": (False, ("-a", "only_new=yes")),
}
_LEARNED = re.compile(r"(\d+) wrappers? learned, (\d+) reused")
#: Seconds in which a daemon has to start.
_PATIENCE = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("replay", help="the program of the proxy")
    parser.add_argument("set", help="the recorded set")
    parser.add_argument("--feeds", type=int, help="use only the first feeds")
    parser.add_argument("--parts", type=int, default=4)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, ExitStack() as opened:
        database = opened.enter_context(PostgresServer())
        port = opened.enter_context(replaying(options.replay, options.set))
        feeds = recorded_feeds(port)[: options.feeds]
        file = Path(folder, "feeds.txt")
        file.write_text("\n".join(feeds) + "\n")
        environment = {**os.environ, "http_proxy": f"http://127.0.0.1:{port}", "no_proxy": ""}
        whole = crawl_alone(Path(folder, "alone"), file, environment)
        print(f"{len(feeds)} feeds: {len(whole)} articles by a single crawl", flush=True)
        environment["FOREST_DATABASE"] = database.uri
        machines: dict[str, Path] = {}
        for name in ("one", "two"):
            place = Path(folder, name)
            machines[opened.enter_context(daemon(place, environment))] = place
        for name, (is_swapped, arguments) in _ROUNDS.items():
            urls = list(machines)[:: -1 if is_swapped else 1]
            crawl_parts(file, options.parts, urls, arguments)
            print(f"{name}: {describe(whole, list(machines.values()))}", flush=True)


@contextmanager
def replaying(program: str, folder: str) -> Iterator[int]:
    """The port of a proxy that answers with the recorded pages."""
    port = free_port()
    command = [sys.executable, program, folder, "--port", str(port), "--drop-item-fulltext"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as proxy:
        try:
            yield port
        finally:
            proxy.kill()


@contextmanager
def daemon(place: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The URL of a scrapyd daemon in a new folder with the example project."""
    shutil.copytree(_EXAMPLE, place)
    port = free_port()
    daemon_environment = {**environment, "SCRAPYD_HTTP_PORT": str(port)}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        [sys.executable, "-m", "scrapyd"],
        cwd=place,
        env=daemon_environment,
        **quiet,
    ) as process:
        try:
            wait_for(url := f"http://127.0.0.1:{port}")
            yield url
        finally:
            process.terminate()


def wait_for(url: str) -> None:
    """Wait until the daemon answers."""
    opener = build_opener(ProxyHandler({}))
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            opener.open(f"{url}/daemonstatus.json", timeout=9).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


def crawl_alone(place: Path, feeds: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The texts of the articles of all feeds in one crawl, by URL."""
    shutil.copytree(_EXAMPLE, place)
    command = ["scrapy", "crawl", "feeds", "-a", f"feeds_file={feeds}", "-o", "all.jl"]
    subprocess.run(
        [sys.executable, "-m", *command, "-s", "LOG_FILE=log"],
        cwd=place,
        env={**environment, "FOREST_DATABASE": "sqlite:///wrappers.db"},
        check=True,
    )
    return {item["url"]: item["text"] for item in read_items(place / "all.jl")}


def crawl_parts(feeds: Path, parts: int, daemons: Sequence[str], arguments: Sequence[str]) -> None:
    """Run the parts to their end."""
    command = [sys.executable, str(_EXAMPLE / "crawl.py"), str(feeds), str(parts), *daemons]
    subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL)


def describe(whole: Mapping[str, str], machines: Sequence[Path]) -> str:
    """What the parts of a round have found; their files are removed."""
    parts = []
    learned = 0
    reused = 0
    for place in machines:
        for file in list((place / "items/news/feeds").glob("*.jl")):
            parts.append(read_items(file))
            file.unlink()
        for log in list((place / "logs/news/feeds").glob("*.log")):
            counts = _LEARNED.search(log.read_text("utf-8"))
            if counts:
                learned += int(counts[1])
                reused += int(counts[2])
            log.unlink()

    sizes = " + ".join(map(str, sorted(map(len, parts))))
    return f"{sizes} articles; {compare(whole, parts)}; learned {learned}, reused {reused}"


def compare(whole: Mapping[str, str], parts: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """How the articles of the parts differ from those of the single crawl.

    >>> compare({"a": "1", "b": "2"}, [[{"url": "a", "text": "1"}], [{"url": "a", "text": "3"}]])
    '1 twice, 1 missing, 0 more, 1 with another text'
    """
    count = 0
    texts = {}
    for part in parts:
        for item in part:
            count += 1
            texts[item["url"]] = item["text"]

    twice = count - len(texts)
    missing = len(whole.keys() - texts.keys())
    more = len(texts.keys() - whole.keys())
    differing = sum(whole.get(url, text) != text for url, text in texts.items())
    return f"{twice} twice, {missing} missing, {more} more, {differing} with another text"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


if __name__ == "__main__":
    run_command(main)
