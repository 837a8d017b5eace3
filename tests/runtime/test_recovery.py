"""Recovery after a killed run."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.recovery import recover_job
from forest_scrapy.runtime.responses import page_key, spool_page
from forest_scrapy.stores import Spool

URLS = ("http://a.example/1", "http://a.example/2")


def add_pages(spool: Spool) -> None:
    for url in URLS:
        response = HtmlResponse(url, body=b"<p>a", encoding="utf-8")
        assert spool.add(spool_page(ArticlePage.from_response(response)))


def settings_for(path: Path, overwrite: bool = False) -> Settings:
    return Settings({"FEEDS": {str(path): {"format": "jsonlines", "overwrite": overwrite}}})


def test_an_exported_article_is_done_and_an_incomplete_line_is_removed(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    complete = json.dumps({"url": URLS[0]}) + "\n"
    lines.write_text(complete + json.dumps({"url": URLS[1]})[:-4], encoding="utf-8")
    with closing(Spool(str(tmp_path / "spool.db"))) as spool:
        add_pages(spool)
        recover_job(tmp_path, settings_for(lines), spool)
        assert [spool.is_pending(page_key(url)) for url in URLS] == [False, True]
    assert lines.read_text(encoding="utf-8") == complete


def test_a_file_that_is_overwritten_is_not_read(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"url": "' + URLS[0], encoding="utf-8")
    with closing(Spool(str(tmp_path / "spool.db"))) as spool:
        add_pages(spool)
        recover_job(tmp_path, settings_for(lines, overwrite=True), spool)
        assert spool.is_pending(page_key(URLS[0]))
    assert lines.read_text(encoding="utf-8") == '{"url": "' + URLS[0]


def test_the_queue_of_the_killed_run_is_deleted(tmp_path: Path) -> None:
    queue = tmp_path / "requests.queue"
    queue.mkdir()
    (queue / "active.json").write_text("[]", encoding="utf-8")
    with closing(Spool(str(tmp_path / "spool.db"))) as spool:
        recover_job(tmp_path, Settings(), spool)
    assert not queue.exists()
