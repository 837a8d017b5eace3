"""The file of a spool: transactions, and the runs that used it."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from forest_scrapy.stores import Export, Spool

from .helpers import fill, make_fingerprint, make_spooled

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


def test_deleted_bodies_do_not_use_space(spool: Spool, tmp_path: Path) -> None:
    body = Random(1).randbytes(3_000_000)
    for key in "abcdef":
        spool.add(make_spooled(key, body=body))
        spool.finish(key, "dropped", "reason")
    assert (tmp_path / "spool.db").stat().st_size < 2.5 * len(body)


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
