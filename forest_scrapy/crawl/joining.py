"""Joining the pages of a thread, or of an article, into one item."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.job import job_dir

from forest_scrapy.core import Extraction, Page
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.joining.articles import is_part_of, is_repeated, join_articles
from forest_scrapy.core.joining.threads import identify_post, join_threads, new_posts
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.core.records.next_page import has_previous_page, is_same_thread
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.engine import has_requests
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.items import Article, ArticlePage, Thread
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.responses.notes import PageNotes, notes_of
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.held_pages import HeldPage, HeldPageTable, PageTexts

logger = logging.getLogger(__name__)

#: Requests the next page of a thread or an article: its URL, and the notes of the request.  Whether
#: it was not requested before.
Follow = Callable[[str, PageNotes], bool]
#: The outcome of a page whose content is in an item that another page has become.
JOINED = Outcome.dropped("joined")


class PageHeld(DropItem):
    """The page waits for the other pages of its item; it has no outcome yet."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: waits for the other pages of its item", log_level="DEBUG")


class PageRepeated(DropItem):
    """The page is one that was met under another URL."""

    reason = "duplicate"

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: the same content as another page", log_level="DEBUG")


@dataclass(frozen=True)
class Added:
    """What follows from a page.

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

    def __init__(self, held: HeldPageTable, settings: ForestSettings) -> None:
        self._held = held
        self._formats = settings.formats
        self._max_pages = {"thread": settings.thread_pages, "article": settings.article_pages}

    def add(self, page: HeldPage) -> Added:
        """The whole item of a page, or its first page, if its other pages are there."""
        assert page.item is not None
        texts = describe_texts(page)
        if same := self._find_same(texts):
            self._held.add_aliases(same.key, (page.key, page.asked_key))
            if not self._held.waits(same.key):
                return Added(is_repeated=True)
            if _rank(texts) < _rank(same):  # whichever came first
                self._held.replace(same.key, page, texts)
            return Added(first=self._find_complete(same.key), is_repeated=True)
        self._held.add_texts(texts)
        if page.is_first and page.is_last and page.item["type"] == "thread":
            return Added(Thread(**page.item))
        self._held.add(page)
        first = self._find_complete(page.key)
        return Added(self.join(first)) if first == page.key else Added(first=first)

    def _find_same(self, texts: PageTexts) -> PageTexts | None:
        """The page under another URL that a page is."""
        known = self._held.with_first_post(texts.first) if texts.first else []
        if any(one.key == texts.key for one in known):
            return None  # read again, after a restart say
        return next((one for one in known if is_same_page(texts, one)), None)

    def _find_complete(self, key: str) -> str:
        """The first page of the item of a page if that is complete; else ``""``."""
        chain = self._chain(key)
        if not chain[0].is_first:
            return ""
        last = chain[-1]
        is_complete = last.is_last or self._held.follows(last, chain)
        return chain[0].key if is_complete or not self._may_grow(chain) else ""

    def _chain(self, key: str) -> list[HeldPage]:
        """The pages around a page, from the first one on, at most as many as an item has."""
        max_pages = self._max_pages[self._held.read(key)["type"]]
        return self._held.chain(key, max_pages)[:max_pages]

    def may_grow(self, key: str) -> bool:
        """Whether further pages may become part of the item of a page that is held: not if it
        repeats the page before it, as servers do that ignore page numbers, or is one of another
        article."""
        return self._may_grow(self._chain(key))

    def _may_grow(self, chain: Sequence[HeldPage]) -> bool:
        first = self._held.read(chain[0].key)
        if len(chain) >= self._max_pages[first["type"]]:
            return False
        if len(chain) == 1:
            return True
        before, last = (self._held.read(page.key) for page in chain[-2:])
        if first["type"] == "thread":
            known = {identify_post(post) for post in before["posts"]}
            return bool(new_posts(last["posts"], known))
        article = Article(**last)
        return is_part_of(article, Article(**first)) and not is_repeated(article, Article(**before))

    def join(self, key: str) -> Thread | Article:
        """The item that begins with a page that is held, as far as it is there."""
        chain = self._chain(key)
        pages = [self._held.read(page.key) for page in chain]
        if pages[0]["type"] == "thread":
            self._held.claim(key, chain)
            return join_threads([Thread(**page) for page in pages])
        article, number = join_articles(pages, self._formats)
        if number == len(chain) and self._held.follows(chain[-1], chain):
            article.next_page = ""
        self._held.claim(key, chain[:number])
        return article


class PageJoining:
    """Joins the pages of threads and articles in a crawl; those of incomplete ones are emitted as
    they are at idle and at close.  ``follow``: called for next pages that are missing, of items of
    the kinds ``followed``."""

    def __init__(
        self,
        crawl: CrawlContext,
        follow: Follow | None,
        followed: Collection[str] = ("thread", "article"),
    ) -> None:
        self._crawl = crawl
        self._held = crawl.spool.held_pages
        self._follow = follow
        self._followed = followed
        self._joiner = PageJoiner(self._held, crawl.settings)

    def take_released(self, item: ArticlePage) -> Thread | Article | None:
        """The item of a page that was held and does not have to wait any more; None for other
        pages."""
        if not self._held.has(item.key):
            return None
        item.is_joined = True
        return self._joiner.join(item.key)

    def add(self, item: ArticlePage, held: HeldPage, may_follow: bool = True) -> Thread | Article:
        """The whole item that a page is a part of, if the page is its first one.  Raises
        ``PageHeld`` if it is not complete, or comes with its first page, and ``PageRepeated`` if
        another page has the same content.  ``may_follow``: whether its next page is wanted."""
        added = self._joiner.add(held)
        if added.item:
            item.is_joined = True
            return added.item
        if added.first:
            self._crawl.spool.release_chain(added.first)
            for release in self._crawl.on_ready:
                release()
        if added.is_repeated:
            raise PageRepeated(item.url)
        is_wanted = may_follow and not added.first and not held.is_last
        if self._follow and is_wanted and self._joiner.may_grow(held.key):
            self._request_next(item, held, self._follow)
        raise PageHeld(item.url)

    def _request_next(self, item: ArticlePage, held: HeldPage, follow: Follow) -> None:
        assert held.item is not None
        if held.item["type"] not in self._followed:
            return
        number = notes_of(item.response).number or 1
        depth = int(item.response.meta.get("depth", 0)) + 1
        if held.item["type"] == "thread":
            notes = PageNotes(was_article=item.is_article, number=number + 1, depth=depth)
            stat = "forest/threads/followed"
        else:
            template = item.template_key
            notes = PageNotes(was_article=True, number=number + 1, template=template, depth=depth)
            stat = "forest/article_pages/followed"
        if follow(held.item["next_page"], notes):
            self._crawl.stats.inc_value(stat)


def describe_held_page(
    item: ArticlePage, done: Extraction, page: Page | None = None
) -> HeldPage | None:
    """What the pages of a thread or an article are joined by; None for an item that has one page
    and is no thread.  ``page``: needed for threads only."""
    content = done.item
    if isinstance(content, Article) and (content.next_page or done.has_previous):
        values = {**asdict(content), "html": done.html}
    elif isinstance(content, Thread):
        values = asdict(content)
    else:
        return None
    notes = notes_of(item.response)
    if notes.number:
        is_first = notes.number == 1
    else:
        is_first = not (has_previous_page(page) if page else done.has_previous)
    next_page = values["next_page"]
    return HeldPage(
        key=item.key,
        asked_key=page_key(asked_url(item.response)),
        next_key=page_key(next_page) if next_page else "",
        is_first=is_first,
        is_last=not next_page or notes.is_last,
        item=values,
    )


def describe_texts(page: HeldPage) -> PageTexts:
    """What tells a page under another URL."""
    assert page.item is not None
    posts = _posts_of(page.item)
    digests = [_digest(author, text) for author, text, _ in posts]
    dates = _digest(*(date for _, _, date in posts))
    first = f"{host_of(page.item['url'])} {digests[0]}" if digests else ""
    return PageTexts(page.key, page.item["url"], first, " ".join(digests), dates, page.is_first)


def _posts_of(item: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Author, text and date of each post of a thread; an article is as one post."""
    if item["type"] == "thread":
        return [(post["author"], post["text"], post["date"]) for post in item["posts"]]
    return [("", item["text"], item["published"])]


