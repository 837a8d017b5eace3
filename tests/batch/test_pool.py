from __future__ import annotations

import gc
import os
import signal
from contextlib import closing

import pytest

from forest_scrapy.batch.pool import Pool, rare_collections


def read_thresholds(chunk: list[int]) -> list[tuple[int, int, int]]:
    return [gc.get_threshold() for _ in chunk]


def no_result(item: int) -> tuple[int, int, int]:
    return (0, 0, 0)


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
