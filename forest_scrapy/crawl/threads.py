"""Joining the pages of a thread into one item."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, NamedTuple

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.job import job_dir

from forest_scrapy.core import Page
from forest_scrapy.core.items import join_texts
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.core.records.next_page import has_previous_page, is_same_thread
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.engine import has_requests
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.items import ArticlePage, Thread
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.stores.thread_pages import PostsOfPage, ThreadPage, ThreadTable

logger = logging.getLogger(__name__)

#: Requests a page of a thread: its URL, its number, and whether it is known to be wanted.
Follow = Callable[[str, int, bool], None]
#: The outcome of a page whose posts are in an item that another page of the thread has become.
JOINED = Outcome.dropped("joined")


class PageHeld(DropItem):
    """The page waits for the other pages of its thread; it has no outcome yet."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: waits for the other pages of its thread", log_level="DEBUG")


class PageRepeated(DropItem):
    """The page is one of a thread that was met under another URL."""

    reason = "duplicate"

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: the same posts as another page", log_level="DEBUG")


class Added(NamedTuple):
    """What follows from a page: its whole ``thread``, or None if other pages are missing, and
    whether the page ``is_repeated``, so that it does not wait for them."""

    thread: Thread | None
    is_repeated: bool = False


class ThreadJoiner:
    """Holds the pages of threads in a table until their thread is complete.

    A thread is complete if its pages are there from the first one, which links no previous page,
    to the last one, which links no next page, or if there are ``most`` pages.

    A page whose posts were met under another URL (``?page=1``, a session) is that page: it is
    followed and preceded by the same pages, and gives no posts of its own.
    """

    def __init__(self, threads: ThreadTable, most: int) -> None:
        self._threads, self._most = threads, most

    def add(self, page: ThreadPage) -> Added:
        """The whole thread of a page, if its other pages are there."""
        assert page.thread is not None
        posts = describe_posts(page)
        if same := self._find_same(posts):
            self._threads.add_aliases(same.key, (page.key, page.asked_key))
            if not self._threads.waits(same.key):
                return Added(None, is_repeated=True)
            if _rank(posts) < _rank(same):  # whichever came first
                self._threads.replace(same.key, page, posts)
            return Added(self._complete(page.key, same.key), is_repeated=True)
        self._threads.add_posts(posts)
        if page.is_first and page.is_last:
            return Added(Thread(**page.thread))
        self._threads.add(page)
        return Added(self._complete(page.key, page.key))

    def _find_same(self, posts: PostsOfPage) -> PostsOfPage | None:
        """The page under another URL that a page is."""
        known = self._threads.with_first_post(posts.first) if posts.first else []
        if any(one.key == posts.key for one in known):
            return None  # read again, after a restart say
        return next((one for one in known if is_same_page(posts, one)), None)

    def _complete(self, carrier: str, key: str) -> Thread | None:
        """The thread of a page if it is complete; then ``carrier`` is the page it comes with."""
        chain = self._threads.chain(key, self._most)
        is_complete = chain[-1].is_last or len(chain) >= self._most
        return self._join(carrier, chain) if chain[0].is_first and is_complete else None

    def may_grow(self, key: str) -> bool:
        """Whether further pages may become part of the thread of a page that is held: not if it
        repeats the page before it, as servers do that ignore page numbers."""
        chain = self._threads.chain(key, self._most)
        posts = [self._threads.read(page.key)["posts"] for page in chain[-2:]]
        is_repeated = len(posts) > 1 and not _new_posts(posts[1], set(map(_identify, posts[0])))
        return len(chain) < self._most and not is_repeated

    def join(self, key: str) -> Thread:
        """The thread of a page that is held, as far as it is there."""
        return self._join(key, self._threads.chain(key, self._most))

    def _join(self, key: str, chain: Sequence[ThreadPage]) -> Thread:
        parts = self._threads.claim(key, chain[: self._most])
        return join_threads([Thread(**part) for part in parts])


class ThreadPages:
    """Joins the pages of threads in a crawl; those of incomplete threads are emitted as they are
    at idle and at close.  ``follow``: called for next pages that are missing."""

    def __init__(self, crawl: CrawlContext, follow: Follow | None) -> None:
        self._threads, self._follow = crawl.spool.threads, follow
        self._joiner = ThreadJoiner(self._threads, crawl.settings.thread_pages)

    def take_released(self, item: ArticlePage) -> Thread | None:
        """The thread of a page that was held and does not have to wait any more; None for other
        pages."""
        return self._joiner.join(item.key) if self._threads.has(item.key) else None

    def add(self, item: ArticlePage, page: Page, thread: Thread) -> Thread:
        """The whole thread that ``thread``, as far as it is on this page, is part of.  Raises
        ``PageHeld`` if it is not complete, ``PageRepeated`` if another page has its posts."""
        described = describe_thread_page(item, page, thread)
        joined = self._joiner.add(described)
        if joined.thread:
            return joined.thread
        if joined.is_repeated:
            raise PageRepeated(item.url)
        if self._follow and not described.is_last and self._joiner.may_grow(described.key):
            number = notes_of(item.response).number or 1
            self._follow(thread.next_page, number + 1, item.is_article)
        raise PageHeld(item.url)


