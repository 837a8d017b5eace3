"""Feed entries of pages that were requested as links before a feed listed them."""

from __future__ import annotations

from forest_scrapy.core import Entry
from forest_scrapy.stores.spool import Spool, describe_page

__all__ = ["LateEntries"]


class LateEntries:
    """A page that a feed lists is an article, whichever came first, the link or the feed."""

    def __init__(self) -> None:
        self._linked: set[str] = set()
        self._entries: dict[str, Entry] = {}

    def add_link(self, key: str) -> None:
        """Note that the page is requested because another page links it."""
        self._linked.add(key)

    def add(self, key: str, entry: Entry, spool: Spool) -> None:
        """Note that a feed lists a page that was requested before.  If it waits in the spool, its
        entry is written there; if it was not fetched yet, ``take`` returns the entry."""
        if key in self._linked:
            self._linked.remove(key)
            if not describe_page(spool, key, entry):
                self._entries[key] = entry

    def take(self, key: str) -> Entry | None:
        """The entry of a page that is fetched now, if a feed has listed it meanwhile."""
        return self._entries.pop(key, None)
