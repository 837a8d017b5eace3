"""Stores that an earlier version has written, which had a table for each part of the rules."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core import Evidence, RecordWrapper, Template, TemplateRules, Wrapper
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.records import Attribute, RecordEvidence, RecordRules
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.kinds import Kind
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.core.wrapper import Rule
from forest_scrapy.stores import RulesStore
from forest_scrapy.stores.database import BadStore, Database, StoreFailed
from forest_scrapy.stores.earlier_rules import move_earlier_rules
from forest_scrapy.stores.opening import SqliteDatabase, open_store

from .helpers import HOST, make_fingerprint

KEY = "host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL"
ONE_ROW = "PRIMARY KEY (host, template, distance)"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS wrappers ({KEY}, wrapper TEXT NOT NULL, {ONE_ROW}) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints ({KEY}, features BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS fingerprints_by_template
    ON wrapper_fingerprints (host, template, distance);
CREATE TABLE IF NOT EXISTS wrapper_fits ({KEY}, fit TEXT NOT NULL, {ONE_ROW}) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record_wrappers ({KEY}, wrapper TEXT NOT NULL, {ONE_ROW}) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS comment_rules ({KEY}, wrapper TEXT NOT NULL, {ONE_ROW}) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_versions (
    {KEY}, version INTEGER NOT NULL, wrapper TEXT NOT NULL, saved_at TEXT NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (host, template, distance, version)
) WITHOUT ROWID;
"""
EARLIER = ("wrappers", "wrapper_fits", "record_wrappers", "comment_rules", "wrapper_versions")
SAVED = "2024-06-04T08:00:00+00:00"

FIELDS = {"title": ["//h1"], "affixes": [" | The Gazette"]}
#: A wrapper as it was written, with all its keys.
ARTICLE: dict[str, Any] = {
    "format": 2,
    "method": "trained",
    "keep": ['//div[@class="it\'s 記事"]'],
    "evidence": {
        "pages": 4,
        "signifiers": "segments",
        "score": 0.9,
        "runner_up": "//main",
        "runner_up_score": 0,
        "match": 1.0,
        "cut": 0.3712,
        "cut_reason": "gap 0.3",
        "linked_headings": 1,
        "text_at": "div[class=story] p",
        "rules": [{"xpath": "//p", "pages": 4, "confidence": 0.8}],
    },
    "source": "page",
    "drop": ["//nav"],
    "take": "all",
    "known": ["div[class=story] p"],
    "fields": FIELDS,
}
ARTICLE_RULES = TemplateRules(
    Wrapper(
        "trained",
        ('//div[@class="it\'s 記事"]',),
        Evidence(
            *(4, "segments", 0.9, "//main", 0.0, 1.0, 1, "div[class=story] p"),
            (Rule("//p", 4, 0.8),),
        ),
        drop=("//nav",),
        take="all",
        known=("div[class=story] p",),
        fields=FieldSources(title=("//h1",), affixes=(" | The Gazette",)),
    ),
    text_at="div[class=story] p",
    cut=Cut(0.3712, "gap 0.3"),
)
POST: dict[str, Any] = {
    "record": "//div[@class='post']",
    "before": 1,
    "after": 0,
    "text": ["div[class=body]"],
    "drop": ["b"],
    "attributes": [
        {
            "name": "author",
            "type": "author",
            "path": "a[class=user]",
            "share": 1.0,
            "label": "By",
            "by_label": True,
        }
    ],
}
POST_RULES = RecordRules(
    *("//div[@class='post']", 1, 0, ("div[class=body]",), ("b",)),
    (Attribute("author", "author", "a[class=user]", 1.0, "By", True),),
)
RECORDS: dict[str, Any] = {
    "format": 1,
    "kind": {"name": "thread", "evidence": ["declared: nothing"]},
    "rules": [POST],
    "page": None,
    "hidden": True,
    "product": None,
    "evidence": {"pages": 2, "records": 7, "coverage": 1.0, "score": 1.0555, "runner_up": "li"},
    "pairs": False,
}
RECORD_WRAPPER = RecordWrapper(
    (POST_RULES,),
    hidden=True,
    kind=Kind("thread", ("declared: nothing",)),
    evidence=RecordEvidence(2, 7, 1.0, score=1.0555, runner_up="li"),
)
#: What threads were stored behind: a wrapper that takes the text of the posts.
POSTS: dict[str, Any] = {
    "format": 2,
    "method": "records",
    "keep": ["//div[@class='post']"],
    "take": "all",
    "evidence": {"pages": 2, "text_at": "//div[@class='post']", "cut": 0.2, "cut_reason": "feed"},
}
COMMENTS = {"format": 1, "rules": [{**POST, "attributes": []}]}
THREAD_RULES = TemplateRules(
    records=RECORD_WRAPPER, text_at="//div[@class='post']", cut=Cut(0.2, "feed")
)


