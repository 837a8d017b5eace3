from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import Spool

from .helpers import add_placed, fill, make_fingerprint, make_spooled

SIGNALS = Signals(plain_share=0.5, one_heading=1.0)


def test_a_page_is_read_as_it_was_added(spool: Spool) -> None:
    page = make_spooled(
        "a",
        is_article=False,
        entry=Entry("Boote", "漁師\n港", tags=("a", "b"), feed="http://a.example/feed"),
        meta={"depth": 1, "tags": ["x", None], "é": {"a": 1.5}},
        headers=[("Set-Cookie", "a"), ("Set-Cookie", "b"), ("ETag", "ü")],
        status=203,
        encoding=None,
        body=bytes(range(256)) * 100,
    )
    assert spool.add(page)
    assert spool.read("a") == page
    spool.place("a", make_fingerprint(), SIGNALS)
    spool.compress("a")
    assert spool.read("a") == replace(page, fingerprint=make_fingerprint().digest)


def test_a_page_that_was_not_read_is_fetched(spool: Spool) -> None:
    for key in "bac":
        assert spool.add(make_spooled(key))
    assert spool.fetched_keys() == ["a", "b", "c"]
    assert spool.fetched_keys(without={"b"}) == ["a", "c"]
    assert (spool.waiting_hosts(), spool.ready_keys(10), list(spool.seen_pages())) == ([], [], [])
    spool.place("a", make_fingerprint())
    spool.finish("b", "dropped", "reason")
    assert spool.fetched_keys() == ["c"]
    assert spool.pending() == 2


def test_a_page_is_compressed_once(spool: Spool) -> None:
    spool.add(make_spooled("a"))
    for _ in range(2):
        spool.compress("a")
        assert spool.read("a") == make_spooled("a")


def test_an_empty_body(spool: Spool) -> None:
    spool.add(make_spooled("a", body=b""))
    assert spool.read("a").body == b""


def test_a_key_is_added_once(spool: Spool) -> None:
    assert spool.add(make_spooled("a"))
    assert not spool.add(make_spooled("a", body=b"other", host="b.example"))
    assert spool.read("a") == make_spooled("a")
    assert spool.pending() == 1


def test_a_page_that_is_done_is_known(spool: Spool) -> None:
    fill(spool, "a")
    assert spool.knows("a")
    assert not spool.knows("b")
    spool.finish("a", "dropped", "reason")
    assert spool.knows("a")
    assert not spool.add(make_spooled("a"))


def test_a_page_that_is_done_or_unknown_is_not_read(spool: Spool) -> None:
    fill(spool, "a", template="t")
    spool.finish("a", "article", "forest", 10)
    for key in "ab":
        with pytest.raises(KeyError, match=key):
            spool.read(key)


def test_ready_pages_are_sorted_by_key(spool: Spool) -> None:
    fill(spool, "c", "a", "d", "b")
    assert spool.ready_keys(10) == []
    for key in "dbca":
        spool.make_ready(key, "t")
    assert spool.ready_keys(10) == ["a", "b", "c", "d"]
    assert spool.ready_keys(2) == ["a", "b"]
    assert spool.ready_keys(0) == []


def test_pages_that_are_left_out(spool: Spool) -> None:
    fill(spool, *"abcd", template="t")
    assert spool.ready_keys(2, without={"a", "c"}) == ["b", "d"]
    assert spool.ready_keys(10, without=set("abcd")) == []
    spool.finish("b", "article", "forest", 10)
    assert spool.ready_keys(2, without={"a"}) == ["c", "d"]


def test_make_ready_assigns_the_template(spool: Spool) -> None:
    fill(spool, "a", template="t")
    assert spool.read("a").template_key == "t"
    spool.finish("a", "dropped", "reason")
    spool.make_ready("a", "t")
    assert spool.ready_keys(10) == []


