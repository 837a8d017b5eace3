"""Joining the pages of a thread, or of an article, into one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from forest_scrapy import core
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.urls import host_with_port, page_key
from forest_scrapy.items import Article, ArticlePage, Thread
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.held_pages import HeldPage, HeldPageTable, PageTexts

#: The reason for a page whose content is in an item that another page has become.
JOINED = "joined"


@dataclass(frozen=True)
class Joined:
    """What follows from a further page.

    ``item``: the whole item, if the page is its first one and no other is missing.  ``first``: the
    key of the first page of the whole item, if that is another page, which is held; ``""`` if
    pages are missing.  ``is_repeated``: whether the page is one under another URL, so that it does
    not wait.
    """

    item: Thread | Article | None = None
    first: str = ""
    is_repeated: bool = False


class PageJoiner:
    """Holds the pages of threads and articles in a table until their item is complete.

    An item is complete if its pages are there from the first one, which links no previous page,
    to the last one, which links no next page or one of those before, or if there are as many pages
    as the settings allow.

    A page whose content was met under another URL (``?page=1``, a session) is that page: it is
    followed and preceded by the same pages, and gives no content of its own.
    """

    def __init__(self, table: HeldPageTable, settings: ForestSettings) -> None:
        self._table = table
        self._formats = settings.formats
        self._max_pages = {"thread": settings.thread_pages, "article": settings.article_pages}

    def add(self, page: HeldPage) -> Joined:
        """The whole item of a page, or its first page, if its other pages are there."""
        assert page.item is not None
        texts = describe_texts(page)
        same_page = self._find_same(texts)
        if same_page is not None:
            return self._add_repeated(page, texts, same_page)

        self._table.add_texts(texts)
        if page.is_first and page.is_last and page.item["type"] == "thread":
            return Joined(Thread(**page.item))

        self._table.add(page)
        first = self._find_complete(page.key)
        if first == page.key:
            return Joined(self.join(first))
        return Joined(first=first)

    def _add_repeated(
        self,
        page: HeldPage,
        texts: PageTexts,
        same_page: PageTexts,
    ) -> Joined:
        """Add a page that was met under another URL, as ``same_page``."""
        key = same_page.key
        self._table.add_aliases(key, (page.key, page.asked_key))
        if not self._table.waits(key):
            return Joined(is_repeated=True)
        if _rank(texts) < _rank(same_page):  # whichever came first
            self._table.replace(key, page, texts)
        first = self._find_complete(key)
        return Joined(first=first, is_repeated=True)

    def _find_same(self, texts: PageTexts) -> PageTexts | None:
        """The page under another URL that a page is."""
        if not texts.first:
            return None
        candidates = self._table.with_first_post(texts.first)
        if any(candidate.key == texts.key for candidate in candidates):
            return None  # read again, after a restart say
        for candidate in candidates:
            if is_same_thread_page(texts, candidate):
                return candidate
        return None

    def _find_complete(self, key: str) -> str:
        """The first page of the item of a page if that is complete; else ``""``."""
        chain = self._chain(key)
        first = chain[0]
        last = chain[-1]
        if not first.is_first:
            return ""
        has_last = last.is_last or self._table.follows(last, chain)
        if has_last or not self._may_grow(chain):
            return first.key
        return ""

    def _chain(self, key: str) -> list[HeldPage]:
        """The pages around a page, from the first one on, at most as many as an item has."""
        kind = self._table.read(key)["type"]
        max_pages = self._max_pages[kind]
        chain = self._table.chain(key, max_pages)
        return chain[:max_pages]

    def may_grow(self, key: str) -> bool:
        """Whether further pages may become part of the item of a page that is held: not if it
        repeats the page before it, as servers do that ignore page numbers, or is one of another
        article."""
        chain = self._chain(key)
        return self._may_grow(chain)

    def _may_grow(self, chain: Sequence[HeldPage]) -> bool:
        # Imported here and below: most crawls have no item with several pages.
        from forest_scrapy.core.joining.articles import is_part_of, is_repeated
        from forest_scrapy.core.joining.threads import identify_post, new_posts

        first = self._table.read(chain[0].key)
        kind = first["type"]
        if len(chain) >= self._max_pages[kind]:
            return False
        if len(chain) == 1:
            return True

        previous = self._table.read(chain[-2].key)
        last = self._table.read(chain[-1].key)
        if kind == "thread":
            previous_posts = {identify_post(post) for post in previous["posts"]}
            further_posts = new_posts(last["posts"], previous_posts)
            return bool(further_posts)

        first_article = Article(**first)
        previous_article = Article(**previous)
        article = Article(**last)
        if not is_part_of(article, first_article):
            return False
        return not is_repeated(article, previous_article)

    def join(self, key: str) -> Thread | Article:
        """The item that begins with a page that is held, as far as it is there."""
        from forest_scrapy.core.joining.articles import join_articles
        from forest_scrapy.core.joining.threads import join_threads

        chain = self._chain(key)
        pages = [self._table.read(page.key) for page in chain]
        if pages[0]["type"] == "thread":
            self._table.claim(key, chain)
            threads = [Thread(**page) for page in pages]
            return join_threads(threads)

        article, number = join_articles(pages, self._formats)
        is_complete = number == len(chain)
        if is_complete and self._table.follows(chain[-1], chain):
            article.next_page = ""
        self._table.claim(key, chain[:number])
        return article


def describe_held_page(
    item: ArticlePage,
    extraction: core.Extraction,
    page: core.Page | None = None,
) -> HeldPage | None:
    """What the pages of a thread or an article are joined by; None for an item that has one page
    and is no thread.  ``page``: needed for threads only."""
    content = extraction.item
    if isinstance(content, Article):
        has_further = content.next_page or extraction.has_previous
        if not has_further:
            return None
        values = asdict(content)
        values["html"] = extraction.html
    elif isinstance(content, Thread):
        values = asdict(content)
    else:
        return None

    notes = notes_of(item.response)
    if notes.number:
        is_first = notes.number == 1
    elif page is not None:
        is_first = not core.has_previous_page(page)
    else:
        is_first = not extraction.has_previous
    next_page = values["next_page"]
    next_key = page_key(next_page) if next_page else ""
    requested_url = asked_url(item.response)
    return HeldPage(
        key=item.key,
        asked_key=page_key(requested_url),
        next_key=next_key,
        is_first=is_first,
        is_last=not next_page or notes.is_last,
        item=values,
    )


def describe_texts(page: HeldPage) -> PageTexts:
    """What a page under another URL is recognised by."""
    assert page.item is not None
    url = page.item["url"]
    posts = _posts_of(page.item)
    digests = [_digest_values(post.author, post.text) for post in posts]
    dates = [post.date for post in posts]
    first_post = ""
    if digests:
        host = host_with_port(url)
        first_post = f"{host} {digests[0]}"
    return PageTexts(
        key=page.key,
        url=url,
        first=first_post,
        posts=" ".join(digests),
        dates=_digest_values(*dates),
        is_first=page.is_first,
    )


@dataclass(frozen=True)
class _Post:
    author: str
    text: str
    date: str


def _posts_of(item: dict[str, Any]) -> list[_Post]:
    """The posts of a thread; an article is as one post."""
    if item["type"] != "thread":
        post = _Post(
            author="",
            text=item["text"],
            date=item["published"],
        )
        return [post]
    posts = []
    for values in item["posts"]:
        post = _Post(
            author=values["author"],
            text=values["text"],
            date=values["date"],
        )
        posts.append(post)
    return posts


def is_same_thread_page(page: PageTexts, candidate: PageTexts) -> bool:
    """Whether two pages with the same first post are one page of a thread: with the same posts, and
    the same dates unless the URLs are those of one thread (dates such as "a minute ago" change); or
    first pages of one thread to which posts were added meanwhile."""
    have_urls_of_one_thread = core.is_same_thread(page.url, candidate.url)
    if page.posts == candidate.posts:
        have_same_dates = page.dates == candidate.dates
        return have_urls_of_one_thread or have_same_dates

    are_first = page.is_first and candidate.is_first
    shorter, longer = sorted((page.posts, candidate.posts), key=len)
    has_grown = longer.startswith(f"{shorter} ")
    return have_urls_of_one_thread and are_first and has_grown


def _rank(page: PageTexts) -> tuple[bool, int, str]:
    """Which of the URLs of a page its thread is known by: the smallest."""
    return not page.is_first, len(page.url), page.url


def _digest_values(*values: str) -> str:
    joined = "\0".join(values)
    return hex_digest(joined)
