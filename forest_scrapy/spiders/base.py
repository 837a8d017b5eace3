"""Base of the spiders: requests for pages, links within the site, and requests after a kill."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from forest_scrapy.core import Entry
from forest_scrapy.core.page.tree import Element, parse_html
from forest_scrapy.core.page.urls import host_with_port, is_entry_url, own_host, page_key, site_of
from forest_scrapy.crawl.context import CrawlContext, context_of
from forest_scrapy.crawl.engine import enqueue_empty, send_request, takes_requests
from forest_scrapy.crawl.scope import PageScope
from forest_scrapy.crawl.unfetched import (
    DroppedByMiddleware,
    failed_status,
    failure_reason,
    failure_stat,
)
from forest_scrapy.items import ArticlePage, Item
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import NOT_FETCHED, TOO_LARGE, asked_url, first_url
from forest_scrapy.responses.downloads import GuardedSpider, is_too_large
from forest_scrapy.responses.notes import NO_NOTES, PageNotes, is_for_scrapy_parse, notes_of
from forest_scrapy.responses.probe import needs_probe
from forest_scrapy.spiders.arguments import (
    argument_names,
    read_flag,
    read_number,
    read_scope,
    read_shard,
    read_topic_filter,
    refuse_unknown,
)
from forest_scrapy.stores import Spool
from forest_scrapy.zyte_items import convert_item


class LateEntries:
    """A page that a feed lists is an article, whichever came first, the link or the feed."""

    def __init__(self) -> None:
        self._linked: set[str] = set()
        self._entries: dict[str, Entry] = {}

    def add_link(self, key: str) -> None:
        """Note that the page is requested because another page links it."""
        self._linked.add(key)

    def add(
        self,
        key: str,
        entry: Entry,
        spool: Spool,
    ) -> None:
        """Note that a feed lists a page that was requested before.  If it waits in the spool, its
        entry is written there; if it was not fetched yet, ``take`` returns the entry."""
        if key not in self._linked:
            return
        self._linked.remove(key)
        if not spool.describe(key, entry):
            self._entries[key] = entry

    def take(self, key: str) -> Entry | None:
        """The entry of a page that is fetched now, if a feed has listed it meanwhile."""
        return self._entries.pop(key, None)


#: Links followed from a page, the first ones.
MAX_LINKS = 2_000
#: Characters of the text of a link that are kept.
MAX_LINK_TEXT = 200
#: Bytes, or characters, in which the links to feeds are looked for.
MAX_START = 200_000


def page_start(response: Response) -> Element | None:
    """The tree of the start of an HTML page, where feeds are linked; None for other responses, and
    if parsing it may be slow."""
    is_html = isinstance(response, HtmlResponse) and response.body
    if not is_html or needs_probe(response, MAX_START):
        return None
    return parse_html(response.text[:MAX_START])


async def site_links(
    response: Response,
    site_key: Callable[[str], str] = own_host,
) -> dict[str, str]:
    """The http and https URLs of its own site that a page links, in the page's order, each with
    the text of the link.  ``site_key``: what the URLs of one site have in common."""
    if not isinstance(response, HtmlResponse) or not response.body:
        return {}
    return await run(is_large(response), _find_links, response, site_key)


def _find_links(
    response: HtmlResponse,
    site_key: Callable[[str], str],
) -> dict[str, str]:
    site = site_key(response.url)
    links = {}
    for link in LinkExtractor().extract_links(response)[:MAX_LINKS]:
        is_web = link.url.startswith(("http:", "https:"))
        if is_web and site_key(link.url) == site:
            links[link.url] = link.text[:MAX_LINK_TEXT]
    return links


class ArticleSpider(GuardedSpider):
    """Base of the spiders ``feeds``, ``site`` and ``records``.

    - ``-a allow=REGEX``: request only pages whose URL matches; ``-a deny=REGEX``: none that does.
    - ``-a since=DATE``, ``-a until=DATE``: only articles published between these dates.
    - ``-a match=WORDS`` or ``-a match=/REGEX/``: only items with these words, or in which it is
      found: in the title, the tags or the text; ``-a language=en,fr``: only those in one of these.
    - ``-a max_pages=N``: request at most N pages.
    - ``-a only_new=yes``: only items that are new or have changed since the last crawl.
    - ``-a shard=I/N``: only the I-th of N parts of the feeds, sites and sitemaps named.
    - ``-a follow=N`` or ``-a max_depth=N``: follow links within the site for N steps.
    - ``-a whole_domain=yes``: the site is all hosts of the registered domain.  By default it is
      the host of the page that has the links, with and without ``www.``.

    Raises ``BadArgument``, also for an argument that the spider does not have.
    """

    crawler: Crawler
    watch = False  #: whether the crawl goes on until it is stopped
    keeps_rules = False  #: whether stored rules are not learned again
    #: Whether the next pages of threads and articles are requested when they are found.
    follows_pages = True

    def __init__(
        self,
        *args: Any,
        follow: str | int | None = None,
        allow: str = "",
        deny: str = "",
        since: str = "",
        until: str = "",
        match: str | None = None,
        language: str = "",
        max_pages: str | int = "",
        max_depth: str | int = "",
        only_new: str = "",
        shard: str = "",
        whole_domain: str = "",
        **kwargs: Any,
    ) -> None:
        refuse_unknown(kwargs, argument_names(type(self)), str(self.name))
        super().__init__(*args, **kwargs)
        self.shard = read_shard(shard)
        is_whole_domain = bool(whole_domain) and read_flag("whole_domain", whole_domain)
        #: What the URLs of a site have in common: its host, or its domain.
        self.site_key = site_of if is_whole_domain else own_host
        self.scope = read_scope(allow, deny, since, until, max_pages, max_depth)
        self._topic = read_topic_filter(match, language)
        self._follow = None if follow is None else read_number("follow", follow)
        self.only_new = read_flag("only_new", only_new) if only_new else None
        #: The keys of the pages that were requested or skipped, and the number of the former.
        self._seen: set[str] = set()
        self._pages = 0
        self._late = LateEntries()

    def follow_steps(self, default: int) -> int:
        """The smaller of ``follow`` and ``max_depth``; ``default`` if neither is given."""
        limits = (self._follow, self.scope.max_depth)
        return min((steps for steps in limits if steps is not None), default=default)

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *args: Any,
        **kwargs: Any,
    ) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider.only_new is not None:
            crawler.settings.set("FOREST_ONLY_NEW", spider.only_new, priority="cmdline")
        crawler.signals.connect(spider.resume_pages, signal=signals.spider_opened)
        return spider

    def count(self, stat: str, n: int = 1) -> None:
        """Increment a stat."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(stat, n)

    @property
    def page_scope(self) -> PageScope:
        """Which articles are wanted, and how further pages are requested."""
        return PageScope(
            dates=self.scope.dates,
            follow=self.follow_page,
            keeps_rules=self.keeps_rules,
            topic=self._topic,
        )

    @property
    def crawl(self) -> CrawlContext:
        """The state and the stores of this crawl."""
        return context_of(self.crawler)

    def page_request(
        self,
        url: str,
        notes: PageNotes = NO_NOTES,
        headers: dict[str, str] | None = None,
    ) -> Request:
        """A request for a page; ``headers`` make it conditional.  One for a feed entry without a
        page of its own is answered by ``TemplateMiddleware``."""
        self._seen.add(page_key(url))
        self._pages += 1
        self.crawl.outstanding.add(url, notes.entry.feed if notes.entry else "")
        meta = notes.to_meta() | conditional_meta(headers)
        if notes.depth:
            # Scrapy cannot know the depth of a further page: no callback has yielded it.
            meta["depth"] = notes.depth
        return Request(
            url,
            callback=self.parse_page,
            errback=self.page_failed,
            meta=meta,
            headers=headers,
            dont_filter=self.watch,
        )

    def page_requests(
        self,
        url: str,
        notes: PageNotes = NO_NOTES,
        headers: dict[str, str] | None = None,
    ) -> Iterator[Request]:
        """The request for a page; none if it is out of scope, or was requested before."""
        key = page_key(url)
        entry = notes.entry
        if key in self._seen:
            if entry:
                self._late.add(key, entry, self.crawl.spool)
                self.crawl.ledger.note_url(url, url)
            return
        if self.is_done(url, notes.follow):
            return

        self._seen.add(key)
        published = entry.published if entry else ""
        if reason := self.scope.check(url, published, self._pages):
            self.count(f"forest/skipped/{reason}")
            return
        if entry is None:
            self._late.add_link(key)
        yield self.page_request(url, notes, headers)

    async def parse_page(self, response: Response) -> AsyncIterator[Any]:
        """The page, and requests for the pages of the same site that it links."""
        if response.status == 304:
            self.crawl.history.not_modified(response)
            return
        notes = notes_of(response)
        late_entry = self._late.take(page_key(asked_url(response)))
        entry = notes.entry or late_entry
        page = ArticlePage.from_response(response, entry)
        page.is_article = entry is not None or notes.was_article
        yield await self._item_of(page)
        if notes.follow > 0:
            # The response of the page, since a page that cannot be read is emptied.
            links = await site_links(page.response, self.site_key)
            for request in self.link_requests(links, notes.follow - 1):
                yield request

    async def _item_of(self, page: ArticlePage) -> Any:
        """The page; under ``scrapy parse``, which prints what callbacks yield, its item."""
        if not is_for_scrapy_parse(page.response):
            return page
        from forest_scrapy.crawl.stored_templates import StoredTemplates  # no crawl needs it

        crawl = self.crawl
        templates = StoredTemplates(crawl.settings, crawl.rules, crawl.probe)
        extraction = await templates.extract(page)
        if not extraction.item:
            return page
        return convert_item(extraction.item, crawl.settings.item)

    def link_requests(
        self,
        links: Mapping[str, str],
        follow: int,
    ) -> list[Request]:
        """Requests for the links of a page to its own site, from which links are followed for so
        many steps.  Those for a method that reads the texts of links have these."""
        notes = PageNotes(follow=follow)
        reads_texts = self.crawl.settings.params.source == "links"
        requests: list[Request] = []
        for url, text in links.items():
            for request in self.page_requests(url, notes):
                if reads_texts:
                    request.meta["link_text"] = text
                requests.append(request)
        if requests:
            self.count("forest/links/followed", len(requests))
        return requests

    def page_failed(self, failure: Failure) -> list[Item]:
        """Count a page that could not be fetched, by its status or the name of the error; its feed
        entry becomes the article, or an item says that the article is gone."""
        request = self.failed_request(failure)
        error = failure.value
        status = failed_status(failure)
        if is_too_large(error):
            enqueue_empty(self.crawler, request, [TOO_LARGE])
            return []
        if isinstance(error, DroppedByMiddleware):  # which may know the page
            self.count("forest/skipped/by_middleware")
            self.logger.debug("Page %s is not requested: %s", request.url, error)
            return []

        self.count(failure_stat(failure))
        reason = failure_reason(failure)
        url = first_url(request)
        entry = notes_of(request).entry
        source = (entry.feed if entry else "") or host_with_port(url)
        self.crawl.unfetched.add("page", url, reason, source)
        self.logger.info("Page %s cannot be fetched: %s", request.url, reason)

        history = self.crawl.history
        is_lost = history.is_lost(url, status)
        gone = history.request_failed(url, status, entry)
        if gone:
            return [gone]
        if not is_lost and _uses_entry(self.crawl, request, error):
            enqueue_empty(self.crawler, request.replace(url=url), [NOT_FETCHED], status)
        return []

    def failed_request(self, failure: Failure) -> Request:
        """The request that has failed, which has its outcome now."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.crawl.outstanding.remove(request)
        return request

    def is_done(self, url: str, follow: int) -> bool:
        """Whether an earlier, killed run has fetched the page, and its links, which that run may
        not have followed, are not to be followed; or whether an earlier run of this job has an
        entry without a page of its own, which Scrapy's filter of requests does not see."""
        spool = self.crawl.spool
        if is_entry_url(url):
            return spool.knows(page_key(url))
        if not spool.run.was_recovered or follow:
            return False
        return spool.knows(page_key(url))

    def follow_page(self, url: str, notes: PageNotes) -> bool:
        """Request a further page of a thread or an article; whether it was not requested before,
        and may be now."""
        if not self.follows_pages or not takes_requests(self.crawler):
            return False
        max_depth = self.crawler.settings.getint("DEPTH_LIMIT")
        if max_depth and notes.depth > max_depth:
            return False
        requests = list(self.further_requests(url, notes))
        for request in requests:
            send_request(self.crawler, request)
        return bool(requests)

    def further_requests(
        self,
        url: str,
        notes: PageNotes,
    ) -> Iterator[Request]:
        """The request for a further page of a thread or an article; none if it was requested
        before, unless it did not look like an article then."""
        spool = self.crawl.spool
        key = page_key(url)
        if not notes.template:
            yield from self.page_requests(url, notes)
        elif spool.is_waiting(key):
            spool.make_ready(key, notes.template)
        elif spool.outcome(key) == "not_article":
            self.forget(url)
            for request in self.page_requests(url, notes):
                yield request.replace(dont_filter=True)
        else:
            yield from self.page_requests(url, notes)

    def forget(self, url: str) -> None:
        """Forget a page that was requested before in this crawl, so that it is requested again."""
        self._seen.discard(page_key(url))
        self.crawl.spool.forget(page_key(url))

    def resume_pages(self) -> None:
        """Request again the further pages that a run that was killed may have lost."""
        spool = self.crawl.spool
        if not spool.run.was_recovered:
            return
        for key in spool.held_pages.ends():
            if url := spool.held_pages.read(key).get("next_page"):
                self.follow_page(url, PageNotes(number=2))


def conditional_meta(headers: dict[str, str] | None) -> dict[str, Any]:
    """The request's meta with which a conditional request gets its response with status 304."""
    if headers:
        return {"handle_httpstatus_list": [304]}
    return {}


#: The messages of requests that Scrapy gives up, with an exception that projects use as well.
_GIVEN_UP = ("Forbidden by robots.txt", "max redirections reached")


def _uses_entry(
    crawl: CrawlContext,
    request: Request,
    error: BaseException | None,
) -> bool:
    """Whether a page that cannot be fetched because of this error becomes an article of its feed
    entry.

    Not if a middleware of the project ignores the request (it may know the page), and not if an
    earlier crawl has emitted the article itself, or its page is gone.
    """
    is_ignored = isinstance(error, IgnoreRequest) and not isinstance(error, HttpError)
    if is_ignored and str(error) not in _GIVEN_UP:
        return False
    if not (crawl.settings.entry_fallback and notes_of(request).entry):
        return False
    page = crawl.history.store.find(page_key(first_url(request)))
    if page is None:
        return True
    is_emitted = crawl.history.only_new and page.outcome == "article"
    return page.outcome != "gone" and not is_emitted
