"""Articles from feed entries: the full text, and pages that cannot be fetched."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.spidermiddlewares.httperror import HttpError

from forest_scrapy.core import Entry, Extract, Page, Wrapper
from forest_scrapy.core.page.text_sources import is_better, read_entry, read_full_text
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.engine import enqueue
from forest_scrapy.responses.conversion import first_url, page_key
from forest_scrapy.responses.notes import notes_of

__all__ = ["ENTRY", "emit_empty", "extract_entry", "find_full_text", "uses_entry"]

#: Stands for the entry as a wrapper.
ENTRY = Wrapper("entry", source="entry")
#: The messages of requests that Scrapy gives up, with an exception that projects use as well.
_GIVEN_UP = ("Forbidden by robots.txt", "max redirections reached")


def uses_entry(crawl: CrawlContext, request: Request, error: BaseException | None) -> bool:
    """Whether a page that cannot be fetched because of this error becomes an article of its feed
    entry.

    Not if a middleware of the project ignores the request (it may know the page), and not if an
    earlier crawl has emitted the article itself.
    """
    is_ignored = isinstance(error, IgnoreRequest) and not isinstance(error, HttpError)
    if is_ignored and str(error) not in _GIVEN_UP:
        return False
    if not (crawl.settings.entry_fallback and notes_of(request).entry):
        return False
    known = crawl.history.store.find(page_key(first_url(request)))
    return not (crawl.history.only_new and known is not None and known.outcome == "article")


def emit_empty(crawler: Crawler, request: Request, flag: str, status: int = 200) -> None:
    """Hand a response without body to the request's callback, which passes on the page: its feed
    entry may describe it.  ``flag``: why there is no body; ``status``: 0 if there was no
    response."""
    again = request.copy()  # Scrapy is still busy with the request itself
    again.meta["handle_httpstatus_all"] = True
    enqueue(crawler, Response(again.url, status=status, request=again, flags=[flag]))


def extract_entry(entry: Entry, url: str) -> Extract:
    """What the entry says of the page with this URL."""
    return Extract(read_entry(entry, url))


def find_full_text(page: Page, wrapper: Wrapper, found: Extract) -> Extract | None:
    """The full text of the page's feed entry if it is better than what the wrapper found on the
    page; else None."""
    entry = page.entry
    if entry is None or entry.signifiers_only or not entry.content:
        return None
    full = read_full_text(entry, page.base_url)
    if wrapper.source == "entry":  # nothing was found on the page
        return Extract(full) if full.text else None
    return Extract(full) if is_better(full.body, found.text) else None
