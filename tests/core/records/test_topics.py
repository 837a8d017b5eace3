"""Lists of topics and threads, told apart by their records; titles of threads."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Options, Page, extract_item, learn_records, learn_rules
from forest_scrapy.core.records.topics import read_thread_title
from tests.core.records.boards import BOARDS
from tests.core.records.forums import ENGINES, SITE, Engine, make_threads


@pytest.mark.parametrize("engine", (*ENGINES, *BOARDS), ids=lambda engine: engine.name)
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


_POSTS = (
    ("Ana", "Who has heard the owls in the harbour this spring, and where do they breed?"),
    ("Bo", "There was one in the old mill, but I have not been there for several weeks."),
    ("Cy", "They moved to the church when the roof of the mill was repaired in autumn."),
    ("Ana", "Thank you both, I am going to look at the church tower this weekend then."),
)
TITLES = {
    "Re: Owls at night": "<title>Re: Owls at night</title>",
    "AW: RE: Owls at night": "<title>AW: RE: Owls at night</title>",
    "a heading of the site": (
        "<title>Owls at night - Birds - Forum</title><h1>Forum</h1><div><h1>Owls at night</h1>"
        "<b>Birds</b></div>"
    ),
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


def test_further_pages_have_the_title_of_the_first() -> None:
    html = "<title>Owls at night - Birds</title><h1><a href=/t/5>Owls at night</a></h1><b>Birds</b>"
    page = Page.from_html(html, "http://a.example/t/5?page=2")
    assert read_thread_title(page) == "Owls at night"


def _thread_without_headings(title: str, number: int) -> Page:
    posts = "".join(
        f"<div class=post><b>{author}</b><i>{day} May 2024, 10:15</i><p>{words} {title}?</p></div>"
        for day, (author, words) in enumerate(_POSTS, 2)
    )
    return Page.from_html(f"<title>{title}</title><body>{posts}", f"http://a.example/t/{number}")


@pytest.mark.parametrize("end", [" - Birds", " :: Birds of the quay", " | Birds | Mailing lists"])
def test_what_the_titles_of_all_threads_end_with_is_cut(end: str) -> None:
    titles = ["Owls at night", "Owls at night - Page 2", "Gulls in the rain"]
    pages = [_thread_without_headings(f"{title}{end}", n) for n, title in enumerate(titles)]
    options = Options(kinds=("thread",))
    rules = learn_rules(pages, options)
    threads = [extract_item(page, rules, options) for page in pages]
    assert [getattr(thread, "title", "") for thread in threads] == titles


def test_other_threads_below_a_thread_are_no_posts() -> None:
    posts = "".join(
        f"<article class=posting><b itemprop=author>{author}</b><p>{words}</p>"
        f"<footer>{day} May 2024, 10:15</footer></article>"
        for day, (author, words) in enumerate(_POSTS, 2)
    )
    others = "".join(
        f"<article class=teaser><h4><a href=/t/{day}>Night {day}: {words[:24]}</a></h4>"
        f"<p>On day {day} {words[::-1]}</p><footer>Last answer {day}.04.24 17:12</footer></article>"
        for day, (_, words) in enumerate([*_POSTS, *_POSTS], 11)
    )
    page = Page.from_html(
        f"<title>Owls at night</title><h1>Owls at night</h1><section>{posts}</section>"
        f"<section>{others}</section>",
        "http://a.example/forum/thread/7",
    )
    wrapper = learn_records([page], with_article=False)
    assert [record.text for record in wrapper.apply(page)] == [words for _, words in _POSTS]
