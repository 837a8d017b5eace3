"""The last pages of threads, with so few posts that nothing on them is repeated."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from forest_scrapy import Thread, extract_pages
from forest_scrapy.settings import ForestSettings
from tests.core.records.boards import BOARDS
from tests.core.records.forums import ENGINES, SITE, Engine, MadeThread, make_threads

SETTINGS = ForestSettings(kinds=("thread",))
ALL_ENGINES = {engine.name: engine for engine in (*ENGINES, *BOARDS)}
PROSE = "The keepers of the harbour have their office behind the old mill, open from nine."


def make_thread(engine: Engine, count: int) -> MadeThread:
    """The first thread, with this many posts."""
    thread = make_threads(engine.threaded)[0]
    first_date = thread.posts[0].date
    posts = []
    for number in range(1, count + 1):
        post = thread.posts[(number - 1) % len(thread.posts)]
        post = replace(
            post,
            number=number,
            id=70000 + number,
            parent=None,
            date=first_date + timedelta(hours=number),
            text=f"{post.text} That was day {number} of it.",
            depth=0,
        )
        posts.append(post)
    return replace(thread, posts=tuple(posts))


def read_two_pages(engine: Engine, last_html: str = "") -> tuple[list[Thread], list[str]]:
    """The threads of two pages, and why others are refused; ``last_html`` is in place of the
    second page."""
    thread = make_thread(engine, engine.posts_per_page + 1)
    html = engine.pages([thread])
    paths = [engine.thread_path(thread, number) for number in (1, 2)]
    pages = [(SITE + path, html[path]) for path in paths]
    if last_html:
        pages[1] = (f"{SITE}/about", last_html)
    refused: list[str] = []
    items = list(extract_pages(pages, SETTINGS, refused=lambda page, why: refused.append(why)))
    return [item for item in items if isinstance(item, Thread)], refused


@pytest.mark.parametrize(("name", "size"), [("mailing list", 10), ("Vanilla", 30)])
def test_a_last_page_with_one_post_belongs_to_its_thread(name: str, size: int) -> None:
    engine = replace(ALL_ENGINES[name], posts_per_page=size)
    (thread,), refused = read_two_pages(engine)
    assert not refused
    assert thread.posts[-1]["text"].endswith(f"That was day {size + 1} of it.")
    assert len(thread.pages) == 2


def test_another_page_of_the_host_is_no_thread() -> None:
    engine = replace(ALL_ENGINES["Vanilla"], posts_per_page=30)
    html = f"<title>About us</title><h1>About us</h1><div class=Message><p>{PROSE}</p></div>"
    threads, refused = read_two_pages(engine, html)
    assert len(threads) == 1
    assert refused == ["other_kind"]
