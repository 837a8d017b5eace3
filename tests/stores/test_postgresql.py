"""Stores in a real PostgreSQL server."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import replace
from hashlib import sha512
from pathlib import Path

import pytest

from forest_scrapy.core import Evidence, TemplateRules, Wrapper
from forest_scrapy.core.changes import summarize_text
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores import FeedRecord, HistoryStore, RulesStore
from forest_scrapy.stores.database import BadStore, StoreFailed, StoreUnavailable
from forest_scrapy.stores.postgresql import SharedDatabase

from .helpers import FEED, HOST, make_fingerprint, make_record

RULES = TemplateRules(
    Wrapper("forest", ('//div[@class="it\'s 記事"]', "//p"), Evidence(10, "feed", 1.5))
)


def test_rules_are_those_that_sqlite_would_give(uri: str, tmp_path: Path) -> None:
    other = RULES.with_article(replace(RULES.wrapper, drop=("//nav",)))
    found = []
    for location in (uri, str(tmp_path / "w.db")):
        with closing(RulesStore(location, "typed")) as store:
            prints = [make_fingerprint(*range(i, i + 900)) for i in range(9)]
            assert store.save(HOST, "t", RULES, [*prints, prints[0]]) == 1
            assert store.save(HOST, "B", RULES, prints) == 1
            assert store.save(HOST, "t", other, prints[:5], "redesign") == 2
            store.save_fit(HOST, "t", TemplateFit(12, (300, 400), 1.5))
            store.save_edited(HOST, "B", RULES.with_article(replace(RULES.wrapper, drop=("//b",))))
            for rules in (RULES, other):
                store.save_correction(HOST, "B", rules)
            assert store.undo_correction(HOST, "B") == RULES
        with closing(RulesStore(location, "typed", must_exist=True)) as store:
            versions = [(one.version, one.rules) for one in store.versions(HOST, "t")]
            found.append((store.load(HOST), store.hosts(), versions))
            store.delete(HOST, "t")
            assert [one.id for one in store.load(HOST)] == ["B"]
    assert found[0] == found[1]
    assert found[0][0][1].fit == TemplateFit(12, (300, 400), 1.5)


def test_the_history_is_that_which_sqlite_would_give(uri: str, tmp_path: Path) -> None:
    text = summarize_text("An owl flew over the old harbour.")
    pages = [
        make_record(n, published=n, outcome="article", text=text, etag="\0") for n in range(1, 5)
    ]
    found = []
    for location in (uri, str(tmp_path / "h.db")):
        with closing(HistoryStore(location)) as store:
            store.save(*pages, feed=FeedRecord(FEED, "x", hints={"ttl": 60}, dates=(3, 2, 2**40)))
            store.save(make_record(7, host="b.example", last_seen=5), replace(pages[0], failures=1))
            store.save(pages[0], text="first")
            store.save(pages[0], text="second \udc80")
        with closing(HistoryStore(location, must_exist=True)) as store:
            some = [replace(one, etag="") for one in store.host_pages(HOST)]
            texts = [store.text(one.key) for one in pages[:2]]
            listed = [one.key for one in store.feed_pages(FEED, 3)]
            state = (store.feeds.find(FEED), list(store.feeds.all()), store.hosts())
            known = (store.has_failing_pages(FEED), store.find(make_record(9).key))
            found.append((some, texts, listed, state, known, store.prune(50), store.hosts()))
            store.compact()
    assert found[0] == found[1]
    assert found[0][1] == ["second ?", None]


@pytest.mark.slow
def test_the_pages_of_a_host_are_read_some_at_a_time(uri: str) -> None:
    with closing(HistoryStore(uri)) as store:
        pages = [make_record(number, first_seen=number) for number in range(700)]
        store.save(*pages)
        assert list(store.host_pages(HOST)) == pages[::-1]
        some = store.host_pages(HOST)
        assert next(some) == pages[-1]
        some.close()  # type: ignore[attr-defined]
        assert store.count_pages(HOST) == 700
        store.database.execute("ALTER TABLE forest.pages RENAME TO other")
        with pytest.raises(StoreFailed, match="does not exist"):
            next(store.host_pages(HOST))


def test_a_shared_store_that_must_exist(uri: str) -> None:
    with pytest.raises(BadStore, match="no wrappers are stored here yet"):
        RulesStore(uri, "typed", must_exist=True)
    with pytest.raises(BadStore, match="there is no history here yet"):
        HistoryStore(uri, must_exist=True)


def test_a_server_that_is_not_there() -> None:
    location = "postgresql://me:secret@127.0.0.1:1/news"
    with pytest.raises(BadStore, match="refused") as error:
        RulesStore(location, "typed")
    assert str(error.value).startswith("postgresql+psycopg://me:***@127.0.0.1:1/news: ")


@pytest.mark.parametrize("location", ["postgresql+pg8000://a/b", "postgresql://a:b:c/d"])
def test_a_uri_that_cannot_be_read(location: str) -> None:
    with pytest.raises(BadStore, match=r"postgresql\+psycopg://USER@HOST/NAME"):
        RulesStore(location, "typed")


def test_a_connection_that_is_made_while_the_store_closes_is_closed(uri: str) -> None:
    """The thread of an outage may be connecting: it is not waited for."""
    with closing(HistoryStore(uri)) as other:
        store = HistoryStore(uri)
        watchdogs = count_watchdogs()
        store.close()
        assert isinstance(store.database, SharedDatabase)
        with pytest.raises(StoreUnavailable, match="is closed"):
            store.database._reconnect()
        assert count_watchdogs() == watchdogs - 1
        query = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'forest-scrapy'"
        end = time.monotonic() + 10
        while len(other.database.rows(query)) > 1:
            assert time.monotonic() < end
            time.sleep(0.02)


def count_watchdogs() -> int:
    return sum(one.name == "forest-store-watchdog" for one in threading.enumerate())


def test_a_table_that_cannot_be_used_is_a_failure(uri: str) -> None:
    with closing(RulesStore(uri, "typed")) as store:
        store.database.execute("DROP TABLE forest.template_rules")
        with pytest.raises(StoreFailed, match="does not exist"):
            store.load(HOST)
        assert store.save(HOST, "t", RULES, []) == 0
        assert store.database.seconds_unavailable() is None


WRITER = """
import sys
from contextlib import closing
from forest_scrapy.core import Fingerprint, TemplateRules, Wrapper
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord, RulesStore

