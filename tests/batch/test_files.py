"""Batches from files to files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy.settings import Settings

from forest_scrapy.batch.files import WITHOUT_BASE, BatchArguments, FileBatch
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.settings import read_settings
from tests.batch.helpers import articles, demo_pages, lines, run
from tests.crawls.helpers import story


def test_warc(done: Path) -> None:
    assert len(articles(done)) == 30
    assert all(one["fetched_at"] == "2030-01-01T00:00:00+00:00" for one in articles(done))
    reasons = {one["reason"] for one in lines(done / "errors.jsonl")}
    assert reasons == {"not_article"}
    assert len(lines(done / "errors.jsonl")) == len(demo_pages()) - 30
    assert sorted(path.name for path in done.iterdir()) == [
        "articles.jsonl", "errors.jsonl", "wrappers.db",
    ]  # fmt: skip


def test_two_processes_give_the_same_bytes(tmp_path: Path, warc: Path, done: Path) -> None:
    run(tmp_path, warc, processes=2)
    for name in ("articles.jsonl", "errors.jsonl"):
        assert (tmp_path / name).read_bytes() == (done / name).read_bytes()


class Changing(NoProgress):
    """Changes the input when a stage begins."""

    def __init__(self, stage: str, change: Callable[[], None]) -> None:
        self._stage, self._change = stage, change

    def begin(self, stage: str, total: int | None) -> None:
        if stage == self._stage:
            self._change()


@pytest.mark.parametrize("stage", ["collect", "learn", "extract"])
@pytest.mark.parametrize(
    "change",
    ["cut", *(pytest.param(change, marks=pytest.mark.slow) for change in ("remove", "reverse"))],
)
def test_input_that_changes_meanwhile_is_named(tmp_path: Path, stage: str, change: str) -> None:
    """Each page is an article once, or a line of the errors; and files that have not changed are
    read."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b"):
        rows = [
            {"url": f"http://{name}.example/{number}", "html": story(number)}
            for number in range(12)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    path = folder / "b.jsonl"

    def change_input() -> None:
        content = path.read_text(encoding="utf-8").splitlines()
        if change == "remove":
            path.unlink()
        elif change == "cut":
            path.write_text("\n".join(content[:6]) + "\n", encoding="utf-8")
        else:
            path.write_text("\n".join(reversed(content)) + "\n", encoding="utf-8")

    order = BatchArguments((str(folder),), tmp_path / "out.jsonl", tmp_path / "errors.jsonl", True)
    batch = FileBatch(order, read_settings(Settings()), 1, Changing(stage, change_input))
    batch.run()
    items = [one["url"] for one in lines(tmp_path / "out.jsonl")]
    errors = lines(tmp_path / "errors.jsonl")
    assert len(items) == len(set(items))
    assert {url for url in items if "//a." in url} == {f"http://a.example/{n}" for n in range(12)}
    assert len(items) + len(errors) == 24
    assert batch.changed == [str(path)]


def test_pages_without_an_article_are_named_by_the_url_that_they_declare(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    link = "<link rel=canonical href='https://a.example/{}'>"
    for number in range(6):
        (folder / f"{number}.html").write_text(link.format(number) + story(number))
    bodies = {
        "moment": "<title>Just a moment...</title><p>Checking your browser.</p>",
        "empty": "<p></p>",
    }
    for name, body in bodies.items():
        (folder / f"{name}.html").write_text(f"<head>{link.format(name)}</head>{body}")
    run(tmp_path, folder)
    errors = {error["url"]: error for error in lines(tmp_path / "errors.jsonl")}
    assert sorted(errors) == ["https://a.example/empty", "https://a.example/moment"]
    error = errors["https://a.example/moment"]
    assert error["reason"] == "blocked"
    assert error["source"].endswith("saved/moment.html")


ADDRESSES = "<a href='/2'>Owls</a><a href=http://b.example/3>Boats</a><img src=boat.jpg>"


def write_pages(folder: Path, head: str, addresses: str = ADDRESSES) -> Path:
    """Three files of one template; nothing but ``head`` can tell their URL."""
    folder.mkdir()
    for number in range(3):
        text = (
            f"<p>Forty boats came in at noon on day {number}, and all of them had a crane.</p>" * 6
        )
        html = (
            f"<title>Day {number}</title>{head}<article><h1>Day {number}</h1>{text}"
            f"<p>See also {addresses} of day {number}, seen at noon.</p>{text}</article>"
        )
        (folder / f"day-{number}.html").write_text(html, encoding="utf-8")
    return folder


def test_that_relative_addresses_are_left_out_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    batch = run(tmp_path, write_pages(tmp_path / "in", head=""), are_articles=True)
    assert batch.counts[WITHOUT_BASE] == 3
    messages = [record.getMessage() for record in caplog.records if "URL" in record.getMessage()]
    assert len(messages) == 1
    assert "day-0.html" in messages[0] and '<base href="URL">' in messages[0]
    for article in articles(tmp_path):
        assert [link["url"] for link in article["links"]] == ["http://b.example/3"]
        assert "boat.jpg" not in article["html"] and article["images"] == []


@pytest.mark.parametrize(
    ("head", "addresses"),
    [
        ("<base href=http://a.example/x/>", ADDRESSES),
        ("", "<a href=http://b.example/3>Boats</a><a href='#end'>End</a><a>Owls</a>"),
    ],
)
def test_nothing_is_said_where_no_address_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, head: str, addresses: str
) -> None:
    pages = write_pages(tmp_path / "in", head, addresses)
    batch = run(tmp_path, pages, are_articles=True)
    assert WITHOUT_BASE not in batch.counts
    assert caplog.records == []
    if head:
        assert all("http://a.example/x/boat.jpg" in one["html"] for one in articles(tmp_path))
