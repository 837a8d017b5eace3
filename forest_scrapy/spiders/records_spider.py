"""``scrapy crawl records``: threads with all their pages, products, and pages that list them."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from forest_scrapy.core import Page
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.core.records.next_page import digest_words, find_next_page, next_thread_page
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import in_thread, is_large, run
from forest_scrapy.responses.conversion import page_of, repair_encoding
from forest_scrapy.responses.notes import PageNotes, notes_of
from forest_scrapy.spiders.arguments import BadArgument, read_number, read_urls
from forest_scrapy.spiders.base import ArticleSpider

if TYPE_CHECKING:
    from forest_scrapy.core.records.record_wrapper import RecordWrapper

#: The kinds of items without ``FOREST_KINDS``.
_KINDS = ["thread", "product"]
#: The details of outcomes of pages that give no item of their own, although nothing is wrong.
_EXPECTED_DETAILS = ("joined", "duplicate", "unchanged")


class RecordsSpider(ArticleSpider):
    """Crawls threads and products, and the pages that list them.

    - ``-a url=URL[,URL...]``: threads, products, or pages that list these.
    - ``-a next_pages=N``: at most N pages of each thread and of each list (default: 20).
    - the other arguments of ``ArticleSpider``, except ``follow``.

    Without ``FOREST_KINDS`` it emits threads and products.  Raises ``BadArgument``, also without a
    URL.
    """

    name = "records"
    follows_pages = False  # it requests all next pages itself, within its bound

    def __init__(
        self,
        *args: Any,
        url: str = "",
        next_pages: str | int = 20,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if self._follow is not None:
            raise BadArgument("the spider records follows lists and next pages only: no -a follow")
        urls = read_urls(url)
        if not urls:
            raise BadArgument("nothing to crawl: name a thread, a product or a list, -a url=URL")
        self.start_urls = self.shard.select(urls)
        self._max_pages = read_number("next_pages", next_pages, 1)
        #: The wrappers of lists, by the URLs of their first pages.
        self._list_wrappers: dict[str, RecordWrapper] = {}
        #: The pages that are of no wanted kind, besides those named by ``url``, by their kind: the
        #: first of each, and how many there are.
        self._unwanted: dict[str, str] = {}
        self._unwanted_counts: Counter[str] = Counter()
        self._has_items = False

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *args: Any,
        **kwargs: Any,
    ) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if not crawler.settings.get("FOREST_KINDS"):
            crawler.settings.set("FOREST_KINDS", _KINDS, priority="spider")
        return spider

    async def start(self) -> AsyncIterator[Request]:
        self.crawl.ledger.listeners.append(self._note_outcome)
        for url in self.start_urls:
            for request in self._requests(url, PageNotes(number=1)):
                yield request

    async def parse_record_page(self, response: Response) -> AsyncIterator[Any]:
        """The page, and a request for the next; for a list, requests for what it lists."""
        response = repair_encoding(response)
        notes = notes_of(response)
        kinds = self.crawl.settings.kinds
        page = await self._read(response)
        listed_urls: list[str] = []
        words = ""
        if page:
            may_be_list = not notes.thread
            if may_be_list:
                listed_urls = await in_thread(self._find_listed, page, notes.list_url)
            if set(kinds) != {"listing"}:
                for url in listed_urls:
                    for request in self._requests(url, PageNotes(thread=url, number=1)):
                        yield request
            words = await in_thread(digest_words, page)

        is_repeated = bool(words) and words == notes.words
        is_last = notes.number >= self._max_pages or is_repeated
        response.meta.update(replace(notes, is_last=is_last).to_meta())
        if "listing" in kinds or not listed_urls:
            async for output in self.parse_page(response):
                if isinstance(output, ArticlePage):
                    output.is_article = True
                yield output

        if page and not is_last:
            next_notes = PageNotes(number=notes.number + 1, words=words)
            if listed_urls:
                next_notes = replace(next_notes, list_url=notes.list_url or page.url)
                next_url = await in_thread(find_next_page, page)
            else:
                next_notes = replace(next_notes, thread=notes.thread or response.url)
                next_url = await in_thread(next_thread_page, page)
            for request in self._requests(next_url, next_notes):
                yield request

    def _find_listed(self, page: Page, list_url: str) -> list[str]:
        """The URLs of the same site that a page lists; none if it is not a list, or surely the page
        of a product and only products are wanted: these list others beside it.

        ``list_url``: the first page of the list that it is a further page of.  The last page of a
        list may have too few items to be known as one: it is read as those before.
        """
        from forest_scrapy.core import learn_records

        known_wrapper = self._list_wrappers.get(list_url)
        if known_wrapper:
            listed_urls = _listed_urls(page, known_wrapper, self.site_key)
            if listed_urls:
                return listed_urls
        wants_products = set(self.crawl.settings.kinds) == {"product"}
        if wants_products and _is_surely_product(page):
            return []
        wrapper = learn_records([page.head], with_article=False)
        if wrapper.kind.name != "listing":
            return []
        self._list_wrappers[list_url or page.url] = wrapper
        return _listed_urls(page, wrapper, self.site_key)

    async def _read(self, response: Response) -> Page | None:
        """The page; None if it is not HTML, or reading it takes too long."""
        if not isinstance(response, HtmlResponse) or not response.body:
            return None
        if not await self.crawl.probe.admits(response):
            return None
        return await run(is_large(response), page_of, response)

    def is_done(self, url: str, follow: int) -> bool:
        """Whether an earlier, killed run has emitted the page.  Others are fetched again, because
        their next page may not have been requested."""
        spool = self.crawl.spool
        return super().is_done(url, follow) and not spool.is_pending(page_key(url))

    def _note_outcome(
        self,
        outcome: Outcome,
        url: str,
        page: ArticlePage | None,
    ) -> None:
        """Warn of a page named by ``url`` that gives no item, and count further ones of no wanted
        kind."""
        if outcome.is_article:
            self._has_items |= outcome.detail != "listing"
        is_drop = outcome.kind == "dropped" and outcome.detail not in _EXPECTED_DETAILS
        if not is_drop:
            return
        template = self.crawl.templates.get(page.template_key) if page else None
        kind = template.rules.kind if template and template.rules else ""
        if url in self.start_urls:
            reason = f"it looks like a page of kind {kind}" if kind else outcome.detail
            self.logger.warning("No item from %s: %s%s", url, reason, self._remedy_for(kind))
        elif outcome.detail == "other_kind":
            self._unwanted.setdefault(kind, url)
            self._unwanted_counts[kind] += 1

    def _remedy_for(self, kind: str) -> str:
        """What makes pages of a kind items; ``""`` if nothing does."""
        kinds = self.crawl.settings.kinds
        if kind == "other":
            return "; for their text, -s FOREST_KINDS=page"
        if kind not in ITEM_KINDS or kind in kinds:
            return ""
        return f"; to get these, -s FOREST_KINDS={','.join((*kinds, kind))}"

    def closed(self, reason: str) -> None:
        """Warn if lists were crawled, and none of the pages that they list became an item."""
        if self._has_items:
            return
        for kind, number in sorted(self._unwanted_counts.items()):
            self.logger.warning(
                "No item from %s that lists name, such as %s: they look like pages of kind %s%s",
                count(number, "page"),
                self._unwanted[kind],
                kind or "other",
                self._remedy_for(kind or "other"),
            )

    def _requests(self, url: str, notes: PageNotes) -> Iterator[Request]:
        if not url:
            return
        for request in self.page_requests(url, notes):
            yield request.replace(callback=self.parse_record_page)


def _is_surely_product(page: Page) -> bool:
    # Scrapy loads every spider.
    from forest_scrapy.core.extraction import is_surely_product

    return is_surely_product(page.head)


def _listed_urls(
    page: Page,
    wrapper: "RecordWrapper",
    site_key: Callable[[str], str],
) -> list[str]:
    """The URLs of the same site that a page lists."""
    from forest_scrapy.core.records.listing import read_listing
    from forest_scrapy.core.records.regions.items import is_person_url

    listing = read_listing(page, wrapper)
    listed_urls = [item["url"] for item in listing.items]
    if not listed_urls:
        listed_urls = [record.get("url") for record in wrapper.apply(page)]
    site = site_key(page.url)
    urls: dict[str, None] = {}
    for url in listed_urls:
        if url and site_key(url) == site:
            urls.setdefault(url)
    things = [url for url in urls if not is_person_url(url)]
    return things or list(urls)
