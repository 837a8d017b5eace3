"""The pages on their way through the spider middlewares and the pipelines."""

from __future__ import annotations

from forest_scrapy.stores import Spool

__all__ = ["InFlight"]


class InFlight:
    """The keys of the pages in flight, so that no page is released twice."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._keys: set[str] = set()

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def add(self, key: str) -> None:
        """Note a page that is passed on at once."""
        self._keys.add(key)

    def remove(self, key: str) -> None:
        """Note that a page is done, or could not be handed on."""
        self._keys.discard(key)

    def clear(self) -> None:
        """Note that no page is in flight: pages that are ready can be claimed again."""
        self._keys.clear()

    def claim(self, limit: int) -> list[str]:
        """The keys of at most ``limit`` ready pages that were not in flight; now they are."""
        keys = self._spool.ready_keys(limit, self._keys)
        self._keys.update(keys)
        return keys
