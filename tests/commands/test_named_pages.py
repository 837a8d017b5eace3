"""``forest-scrapy extract`` of URLs, of a site, and of standard input."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from benchmarks.support import starter
from demo import DemoServer
from forest_scrapy.commands.extract import Extract
from forest_scrapy.settings import BadSetting
from tests.commands.test_main import PROGRAM
from tests.crawls.helpers import Server, environment, story

DEFAULTS = {
    "paths": ["-"], "output": None, "format": "", "url": "", "site": False, "errors": None,
    "articles": False, "kinds": None, "wrappers": "", "save_wrappers": "", "urls": None,
    "hosts": None, "processes": None, "delete": False,
}  # fmt: skip


def extract(**options: object) -> Extract:
    """The action, after it has run in this process."""
    action = Extract(Settings())
    action.run(Namespace(**{**DEFAULTS, **options}))
    return action


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Standard input, with the page of an article."""
    pipe = io.BytesIO(story(1).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
    return pipe


def test_a_page_by_its_url(tmp_path: Path) -> None:
    """Pages come in the order of the arguments; what is no article gives its text, and what cannot
    be used is named."""
    listing = "<h1>Boats</h1><ul>" + "<li><a href=/b>A boat</a>" * 9 + "</ul>"
    with Server() as server:
        server.add("/robots.txt", "User-agent: *\nDisallow: /secret", "text/plain")
        server.add("/owls", story(1))
        server.add("/list", listing)
        server.add("/secret", story(2))
        names = [f"{server.url}/{name}" for name in ("list", "owls", "secret", "none")]
        done = starter.run([*PROGRAM, "extract", *names], tmp_path, environment())
        requests = list(server.requests)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(item["type"], item["url"]) for item in items] == [
        ("page", names[0]),
        ("article", names[1]),
    ]
    assert items[1]["title"] == "Lantern number 1" and items[1]["fetched_at"]
    errors = done.stderr.splitlines()
    assert len(errors) == 2
    assert any("/secret: cannot be fetched" in error and "robots" in error for error in errors)
    assert any("/none: cannot be fetched: status 404" in error for error in errors)
    assert "/secret" not in requests
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_site_by_its_url(tmp_path: Path) -> None:
    with DemoServer() as demo:
        url = demo.feed_url.removesuffix("feed.xml")
        command = [*PROGRAM, "extract", url, "--site", "-o", "site.jsonl"]
        done = starter.run(command, tmp_path, environment())
    assert done.returncode == 0
    assert len((tmp_path / "site.jsonl").read_text("utf-8").splitlines()) == 30


@pytest.mark.slow
def test_a_crawl_to_a_folder_twice(tmp_path: Path) -> None:
    """The second crawl of the same pages writes no file again."""
    states = []
    with DemoServer() as demo:
        outputs = ("-O", "notes/", "-O", "llms.txt", "-O", "llms-full.txt")
        command = [*PROGRAM, "crawl", "feeds", "-a", f"feeds={demo.feed_url}", *outputs]
        for _ in range(2):
            done = starter.run(command, tmp_path, environment())
            assert done.returncode == 0 and "ERROR" not in done.stderr
            states.append(
                {
                    path: (path.stat().st_mtime_ns, path.read_bytes())
                    for path in tmp_path.glob("notes/*/*.md")
                }
            )
    assert len(states[0]) == 30 and states[0] == states[1]
    assert (tmp_path / "llms.txt").read_text("utf-8").count("\n- [") == 30
    assert (tmp_path / "llms-full.txt").read_text("utf-8").count("\nSource: <") == 30


@pytest.mark.parametrize(
    ("format_name", "start"),
    [
        ("text", "Lantern number 1\nhttps://a.example/1\n"),
        ("markdown", "# Lantern number 1\n\n<https://a.example/1>"),
        ("html", "<!DOCTYPE html>"),
        ("json", "[{"),
    ],
)
def test_standard_input(stdin: io.BytesIO, tmp_path: Path, format_name: str, start: str) -> None:
    output = tmp_path / "out"
    action = extract(url="https://a.example/1", format=format_name, output=str(output))
    assert action.errors == []
    assert output.read_text("utf-8").startswith(start)


