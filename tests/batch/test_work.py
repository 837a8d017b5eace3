"""What worker processes do with a page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import pytest

from forest_scrapy.batch.batch import Batch
from forest_scrapy.batch.library import extract_pages
from forest_scrapy.batch.pool import Pool
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import (
    ExtractedPage,
    Task,
    TaskContext,
    close_stores,
    extract_all,
    learn_hosts,
    note_page,
    note_pages,
    result_or_reason,
)
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.items import Article, Thread
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BadStore, BatchStore, NotedPage, RulesStore
from forest_scrapy.stores.held_pages import HeldPage
from forest_scrapy.stores.page_tables import ArticleIdentity

from .helpers import demo_pages


@pytest.mark.slow
def test_pages_with_unusual_paths_are_tried_also_with_stored_wrappers(tmp_path: Path) -> None:
    RulesStore(str(tmp_path / "w.db"), "typed").close()
    # Few bytes, with more different tag paths than a usual page has.
    rows = "".join(f"<p class='{'a' * (1 + i)}'>A" for i in range(MANY_FEATURES + 1))
    reasons = []
    articles = extract_pages(
        [("http://site.example/a", rows)],
        ForestSettings(page_seconds=1e-6),
        wrappers=str(tmp_path / "w.db"),
        refused=lambda page, reason: reasons.append(reason),
    )
    assert (list(articles), reasons) == ([], ["too_slow"])


@pytest.mark.slow
def test_pages_that_were_learned_from_give_what_the_second_pass_would(tmp_path: Path) -> None:
    """Also threads and pages without an item, through the bytes in the notes."""
    pages = demo_pages()
    settings = ForestSettings(kinds=("article", "thread"))
    early = list(extract_pages(pages, settings))
    with patch("forest_scrapy.batch.work._MAX_EXTRACTED", 0):
        late = list(extract_pages(pages, settings))
    assert early == late and len(early) == 30
    with patch(
        "forest_scrapy.batch.work.extract_by_template", side_effect=AssertionError("a page")
    ):
        assert list(extract_pages(pages[:1], settings)) == []


THREAD = Thread("http://a.example/", posts=[{"text": "Owls \ud83e", "date": ""}])


@pytest.mark.parametrize(
    "done",
    [
        ExtractedPage("not_article"),
        ExtractedPage(
            *("", "k", "http://a.example/", Article("http://a.example/", text="Eulen 🦉")),
            ArticleIdentity("k", "c", "a.example", "owls", b"\0\xff", b""),
        ),
        ExtractedPage(
            *("", "k", "http://a.example/", THREAD, None),
            HeldPage("k", "a", "", True, False, asdict(THREAD)),
        ),
    ],
)
def test_what_became_of_a_page_can_be_noted(done: ExtractedPage) -> None:
    assert ExtractedPage.from_bytes(done.to_bytes()) == done


SETTINGS = ForestSettings()


def test_a_task_with_a_reason_or_a_result_is_not_read() -> None:
    broken = RawPage("http://a.example/", b"", error="damaged")
    tasks = [Task(broken, reason="not_article"), Task(broken, extracted="key"), Task(broken)]
    outcomes = extract_all(TaskContext("", SETTINGS), tasks)
    assert [page.reason for page in outcomes] == ["not_article", "", "damaged"]


def test_what_is_wrong_with_a_page_is_its_reason() -> None:
    notes = note_pages(
        TaskContext("", SETTINGS),
        [(0, RawPage("http://[x/", "<p>")), (1, RawPage("http://a.example/", "<p>Owls hunt."))],
    )
    assert notes[0] == "bad_url"
    assert isinstance(notes[1], NotedPage) and notes[1].number == 1


def test_an_error_of_the_store_is_not_the_page_s() -> None:
    def fail(error: Exception) -> None:
        raise error

    assert result_or_reason(fail, RecursionError("deep")) == "RecursionError: deep"
    for error in (OSError("full"), sqlite3.OperationalError("locked"), BadStore("gone")):
        with pytest.raises(type(error)):
            result_or_reason(fail, error)


def test_only_files_without_a_url_that_may_be_no_articles_are_described() -> None:
    html = "<title>Owls</title><p>Owls hunt at night over the fields."
    file, page = RawPage("", html, "owls.html"), RawPage("http://a.example/", html)
    assert note_page(SETTINGS, False, 0, file).file is not None
    assert note_page(SETTINGS, True, 0, file).file is None
    assert note_page(SETTINGS, False, 0, page).file is None


def test_a_page_that_changed_since_it_was_read_leaves_its_sample(tmp_path: Path) -> None:
    """The others of its template are learned from."""
    pages = demo_pages()
    with closing(BatchStore(str(tmp_path / "pages.db"))) as store:
        context = TaskContext(str(tmp_path / "pages.db"), SETTINGS, are_articles=True)
        batch = Batch(pages, context, store, Pool(1), NoProgress())
        stopped = patch("forest_scrapy.batch.batch.learn_hosts", side_effect=KeyboardInterrupt)
        with stopped, pytest.raises(KeyboardInterrupt):
            batch.learn()
        host = store.hosts()[0]
        sample = store.templates.of_host(host)[0].sample
        damaged = sample[0]
        with store.writing():
            store.templates.add_sample(damaged, *RawPage("http://[x/", b"<p>").to_parts())
        (learned,) = learn_hosts(context, True, [host])
        assert learned[0].template.sample == sample[1:]
        assert learned[0].extracted.keys() == set(sample[1:])
    close_stores()
