"""A folder of Markdown, and ``llms.txt``: stable names, and only what has changed is written."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from forest_scrapy.exporters.folders import (
    FolderFile,
    FolderItemExporter,
    MarkdownFolder,
    file_name,
    yaml_text,
)
from forest_scrapy.exporters.llms import LlmsFullItemExporter, LlmsItemExporter
from forest_scrapy.items import Article

yaml = pytest.importorskip("yaml")

OWLS = Article(
    url="https://a.example/owls",
    title='Owls: "three"\n',
    published="2025-02-11",
    authors=["Ana Bo"],
    tags=["sea", "# no"],
    text="Owls are here.",
    html="<p>Owls are <b>here</b>.</p>",
    confidence=0.912,
    summary="Three of them.",
    site_name="A paper",
)
BOATS = Article(url="https://a.example/boats", title="Boats", text="Boats.", published="2025-03-01")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """The files of a folder, with what tells whether they were written again."""
    files = {}
    for path in folder.rglob("*.*"):
        if path.is_file():
            status = path.stat()
            files[path.name] = (status.st_mtime_ns, status.st_ino, path.read_bytes())
    return files


def test_front_matter(tmp_path: Path) -> None:
    MarkdownFolder(tmp_path).write(OWLS)
    text = (tmp_path / file_name(OWLS.url)).read_text("utf-8")
    _, head, body = text.split("---\n")
    assert yaml.safe_load(head.replace("date: ", "date: !!str ")) == {
        "title": OWLS.title,
        "date": OWLS.published,
        "authors": OWLS.authors,
        "url": OWLS.url,
        "tags": OWLS.tags,
        "confidence": 0.91,
        "sha256": hashlib.sha256(OWLS.text.encode()).hexdigest(),
    }
    assert body == "\nOwls are **here**.\n"


@pytest.mark.parametrize("text", ["\x85", "\u2028", "\x1b[1m", "\U000e0001", "\ufeff", 'a: "b" #'])
def test_texts_that_yaml_would_change(text: str) -> None:
    assert yaml.safe_load(yaml_text(text)) == text


def test_only_what_has_changed_is_written(tmp_path: Path) -> None:
    for item in (OWLS, BOATS):
        MarkdownFolder(tmp_path).write(item)
    before = state(tmp_path)
    folder = MarkdownFolder(tmp_path)
    folder.write(replace(BOATS, fetched_at="2030-01-01T00:00:00+00:00"))
    folder.write(OWLS)
    folder.delete_others()
    assert (state(tmp_path), folder.written, folder.deleted) == (before, 0, 0)
    folder.write(replace(OWLS, text="Owls were here."))
    after = state(tmp_path)
    boats = Path(file_name(BOATS.url)).name
    assert (folder.written, after[boats]) == (1, before[boats])


def test_what_is_gone_is_deleted_and_what_is_not_ours_is_left(tmp_path: Path) -> None:
    MarkdownFolder(tmp_path).write(OWLS)
    own = tmp_path / "a.example" / "README.md"
    own.write_text(f'---\nurl: "{OWLS.url}"\n---\n', "utf-8")
    folder = MarkdownFolder(tmp_path)
    folder.write(BOATS)
    folder.delete_others()
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md"))
    assert names == sorted(["a.example/README.md", file_name(BOATS.url)])


@pytest.mark.parametrize("deletes_gone", [False, True])
def test_an_article_that_is_gone(tmp_path: Path, deletes_gone: bool) -> None:
    exporter = FolderItemExporter(FolderFile(tmp_path, deletes_gone))
    exporter.export_item(OWLS)
    exporter.export_item(Article(url=OWLS.url, status=404, change={"kind": "gone"}))
    assert (tmp_path / file_name(OWLS.url)).exists() is not deletes_gone


@pytest.mark.parametrize(
    "url",
    [
        "https://../../etc/passwd",
        "https://a.example/..%2F..%2Fx",
        "",
        "https://a.example:8/" + "é" * 300,
    ],
)
def test_names_stay_in_the_folder(tmp_path: Path, url: str) -> None:
    MarkdownFolder(tmp_path / "notes").write(Article(url=url, title="A", text="b"))
    [path] = tmp_path.rglob("*.md")
    assert path.parent.parent == tmp_path / "notes"


def test_one_name_for_the_urls_of_one_page() -> None:
    names = {
        file_name(f"https://{host}a.example/x{end}") for host in ("", "www.") for end in ("", "/")
    }
    assert len(names) == 1


def test_llms_txt_of_a_site() -> None:
    texts = []
    for exporter_class in (LlmsItemExporter, LlmsFullItemExporter):
        for items in ((OWLS, BOATS, OWLS), (BOATS, OWLS, OWLS)):
            file = BytesIO()
            exporter = exporter_class(file)
            for item in items:
                exporter.export_item(item)
            exporter.finish_exporting()
            texts.append(file.getvalue().decode())
    short, short_again, full, full_again = texts
    assert (short, full) == (short_again, full_again)
    start = "# A paper\n\n## Pages\n\n- [Boats](https://a.example/boats): Boats.\n- [Owls"
    assert short.startswith(start)
    assert "](https://a.example/owls): Three of them." in short
    assert full.startswith(
        "# A paper\n\n# Boats\n\nSource: <https://a.example/boats>\n\nBoats.\n\n"
    )
    assert "Owls are **here**." in full


def _export_llms(*items: Article) -> str:
    file = BytesIO()
    exporter = LlmsItemExporter(file)
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode()


def test_llms_txt_of_several_sites_has_a_section_for_each() -> None:
    mice = Article(url="https://www.b.example/mice", title="Mice", summary="Small.")
    foxes = replace(mice, url="https://b.example/foxes", title="Foxes", categories=["News"])
    text = _export_llms(OWLS, mice, BOATS, foxes)
    assert text.startswith("# Pages of 2 sites\n\n## a.example\n\n- [Boats]")
    assert text.endswith(
        "## b.example\n\n- [Foxes](https://b.example/foxes): Small.\n"
        "- [Mice](https://www.b.example/mice): Small.\n"
    )
    same_site = _export_llms(mice, foxes)
    assert "## News\n" in same_site and "sites" not in same_site


def test_a_summary_is_made_of_the_first_sentences() -> None:
    sentences = [f"Owls hunt {number} mice in the fields beside the mill." for number in range(9)]
    text = _export_llms(replace(OWLS, summary="", text="\n".join(sentences)))
    summary = text.rstrip().rpartition("): ")[2]
    assert summary == " ".join(sentences[:4])

    endless = _export_llms(replace(OWLS, summary="", text="owls " * 900))
    summary = endless.rstrip().rpartition("): ")[2]
    assert summary.endswith("owls ...")
    assert len(summary) <= 204
