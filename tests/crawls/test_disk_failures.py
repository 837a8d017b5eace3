"""Crawls whose disk is full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support import starter
from demo import DemoServer

from .helpers import Project, environment, read_items, repeated, slow, thorough

#: From the third page or item on, files cannot grow beyond ``LIMIT`` bytes.
FULL = """
import resource

from scrapy import signals


class Full:
    @classmethod
    def from_crawler(cls, crawler):
        full = cls()
        full.left, full.limit = 3, crawler.settings.getint("LIMIT")
        crawler.signals.connect(full.count, signal=getattr(signals, crawler.settings["SIGNAL"]))
        return full

    def count(self):
        self.left -= 1
        if self.left == 0 and self.limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")


@pytest.fixture
def full(tmp_path: Path) -> Project:
    return Project(tmp_path / "p", {"own.py": FULL}, EXTENSIONS={"own.Full": 900})


def crawl_log(project: Project, *options: str) -> subprocess.CompletedProcess[str]:
    """A crawl that logs to a pipe, because files are limited."""
    command = [sys.executable, "-m", "scrapy", "crawl", *options]
    return subprocess.run(
        command, cwd=project.folder, capture_output=True, text=True, timeout=400, check=False
    )


def settings(**values: object) -> list[str]:
    return [part for name, value in values.items() for part in ("-s", f"{name}={value}")]


@pytest.mark.parametrize("signal", [slow("response_received"), thorough("item_scraped")])
def test_without_a_jobdir_the_pages_are_dropped(
    full: Project, demo: DemoServer, signal: str
) -> None:
    limit: dict[str, Any] = {"LIMIT": 9000, "SIGNAL": signal, "STATS_FILE": "/dev/null"}
    log = crawl_log(
        full, "feeds", "-a", f"feeds={demo.feed_url}", "-o", "a.jsonl", *settings(**limit)
    )
    assert log.returncode == 1
    assert "'finish_reason': 'forest_disk_failure'" in log.stderr
    assert "ERROR: The disk cannot be written, so the crawl ends" in log.stderr
    assert "dropped (disk_failure" in log.stderr
    assert "Traceback" not in log.stderr
    items = read_items(full.folder / "a.jsonl")
    assert not repeated([item["url"] for item in items])


@pytest.mark.slow
@pytest.mark.parametrize("signal", ["item_scraped", thorough("response_received")])
def test_a_job_is_resumed(full: Project, demo: DemoServer, signal: str) -> None:
    job: dict[str, Any] = {"JOBDIR": "job", "SIGNAL": signal}
    arguments = ["feeds", "-a", f"feeds={demo.feed_url}", "-o", "a.jsonl"]
    limit = {"LIMIT": 20_000, "STATS_FILE": "/dev/null"}
    log = crawl_log(full, *arguments, *settings(**job, **limit))
    assert log.returncode == 1
    assert "left for the next run" in log.stderr
    run = full.crawl("feeds", f"feeds={demo.feed_url}", out="a.jsonl", **job)
    assert (run.status, len(run.items)) == (0, 30)
    assert not repeated(run.paths)


def test_the_shell_leaves_no_spool(project: Project, demo: DemoServer) -> None:
    command = ["-m", "scrapy", "shell", demo.feed_url, "-c", "response.status"]
    run = starter.run(command, project.folder, environment())
    assert run.stdout.strip() == "200"
    assert not list(project.folder.rglob("spool*"))


def test_the_parse_command_prints_the_article(project: Project, demo: DemoServer) -> None:
    url = f"{demo.url}{demo.site.articles[0].path}"
    command = ["-m", "scrapy", "parse", "--nocolour", "--spider", "site"]
    command += ["-a", f"article={url}", "-c", "parse_page", "--nolinks", url]
    run = starter.run(command, project.folder, environment())
    assert "'text': '" in run.stdout, run.stderr
    assert "'response'" not in run.stdout