def describe_thread_page(item: ArticlePage, page: Page, thread: Thread) -> ThreadPage:
    """What the pages of a thread are joined by."""
    notes = notes_of(item.response)
    is_first = notes.number == 1 if notes.number else not has_previous_page(page)
    return ThreadPage(
        key=item.key,
        asked_key=page_key(asked_url(item.response)),
        next_key=page_key(thread.next_page) if thread.next_page else "",
        is_first=is_first,
        is_last=not thread.next_page or notes.is_last,
        thread=asdict(thread),
    )


def describe_posts(page: ThreadPage) -> PostsOfPage:
    """What tells a page under another URL."""
    assert page.thread is not None
    posts = page.thread["posts"]
    digests = [_digest(post["author"], post["text"]) for post in posts]
    dates = _digest(*(post["date"] for post in posts))
    first = f"{host_of(page.thread['url'])} {digests[0]}" if digests else ""
    return PostsOfPage(page.key, page.thread["url"], first, " ".join(digests), dates, page.is_first)


def is_same_page(one: PostsOfPage, other: PostsOfPage) -> bool:
    """Whether two pages with the same first post are one page of a thread: with the same posts, and
    the same dates unless the URLs are those of one thread (dates such as "a minute ago" change); or
    first pages of one thread to which posts were added meanwhile."""
    may_be_one = is_same_thread(one.url, other.url)
    if one.posts == other.posts:
        return may_be_one or one.dates == other.dates
    shorter, longer = sorted((one.posts, other.posts), key=len)
    has_grown = longer.startswith(f"{shorter} ")
    return may_be_one and one.is_first and other.is_first and has_grown


def _rank(page: PostsOfPage) -> tuple[bool, int, str]:
    """Which of the URLs of a page its thread is known by: the smallest."""
    return not page.is_first, len(page.url), page.url


def _digest(*values: str) -> str:
    text = "\0".join(values).encode("utf-8", "replace")
    return blake2b(text, digest_size=8).hexdigest()


def join_threads(pages: Sequence[Thread]) -> Thread:
    """The thread that has these pages, in this order.  The first post is left out where a further
    page repeats it, and a page all of whose posts are on pages before it."""
    first, last = pages[0], pages[-1]
    posts: list[dict[str, Any]] = []
    kept: list[Thread] = []
    known: set[tuple[str, ...]] = set()
    for page in pages:
        if _new_posts(page.posts, known) or not kept:
            posts += _renumber(page.posts, len(posts), posts[0] if posts else {})
            known.update(map(_identify, page.posts))
            kept.append(page)
    is_cut = any(page.is_cut for page in kept)
    joined = {**vars(first), "posts": posts, "next_page": last.next_page, "is_cut": is_cut}
    joined["text"] = join_texts(posts)
    joined["confidence"] = min(page.confidence for page in kept)
    return Thread(**{**joined, "pages": [url for page in kept for url in page.pages]})


def _new_posts(
    posts: Iterable[dict[str, Any]], known: Collection[tuple[str, ...]]
) -> list[dict[str, Any]]:
    """The posts that are not among these."""
    return [post for post in posts if _identify(post) not in known]


def _identify(post: dict[str, Any]) -> tuple[str, ...]:
    return post["author"], post["date"], post["text"]


def _renumber(
    posts: Sequence[dict[str, Any]], before: int, first: dict[str, Any]
) -> list[dict[str, Any]]:
    """The posts of a page, numbered on from ``before`` others."""
    new: dict[int | None, int | None] = {None: None}
    kept: list[dict[str, Any]] = []
    for i, post in enumerate(posts):
        if i == 0 and first and _is_same(post, first):
            new[post["position"]] = first["position"]
            continue
        new[post["position"]] = before + len(kept) + 1
        kept.append(post)
    return [
        {**post, "position": new[post["position"]], "reply_to": new.get(post["reply_to"])}
        for post in kept
    ]


def _is_same(post: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(post[name] == other[name] for name in ("author", "text"))


def keep_for_next_run(crawl: CrawlContext, crawler: Crawler) -> bool:
    """Whether the pages that are held at close wait for the next run of a job, which has requests
    left; then they are counted in ``pages/left``."""
    held = crawl.spool.threads.count()
    if not held or not job_dir(crawler.settings) or not has_requests(crawler):
        return False
    crawl.stats.inc_value("forest/pages/left", held)
    logger.info("%d pages of threads wait for further ones; start the crawl again", held)
    return True
