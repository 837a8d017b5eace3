"""The last log line of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["count_stage", "item_noun", "summarize_crawl"]

#: Kinds of items that are no articles.
_OTHER_ITEMS = frozenset(("thread", "product", "listing"))


def summarize_crawl(stats: Mapping[str, Any], wants_records: bool = False) -> str:
    """The outcomes of the pages and the number of wrappers, from the ``forest/`` stats.  The
    pages are those fetched in this run, and those of the previous run that had no outcome.
    ``wants_records``: whether pages become items of other kinds than articles.

    >>> summarize_crawl({"forest/articles/forest": 9, "forest/dropped/not_article": 2,
    ...            "forest/templates/learned": 1, "forest/pages/spooled": 11})
    '9 articles (forest 9) of 11 pages; 2 dropped (not_article 2); 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/articles/thread": 2, "forest/records/thread": 1,
    ...            "forest/pages/spooled": 2})
    '2 items (thread 2) of 2 pages; 0 dropped; 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/dropped/other_kind": 1, "forest/pages/spooled": 1}, True)
    '0 items of 1 pages; 1 dropped (other_kind 1); 0 wrappers learned, 0 reused'
    """
    pages = ("pages/spooled", "pages/recalled", "dropped/duplicate")
    fetched = sum(stats.get(f"forest/{name}", 0) for name in pages)
    left = stats.get("forest/pages/left", 0)
    items, dropped = count_stage(stats, "articles"), count_stage(stats, "dropped")
    records = sum(stats.get(f"forest/records/{kind}", 0) for kind in _OTHER_ITEMS)
    noun = "item" if wants_records and not items else item_noun(items)
    learned = stats.get("forest/templates/learned", 0) + records
    loaded = stats.get("forest/templates/loaded", 0)
    return (
        f"{sum(items.values())} {noun}s{_list(items)}"
        f" of {fetched} pages;"
        f" {sum(dropped.values())} dropped{_list(dropped)};"
        f"{f' {left} left for the next run;' if left else ''}"
        f" {learned} wrapper{'s' * (learned != 1)} learned, {loaded} reused"
    )


def item_noun(items: Mapping[str, int]) -> str:
    """What the items are called, by ``count_stage(stats, "articles")``."""
    return "item" if _OTHER_ITEMS & items.keys() else "article"


def count_stage(stats: Mapping[str, Any], stage: str) -> dict[str, int]:
    """The stats under ``forest/<stage>/``, in the order of their names."""
    start = f"forest/{stage}/"
    return {name[len(start) :]: n for name, n in sorted(stats.items()) if name.startswith(start)}


def _list(parts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{name} {n}' for name, n in parts.items())})" if parts else ""
