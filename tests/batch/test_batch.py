"""Batches that are stopped and go on; stored wrappers; hosts that cannot be learned."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy.batch import batch as batch_module
from forest_scrapy.batch.batch import _no_plan, _no_rules
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.core import ForestError
from tests.batch.helpers import HOST, content, demo_pages, run, write_warc
from tests.crawls.helpers import slow, thorough


@pytest.mark.parametrize(
    "stage",
    [
        "learn",
        thorough("read"),
        thorough("plan"),
        slow("collect"),
        slow("extract"),
    ],
)
def test_a_batch_that_was_stopped_goes_on(
    tmp_path: Path, warc: Path, done: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output is the same as if it were not; what was read before is not read again."""
    monkeypatch.setattr(batch_module, "_PAGES_OF_CHUNK", 4)
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


@pytest.mark.slow
def test_a_stopped_batch_of_other_pages_is_not_resumed(
    tmp_path: Path, warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stop_in("read", patched)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, warc)
    with pytest.raises(ForestError, match="delete it, or name another output"):
        run(tmp_path, warc, are_articles=True)


@pytest.mark.slow
def test_stored_wrappers(tmp_path: Path, warc: Path, done: Path) -> None:
    """The pages that are no articles are in no stored template, so they are extracted alone."""
    run(tmp_path, warc, wrappers=str(done / "wrappers.db"))
    found = {one["url"]: one for one in content(tmp_path)}
    assert {one["url"]: found[one["url"]] for one in content(done)} == {
        one["url"]: one for one in content(done)
    }


def test_all_pages_as_articles(tmp_path: Path) -> None:
    listing = next(page for page in demo_pages() if page.url == f"{HOST}/")
    batch = run(tmp_path, write_warc(tmp_path / "some.warc", [listing]))
    assert batch.counts == {"not_article": 1}
    batch = run(tmp_path, tmp_path / "some.warc", are_articles=True)
    assert batch.counts["not_article"] == 0


@pytest.mark.slow
def test_hosts_that_cannot_be_learned(
    tmp_path: Path, warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if learning had ended its process: the pages are extracted by themselves."""
    monkeypatch.setattr(
        batch_module,
        "learn_hosts",
        lambda job, extracts, hosts: [_no_rules(host) for host in hosts],
    )
    batch = run(tmp_path, warc)
    assert batch.counts["by single"] == 30


@pytest.mark.parametrize("are_articles", [False, True])
def test_hosts_that_cannot_be_planned(
    are_articles: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if grouping had ended its process: pages that are known to be articles are extracted."""
    monkeypatch.setattr(
        batch_module, "plan_hosts", lambda job, hosts: [_no_plan(host) for host in hosts]
    )
    pages = demo_pages()[:3]
    batch = run(tmp_path, write_warc(tmp_path / "some.warc", pages), are_articles=are_articles)
    assert batch.counts["by single" if are_articles else "not_article"] == 3
