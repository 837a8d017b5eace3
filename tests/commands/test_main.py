"""The program forest-scrapy: crawls in a folder without a project, and what it says on errors."""

from __future__ import annotations

import json
import os
import pty
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import forest_scrapy
from benchmarks.support import starter
from demo import DemoServer
from forest_scrapy.core.page.columns import IS_NATIVE
from tests.crawls.helpers import Project, Server, environment

pytestmark = pytest.mark.crawl
PROGRAM = ("-c", "from forest_scrapy.commands.main import main; main()")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``forest-scrapy`` in a folder."""
    return starter.run([*PROGRAM, *arguments], folder, environment())


def items(file: Path) -> list[str]:
    return [json.loads(line)["url"] for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_crawl_on_a_terminal(tmp_path: Path) -> None:
    """Standard error is a terminal, so there is a line with the progress."""
    ours, terminal = pty.openpty()
    with DemoServer(delay=0.4) as demo:
        arguments = ("crawl", "feeds", "-a", f"feeds={demo.feed_url}", "-O", "out.jsonl")
        process = subprocess.Popen(
            [sys.executable, *PROGRAM, *arguments], cwd=tmp_path, env=environment(), stderr=terminal
        )
        os.close(terminal)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
        assert process.wait(60) == 0
    os.close(ours)
    log = shown.decode()
    assert len(items(tmp_path / "out.jsonl")) == 30
    assert "1 feed left" in log
    assert " pages/min" in log
    # The line is erased before a record is logged, which colorlog colours if it is installed.
    assert re.search(r"\x1b\[K(?:\x1b\[\d+m)?20", log)
    assert " WARNING" not in log.replace("robots", "")
    assert (tmp_path / ".scrapy/forest/wrappers.db").exists()


SPIDERS = ["feeds", "form", "records", "refresh", "site"]


def test_spiders_are_listed(tmp_path: Path) -> None:
    assert run(tmp_path, "list").stdout.split() == SPIDERS
    project = Project(tmp_path / "project")
    listed = starter.run(["-m", "scrapy", "list"], project.folder, environment())
    assert listed.stdout.split() == SPIDERS


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_its_own_version_is_first(tmp_path: Path, argument: str) -> None:
    done = starter.run([*PROGRAM, argument], tmp_path, environment())
    own, scrapy = done.stdout.splitlines()
    assert own == f"forest-scrapy {forest_scrapy.__version__}" and scrapy.startswith("Scrapy ")


def test_a_project_keeps_its_settings(tmp_path: Path) -> None:
    project = Project(tmp_path, ADDONS={}, LOG_LEVEL="WARNING", FOREST_PAGES="many")
    done = run(project.folder, "crawl", "feeds", "-a", "feeds=a.example")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("forest-scrapy: FOREST_PAGES = 'many' cannot be used")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["-s", "FOREST_PAGES=abc"], 1, "forest-scrapy: FOREST_PAGES = 'abc' cannot be used: it"),
        (["-s", "FOREST_SPIDERS=x"], 1, "forest-scrapy: FOREST_SPIDERS = 'x' cannot be used: it"),
        (["-s", "LOG_LEVEL=LOUD"], 1, "forest-scrapy: Unknown level: 'LOUD'"),
        (["-s", "TWISTED_REACTOR=no.such"], 1, "forest-scrapy: TWISTED_REACTOR = 'no.such' cannot"),
        (["-s", "RETRY_TIMES=x"], 1, "[forest_scrapy] ERROR: RETRY_TIMES = 'x' cannot be used: "),
        (["-s", "JOBDIR=file/x"], 1, "[forest_scrapy] ERROR: file/x: Not a directory"),
        (["-a", "feed=x"], 1, "[forest_scrapy] ERROR: -a feed: the spider feeds has no such"),
        (["-a", "feeds=notaurl"], 1, "[forest_scrapy] ERROR: 'notaurl' is not an http or https"),
        (["-a", "feeds"], 2, "error: Invalid -a value"),
    ],
)
def test_errors_of_usage_are_one_line(
    tmp_path: Path, arguments: list[str], status: int, message: str
) -> None:
    (tmp_path / "file").touch()
    known = ["-a", "feeds=a.invalid"] if arguments[0] == "-s" else []
    done = run(tmp_path, "crawl", "feeds", *known, *arguments)
    assert message in done.stderr.rstrip().splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert done.returncode == status


def test_unknown_spiders_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, "crawl", "feed")
    assert done.returncode == 2
    assert f"'feed' is not a spider; name one of the spiders {', '.join(SPIDERS)}" in done.stderr


def test_actions_that_are_taken_for_commands_are_told(tmp_path: Path) -> None:
    done = run(tmp_path, "export", "a.example", "--format", "my rules")
    assert done.returncode == 2
    told = (
        "export is an action of forest: forest-scrapy forest export a.example --format 'my rules'"
    )
    assert done.stderr.rstrip().endswith(told)
    assert "is an action" not in run(tmp_path, "extract", "--no-such-option").stderr
    assert "is an action" not in run(tmp_path, "exports").stderr


def test_a_url_behind_the_spider_is_told_as_an_argument(tmp_path: Path) -> None:
    done = run(tmp_path, "crawl", "feeds", "https://a.example/feed")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("crawl feeds -a feeds=https://a.example/feed")


def test_the_help_names_this_program(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.returncode == 0
    assert "forest-scrapy <command> [options]" in done.stdout
    assert "extract " in done.stdout
    usage = run(tmp_path, "crawl", "-h").stdout
    assert "forest-scrapy crawl [options] <spider>" in usage


def test_the_long_version_says_whether_the_compiled_part_is_used(tmp_path: Path) -> None:
    state = "in use" if IS_NATIVE else "not in use: pages are read more slowly"
    assert f"compiled part {state}" in run(tmp_path, "version", "-v").stdout.splitlines()


def test_a_host_without_articles_is_not_refreshed(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    done = run(tmp_path, "refresh", "typo", "-s", "FOREST_WARC=pages")
    assert done.returncode == 1
    assert "The history has no article of typo" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_crawl_that_fetches_nothing_fails(tmp_path: Path) -> None:
    with Server() as server:
        feeds = f"feeds={server.url}/no.xml,http://host.invalid/feed"
        done = run(tmp_path, "crawl", "feeds", "-a", feeds, "-s", "RETRY_TIMES=0")
    assert done.returncode == 1
    assert "nothing could be fetched; see the log" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_port_of_the_demo_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "demo", "--port", str(port)]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr == f"port {port}: Address already in use; choose another with --port\n"
