"""Pages of threads and articles, in any order and under several URLs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from itertools import permutations

from forest_scrapy.core.joining.threads import join_threads
from forest_scrapy.items import Thread
from forest_scrapy.joining.pages import Joined, PageJoiner
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.held_pages import HeldPage, HeldPageTable

URL = "http://a.example/t/owls"


def make_page(
    suffix: str, posts: str, following: str = "", date: str = "", url: str = URL
) -> HeldPage:
    """A page with a post for each letter."""
    written = [
        {"position": i, "author": "ana", "date": date, "text": f"Owl {one}", "reply_to": None}
        for i, one in enumerate(posts, 1)
    ]
    url += suffix
    thread = Thread(
        url, "Owls", posts=written, pages=[url], next_page=following and URL + following
    )
    is_first = posts.startswith("a")
    return HeldPage(url, url, thread.next_page, is_first, not following, asdict(thread))


def join_all(*pages: HeldPage) -> list[str]:
    """The letters of the posts of each thread."""
    with closing(HeldPageTable.in_memory()) as table:
        joiner = PageJoiner(table, ForestSettings(thread_pages=10))
        found = []
        for page in pages:
            joined = joiner.add(page)
            found.append(joiner.join(joined.first) if joined.first else joined.item)
        while keys := table.starts():
            found += [joiner.join(key) for key in keys]
    return ["".join(post["text"][-1] for post in one.posts) for one in found if one]


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = (
        make_page("", "ab", "?page=2"),
        make_page("?page=1", "ab", "?page=2&sid=1"),
        make_page("?page=2", "cd"),
        make_page("?page=2&sid=1", "cd"),
    )
    for order in permutations(pages):
        assert join_all(*order) == ["abcd"]


def test_threads_that_look_alike_stay_apart() -> None:
    other = "http://a.example/t/boats"
    one, copy = make_page("", "a", date="2024-05-01"), make_page("", "a", "", "2024-05-02", other)
    assert join_all(one, copy) == ["a", "a"]
    assert join_all(make_page("", "ab"), make_page("", "ac")) == ["ab", "ac"]
    assert join_all(make_page("", "ab"), make_page("", "abc", url=other)) == ["ab", "abc"]


def test_a_thread_that_grows_between_two_requests_is_one() -> None:
    assert join_all(make_page("", "ab"), make_page("?page=1", "abc")) == ["ab"]


def test_a_page_that_repeats_the_first_one_and_comes_before_it() -> None:
    """From a server that ignores the number of the page."""
    first = make_page("", "ab", "?page=2")
    second = replace(make_page("?page=2", "ab", "?page=3"), is_first=False)
    for pages in ((first, second), (second, first)):
        with closing(HeldPageTable.in_memory()) as table:
            joiner = PageJoiner(table, ForestSettings())
            joined = [joiner.add(page) for page in pages]
            assert (joined[0], joined[1].is_repeated) == (Joined(), True)
            (thread,) = [joiner.join(key) for key in table.starts()]
        assert (thread.url, thread.pages, len(thread.posts)) == (URL, [URL], 2)


def test_a_thread_is_as_doubtful_as_its_worst_page() -> None:
    pages = [
        Thread(f"{URL}?page={number}", posts=[post], pages=[URL], confidence=confidence)
        for number, (post, confidence) in enumerate(
            (
                (
                    {"position": 1, "author": "ana", "date": "", "text": "Owl", "reply_to": None},
                    0.9,
                ),
                ({"position": 1, "author": "bo", "date": "", "text": "Elk", "reply_to": None}, 0.4),
            )
        )
    ]
    assert join_threads(pages).confidence == 0.4