def test_all_waiting_pages_with_a_fingerprint_are_made_ready(spool: Spool) -> None:
    one, two, three = (make_fingerprint(i) for i in (1, 2, 3))
    for key, fingerprint in zip("abcd", (one, two, three, one), strict=True):
        add_placed(spool, make_spooled(key), fingerprint)
    add_placed(spool, make_spooled("e", host="b.example"), one)
    spool.make_ready("d", "other")
    assert spool.make_all_ready("a.example", [one.digest, two.digest], "t") == 2
    assert [(key, spool.read(key).template_key) for key in spool.ready_keys(10)] == [
        ("a", "t"),
        ("b", "t"),
        ("d", "other"),
    ]
    assert spool.make_all_ready("a.example", [one.digest, two.digest], "t") == 0
    assert spool.make_all_ready("a.example", [], "t") == 0


def test_waiting_pages_and_their_hosts(spool: Spool) -> None:
    digest = make_fingerprint().digest
    add_placed(spool, make_spooled("b", host="b.example", is_article=False))
    fill(spool, "d", "c", "a")
    assert spool.waiting_hosts() == ["a.example", "b.example"]
    assert spool.waiting_pages("b.example") == [("b", digest, False)]
    spool.make_ready("c", "t")
    spool.finish("d", "dropped", "reason")
    assert spool.waiting_pages("a.example") == [("a", digest, True)]
    spool.make_ready("a", "t")
    assert spool.waiting_hosts() == ["b.example"]


def test_unclassified_pages(spool: Spool) -> None:
    one, two = make_fingerprint(1), make_fingerprint(2)
    signals = {key: replace(SIGNALS, log_plain_words=float(i)) for i, key in enumerate("abc")}
    for key, fingerprint in zip("cba", (one, two, one), strict=True):
        page = make_spooled(key, is_article=False)
        add_placed(spool, page, fingerprint, signals[key])
    add_placed(spool, make_spooled("d", is_article=False), one)
    assert list(spool.unclassified_pages("a.example")) == [
        ("a", "http://a.example/a", one.digest, signals["a"]),
        ("b", "http://a.example/b", two.digest, signals["b"]),
        ("c", "http://a.example/c", one.digest, signals["c"]),
    ]
    assert list(spool.unclassified_pages("b.example")) == []
    spool.make_ready("a", "t")
    spool.finish("b", "dropped", "reason")
    assert [page.key for page in spool.unclassified_pages("a.example")] == ["c"]
    spool.describe("c", Entry("late"))
    assert list(spool.unclassified_pages("a.example")) == []


def test_hosts_with_feeds(spool: Spool) -> None:
    """The sample keys of pages with a feed entry come first."""
    add_placed(spool, make_spooled("a", host="a.example", sample_key="1 abc"))
    assert spool.hosts_with_feeds() == []
    add_placed(spool, make_spooled("b", host="b.example", sample_key="0 abc"))
    spool.finish("b", "article", "trained")
    assert spool.hosts_with_feeds() == ["b.example"]


def test_kind_and_detail_of_the_outcome_are_stored_apart(location: str) -> None:
    with closing(Spool(location)) as spool:
        fill(spool, *"abc", template="t")
        spool.finish("a", "article", "forest", 10)
        spool.finish("b", "error", "ValueError")
    with closing(sqlite3.connect(location)) as database:
        rows = database.execute("SELECT key, outcome, outcome_detail FROM pages ORDER BY key")
        assert rows.fetchall() == [
            ("a", "article", "forest"),
            ("b", "error", "ValueError"),
            ("c", None, None),
        ]


def test_pending_counts_pages_that_are_not_done(spool: Spool) -> None:
    fill(spool, *"abc", template="t")
    spool.finish("a", "article", "forest", 10)
    spool.finish("b", "dropped", "reason")
    assert spool.pending() == 1


