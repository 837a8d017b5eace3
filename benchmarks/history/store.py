"""The cost of a history of 100,000 articles."""

from __future__ import annotations

import random
import time
from contextlib import closing
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from forest_scrapy.core.changes import TextSummary
from forest_scrapy.core.field_changes import FieldMemory, remember_fields
from forest_scrapy.core.items import Article
from forest_scrapy.stores import HistoryStore, PageRecord
from forest_scrapy.stores.history import MAX_TEXTS

_HOSTS = 1000
_ITEMS = 20
_START = 1_763_000_000
_WORDS = [f"word{i}" for i in range(5000)]


def measure_store(articles: int) -> dict[str, Any]:
    """The size of the file in MB, and the mean and the longest of 2,000 look-ups, in
    milliseconds."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "history.db")
        with closing(HistoryStore(str(path))) as store:
            for start in range(0, articles, _ITEMS):
                numbers = range(start, min(start + _ITEMS, articles))
                store.save(*(make_record(number) for number in numbers))
            for number in range(min(articles, MAX_TEXTS)):
                chance = random.Random(number)
                store.save(make_record(number), text=" ".join(chance.choices(_WORDS, k=600)))
        with closing(HistoryStore(str(path))) as store:
            times = [_look_up(store, number % articles) for number in range(0, 2000 * 37, 37)]
        megabytes = path.stat().st_size / 1e6
    return {
        "articles": articles,
        "file_mb": round(megabytes, 1),
        "look_up_ms": round(fmean(times) * 1000, 3),
        "longest_ms": round(max(times) * 1000, 3),
    }


def make_record(number: int) -> PageRecord:
    """A full record of an article, with values of the usual lengths."""
    chance = random.Random(number)
    host = f"www.site-{number % _HOSTS}.example"
    url = f"https://{host}/2026/11/{number % 28:02}/the-words-of-a-title-{number}-and-more/"
    text = TextSummary(chance.randbytes(8), chance.getrandbits(64), chance.randbytes(64))
    seen = _START + number
    return PageRecord(
        chance.randbytes(12).hex(),
        host,
        url,
        seen,
        seen,
        seen,
        200,
        0,
        "article",
        f'"{chance.randbytes(16).hex()}"',
        "Sat, 21 Nov 2026 19:43:52 GMT",
        chance.randbytes(8),
        chance.randbytes(8),
        text,
        seen,
        "json-ld",
        seen,
        "opengraph",
        f"https://{host}/feed/",
        f"https://{host}/?p={number}",
        chance.randbytes(5).hex(),
        chance.randbytes(5).hex(),
        "trained",
        chance.randbytes(8).hex(),
        _remember(url, chance),
    )


def _remember(url: str, chance: random.Random) -> dict[str, FieldMemory]:
    """What is known of the fields of an article, with values of the usual lengths."""
    article = Article(
        url,
        title=" ".join(chance.choices(_WORDS, k=8)),
        authors=[" ".join(chance.choices(_WORDS, k=2))],
        main_image=f"{url}image-{chance.randrange(10**6)}.jpg",
        tags=chance.choices(_WORDS, k=4),
        published="2026-11-21T19:43:52+00:00",
    )
    return remember_fields(article)


def _look_up(store: HistoryStore, number: int) -> float:
    key = make_record(number).key
    start = time.perf_counter()
    record = store.find(key)
    took = time.perf_counter() - start
    assert record is not None
    return took
