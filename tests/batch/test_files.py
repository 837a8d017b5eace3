"""Batches from files to files."""

from __future__ import annotations

from pathlib import Path

from tests.batch.helpers import articles, demo_pages, lines, run


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
