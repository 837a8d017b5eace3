"""Fixtures: a project whose store a real crawl has filled, and ways to run ``scrapy forest``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from crawls.helpers import Project, environment
from scrapy.cmdline import execute
from scrapy.settings import Settings

from benchmarks.support import starter
from demo import DemoServer

from .browser import Opened, open_browser


def pytest_itemcollected(item: pytest.Item) -> None:
    """Called for the tests of this folder only, which need a project that has crawled."""
    item.add_marker(pytest.mark.crawl)


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def demo() -> Iterator[DemoServer]:
    with DemoServer() as server:
        yield server


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> Project:
    """A project that has crawled the demo site; its settings also write an export and a log."""
    project = Project(
        tmp_path_factory.mktemp("commands") / "project",
        FEEDS={"left.jsonl": {"format": "jsonlines"}},
        LOG_LEVEL="INFO",
    )
    run = project.crawl("feeds", f"feeds={demo.feed_url}", out="-")
    assert run.stat("templates/learned") == 2
    (project.folder / "left.jsonl").unlink()
    return project


@pytest.fixture
def folder(tmp_path: Path, demo: DemoServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the demo's articles as ``news-NAME.html`` and
    ``journal-NAME.html``."""
    for article in demo.site.articles:
        section, *_, name = article.path.strip("/").removesuffix(".html").split("/")
        body = demo.site.files[article.path][1]
        (tmp_path / f"{section}-{name}.html").write_bytes(body)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(project: Project, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process, with the project's store; it must not fetch anything."""

    def run(*arguments: str, **settings: Any) -> Done:
        store = str(project.folder / ".scrapy/forest/wrappers.db")
        with pytest.raises(SystemExit) as ended:
            execute(["scrapy", "forest", *arguments], Settings({"FOREST_STORE": store, **settings}))
        captured = capsys.readouterr()
        status = ended.value.code
        assert isinstance(status, int)
        assert "Traceback" not in captured.err
        return Done(status, captured.out, captured.err)

    return run


@pytest.fixture
def scrapy(project: Project) -> Run:
    """Run the command as a process, by default in the project."""

    def run(*arguments: str, cwd: Path = project.folder) -> Done:
        done = starter.run(["-m", "scrapy", "forest", *arguments], cwd, environment(), 60)
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="module")
def chromium() -> Iterator[Opened]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def browser(chromium: Opened) -> Opened:
    """The browser, with nothing recorded yet."""
    chromium.messages.clear()
    chromium.requests.clear()
    return chromium
