"""The example in docs/scrapyd as it stands: two daemons, two parts, one database."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.support.postgres import PostgresServer
from demo import DemoServer
from forest_scrapy.stores import RulesStore

from .helpers import ROOT, Project, read_items, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("scrapyd") is None or find_spec("pkg_resources") is None,
        reason="scrapyd, or pkg_resources, which it needs, is not installed",
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="serves sites on several addresses"),
]
EXAMPLE = ROOT / "docs" / "scrapyd"


@pytest.fixture
def daemons(tmp_path: Path, postgres: PostgresServer) -> Iterator[dict[str, Path]]:
    """The folders of two machines by the URLs of their daemons."""
    folders: dict[str, Path] = {}
    with ExitStack() as running:
        store = running.enter_context(closing(RulesStore(postgres.uri, "typed")))
        running.callback(store.database.execute, "DROP SCHEMA forest CASCADE")
        for number in (1, 2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            folder = Path(shutil.copytree(EXAMPLE, tmp_path / f"machine-{number}"))
            values = {"SCRAPYD_HTTP_PORT": str(port), "FOREST_DATABASE": postgres.uri}
            process = subprocess.Popen(
                [sys.executable, "-m", "scrapyd"],
                cwd=folder,
                env={**os.environ, **values},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            running.callback(process.wait)
            running.callback(process.terminate)
            folders[f"http://127.0.0.1:{port}"] = folder
        for url in folders:
            wait_until(lambda url=url: answers(url))
        yield folders


def answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/daemonstatus.json", timeout=20) as response:
            return json.load(response)["status"] == "ok"
    except OSError:
        return False


def crawl(feeds: Path, daemons: list[str]) -> None:
    command = [sys.executable, str(EXAMPLE / "crawl.py"), str(feeds), "2", *daemons]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert run.returncode == 0, run.stderr


def take(folders: dict[str, Path]) -> tuple[dict[str, str], list[tuple[int, int]]]:
    """The text by URL of the articles since the last time, none of which is there twice; and for
    each part the wrappers that were learned and reused."""
    texts: dict[str, str] = {}
    wrappers = []
    for folder in folders.values():
        for file in sorted((folder / "items/news/feeds").glob("*.jl")):
            for item in read_items(file):
                assert item["url"] not in texts
                texts[item["url"]] = item["text"]
            log = (folder / "logs/news/feeds" / f"{file.stem}.log").read_text("utf-8")
            assert "Traceback" not in log
            found = re.search(r"(\d+) wrappers? learned, (\d+) reused", log)
            assert found is not None
            wrappers.append((int(found[1]), int(found[2])))
            file.unlink()
    return texts, wrappers


@pytest.mark.thorough
def test_the_parts_are_the_whole(daemons: dict[str, Path], tmp_path: Path) -> None:
    with ExitStack() as serving:
        sites = [
            serving.enter_context(DemoServer(address=f"127.0.0.{number}")) for number in (2, 3)
        ]
        feeds = tmp_path / "feeds.txt"
        feeds.write_text("".join(f"{site.feed_url}\n" for site in sites))
        single = Project(tmp_path / "single").crawl("feeds", f"feeds_file={feeds}")
        whole = {item["url"]: item["text"] for item in single.items}
        assert len(whole) == 60
        crawl(feeds, list(daemons))
        texts, wrappers = take(daemons)
        assert texts == whole
        assert len(wrappers) == 2
        assert tuple(map(sum, zip(*wrappers, strict=True))) == (4, 0)
        # Each part on the other machine: what that one has not learned is in the database.
        crawl(feeds, list(daemons)[::-1])
        texts, wrappers = take(daemons)
        assert texts == whole
        assert tuple(map(sum, zip(*wrappers, strict=True))) == (0, 4)
