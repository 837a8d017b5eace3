"""Lists of topics and threads, told apart by their records; titles of threads."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, learn_records
from forest_scrapy.core.records.topics import read_thread_title
from tests.core.records.forums import ENGINES, SITE, Engine, make_threads


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_list_of_topics_is_a_listing(engine: Engine) -> None:
    html = engine.pages(make_threads(engine.threaded))[engine.list_path]
    page = Page.from_html(html, SITE + engine.list_path)
    assert learn_records([page], with_article=False).kind.name == "listing"


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_thread_is_one(engine: Engine) -> None:
    threads = make_threads(engine.threaded)
    pages = engine.pages(threads)
    paths = [engine.thread_path(thread, 1) for thread in threads]
    made = [Page.from_html(pages[path], SITE + path) for path in paths]
    assert learn_records(made, with_article=False).kind.name == "thread"
    assert learn_records(made[:1], with_article=False).kind.name == "thread"


TITLES = {
    "Re: Owls at night": "<title>Re: Owls at night</title>",
    "AW: RE: Owls at night": "<title>AW: RE: Owls at night</title>",
    "a board beside the heading": (
        "<title>Owls at night - Birds - Forum</title><div><h1>Owls at night</h1><b>Birds</b></div>"
    ),
}


@pytest.mark.parametrize("html", TITLES.values(), ids=TITLES)
def test_title(html: str) -> None:
    assert read_thread_title(Page.from_html(f"{html}<p>Hello", "http://a.example/t")) == (
        "Owls at night"
    )


@pytest.mark.parametrize("title", ["Re:", "Regarding owls", "Regeln: owls"])
def test_titles_that_are_no_answers(title: str) -> None:
    page = Page.from_html(f"<title>{title}</title><p>Hello", "http://a.example/t")
    assert read_thread_title(page) == title