uri, writer = sys.argv[1], int(sys.argv[2])
with closing(RulesStore(uri, "typed")) as store, closing(HistoryStore(uri)) as history:
    number = 0
    while True if writer == 0 else number < 25:
        number += 1
        template = f"t{number % 3}"
        prints = [Fingerprint(frozenset((1000 + writer, 2000 + number, i))) for i in range(20)]
        rules = TemplateRules(Wrapper("forest", (f"//div[@id='{writer}-{number}']",)))
        assert store.save("a.example", template, rules, prints) > 0
        url = f"http://a.example/{writer}/{number}"
        hosts = [f"{(number + writer * k) % 7}.example" for k in (1, 3)]
        pages = [PageRecord(f"{writer:02x}{number:06x}{k:02x}", host, url, number, number, feed=url)
                 for k, host in enumerate(hosts)]
        shared = PageRecord(f"{number % 5:024x}", hosts[0], url, number, number)
        history.save(*pages, shared, feed=FeedRecord(f"http://{hosts[0]}/feed", polled=number))
        print(number, flush=True)
"""


@pytest.mark.slow
def test_five_writers_of_which_one_is_killed(uri: str) -> None:
    """They create the tables together, and write the same rows."""
    command = [sys.executable, "-W", "error", "-c", WRITER, uri]
    writers = [
        subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for n in range(5)
    ]
    try:
        first = writers[0]
        assert first.stdout is not None
        for _ in range(20):
            assert first.stdout.readline()
        first.send_signal(signal.SIGKILL)
        ends = [writer.communicate(timeout=300) for writer in writers[1:]]
    finally:
        for writer in writers:
            with suppress(OSError):
                writer.kill()
    assert [error.decode() for _, error in ends] == [""] * 4
    done = len(first.communicate()[0].split()) + 20
    with closing(RulesStore(uri, "typed")) as store, closing(HistoryStore(uri)) as history:
        for one in store.load("a.example"):
            versions = store.versions("a.example", one.id)
            numbers = [version.version for version in versions]
            assert numbers == list(range(numbers[-1] - 19, numbers[-1] + 1))
            assert (versions[-1].rules, len(one.fingerprints)) == (one.rules, 20)
        for writer, last in ((0, done), *((n, 25) for n in range(1, 5))):
            for number in range(1, last + 1):
                for k in range(2):
                    assert history.find(f"{writer:02x}{number:06x}{k:02x}")


def test_a_value_that_the_server_refuses_costs_only_itself(
    uri: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A URL that is too long for an index of PostgreSQL."""
    url = f"{FEED}?{''.join(sha512(b'%d' % i).hexdigest() for i in range(80))}"
    with closing(HistoryStore(uri)) as store:
        store.save(make_record(1), feed=FeedRecord(url))
        store.save(make_record(2))
        assert [one.key for one in store.host_pages(HOST)] == [make_record(2).key]
        assert (store.database.failure(), store.database.seconds_unavailable()) == (None, None)
    assert "the next crawl will request this page or feed again" in caplog.text