def test_the_first_bodies_by_sample_key_stay(spool: Spool) -> None:
    for key, sample_key in zip("abcde", "42531", strict=True):
        add_placed(spool, make_spooled(key, sample_key=sample_key))
        spool.make_ready(key, "t")
    for key in "abcde":
        spool.finish(key, "article", "forest", 2)
    assert [page.key for page in spool.sample("t", 10)] == ["e", "b"]
    assert [page.key for page in spool.sample("t", 1)] == ["e"]
    assert spool.sample("t", 10)[0].body == b"<p>e"


@pytest.mark.parametrize("seed", range(4))
def test_which_bodies_stay_does_not_depend_on_the_order(spool: Spool, seed: int) -> None:
    keys = [f"{i:02}" for i in range(12)]
    fill(spool, *Random(seed).sample(keys, 12), template="t")
    for key in Random(seed + 100).sample(keys, 12):
        spool.finish(key, "article", "forest", 3)
    assert [page.key for page in spool.sample("t", 12)] == ["00", "01", "02"]


def test_bodies_of_pages_that_are_not_done_stay(spool: Spool) -> None:
    fill(spool, *"abc", template="t")
    spool.finish("a", "article", "forest", 0)
    assert [page.key for page in spool.sample("t", 10)] == ["b", "c"]
    assert spool.read("c").body == b"<p>c"


def test_bodies_of_other_templates_stay(spool: Spool) -> None:
    fill(spool, "a", template="s")
    fill(spool, "b", template="t")
    spool.finish("a", "article", "forest", 1)
    spool.finish("b", "article", "forest", 0)
    assert [page.key for page in spool.sample("s", 10)] == ["a"]
    assert spool.sample("t", 10) == []


def test_the_body_of_a_dropped_page_is_deleted(spool: Spool) -> None:
    fill(spool, *"ab", template="t")
    spool.finish("a", "dropped", "reason")
    assert [page.key for page in spool.sample("t", 10)] == ["b"]


def test_the_body_of_a_page_without_a_template_is_deleted(spool: Spool) -> None:
    fill(spool, "a")
    spool.make_ready("a", "")
    spool.finish("a", "article", "description", 10)
    assert spool.sample("", 10) == []


def test_seen_pages_are_all_that_were_added(spool: Spool) -> None:
    digest = make_fingerprint().digest
    fill(spool, "b", "a", template="t")
    add_placed(spool, make_spooled("c", host="b.example", is_article=False))
    spool.finish("a", "article", "forest", 0)
    assert list(spool.seen_pages()) == [
        ("a.example", digest, True),
        ("a.example", digest, True),
        ("b.example", digest, False),
    ]


def test_after_a_close_ready_pages_wait_again(location: str) -> None:
    with closing(Spool(location)) as first:
        fill(first, "a", template="t")
    with closing(Spool(location)) as second:
        assert second.ready_keys(10) == []
        digest = make_fingerprint().digest
        assert second.read("a") == make_spooled("a", template_key="t", fingerprint=digest)


def test_after_a_kill_pages_that_need_no_template_are_still_ready(location: str) -> None:
    with closing(Spool(location)) as spool:
        for key in "ab":
            spool.add(make_spooled(key))
        spool.make_ready("a", "")
    with closing(sqlite3.connect(location)) as database, database:
        database.execute("UPDATE pages SET state = 'placed' WHERE key = 'a'")  # as versions before
    with closing(Spool(location)) as spool:
        assert (spool.ready_keys(10), spool.fetched_keys()) == (["a"], ["b"])
        spool.make_ready("b", "")
    with closing(Spool(location)) as spool:
        assert (spool.ready_keys(10), spool.waiting_hosts()) == (["a", "b"], [])


def test_a_waiting_page_is_given_an_entry(spool: Spool) -> None:
    entries = Entry("first"), Entry("second")
    spool.add(make_spooled("a", is_article=False))
    assert [spool.describe("a", entry) for entry in entries] == [True, True]
    assert (spool.read("a").entry, spool.read("a").is_article) == (entries[0], True)
    assert not spool.describe("b", entries[0])
    fill(spool, "c", template="t")
    assert spool.describe("c", entries[0])
    assert spool.read("c").entry is None
