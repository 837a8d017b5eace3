"""The wrappers for records in the store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from core.records.threads import pages_of

from forest_scrapy.core import RecordWrapper, Wrapper, learn_records
from forest_scrapy.stores import RulesStore

TAKEN = Wrapper("records", ("//div",), take="all")


@pytest.fixture(scope="module")
def posts() -> RecordWrapper:
    return learn_records(pages_of())


def test_round_trip_and_delete(tmp_path: Path, posts: RecordWrapper) -> None:
    with closing(RulesStore(str(tmp_path / "w.db"), "typed")) as store:
        store.save("a.example", "t", TAKEN, ())
        assert store.load("a.example")[0].records is None
        store.records.save("a.example", "t", posts)
        store.records.save("a.example", "t", posts)
        assert store.load("a.example")[0].records == posts
        store.delete("a.example", "t")
        store.save("a.example", "t", TAKEN, ())
        assert store.load("a.example")[0].records is None


def test_a_wrapper_that_cannot_be_read(
    tmp_path: Path, posts: RecordWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RulesStore(str(tmp_path / "w.db"), "typed")) as store:
        store.save("a.example", "t", TAKEN, ())
        store.records.save("a.example", "t", posts)
        store.database.execute("UPDATE record_wrappers SET wrapper = '{}'")
        assert store.load("a.example") == []
    assert "learn it again" in caplog.text


def test_an_edit_of_what_does_not_find_posts(
    tmp_path: Path, posts: RecordWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RulesStore(str(tmp_path / "w.db"), "typed")) as store:
        store.save("a.example", "t", TAKEN, ())
        store.records.save("a.example", "t", posts)
        assert not store.load("a.example")[0].is_edited and caplog.text == ""
        store.save_edited("a.example", "t", Wrapper("records", ("//p",), take="all"))
        assert store.load("a.example")[0].records == posts
    assert "has no effect; the rules for posts are in the table record_wrappers" in caplog.text


def test_rules_for_comments(tmp_path: Path, posts: RecordWrapper) -> None:
    with closing(RulesStore(str(tmp_path / "w.db"), "typed")) as store:
        store.save("a.example", "t", TAKEN, ())
        store.comments.save("a.example", "t", RecordWrapper(posts.rules))
        (found,) = store.load("a.example")
        assert (found.comments, found.records) == (posts.rules[0], None)
        store.comments.save("a.example", "t", None)
        assert store.load("a.example")[0].comments is None
        store.comments.save("a.example", "t", RecordWrapper(posts.rules))
        store.delete("a.example", "t")
        store.save("a.example", "t", TAKEN, ())
        assert store.load("a.example")[0].comments is None
