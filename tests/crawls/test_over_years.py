"""The recipes for cron and for cookies of the documentation, as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .helpers import ROOT, RSS, Project, Server, environment, rss, story

PAGE = (ROOT / "docs/over-years.md").read_text("utf-8")
TROUBLESHOOTING = (ROOT / "docs/troubleshooting.md").read_text("utf-8")


class Cron:
    """A folder with the script, and what cron would mail of a job: all that it prints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (script,) = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", PAGE, re.DOTALL)
        (folder / "crawl.sh").write_text(script)
        (folder / ".venv").symlink_to(sys.prefix)
        (self.job,) = re.findall(r"^7 \* \* \* \* (.*)$", PAGE, re.MULTILINE)
        assert "cd /srv/news && " in self.job

    def start(self, **variables: str) -> subprocess.Popen[str]:
        job = self.job.replace("/srv/news", str(self.folder))
        return subprocess.Popen(
            ["/bin/sh", "-c", job],
            env={**environment(), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, **variables: str) -> str:
        """The text of the mail; ``""`` if there is none."""
        mail, _ = self.start(**variables).communicate(timeout=400)
        return mail

    def items(self) -> list[str]:
        """The paths of the items of all months, in their order."""
        paths = []
        for file in sorted(self.folder.glob("articles-????-??.jsonl")):
            for line in file.read_text("utf-8").splitlines():
                paths.append(re.sub(r"^https?://[^/]*", "", json.loads(line)["url"]))
        return paths


@pytest.fixture
def cron(tmp_path: Path) -> Iterator[Cron]:
    if shutil.which("flock") is None:
        pytest.skip("this system has no flock")
    yield Cron(tmp_path / "news")


def add_stories(server: Server, numbers: range) -> None:
    for number in numbers:
        server.add(f"/{number}", story(number))
    server.add("/feed", rss([f"{server.url}/{number}" for number in numbers]), RSS)


@pytest.mark.thorough
@pytest.mark.slow
def test_the_recipe_mails_new_trouble_once(cron: Cron, server: Server) -> None:
    feeds = cron.folder / "feeds.txt"
    feeds.write_text(f"{server.url}/feed\n")
    add_stories(server, range(6))
    assert cron.run() == ""
    assert cron.run() == ""
    assert sorted(cron.items()) == [f"/{number}" for number in range(6)]
    assert (cron.folder / "full.xml").read_text("utf-8").count("<entry>") == 6

    feeds.write_text(f"{server.url}/feed\n{server.url}/dead\n")
    add_stories(server, range(4, 8))
    mail = cron.run()
    assert f"! {server.url}/dead: the feed cannot be read: status 404" in mail
    assert cron.run() == ""
    assert sorted(cron.items()) == [f"/{number}" for number in range(8)]
    assert (cron.folder / "full.xml").read_text("utf-8").count("<entry>") == 8


@pytest.mark.slow
def test_the_recipe_says_why_a_crawl_has_not_started(cron: Cron) -> None:
    mail = cron.run()
    assert "The crawl has not come to its end" in mail
    assert "feeds.txt: No such file or directory" in mail


@pytest.mark.thorough
@pytest.mark.slow
def test_the_log_of_the_recipe_rotates(cron: Cron, server: Server) -> None:
    (cron.folder / "feeds.txt").write_text(f"{server.url}/feed\n")
    add_stories(server, range(2))
    logs = [cron.folder / name for name in ("crawl.log", "crawl.log.1", "crawl.log.2")]
    for number in range(4):
        cron.run(LOG_BYTES="1")
        sizes = [log.stat().st_size > 1 if log.exists() else None for log in logs]
        assert sizes == [number >= place or None for place in range(3)]
    assert len(list(cron.folder.glob("crawl.log*"))) == 3


@pytest.mark.thorough
@pytest.mark.slow
def test_a_crawl_that_still_runs_is_waited_for_in_silence(cron: Cron, server: Server) -> None:
    (cron.folder / "feeds.txt").write_text(f"{server.url}/feed\n")
    add_stories(server, range(3))
    server.add("/feed", rss([f"{server.url}/{number}" for number in range(3)]), RSS, delay=3)
    first = cron.start()
    while "/feed" not in server.requests:
        assert first.poll() is None
    assert cron.run() == ""
    assert first.communicate(timeout=400)[0] == ""
    assert server.requests.count("/feed") == 1


@pytest.mark.slow
def test_the_middleware_for_cookies_opens_a_site(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(r"```python\n# news/middlewares.py\n(.*?)```", TROUBLESHOOTING, re.DOTALL)
    (settings,) = re.findall(
        r"```python\n# settings.py[^\n]*\n(.*?)```", TROUBLESHOOTING, re.DOTALL
    )
    values: dict[str, dict[str, int]] = {}
    exec(settings, values)
    modules = {
        "news/__init__.py": "",
        "news/middlewares.py": code.replace("www.example.org", "127.0.0.1"),
    }
    project = Project(
        tmp_path / "own", modules, DOWNLOADER_MIDDLEWARES=values["DOWNLOADER_MIDDLEWARES"]
    )
    monkeypatch.setenv("EXAMPLE_COOKIE", "session=mine")
    server.add("/0", story(0), headers={"ETag": "x", "Set-Cookie": "other=1"})
    server.add("/feed", rss([f"{server.url}/0"]), RSS, headers={"Set-Cookie": "other=1"})
    project.crawl("feeds", f"feeds={server.url}/feed")
    assert server.asked_with["/0"]["Cookie"] == "session=mine"
