"""What Spark's tasks do for items of all kinds: articles, threads, products and listings."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import Any

import pandas as pd

from forest_scrapy.core.document.urls import host_of
from forest_scrapy.integrations.spark_tasks import add_urls, extract_all
from forest_scrapy.items import Article, Thread
from forest_scrapy.runtime.batch.extracting import Extracted
from forest_scrapy.runtime.thread_pages import ThreadJoiner
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore
from forest_scrapy.stores.thread_pages import ThreadPage

__all__ = ["ITEMS", "PARTS", "extract_parts", "join_parts"]

#: The columns of items: ``item`` is JSON.  Before threads are joined, also the host, and the group
#: that it is in: ``_THREADS`` for a page of a thread of several pages.
ITEMS = "url string, kind string, item string, reason string"
PARTS = f"host string, part bigint, {ITEMS}"
_THREADS = -1


def extract_parts(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> pd.DataFrame:
    """The items of some pages of a host, and its pages of threads: rows of ``PARTS``."""
    rows = []
    for raw, one in extract_all(pages, known, settings, are_articles):
        item = _item_of(one)
        part = _THREADS if isinstance(item, ThreadPage) else int(pages["part"].iloc[0])
        kind = type(item).__name__.lower() if item else ""
        rows.append((host_of(raw.url), part, one.url or raw.url, kind, _write(item), one.reason))
    return pd.DataFrame(rows, columns=_names(PARTS))


def join_parts(parts: pd.DataFrame, most: int) -> pd.DataFrame:
    """Rows of ``ITEMS``: other items as they are, the pages of threads joined, at most ``most`` to
    a thread.  ``parts``: some items of a host, or all of its pages of threads."""
    names = _names(ITEMS)
    if int(parts["part"].iloc[0]) != _THREADS:
        return parts[names]
    with closing(BatchStore(":memory:")) as store:
        joiner = ThreadJoiner(store.threads, most)
        pages = [ThreadPage(**json.loads(text)) for text in parts["item"]]
        found = [joiner.add(page) for page in sorted(pages, key=lambda page: page.key)]
        while keys := store.threads.ends():
            found += map(joiner.join, keys)
    threads = [thread for thread in found if thread]
    rows = [(thread.url, "thread", _write(thread), "") for thread in threads]
    return pd.DataFrame(rows, columns=names)


def _item_of(extracted: Extracted) -> Any:
    """The item of a page; a page of a thread of several pages as it is."""
    page, article = extracted.thread_page, extracted.article
    if page and page.thread and page.is_first and page.is_last:
        return Thread(**page.thread)
    if isinstance(article, Article):
        add_urls(article)
    return page or article or extracted.record


def _write(item: Any) -> str | None:
    return json.dumps(asdict(item), ensure_ascii=False) if item else None


def _names(columns: str) -> list[str]:
    """The names of columns.

    >>> _names("url string, status int")
    ['url', 'status']
    """
    return [column.split()[0] for column in columns.split(", ")]
