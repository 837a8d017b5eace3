"""Something that is no file in the place of one that a crawl or a command reads or writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.support.starter import run

from .helpers import RSS, Item, Project, Server, environment, rss, story

Maker = Callable[[Path], object]
DATA = ".scrapy/forest"


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "a").touch()


def place(project: Project, name: str, make: Maker) -> Path:
    path = project.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    return path


def add_feed(server: Server) -> str:
    for number in range(3):
        server.add(f"/{number}", story(number))
    server.add("/feed", rss([Item(f"{server.url}/{number}") for number in range(3)]), RSS)
    return f"feeds={server.url}/feed"


@pytest.mark.parametrize("make", [os.mkfifo, make_loop, make_link_to_pipe, make_folder])
def test_a_health_digest_that_is_no_file(project: Project, server: Server, make: Maker) -> None:
    path = place(project, f"{DATA}/health.json", make)
    command = ["-m", "scrapy", "forest", "health"]
    shown = run(command, project.folder, environment(), timeout=60)
    assert shown.returncode == 1 and "Traceback" not in shown.stderr
    assert f"{path.parent}/" in shown.stderr and "remove it" in shown.stderr
    crawl = project.crawl("feeds", add_feed(server))
    assert (crawl.status, len(crawl.items)) == (0, 3) and "Traceback" not in crawl.log
    assert "The health digest cannot be" in crawl.log or "cannot be read" in crawl.log
    assert path.is_file() == (make is make_loop)  # links are replaced, nothing else


@pytest.mark.parametrize("name", ["requests.seen", "spider.state", "forest/spool.db"])
@pytest.mark.parametrize("make", [os.mkfifo, make_loop])
def test_a_file_of_a_job_that_is_no_file(
    project: Project, server: Server, name: str, make: Maker
) -> None:
    place(project, f"job/{name}", make)
    crawl = project.crawl("feeds", add_feed(server), JOBDIR="job")
    assert crawl.status == 1 and "Traceback" not in crawl.log and server.requests == []
    assert f"job/{name}" in crawl.log


@pytest.mark.slow
@pytest.mark.parametrize("make", [os.mkfifo, make_loop, make_folder])
def test_the_probes_of_a_form_that_are_no_file(
    project: Project, server: Server, make: Maker
) -> None:
    pytest.importorskip("form2request")
    server.add("/", "<html><form action=/find role=search><input name=q></form><p>A register")
    arguments = ("form", f"url={server.url}/", "probes=1")
    project.crawl(*arguments)
    (path,) = (project.folder / DATA / "forms").glob("*.jsonl")
    path.unlink()
    make(path)
    crawl = project.crawl(*arguments)
    assert crawl.status == 1 and "Traceback" not in crawl.log and path.name in crawl.log
    shown = project.forest("form", f"{server.url}/")
    assert "Traceback" not in shown and path.name in shown
    if path.is_dir():
        again = project.crawl(*arguments, "again=yes")
        assert again.status == 1 and "cannot be removed" in again.log
        assert "Traceback" not in again.log


def test_values_of_a_form_that_are_a_pipe(project: Project) -> None:
    place(project, "values.json", os.mkfifo)
    crawl = project.crawl("form", "url=http://127.0.0.1:9/", "values=values.json")
    assert crawl.status == 1 and "values.json: it is a named pipe, not a file" in crawl.log


@pytest.mark.slow
def test_an_export_to_a_pipe_needs_a_reader(project: Project, server: Server) -> None:
    path = place(project, "out.jl", os.mkfifo)
    feed = add_feed(server)
    feeds = json.dumps({"out.jl": {"format": "jl"}})
    unread = project.crawl("feeds", feed, out="-", FEEDS=feeds)
    assert unread.status == 1 and server.requests == []
    assert "a named pipe that a program reads from" in unread.log
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    read = project.crawl("feeds", feed, out="-", FEEDS=feeds)
    lines = os.read(reader, 1 << 16).splitlines()
    os.close(reader)
    assert read.status == 0 and len(lines) == 3


PROGRAM = ("-c", "from forest_scrapy.commands.main import main; main()")
LOOPS = ("--wrappers", "--save-wrappers", "--urls", "--errors", "-o")


@pytest.mark.parametrize("option", LOOPS)
@pytest.mark.parametrize("make", [make_loop, make_folder])
def test_an_argument_of_extract_that_is_no_file(tmp_path: Path, option: str, make: Maker) -> None:
    (tmp_path / "a.html").write_text(story(1))
    make(tmp_path / "odd.jsonl")
    output = [] if option == "-o" else ["-o", "out.jsonl"]
    command = [*PROGRAM, "extract", "a.html", "--processes", "1", *output]
    done = run([*command, option, "odd.jsonl"], tmp_path, environment(), timeout=60)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "odd.jsonl" in done.stderr and not (tmp_path / "out.jsonl").exists()


def test_the_notes_of_extract_that_are_a_link_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(story(1))
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "out.jsonl.job").mkdir()
    (tmp_path / "out.jsonl.job" / "articles.jsonl").symlink_to(victim)
    command = [*PROGRAM, "extract", "a.html", "--processes", "1", "-o", "out.jsonl"]
    done = run(command, tmp_path, environment(), timeout=60)
    assert done.returncode == 1 and "articles.jsonl is a link; remove it" in done.stderr
    assert victim.read_text() == "precious"


def test_a_temporary_file_that_is_a_link_is_not_followed(project: Project, server: Server) -> None:
    """Somebody else may have made it, in a folder that all may write to."""
    victim = project.folder / "victim"
    victim.write_text("precious")
    for name in (".health.json.forest-part", ".health.html.forest-part"):
        place(project, f"{DATA}/{name}", lambda path: path.symlink_to(victim))
    crawl = project.crawl("feeds", add_feed(server))
    assert crawl.status == 0 and crawl.complaints == []
    assert victim.read_text() == "precious"
    assert (project.folder / DATA / "health.json").read_bytes().startswith(b"{")
