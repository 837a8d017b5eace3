from __future__ import annotations

import gc
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module, reload
from pathlib import Path

import pytest

from forest_scrapy.batch.pool import NoProcesses, Pool, rare_collections


def read_thresholds(chunk: list[int]) -> list[tuple[int, int, int]]:
    return [gc.get_threshold() for _ in chunk]


def count_frozen(_: list[int]) -> list[int]:
    return [gc.get_freeze_count()]


def test_workers_have_what_their_fork_server_has_loaded_and_frozen() -> None:
    with closing(Pool(2)) as pool:
        ((_, (frozen,)),) = pool.map(count_frozen, [[1]], lambda _: 0)
    assert frozen > 50_000


def test_other_processes_that_import_it_freeze_nothing() -> None:
    before = gc.get_freeze_count()
    module = import_module("forest_scrapy.batch.shared_memory")
    reload(module)
    assert gc.get_freeze_count() <= before  # what was frozen before may have been freed


def no_result(item: int) -> tuple[int, int, int]:
    return (0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("chunks", [1, 5])
def test_worker_processes_collect_garbage_rarely(chunks: int) -> None:
    before = gc.get_threshold()
    with rare_collections():
        rare = gc.get_threshold()
    assert (rare > before, gc.get_threshold()) == (True, before)
    with closing(Pool(2)) as pool:
        found = [one for _, many in pool.map(read_thresholds, [[1]] * chunks, no_result)
                 for one in many]  # fmt: skip
    assert found == [rare] * chunks


def kill_at_seven(numbers: list[int]) -> list[int]:
    if 7 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return [2 * number for number in numbers]


def test_an_item_that_kills_its_process() -> None:
    pool = Pool(2)
    chunks = [[1, 2, 3], [6, 7, 8], [9], [10, 11]]
    results = [found for _, found in pool.map(kill_at_seven, chunks, lambda _: -1)]
    pool.close()
    assert results == [[2, 4, 6], [12, -1, 16], [18], [20, 22]]


def kill_once(chunk: list[tuple[Path, bool]]) -> list[str]:
    """Kill this process, or its fork server, as often as there are files to delete."""
    for folder, is_server in chunk:
        for file in list(folder.iterdir())[:1]:
            file.unlink()
            os.kill(os.getppid() if is_server else os.getpid(), signal.SIGKILL)
            time.sleep(60)
    return ["done" for _ in chunk]


@pytest.mark.parametrize("is_server", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_processes_that_something_else_kills(tmp_path: Path, is_server: bool) -> None:
    """Twice: with a chunk, and while its only item is tried again."""
    for name in "ab":
        (tmp_path / name).touch()
    with closing(Pool(2)) as pool:
        chunks = [[(tmp_path, is_server)]]
        results = list(pool.map(kill_once, chunks, lambda _: "crashed"))
    assert [found for _, found in results] == [["done"]]


def test_no_processes() -> None:
    with pytest.raises(ValueError, match="processes must be 1 or more"):
        Pool(0)


def test_processes_that_cannot_be_started() -> None:
    with closing(Pool(2)) as pool, limited_files(), pytest.raises(NoProcesses, match="--processes"):
        list(pool.map(kill_at_seven, [[1]], lambda _: -1))


@contextmanager
def limited_files() -> Iterator[None]:
    """No further file or pipe can be opened in this process."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
