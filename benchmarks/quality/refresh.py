"""Whether articles that are taken again from kept pages are those of a crawl.

    python -m benchmarks.quality.refresh REPLAY SET [--sites N] [--json]

REPLAY is a program that serves the recorded pages of a SET through a proxy: ``REPLAY SET --port
N``.  One crawl of the sites' feeds takes articles with the method ``coverage`` and keeps all pages
(``FOREST_WARC``).  Another one learns wrappers as usual.  Then the first one's articles are taken
again from the kept pages with the wrappers of the second (``scrapy crawl refresh``): each text must
be that of the second crawl.  Printed are the articles, those whose text was another one before,
those that were emitted again, and those whose text is another one now; status 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from benchmarks.sets.bench_set import load_groups, run_command

_MAIN = "from forest_scrapy.commands.main import main; main()"
_PATIENCE = 30
_SETTINGS = {
    "AUTOTHROTTLE_ENABLED": "False",
    "DOWNLOAD_DELAY": "0",
    "ROBOTSTXT_OBEY": "False",
    "LOG_LEVEL": "WARNING",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("replay", help="the program that serves the set")
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, _serve(options.replay, options.set) as proxy:
        groups = islice(
            (group for group in load_groups(options.set) if group.has_feed), options.sites
        )
        feeds = [group.feed_url.replace("https://", "http://") for group in groups]
        figures = compare(Path(folder), proxy, feeds)
    lines = (f"{name:24s} {value}" for name, value in figures.items())
    print(json.dumps(figures) if options.json else "\n".join(lines))
    sys.exit(1 if figures["other text"] else 0)


def compare(folder: Path, proxy: str, urls: Sequence[str]) -> dict[str, Any]:
    """The numbers of articles of these feeds, in two projects in the folder."""
    archive_folder = folder / "kept"
    fresh = folder / "fresh"
    feeds = f"feeds={','.join(urls)}"
    archive = {"FOREST_WARC": "pages"}
    first = _crawl(
        archive_folder, proxy, ("feeds", feeds), {"FOREST_METHOD": "coverage", **archive}
    )
    second = _crawl(fresh, proxy, ("feeds", feeds), {})
    hosts = sorted({urlsplit(url).hostname or "" for url in second})
    store = {"FOREST_STORE": str(fresh / ".scrapy/forest/wrappers.db")}
    again = _crawl(
        archive_folder, proxy, ("refresh", f"host={','.join(hosts)}"), {**archive, **store}
    )
    texts = first | again
    differing = sorted(url for url in second if url in texts and texts[url] != second[url])
    return {
        "articles": len(second),
        "other text before": sum(first.get(url) != text for url, text in second.items()),
        "emitted again": len(again),
        "not in both crawls": len(set(first) ^ set(second)),
        "other text": len(differing),
        "such as": differing[:5],
    }


def _crawl(
    folder: Path,
    proxy: str,
    arguments: Sequence[str],
    settings: dict[str, str],
) -> dict[str, str]:
    """The texts of the articles that a crawl emits, by URL."""
    folder.mkdir(exist_ok=True)
    spider, argument = arguments
    out = folder / f"{spider}.jsonl"
    command = [sys.executable, "-c", _MAIN, "crawl", spider, "-a", argument, "-O", str(out)]
    for name, value in {**_SETTINGS, **settings}.items():
        command += ["-s", f"{name}={value}"]
    environment = {**os.environ, "http_proxy": proxy}
    subprocess.run(command, cwd=folder, env=environment, check=False)
    items = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    return {item["url"]: item["text"] for item in items if item["type"] == "article"}


@contextmanager
def _serve(replay: str, folder: str) -> Iterator[str]:
    """The URL of the proxy."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, replay, folder, "--port", str(port), "--delay", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(_PATIENCE * 10):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


if __name__ == "__main__":
    run_command(main)