@dataclass
class EarlierStore:
    """Writes the tables of an earlier version."""

    database: Database

    def put(self, table: str, template: str, value: Any, *more: object) -> None:
        text = value if isinstance(value, str) else json.dumps(value, indent=2)
        values = (HOST, template, "typed", *more[:1], text, *more[1:])
        marks = ", ".join("?" * len(values))
        self.database.execute(f"INSERT INTO {table} VALUES ({marks})", values)

    def put_wrapper(self, template: str, value: Any, *versions: Any) -> None:
        """A wrapper with its versions; without any, it is the first."""
        self.put("wrappers", template, value)
        for number, one in enumerate(versions or (value,), 1):
            reason = "redesign" if number > 1 else "new template"
            self.put("wrapper_versions", template, one, number, SAVED, reason)
        self.database.execute(
            "INSERT INTO wrapper_fingerprints VALUES (?, ?, ?, ?)",
            (HOST, template, "typed", make_fingerprint(1, 2).to_bytes()),
        )

    def fill(self) -> None:
        """An article with two versions, fit and comments, an edited one, and a thread."""
        first = {**ARTICLE, "drop": []}
        self.put_wrapper("article", ARTICLE, first, ARTICLE)
        self.put("wrapper_fits", "article", {"pages": 12, "lengths": [300, 400], "misfits": 1.5})
        self.put("comment_rules", "article", COMMENTS)
        self.put_wrapper("edited", {**ARTICLE, "drop": ["//b"]}, ARTICLE)
        earlier = {**POSTS, "keep": ["//li"]}
        self.put_wrapper("thread", POSTS, earlier, POSTS)
        self.put("record_wrappers", "thread", RECORDS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wrappers.db"


@pytest.fixture
def earlier(path: Path) -> Iterator[EarlierStore]:
    with closing(open_store(str(path), SCHEMA)) as database:
        yield EarlierStore(database)


def expected() -> list[Template]:
    prints = (make_fingerprint(1, 2),)

    def stored(id: str, rules: TemplateRules, **values: Any) -> Template:
        return Template(f"{HOST} {id}", HOST, id, rules, prints, is_stored=True, **values)

    comments = RecordRules(*(POST_RULES.record, 1, 0, POST_RULES.text, POST_RULES.drop))
    assert ARTICLE_RULES.article is not None
    return [
        stored(
            "article",
            TemplateRules(
                ARTICLE_RULES.article,
                comments=comments,
                text_at=ARTICLE_RULES.text_at,
                cut=ARTICLE_RULES.cut,
            ),
            fit=TemplateFit(12, (300, 400), 1.5),
        ),
        stored(
            "edited",
            ARTICLE_RULES.with_article(
                Wrapper.from_dict({**ARTICLE, "drop": ["//b"]}),
            ),
            is_edited=True,
        ),
        stored("thread", THREAD_RULES),
    ]


def check(store: RulesStore) -> None:
    assert store.load(HOST) == expected()
    assert store.hosts() == {HOST: 3}
    first, second = store.versions(HOST, "article")
    assert (first.version, first.saved_at, first.reason) == (1, SAVED, "new template")
    assert (second.version, second.reason) == (2, "redesign")
    assert (first.wrapper.drop, second.rules) == ((), expected()[0].rules)
    first, second = store.versions(HOST, "thread")
    assert (first.wrapper.keep, first.rules.are_of_threads) == (("//li",), True)
    assert second.rules == THREAD_RULES


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {row[0] for row in rows}


def test_all_is_moved_once(path: Path, earlier: EarlierStore) -> None:
    earlier.fill()
    with closing(RulesStore(str(path), "typed", must_exist=True)) as store:
        check(store)
    assert not tables(path) & set(EARLIER)
    with closing(RulesStore(str(path), "typed")) as store:
        check(store)
        assert store.save(HOST, "thread", THREAD_RULES, ()) == 2  # takes the same text


def test_rules_of_other_distances_are_moved(path: Path, earlier: EarlierStore) -> None:
    earlier.fill()
    for table in EARLIER:
        earlier.database.execute(f"UPDATE {table} SET distance = 'cps'")
    with closing(RulesStore(str(path), "typed")) as store:
        assert store.hosts() == {}
    with closing(RulesStore(str(path), "cps")) as store:
        assert store.hosts() == {HOST: 3}


@pytest.mark.parametrize(
    "wrapper",
    [
        "{",
        "[]",
        "[" * 100_000,
        {**ARTICLE, "format": 1},
        {**ARTICLE, "keep": ["//p["]},
        {**ARTICLE, "keep": None},
        {**ARTICLE, "evidence": []},
        {"format": 2, "keep": []},
    ],
)
def test_a_wrapper_that_cannot_be_read_stays(
    path: Path, earlier: EarlierStore, wrapper: Any, caplog: pytest.LogCaptureFixture
) -> None:
    earlier.put_wrapper("good", ARTICLE)
    earlier.put_wrapper("spoilt", wrapper)
    for _ in range(2):
        caplog.clear()
        with closing(RulesStore(str(path), "typed")) as store:
            assert [one.id for one in store.load(HOST)] == ["good"]
            row = store.database.rows("SELECT rules FROM template_rules WHERE template = 'spoilt'")
            versions = store.database.rows("SELECT * FROM rules_versions")
        (record,) = [one for one in caplog.records if one.levelname == "WARNING"]
        assert f"Stored wrapper spoilt of {HOST}: " in record.message
        text = wrapper if isinstance(wrapper, str) else json.dumps(wrapper, indent=2)
        assert row[0]["rules"] == text
        assert len(versions) == 2


def test_parts_of_what_cannot_be_read_are_kept(
    path: Path, earlier: EarlierStore, caplog: pytest.LogCaptureFixture
) -> None:
    earlier.put_wrapper("thread", POSTS)
    earlier.put("record_wrappers", "thread", {**RECORDS, "kind": {"name": "poem"}})
    with closing(RulesStore(str(path), "typed")) as store:
        assert store.load(HOST) == []
        text = store.database.rows("SELECT rules FROM template_rules")[0]["rules"]
    kept = json.loads(text)
    assert json.loads(kept["wrapper"]) == POSTS
    assert json.loads(kept["records"])["rules"] == [POST]
    assert "Stored wrapper thread of a.example: format None is not 3" in caplog.text


def test_wrappers_with_a_format_of_their_own_in_records(path: Path, earlier: EarlierStore) -> None:
    earlier.put_wrapper("page", ARTICLE)
    page = {**RECORDS, "kind": {"name": "product"}, "rules": [], "page": ARTICLE}
    earlier.put("record_wrappers", "page", page)
    with closing(RulesStore(str(path), "typed")) as store:
        (found,) = store.load(HOST)
    assert found.records is not None
    assert found.records.page == ARTICLE_RULES.article == found.rules.article  # type: ignore[union-attr]


def test_a_store_that_can_only_be_read_is_refused(path: Path, earlier: EarlierStore) -> None:
    earlier.fill()
    earlier.database.close()
    uri = f"file:{path}?immutable=1"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        with pytest.raises(BadStore, match=r"earlier version, .*; make the store writable"):
            move_earlier_rules(SqliteDatabase(connection), str(path))
    assert tables(path) >= set(EARLIER)


def test_tables_that_cannot_be_read_are_not_taken_for_missing(
    path: Path, earlier: EarlierStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier.fill()
    rows = SqliteDatabase.rows

    def fail(self: SqliteDatabase, query: str, values: Any = ()) -> Any:
        if "record_wrappers" in query:
            raise StoreFailed("disk I/O error")
        return rows(self, query, values)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteDatabase, "rows", fail)
        with pytest.raises(BadStore, match="disk I/O error"):
            RulesStore(str(path), "typed")
    with closing(RulesStore(str(path), "typed")) as store:
        check(store)


def test_another_crawl_moves_them_meanwhile(
    path: Path, earlier: EarlierStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier.fill()
    write = SqliteDatabase.write

    def come_late(self: SqliteDatabase, function: Any) -> Any:
        monkeypatch.undo()
        RulesStore(str(path), "typed").close()
        return write(self, function)

    monkeypatch.setattr(SqliteDatabase, "write", come_late)
    with closing(RulesStore(str(path), "typed")) as store:
        check(store)


def test_a_shared_store_is_moved(uri: str) -> None:
    RulesStore(uri, "typed").close()
    with closing(open_store(uri, SCHEMA)) as database:
        EarlierStore(database).fill()
    for _ in range(2):
        with closing(RulesStore(uri, "typed")) as store:
            check(store)
            for table in EARLIER:
                with pytest.raises(StoreFailed, match="does not exist"):
                    store.database.rows(f"SELECT * FROM {table}")


def test_empty_tables_of_an_earlier_version_are_not_spoken_of(
    path: Path, earlier: EarlierStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    RulesStore(str(path), "typed", must_exist=True).close()
    assert not tables(path) & set(EARLIER)
    assert caplog.messages == []
