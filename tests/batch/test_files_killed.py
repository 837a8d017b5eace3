"""Batches that are killed, stopped or out of space while they finish."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crawls.helpers import environment

from forest_scrapy.batch.files import BatchArguments, BatchStopped, FileBatch
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.output_files import BadOutput, InUse, locked
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import demo_pages

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight articles, and a page that is empty."""
    file = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    articles = [page for page in demo_pages() if "/journal/20" in page.url][:8]
    rows = [(page.url, page.body.decode()) for page in articles if isinstance(page.body, bytes)]
    rows.append(("http://news.example/empty", " "))
    lines = (json.dumps({"url": url, "html": html}) for url, html in rows)
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def batch(pages: Path, output: Path, convert: Any = None, **order: Any) -> FileBatch:
    given = {"errors": output.with_name("errors.jsonl"), "are_articles": True, **order}
    order_ = BatchArguments((str(pages),), output, **given)
    return FileBatch(order_, ForestSettings(), 1, NoProgress(), convert)


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, pages: Path) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("expected")
    batch(pages, folder / "out.jsonl").run()
    found = texts(folder)
    assert [len(found[name].splitlines()) for name in ("out.jsonl", "errors.jsonl")] == [8, 1]
    return found


class Killed(BaseException):
    """Ends a batch where it is, as a kill does."""


@pytest.mark.slow
def test_a_folder_that_stays_when_its_output_is_in_place(
    tmp_path: Path, pages: Path, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finished output is not written to; it is made again if it is not there any more."""
    output = tmp_path / "out.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        batch(pages, output).run()
    before = output.stat()
    again = batch(pages, output)
    again.run()
    assert (texts(tmp_path), again.counts["articles"]) == (expected, 8)
    assert (output.stat().st_ino, output.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        batch(pages, output).run()
    output.unlink()
    batch(pages, output).run()
    assert texts(tmp_path) == expected


def test_another_run_cannot_begin_while_the_folder_is_deleted(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, rmtree = tmp_path / "out.jsonl", shutil.rmtree

    def delete(*args: Any, **options: Any) -> None:
        with pytest.raises(InUse), locked(output):
            pass
        rmtree(*args, **options)

    monkeypatch.setattr(shutil, "rmtree", delete)
    batch(pages, output).run()
    assert sorted(texts(tmp_path)) == ["errors.jsonl", "out.jsonl"]


@pytest.mark.parametrize(
    "damage",
    ["shorter", *(pytest.param(name, marks=pytest.mark.slow) for name in ("missing", "zeros"))],
)
def test_items_that_are_not_what_was_noted(
    tmp_path: Path, pages: Path, expected: dict[str, str], damage: str
) -> None:
    def stop(items: Path, output: Path) -> None:
        size = items.stat().st_size
        if damage == "missing":
            items.unlink()
        else:
            items.write_bytes(b"\0" * (size if damage == "zeros" else size // 2))
        raise Killed

    output = tmp_path / "out.jsonl"
    with pytest.raises(Killed):
        batch(pages, output, stop).run()
    batch(pages, output).run()
    assert texts(tmp_path) == expected


@pytest.mark.slow
def test_errors_that_cannot_be_written(tmp_path: Path, pages: Path) -> None:
    """They are written before the output is moved; until then the batch goes on."""
    output, errors = tmp_path / "out.jsonl", tmp_path / "sub" / "errors.jsonl"
    errors.parent.mkdir()
    first = batch(pages, output, errors=errors)
    (errors.parent / ".errors.jsonl.forest-part").mkdir()
    with pytest.raises(BatchStopped, match="errors"):
        first.run()
    assert not output.exists()
    (errors.parent / ".errors.jsonl.forest-part").rmdir()
    batch(pages, output, errors=errors).run()
    assert [len(path.read_text().splitlines()) for path in (output, errors)] == [8, 1]
    assert [path.name for path in errors.parent.iterdir()] == ["errors.jsonl"]


def test_files_that_are_written_by_another_batch(tmp_path: Path, pages: Path) -> None:
    for name in ("out.jsonl", "errors.jsonl"):
        with locked(tmp_path / name), pytest.raises(InUse, match=name):
            batch(pages, tmp_path / "out.jsonl").run()
        assert list(tmp_path.iterdir()) == []


def test_outputs_that_are_read_or_written_twice(tmp_path: Path, pages: Path) -> None:
    output = tmp_path / "out.jsonl"
    inside = tmp_path / "out.jsonl.job" / "e"
    for wrong in ({"errors": output}, {"errors": inside}, {"save_wrappers": str(output)}):
        with pytest.raises(BadOutput):
            batch(pages, output, **wrong)
    with pytest.raises(BadOutput):
        batch(pages, pages)


@pytest.mark.slow
def test_an_output_in_the_folder_that_is_read(
    tmp_path: Path, pages: Path, expected: dict[str, str]
) -> None:
    shutil.copy(pages, tmp_path / "pages.jsonl")
    for _ in range(2):
        batch(tmp_path, tmp_path / "out.jsonl").run()
        assert (tmp_path / "out.jsonl").read_text() == expected["out.jsonl"]
        assert len((tmp_path / "errors.jsonl").read_text().splitlines()) == 1


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Files cannot grow beyond this size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 150_000, 250_000, 350_000])
def test_a_full_disk(tmp_path: Path, pages: Path, expected: dict[str, str], size: int) -> None:
    with limited(size), pytest.raises(BatchStopped):
        batch(pages, tmp_path / "out.jsonl").run()
    assert not (tmp_path / "out.jsonl").exists()
    batch(pages, tmp_path / "out.jsonl").run()
    assert texts(tmp_path) == expected


@pytest.mark.thorough
@pytest.mark.slow
def test_a_kill_at_each_step(tmp_path: Path, pages: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    command = [sys.executable, "-m", "tests.batch.killed", str(folder), "extract", str(pages)]
    command += ["--articles", "--processes", "1", "-o", "out.csv", "--errors", "e/errors.jsonl"]
    done = subprocess.run(command, env=environment(), capture_output=True, timeout=300, check=True)
    steps = json.loads(done.stdout)
    assert len(steps) > 10 and steps[-1][0] == "exit 0"
    assert [(name, end) for name, end, _ in steps if end != "exit 0"] == []
    expected = steps[-1][2]
    assert sorted(expected) == ["e/errors.jsonl", "out.csv"] and all(expected.values())
    assert [name for name, _, found in steps if found != expected] == []
