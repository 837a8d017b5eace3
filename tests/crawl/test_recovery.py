"""Recovery after a killed run."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from forest_scrapy.core.changes import summarize_text
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.history import is_same_text
from forest_scrapy.crawl.recovery import configured_exports, read_items, recover_job
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import spool_page
from forest_scrapy.stores import Export, HistoryStore, Spool

URLS = ("http://a.example/1", "http://a.example/2")


def add_pages(spool: Spool) -> None:
    for url in URLS:
        response = HtmlResponse(url, body=b"<p>a", encoding="utf-8")
        spool.add(spool_page(ArticlePage.from_response(response)))


def recover(folder: Path, *exports: Export) -> list[bool]:
    """Whether each page is pending after the recovery of a killed run that had these exports."""
    history = HistoryStore(str(folder / "history.db"))
    with closing(Spool(str(folder / "spool.db"))) as spool, closing(history):
        add_pages(spool)
        spool.run.write_exports(exports)
        recover_job(folder, Settings(), spool, history)
        assert spool.run.was_recovered
        return [spool.is_pending(page_key(url)) for url in URLS]


def test_an_exported_article_is_done_and_an_incomplete_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    complete = json.dumps({"url": URLS[0]}) + "\n"
    path.write_text(complete + json.dumps({"url": URLS[1]})[:-4], encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", 0)) == [False, True]
    assert path.read_text(encoding="utf-8") == complete


def test_an_incomplete_line_is_removed_however_long_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    complete = json.dumps({"url": URLS[0]}) + "\n"
    path.write_text(complete + '{"url": "' + URLS[1] + "x" * 5_000_000, encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", 0)) == [False, True]
    assert path.read_text(encoding="utf-8") == complete


def test_lines_before_the_recorded_size_are_not_read(tmp_path: Path) -> None:
    """They may be of another crawl that has exported the same pages."""
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"url": url}) + "\n" for url in URLS]
    path.write_text("".join(lines), encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", len(lines[0]))) == [True, False]


@pytest.mark.parametrize(
    ("end", "pending"),
    [
        (f'{URLS[1]},"two\nlines, ""quoted"""\r\n', [False, False]),
        (f'{URLS[1]},"two\nlines', [False, True]),
        (f'{URLS[1]},"two"', [False, True]),
        ("", [False, True]),
    ],
)
def test_csv(tmp_path: Path, end: str, pending: list[bool]) -> None:
    path = tmp_path / "a.csv"
    complete = f'url,text\r\n{URLS[0]},"a\nb"\r\n'
    path.write_bytes((complete + end).encode())
    assert recover(tmp_path, Export(str(path), "csv", 0)) == pending
    kept = complete if pending[1] else complete + end
    assert path.read_bytes() == kept.encode()


def test_exported_pages_that_the_spool_does_not_know_are_done(tmp_path: Path) -> None:
    """Their transaction was not committed."""
    path, url = tmp_path / "a.jsonl", "http://a.example/3"
    path.write_text(json.dumps({"url": url}) + "\n", encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(Spool(str(tmp_path / "spool.db"))) as spool:
        assert spool.knows(page_key(url))
        assert not spool.is_pending(page_key(url))


def test_an_export_that_is_gone(tmp_path: Path) -> None:
    export = Export(str(tmp_path / "a.jsonl"), "jsonlines", 9)
    assert recover(tmp_path, export) == [True, True]


def test_the_requests_of_the_killed_run_are_forgotten(tmp_path: Path) -> None:
    """The queue cannot be read, and what was in it must not count as seen."""
    queue, seen = tmp_path / "requests.queue", tmp_path / "requests.seen"
    queue.mkdir()
    (queue / "active.json").write_text("[]", encoding="utf-8")
    seen.write_bytes(b"seen")
    recover(tmp_path)
    assert not queue.exists()
    assert not seen.exists()


def test_a_lost_spool_is_replaced_by_the_exports(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"url": URLS[0]}) + "\n", encoding="utf-8")
    settings = Settings({"FEEDS": {str(path): {"format": "jsonlines"}}})
    (tmp_path / "spool.db").write_text("no database " * 100)
    history = HistoryStore(str(tmp_path / "history.db"))
    with closing(Spool(str(tmp_path / "spool.db"))) as spool, closing(history):
        recover_job(tmp_path, settings, spool, history)
        assert [spool.knows(page_key(url)) for url in URLS] == [True, False]


def test_a_lost_spool_and_an_export_that_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"url": URLS[0]}) + "\n", encoding="utf-8")
    settings = Settings({"FEEDS": {str(path): {"format": "jsonlines", "overwrite": True}}})
    assert configured_exports(settings) == []


def test_an_exported_article_is_known_to_the_history(tmp_path: Path) -> None:
    """Also one that the spool does not know; what was recorded stays as it is."""
    path, other = tmp_path / "a.jsonl", "http://b.example/3"
    path.write_text("".join(f'{{"url": "{url}"}}\n' for url in (URLS[0], other)), encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        first, second, last = (history.find(page_key(url)) for url in (URLS[0], URLS[1], other))
        assert first and last
        assert (first.outcome, first.method, first.status) == ("article", "recovered", 200)
        assert (last.outcome, last.method, last.host) == ("article", "recovered", "b.example")
        assert second is None
        assert is_same_text(first, "w", summarize_text("An owl."))
        history.save(replace(last, method="trained"))
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        assert history.find(page_key(other)) == replace(last, method="trained")


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("jsonlines", '{"a": 1, "b": "x\\ny", "c": 2}\n[3]\n{"a": 2}\n{"a": 3, "b": '),
        ("csv", 'c,a,b\n2,1,"x\ny"\n0,2\n4,3,"z'),
    ],
)
def test_fields_of_all_items_of_an_export(tmp_path: Path, format: str, text: str) -> None:
    path = tmp_path / "items"
    path.write_text(text, encoding="utf-8")
    found = list(read_items(Export(str(path), format, 0), ("a", "b")))
    assert [(str(item["a"]), item.get("b")) for item in found] == [("1", "x\ny"), ("2", None)]
    assert path.read_text(encoding="utf-8").endswith("\n")
    assert list(read_items(Export(str(tmp_path / "none"), format, 0), ("a",))) == []
