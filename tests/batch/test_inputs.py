"""Kinds of input of a batch: archives, JSON lines, folders; damaged and missing ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from forest_scrapy import RawPage
from forest_scrapy.batch.inputs import BadInput
from tests.batch.helpers import HOST, articles, content, demo_pages, lines, run, write_warc


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