@pytest.mark.parametrize("format_name", ["markdown", "text", "jsonl"])
def test_standard_input_without_an_address_has_none(
    stdin: io.BytesIO, tmp_path: Path, format_name: str
) -> None:
    output = tmp_path / "out"
    extract(format=format_name, output=str(output))
    text = output.read_text("utf-8")
    assert "standard input" not in text
    if format_name == "jsonl":
        assert json.loads(text)["url"] == ""
    if format_name == "markdown":
        assert text.startswith("# Lantern number 1\n\n")
        assert "<>" not in text
        assert not text.rstrip().endswith("---")


def test_a_format_that_is_none_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        extract(format="nosuch")
    message = str(caught.value)
    assert message.startswith("--format = 'nosuch' cannot be used")
    assert "markdown" in message
    assert "--output" not in message
    with pytest.raises(BadSetting, match=r"--output = '\.nosuch'"):
        extract(output=str(tmp_path / "a.nosuch"))


def test_what_to_do_if_standard_input_has_no_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<p>A b")))
    output = tmp_path / "out.jsonl"
    [error] = extract(output=str(output), kinds="article").errors
    assert error.startswith("standard input: no item comes out: ") and "--kinds page" in error
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": ["-", "a.html"]}, "a.html is neither a URL nor -"),
        ({"paths": ["ftp://x/"]}, "ftp://x/: only http and https URLs are fetched"),
        ({"paths": ["https://a.example/", "s3://x/"]}, "s3://x/: only http and https"),
        ({"paths": ["ftp://x/"], "site": True}, "only http and https"),
        ({"paths": ["a.html"], "url": "https://a.example/"}, "from standard input"),
        ({"url": "a.example"}, "must be an http or https URL"),
        ({"save_wrappers": "w.db"}, "--save-wrappers is for files"),
        ({"site": True}, "--site needs one URL"),
        ({"site": True, "wrappers": "w.db"}, "--wrappers cannot be used with --site"),
    ],
)
def test_what_cannot_be_used_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        extract(**options)


def test_a_folder_of_markdown_twice(
    stdin: io.BytesIO, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = stdin.getvalue()
    pages = tmp_path / "pages"
    pages.mkdir()
    folder = f"{tmp_path}/notes/"
    summaries = []
    for number in (1, 2):
        (pages / f"{number}.html").write_text(story(number), "utf-8")
    arguments = {"paths": [str(pages)], "articles": True, "processes": 1, "output": folder}
    for _ in range(2):
        extract(**arguments)
        summaries.append(capsys.readouterr().err.splitlines()[-1])
    assert summaries[0].startswith("2 files written") and summaries[1].startswith("0 files written")
    (pages / "2.html").unlink()
    extract(**arguments, delete=True)
    assert capsys.readouterr().err.splitlines()[-1].endswith("1 are as they were, 1 deleted")
    assert page
    extract(url="https://a.example/1", output=folder)
    assert len(list(Path(folder).glob("*/*.md"))) == 2


ONE_PAGE = """
import atexit, gc, sys
from forest_scrapy.commands.program import main
atexit.register(lambda: print(gc.isenabled(), *sys.modules, file=sys.stderr))
sys.argv = ["forest-scrapy", "extract", "-", "--url", "https://a.example/1"]
main()
"""


@pytest.mark.crawl
def test_a_page_from_standard_input_loads_nothing_that_downloads(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", ONE_PAGE],
        input=story(1).encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env=environment(),
    )
    collects_garbage, *loaded = run.stderr.decode().split()
    assert collects_garbage == "True"
    assert json.loads(run.stdout)["url"] == "https://a.example/1"
    assert "forest_scrapy.batch.single" in loaded
    needless = {"itemadapter", "pydantic", "protego", "scrapy.exporters", "forest_scrapy.addon"}
    assert needless.isdisjoint(loaded)
