"""Joining the pages of threads and articles in a crawl: further pages are requested, and pages
wait in the spool until their item is complete."""

import logging
from collections.abc import Collection

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.job import job_dir

from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.engine import has_requests
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.scope import Follow
from forest_scrapy.items import Article, ArticlePage, Thread
from forest_scrapy.joining.pages import JOINED, PageJoiner
from forest_scrapy.responses.notes import PageNotes, notes_of
from forest_scrapy.stores.held_pages import HeldPage

logger = logging.getLogger(__name__)

#: The outcome of a page whose content is in an item that another page has become.
JOINED_OUTCOME = Outcome.dropped(JOINED)


class PageHeld(DropItem):
    """The page waits for the other pages of its item; it has no outcome yet."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: waits for the other pages of its item", log_level="DEBUG")


class PageRepeated(DropItem):
    """The page is one that was met under another URL."""

    reason = "duplicate"

    def __init__(self, url: str) -> None:
        super().__init__(f"{url}: the same content as another page", log_level="DEBUG")


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
        self._table = crawl.spool.held_pages
        self._follow = follow
        self._followed = followed
        self._joiner = PageJoiner(self._table, crawl.settings)

    def take_released(self, item: ArticlePage) -> Thread | Article | None:
        """The item of a page that was held and does not have to wait any more; None for other
        pages."""
        if not self._table.has(item.key):
            return None
        item.is_joined = True
        return self._joiner.join(item.key)

    def add(
        self,
        item: ArticlePage,
        held: HeldPage,
        may_follow: bool = True,
    ) -> Thread | Article:
        """The whole item that a page is a part of, if the page is its first one.  Raises
        ``PageHeld`` if it is not complete, or comes with its first page, and ``PageRepeated`` if
        another page has the same content.  ``may_follow``: whether its next page is wanted."""
        joined = self._joiner.add(held)
        if joined.item is not None:
            item.is_joined = True
            return joined.item

        if joined.first:
            self._crawl.spool.release_chain(joined.first)
            for release in self._crawl.on_ready:
                release()
        if joined.is_repeated:
            raise PageRepeated(item.url)

        needs_next = may_follow and not joined.first and not held.is_last
        if self._follow and needs_next and self._joiner.may_grow(held.key):
            self._request_next(item, held, self._follow)
        raise PageHeld(item.url)

    def _request_next(
        self,
        item: ArticlePage,
        held: HeldPage,
        follow: Follow,
    ) -> None:
        assert held.item is not None
        kind = held.item["type"]
        if kind not in self._followed:
            return

        number = (notes_of(item.response).number or 1) + 1
        depth = int(item.response.meta.get("depth", 0)) + 1
        if kind == "thread":
            notes = PageNotes(was_article=item.is_article, number=number, depth=depth)
            stat = "forest/threads/followed"
        else:
            notes = PageNotes(
                was_article=True, number=number, template=item.template_key, depth=depth
            )
            stat = "forest/article_pages/followed"
        if follow(held.item["next_page"], notes):
            self._crawl.stats.inc_value(stat)


def keep_for_next_run(crawl: CrawlContext, crawler: Crawler) -> bool:
    """Whether the pages that are held at close wait for the next run of a job, which has requests
    left; then they are counted in ``pages/left``."""
    number = crawl.spool.held_pages.count()
    if not number or not job_dir(crawler.settings) or not has_requests(crawler):
        return False
    crawl.stats.inc_value("forest/pages/left", number)
    waiting = count(number, "page waits", "pages wait")
    logger.info("%s for further ones of their items; start the crawl again", waiting)
    return True
