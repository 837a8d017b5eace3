"""Forums of ten engines: all threads with their posts, authors, dates and replies."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from forest_scrapy import Thread, extract_pages
from forest_scrapy.settings import ForestSettings
from tests.core.records.boards import BOARDS, archive_parent
from tests.core.records.forums import ENGINES, SITE, Engine, MadePost, make_threads

KINDS = ForestSettings(kinds=("thread", "listing"))
#: The share of replies that must be resolved: some quotes are too short to tell the post.
MIN_REPLIES = 0.96
#: The engines that are not only tested with the slow tests.
FAST = ("phpBB", "table", "HyperKitty")


def is_date(text: str, post: MadePost) -> bool:
    """Whether a date is that of a post: to the second, or to the day without a time zone."""
    date = datetime.fromisoformat(text)
    return date.date() == post.date.date() if date.tzinfo is None else date == post.date


def spaced(name: str) -> str:
    """Some engines allow no spaces in names."""
    return name.replace("_", " ")


def marks_of(engine: Engine, with_list: bool) -> tuple[pytest.MarkDecorator, ...]:
    """Forums without their lists are left to releases, but for those of the fast engines."""
    if engine.name not in FAST:
        return (pytest.mark.slow,) if with_list else (pytest.mark.slow, pytest.mark.thorough)
    return () if with_list else (pytest.mark.slow,)


@pytest.mark.parametrize(
    ("engine", "with_list"),
    [
        pytest.param(
            engine,
            with_list,
            id=f"{engine.name}, {'with' if with_list else 'without'} its list",
            marks=marks_of(engine, with_list),
        )
        for engine in (*ENGINES, *BOARDS)
        for with_list in (True, False)
    ],
)
def test_threads_of_a_forum(engine: Engine, with_list: bool) -> None:
    threads = make_threads(engine.threaded)
    pages = engine.pages(threads)
    if not with_list:
        del pages[engine.list_path]
    raw_pages = [(SITE + path, html) for path, html in pages.items()]
    items: dict[str, Any] = {
        item.url: item for item in extract_pages(raw_pages, KINDS) if isinstance(item, Thread)
    }
    assert items.keys() == {SITE + engine.thread_path(thread, 1) for thread in threads}

    counts: Counter[str] = Counter()
    for thread in threads:
        item = items[SITE + engine.thread_path(thread, 1)]
        assert item.title.removeprefix("[tools] ") == thread.title
        assert [post["text"] for post in item.posts] == [post.text for post in thread.posts]
        for post, made in zip(item.posts, thread.posts, strict=True):
            assert spaced(post["author"]) == spaced(made.author)
            assert is_date(post["date"], made)
            names = {attribute["value"].lower() for attribute in post["attributes"]}
            assert not names & {"reply", "report", "quote", "top"}
            parent = archive_parent(made) if engine.name == "HyperKitty" else made.parent
            counts["replies"] += parent is not None
            counts["right"] += parent is not None and post["reply_to"] == parent
            assert parent is not None or post["reply_to"] is None
    assert counts["right"] >= MIN_REPLIES * counts["replies"]