def is_same_page(one: PageTexts, other: PageTexts) -> bool:
    """Whether two pages with the same first post are one page of a thread: with the same posts, and
    the same dates unless the URLs are those of one thread (dates such as "a minute ago" change); or
    first pages of one thread to which posts were added meanwhile."""
    may_be_one = is_same_thread(one.url, other.url)
    if one.posts == other.posts:
        return may_be_one or one.dates == other.dates
    shorter, longer = sorted((one.posts, other.posts), key=len)
    has_grown = longer.startswith(f"{shorter} ")
    return may_be_one and one.is_first and other.is_first and has_grown


def _rank(page: PageTexts) -> tuple[bool, int, str]:
    """Which of the URLs of a page its thread is known by: the smallest."""
    return not page.is_first, len(page.url), page.url


def _digest(*values: str) -> str:
    return hex_digest("\0".join(values))


def keep_for_next_run(crawl: CrawlContext, crawler: Crawler) -> bool:
    """Whether the pages that are held at close wait for the next run of a job, which has requests
    left; then they are counted in ``pages/left``."""
    held = crawl.spool.held_pages.count()
    if not held or not job_dir(crawler.settings) or not has_requests(crawler):
        return False
    crawl.stats.inc_value("forest/pages/left", held)
    logger.info("%d pages wait for further ones of their items; start the crawl again", held)
    return True
