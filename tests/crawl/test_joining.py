"""Pages of threads that wait for the other pages of their thread during a crawl."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from scrapy import Request

from forest_scrapy.crawl.joining import PageHeld, PageJoining, PageRepeated
from forest_scrapy.items import ArticlePage, Thread
from forest_scrapy.responses.notes import PageNotes
from forest_scrapy.stores.held_pages import HeldPage

from .helpers import article_page, key_of, open_crawl, url_of


def thread_page(number: int, has_next: bool) -> tuple[ArticlePage, HeldPage]:
    """A page of a thread of which each page has one post."""
    item = article_page(number)
    item.key = key_of(number)
    item.response.request = Request(item.url)
    post = {"position": 1, "author": "ana", "date": "", "text": f"Owl {number}", "reply_to": None}
    next_page = url_of(number + 1) if has_next else ""
    next_key = key_of(number + 1) if has_next else ""
    thread = Thread(item.url, "Owls", posts=[post], pages=[item.url], next_page=next_page)
    held = HeldPage(item.key, item.key, next_key, number == 1, not has_next, asdict(thread))
    return item, held


def test_a_page_waits_and_its_next_page_is_requested(tmp_path: Path) -> None:
    requests: list[tuple[str, PageNotes]] = []

    def follow(url: str, notes: PageNotes) -> bool:
        requests.append((url, notes))
        return True

    with open_crawl(tmp_path, thread_pages=9) as crawl:
        joining = PageJoining(crawl, follow)
        with pytest.raises(PageHeld):
            joining.add(*thread_page(1, has_next=True))
        assert [url for url, _ in requests] == [url_of(2)]
        assert requests[0][1].number == 2
        assert crawl.stats.get_value("forest/threads/followed") == 1
        assert crawl.spool.held_pages.count() == 1


def test_a_kind_that_is_not_followed_requests_nothing(tmp_path: Path) -> None:
    requests: list[str] = []
    with open_crawl(tmp_path, thread_pages=9) as crawl:
        joining = PageJoining(
            crawl, lambda url, notes: not requests.append(url), followed=("article",)
        )
        with pytest.raises(PageHeld):
            joining.add(*thread_page(1, has_next=True))
    assert requests == []


def test_a_thread_of_one_page_does_not_wait(tmp_path: Path) -> None:
    with open_crawl(tmp_path, thread_pages=9) as crawl:
        item, held = thread_page(1, has_next=False)
        thread = PageJoining(crawl, None).add(item, held)
        assert item.is_joined
        assert [post["text"] for post in thread.posts] == ["Owl 1"]


def test_a_page_under_another_url_is_repeated(tmp_path: Path) -> None:
    with open_crawl(tmp_path, thread_pages=9) as crawl:
        joining = PageJoining(crawl, None)
        item, held = thread_page(1, has_next=True)
        with pytest.raises(PageHeld):
            joining.add(item, held)
        copy = HeldPage("copy", "copy", held.next_key, True, False, held.item)
        with pytest.raises(PageRepeated):
            joining.add(item, copy)
