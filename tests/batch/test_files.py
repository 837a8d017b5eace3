"""Batches from files to files: kinds of input, processes, stops, errors, stored wrappers."""

from __future__ import annotations

import gzip
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from forest_scrapy import RawPage
from forest_scrapy.batch import batch as batch_module
from forest_scrapy.batch.batch import _no_rules
from forest_scrapy.batch.files import FileBatch, NoProgress, Order
from forest_scrapy.batch.inputs import BadInput
from forest_scrapy.batch.pool import Pool
from forest_scrapy.core import ForestError
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import HOST, demo_pages, write_warc

#: Fields that depend on what is known of the response.
_OF_RESPONSE = ("fetched_at", "status", "last_modified", "etag")


def run(folder: Path, *paths: Path, processes: int = 1, **order: Any) -> FileBatch:
    """Run a batch to its end; the files are in ``folder``."""
    names = tuple(map(str, paths))
    given = Order(names, folder / "articles.jsonl", folder / "errors.jsonl", **order)
    batch = FileBatch(given, ForestSettings(), processes, NoProgress())
    batch.run().replace(given.output)
    batch.finish()
    return batch


def articles(folder: Path) -> list[dict[str, Any]]:
    return lines(folder / "articles.jsonl")


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def content(folder: Path) -> list[dict[str, Any]]:
    """The articles without what is known of the response."""
    return [{k: v for k, v in one.items() if k not in _OF_RESPONSE} for one in articles(folder)]


@pytest.fixture(scope="module")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_warc(tmp_path_factory.mktemp("warc") / "pages.warc.gz", demo_pages())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, warc: Path) -> Path:
    """The folder of a batch of the WARC file."""
    folder = tmp_path_factory.mktemp("done")
    run(folder, warc, save_wrappers=str(folder / "wrappers.db"))
    return folder


def test_warc(done: Path) -> None:
    assert len(articles(done)) == 30
    assert all(one["fetched_at"] == "2030-01-01T00:00:00+00:00" for one in articles(done))
    reasons = {one["reason"] for one in lines(done / "errors.jsonl")}
    assert reasons == {"not_article"}
    assert len(lines(done / "errors.jsonl")) == len(demo_pages()) - 30
    assert sorted(path.name for path in done.iterdir()) == [
        "articles.jsonl", "errors.jsonl", "wrappers.db",
    ]  # fmt: skip


def test_other_kinds_of_input_give_the_same(tmp_path: Path, done: Path) -> None:
    pages = demo_pages()
    kinds = [*write_lines(tmp_path, pages), write_zip(tmp_path, pages), write_folder(tmp_path)]
    kinds.append(write_warc(tmp_path / "plain.warc", pages))
    for path in kinds:
        folder = tmp_path / f"out-{path.name}"
        folder.mkdir()
        run(folder, path)
        assert content(folder) == content(done), path


