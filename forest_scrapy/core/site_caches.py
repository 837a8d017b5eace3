"""Caches of what the pages of a site repeat: the words of its language, its links and its classes.

A batch reads one site after the other: when it empties the caches in between, a process needs no
more memory for many sites than for one.  A crawl, whose pages come from its sites in turn, keeps
them.
"""

from typing import Protocol, TypeVar


class _Cache(Protocol):
    def cache_clear(self) -> None: ...


_CacheT = TypeVar("_CacheT", bound=_Cache)

_caches: list[_Cache] = []


def site_cache(cached: _CacheT) -> _CacheT:
    """A decorator above ``functools.lru_cache``: ``empty_site_caches`` empties this cache, too.

    >>> from functools import lru_cache
    >>> @site_cache
    ... @lru_cache(maxsize=100)
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(4), double(4), double.cache_info().currsize
    (8, 8, 1)
    >>> empty_site_caches()
    >>> double.cache_info().currsize
    0
    """
    _caches.append(cached)
    return cached


def empty_site_caches() -> None:
    """Forget the results of all functions that ``site_cache`` decorates."""
    for cache in _caches:
        cache.cache_clear()
