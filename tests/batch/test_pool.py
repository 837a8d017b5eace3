from __future__ import annotations

import gc
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