def write_lines(folder: Path, pages: list[RawPage]) -> Iterator[Path]:
    """JSON lines, plain and compressed."""
    texts = [page.body.decode() for page in pages if isinstance(page.body, bytes)]
    pairs = zip(pages, texts, strict=True)
    text = "".join(json.dumps({"url": p.url, "html": html}) + "\n" for p, html in pairs)
    plain, packed = folder / "pages.jsonl", folder / "pages.jsonl.gz"
    plain.write_text(text, "utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    yield from (plain, packed)


def write_zip(folder: Path, pages: list[RawPage]) -> Path:
    with ZipFile(folder / "pages.zip", "w") as archive:
        for number, page in enumerate(pages):
            archive.writestr(f"{number:03}.html", with_canonical(page))
    return folder / "pages.zip"


def write_folder(folder: Path) -> Path:
    """HTML files, every second one compressed, and a file of another kind."""
    pages = folder / "pages"
    for number, page in enumerate(demo_pages()):
        place = pages / f"{number // 20:03}"
        place.mkdir(parents=True, exist_ok=True)
        body = with_canonical(page)
        if number % 2:
            (place / f"{number:03}.html.gz").write_bytes(gzip.compress(body))
        else:
            (place / f"{number:03}.html").write_bytes(body)
    (pages / "picture.svg").write_text("<svg/>")
    return pages


def with_canonical(page: RawPage) -> bytes:
    """The page's URL is known from its canonical link only."""
    assert isinstance(page.body, bytes)
    if b'rel="canonical"' in page.body:
        return page.body
    link = f'<link rel="canonical" href="{page.url}">'.encode()
    return page.body.replace(b"</head>", link + b"</head>", 1)


def test_two_processes_give_the_same_bytes(tmp_path: Path, warc: Path, done: Path) -> None:
    run(tmp_path, warc, processes=2)
    for name in ("articles.jsonl", "errors.jsonl"):
        assert (tmp_path / name).read_bytes() == (done / name).read_bytes()


@pytest.mark.parametrize("stage", ["read", "plan", "collect", "learn", "extract"])
def test_a_batch_that_was_stopped_goes_on(
    tmp_path: Path, warc: Path, done: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output is the same as if it were not; what was read before is not read again."""
    monkeypatch.setattr(batch_module, "_PAGES", 4)
    with monkeypatch.context() as patched:
        stop_in(stage, patched)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, warc)
    assert (tmp_path / "articles.jsonl.job").is_dir()
    assert not (tmp_path / "articles.jsonl").exists()
    run(tmp_path, warc)
    for name in ("articles.jsonl", "errors.jsonl"):
        assert (tmp_path / name).read_bytes() == (done / name).read_bytes()


def stop_in(stage: str, patch: pytest.MonkeyPatch) -> None:
    """Interrupt a batch in a stage, after some of its steps."""
    state = {"stage": "", "steps": 0}

    def begin(self: NoProgress, stage: str, total: int | None) -> None:
        state.update(stage=stage, steps=0)

    def advance(self: NoProgress, number: int) -> None:
        state["steps"] += number > 0  # type: ignore[operator]
        if state["stage"] == stage and state["steps"] in (1, 3):
            raise KeyboardInterrupt

    patch.setattr(NoProgress, "begin", begin)
    patch.setattr(NoProgress, "advance", advance)


def test_a_stopped_batch_of_other_pages_is_not_resumed(
    tmp_path: Path, warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stop_in("read", patched)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, warc)
    with pytest.raises(ForestError, match="delete it, or name another output"):
        run(tmp_path, warc, are_articles=True)


def test_stored_wrappers(tmp_path: Path, warc: Path, done: Path) -> None:
    """The pages that are no articles are in no stored template, so they are extracted alone."""
    run(tmp_path, warc, wrappers=str(done / "wrappers.db"))
    found = {one["url"]: one for one in content(tmp_path)}
    assert {one["url"]: found[one["url"]] for one in content(done)} == {
        one["url"]: one for one in content(done)
    }


def test_listed_urls(tmp_path: Path, warc: Path, done: Path) -> None:
    wanted = articles(done)[3]["url"]
    run(tmp_path, warc, urls=(wanted, f"{HOST}/nowhere"))
    assert [one["url"] for one in articles(tmp_path)] == [wanted]
    assert content(tmp_path)[0]["xpath"] == articles(done)[3]["xpath"]
    assert lines(tmp_path / "errors.jsonl") == [
        {"url": f"{HOST}/nowhere", "source": "", "reason": "not_found"}
    ]


def test_damaged_inputs(tmp_path: Path, warc: Path, done: Path) -> None:
    """The pages before the damage are extracted, and all other files."""
    (tmp_path / "in").mkdir()
    cut = tmp_path / "in" / "b.warc.gz"
    cut.write_bytes(warc.read_bytes()[:-3000])
    (tmp_path / "in" / "a.jsonl").write_text('{"url": 3}\nnot JSON\n{"url": "http://a.example/"}\n')
    (tmp_path / "in" / "c.zip").write_bytes(b"PK no zip")
    (tmp_path / "in" / "d.html.gz").write_bytes(gzip.compress(b"<p>a" * 9000)[:-20])
    batch = run(tmp_path, tmp_path / "in")
    assert batch.counts["articles"] >= 25
    sources = [one["source"].rpartition("/")[2] for one in lines(tmp_path / "errors.jsonl")]
    for name in ("a.jsonl:1", "a.jsonl:2", "c.zip", "d.html.gz"):
        assert name in sources


def test_a_missing_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        run(tmp_path, tmp_path / "nowhere")


def kill_at_seven(numbers: list[int]) -> list[int]:
    if 7 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return [2 * number for number in numbers]


def test_an_item_that_kills_its_process() -> None:
    pool = Pool(2)
    chunks = [[1, 2, 3], [6, 7, 8], [9], [10, 11]]
    results = [found for _, found in pool.map(kill_at_seven, chunks, lambda _: -1)]
    pool.close()
    assert results == [[2, 4, 6], [12, -1, 16], [18], [20, 22]]


def test_all_pages_as_articles(tmp_path: Path) -> None:
    listing = next(page for page in demo_pages() if page.url == f"{HOST}/")
    batch = run(tmp_path, write_warc(tmp_path / "some.warc", [listing]))
    assert batch.counts == {"not_article": 1}
    batch = run(tmp_path, tmp_path / "some.warc", are_articles=True)
    assert batch.counts["not_article"] == 0


def test_hosts_that_cannot_be_learned(
    tmp_path: Path, warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if learning had ended its process: the pages are extracted by themselves."""
    monkeypatch.setattr(
        batch_module, "learn_hosts", lambda job, hosts: [_no_rules(host) for host in hosts]
    )
    batch = run(tmp_path, warc)
    assert batch.counts["by single"] == 30
