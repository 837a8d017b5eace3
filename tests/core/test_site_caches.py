from __future__ import annotations

from functools import lru_cache

from forest_scrapy.core.site_caches import empty_site_caches, site_cache


def test_results_are_kept_until_the_caches_are_emptied() -> None:
    calls = []

    @site_cache
    @lru_cache(maxsize=10)
    def note(number: int) -> int:
        calls.append(number)
        return -number

    assert [note(1), note(2), note(1)] == [-1, -2, -1]
    assert calls == [1, 2]
    empty_site_caches()
    assert note(1) == -1
    assert calls == [1, 2, 1]
