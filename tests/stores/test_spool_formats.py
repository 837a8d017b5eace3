"""Spools in a ``JOBDIR`` that earlier versions have written are resumed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import Export, Spool
from forest_scrapy.stores.page_tables import ArticleIdentity

from .helpers import make_fingerprint, make_spooled

#: A spool of version 2, without triggers, as a killed run has left it.
VERSION_2 = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = 1718776692;
PRAGMA user_version = 2;
CREATE TABLE pages (
    key TEXT PRIMARY KEY, state TEXT NOT NULL, host TEXT NOT NULL, is_article INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, template_key TEXT NOT NULL, sample_key TEXT NOT NULL,
    has_content INTEGER NOT NULL, signals TEXT, outcome TEXT, outcome_detail TEXT
) WITHOUT ROWID;
INSERT INTO pages VALUES
    ('done', 'done', 'a.example', 1, 'f4d62952d2a3ee72', 't', '1 done', 1, NULL, 'article',
        'trained'),
    ('fetched', 'fetched', 'a.example', 1, '', '', '0 fetched', 1, NULL, NULL, NULL),
    ('held', 'held', 'a.example', 1, 'f4d62952d2a3ee72', 't', '1 held', 1, NULL, NULL, NULL),
    ('placed', 'placed', 'a.example', 0, 'f4d62952d2a3ee72', '', '1 placed', 1,
        '{"plain_share": 0.5, "log_plain_words": 0.0, "of_another_version": 1.0}', NULL, NULL),
    ('ready', 'ready', 'a.example', 1, 'f4d62952d2a3ee72', 't', '1 ready', 1, NULL, NULL, NULL);
CREATE TABLE contents (
    key TEXT UNIQUE NOT NULL, url TEXT NOT NULL, entry TEXT, fetched_at TEXT NOT NULL,
    meta TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, encoding TEXT,
    is_compressed INTEGER NOT NULL, body BLOB NOT NULL
);
INSERT INTO contents VALUES
    ('fetched', 'http://a.example/fetched', '{
        "title": "Owls", "description": "Two owls", "id": "", "published": "", "updated": "",
        "author": "", "tags": ["a", "b"], "comments_url": "", "comments_count": null,
        "feed": "http://a.example/feed", "content": "", "enclosures": []
    }', '2024-06-04T08:00:00+00:00', '{"depth": 1}', 200, '[["Content-Type", "text/html"]]',
        'utf-8', 0, X'3C703E66657463686564'),
    ('placed', 'http://a.example/placed', NULL, '2024-06-04T08:00:00+00:00', '{}', 200, '[]',
        'utf-8', 1, X'7801B329B02BC8494C4E4D01000FEE0354'),
    ('ready', 'http://a.example/ready', NULL, '2024-06-04T08:00:00+00:00', '{}', 200, '[]',
        'utf-8', 0, X'3C703E7265616479'),
    ('done', 'http://a.example/done', NULL, '2024-06-04T08:00:00+00:00', '{}', 200, '[]',
        'utf-8', 0, X'3C703E646F6E65'),
    ('held', 'http://a.example/held', NULL, '2024-06-04T08:00:00+00:00', '{}', 200, '[]',
        'utf-8', 0, X'3C703E68656C64');
CREATE TABLE page_fingerprints (
    host TEXT NOT NULL, digest TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, digest)
) WITHOUT ROWID;
INSERT INTO page_fingerprints VALUES
    ('a.example', 'f4d62952d2a3ee72', X'000000000000000100000000000000020000000000000003');
CREATE TABLE articles (
    page_key TEXT PRIMARY KEY, canonical_key TEXT NOT NULL, host TEXT NOT NULL, title TEXT NOT NULL,
    digest BLOB NOT NULL, sketch BLOB NOT NULL
) WITHOUT ROWID;
INSERT INTO articles VALUES ('done', 'done', 'a.example', 'owls', X'0102', X'0304');
CREATE TABLE page_urls (
    page_key TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (page_key, url)
) WITHOUT ROWID;
INSERT INTO page_urls VALUES ('done', 'http://a.example/done?x=1');
CREATE TABLE thread_pages (
    key TEXT PRIMARY KEY, asked_key TEXT NOT NULL, next_key TEXT NOT NULL,
    is_first INTEGER NOT NULL, is_last INTEGER NOT NULL, carrier TEXT NOT NULL, thread BLOB NOT NULL
);
INSERT INTO thread_pages VALUES ('held', 'held', 'next', 1, 0, '',
    X'7801AB562AC92CC94955B25250725428C9284A4D4C51D251502AC82F2E29060A46C7D60200BB810AB1');
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
INSERT INTO state VALUES ('run', 'begun');
CREATE TABLE exports (
    path TEXT PRIMARY KEY, format TEXT NOT NULL, size INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO exports VALUES ('articles.jsonl', 'jsonlines', 7);
"""


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    path = tmp_path / "spool.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(VERSION_2)
    with closing(Spool(str(path))) as spool:
        yield spool
    assert [one.name for one in tmp_path.iterdir()] == ["spool.db"]


def test_the_run_was_killed(spool: Spool) -> None:
    assert spool.run.was_killed
    assert not spool.was_lost
    assert spool.run.exports() == [Export("articles.jsonl", "jsonlines", 7)]


def test_no_page_is_lost(spool: Spool) -> None:
    digest = make_fingerprint().digest
    entry = Entry("Owls", "Two owls", tags=("a", "b"), feed="http://a.example/feed")
    assert spool.pending() == 4
    assert spool.fetched_keys() == ["fetched"]
    assert spool.read("fetched") == make_spooled(
        "fetched",
        entry=entry,
        sample_key="0 fetched",
        meta={"depth": 1},
        headers=[("Content-Type", "text/html")],
    )
    assert spool.waiting_pages("a.example") == [("placed", digest, False), ("ready", digest, True)]
    assert list(spool.unclassified_pages("a.example")) == [
        ("placed", "http://a.example/placed", digest, Signals(plain_share=0.5))
    ]
    assert spool.read("placed").body == b"<p>placed"
    assert [page.key for page in spool.sample("t", 10)] == ["done", "held", "ready"]
    assert spool.fingerprints.get("a.example", digest) == make_fingerprint()


def test_threads_and_duplicates_are_known(spool: Spool) -> None:
    assert [page.key for page in spool.held_pages.chain("held", 10)] == ["held"]
    assert spool.held_pages.read("held") == {"title": "A thread", "posts": []}
    assert spool.release_held() == 1
    assert spool.ready_keys(10) == ["held"]
    assert spool.articles.has("done")
    assert spool.articles.urls("done") == ["http://a.example/done?x=1"]
    same = ArticleIdentity("other", "other", "a.example", "owls", b"\1\2", b"\3\4")
    assert [one.page_key for one in spool.articles.with_text(same)] == ["done"]


def test_the_crawl_goes_on(spool: Spool) -> None:
    spool.file.begin_run()
    assert not spool.add(make_spooled("done"))
    spool.place("fetched", make_fingerprint(7))
    spool.make_ready("fetched", "t")
    for key in ("fetched", "placed", "ready", "held"):
        spool.finish(key, "article", "trained")
    assert (spool.pending(), spool.held_pages.count()) == (0, 0)
