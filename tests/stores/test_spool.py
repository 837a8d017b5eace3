from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import Export, Spool

from .helpers import add_placed, make_fingerprint, make_spooled

SIGNALS = Signals(plain_share=0.5, one_heading=1.0)

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from stores.helpers import add_placed, make_spooled
from forest_scrapy.stores import Spool
spool = Spool(sys.argv[2])
spool.file.begin_run()
for key in sys.argv[3:]:
    add_placed(spool, make_spooled(key, body=key.encode() * 100_000))
    spool.make_ready(key, "t")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "spool.db")


@pytest.fixture
def spool(location: str) -> Iterator[Spool]:
    with closing(Spool(location)) as spool:
        yield spool


def fill(spool: Spool, *keys: str, template: str = "") -> None:
    for key in keys:
        add_placed(spool, make_spooled(key))
        if template:
            spool.make_ready(key, template)


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
        add_placed(spool, make_spooled(key), fingerprint, signals[key])
    add_placed(spool, make_spooled("d"), one)
    assert list(spool.unclassified_pages("a.example")) == [
        ("a", "http://a.example/a", one.digest, signals["a"]),
        ("b", "http://a.example/b", two.digest, signals["b"]),
        ("c", "http://a.example/c", one.digest, signals["c"]),
    ]
    assert list(spool.unclassified_pages("b.example")) == []
    spool.make_ready("a", "t")
    spool.finish("b", "dropped", "reason")
    assert [page.key for page in spool.unclassified_pages("a.example")] == ["c"]


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


def test_deleted_bodies_do_not_use_space(spool: Spool, tmp_path: Path) -> None:
    body = Random(1).randbytes(3_000_000)
    for key in "abcdef":
        spool.add(make_spooled(key, body=body))
        spool.finish(key, "dropped", "reason")
    assert (tmp_path / "spool.db").stat().st_size < 2.5 * len(body)


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


def test_a_run_that_ends_was_not_killed(location: str) -> None:
    for is_new in (True, False):
        with closing(Spool(location)) as spool:
            assert (spool.run.is_new, spool.run.was_killed) == (is_new, False)
            spool.file.begin_run()


def test_a_run_that_does_not_end_was_killed(location: str) -> None:
    first = Spool(location)
    first.file.begin_run()
    fill(first, *"abc", template="t")
    first.finish("a", "article", "forest", 10)
    first.close(ended=False)
    with closing(Spool(location)) as second:
        assert second.run.was_killed
        assert second.ready_keys(10) == []
        assert [key for key, _, _ in second.waiting_pages("a.example")] == ["b", "c"]
        assert [page.key for page in second.sample("t", 10)] == ["a", "b", "c"]
        assert second.pending() == 2


def test_a_start_that_fails_is_not_a_run(location: str) -> None:
    """It changes neither a spool that was closed nor one of a killed run."""
    for was_killed in (False, True):
        spool = Spool(location)
        spool.file.begin_run()
        spool.close(ended=not was_killed)
        Spool(location).close()
        with closing(Spool(location)) as spool:
            assert spool.run.was_killed == was_killed


def test_a_recovery_is_remembered(location: str) -> None:
    with closing(Spool(location)) as spool:
        assert not spool.run.was_recovered
        spool.run.recover()
    with closing(Spool(location)) as spool:
        assert spool.run.was_recovered


def test_a_spool_that_cannot_be_used_was_lost(location: str) -> None:
    Path(location).write_text("no database " * 100)
    with closing(Spool(location)) as spool:
        assert spool.was_lost
    with closing(Spool(location)) as spool:
        assert not spool.was_lost


def test_the_sizes_of_exports_are_committed_with_the_outcomes(location: str) -> None:
    with closing(Spool(location)) as spool:
        spool.file.on_begin = lambda: None
        spool.file.commit([Export("a.csv", "csv", 1)])
        fill(spool, "a")
        spool.run.write_exports([Export("a.csv", "csv", 2)])
        spool._database.execute("ROLLBACK")
    with closing(Spool(location)) as spool:
        assert spool.run.exports() == [Export("a.csv", "csv", 1)]
        assert spool.pending() == 0


def test_writes_are_committed_together_if_somebody_commits_them(location: str) -> None:
    begun = []
    spool = Spool(location)
    spool.file.on_begin = lambda: begun.append(spool.file.is_writing)
    fill(spool, "a", "b", template="t")
    assert begun == [True]
    spool.file.commit()
    fill(spool, "c")
    assert (begun, spool.file.is_writing, spool.pending()) == ([True, True], True, 3)
    spool.file.commit()
    assert not spool.file.is_writing
    spool.close()


def test_the_file_shrinks(location: str) -> None:
    body = Random(1).randbytes(400_000)
    with closing(Spool(location)) as spool:
        for number in range(50):
            spool.add(make_spooled(str(number), body=body))
    large = Path(location).stat().st_size
    with closing(Spool(location)) as spool:
        for number in range(50):
            spool.finish(str(number), "dropped", "reason")
    assert large > 50 * len(body)
    assert Path(location).stat().st_size < len(body)


def test_after_a_close_ready_pages_wait_again(location: str) -> None:
    with closing(Spool(location)) as first:
        fill(first, "a", template="t")
    with closing(Spool(location)) as second:
        assert second.ready_keys(10) == []
        digest = make_fingerprint().digest
        assert second.read("a") == make_spooled("a", template_key="t", fingerprint=digest)


def test_a_killed_process_loses_no_page_that_was_added(location: str) -> None:
    tests = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-c", KILLED, tests, location, "a", "b"], capture_output=True, timeout=60
    )
    assert (run.returncode, run.stderr) == (-signal.SIGKILL, b"")
    with closing(Spool(location)) as spool:
        assert spool.run.was_killed
        assert [key for key, _, _ in spool.waiting_pages("a.example")] == ["a", "b"]
        assert spool.read("b").body == b"b" * 100_000
        assert spool.fingerprints.get("a.example", make_fingerprint().digest) == make_fingerprint()


def test_a_temporary_spool_leaves_no_file(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool.db"), temporary=True)
    fill(spool, *"abc", template="t")
    assert spool.ready_keys(10) == ["a", "b", "c"]
    assert not any(tmp_path.iterdir())  # nor if the process is killed now
    spool.close()
    assert not any(tmp_path.iterdir())


def test_a_temporary_spool_by_uri_leaves_no_file(tmp_path: Path) -> None:
    Spool(f"sqlite:///{tmp_path}/spool.db", temporary=True).close()
    assert not any(tmp_path.iterdir())


def test_a_spool_that_is_not_temporary_leaves_one_file(location: str, tmp_path: Path) -> None:
    with closing(Spool(location)) as spool:
        fill(spool, "a")
    assert [path.name for path in tmp_path.iterdir()] == ["spool.db"]
