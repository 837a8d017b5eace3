"""What the spiders share: arguments, intra-site links, and pages asked for again after a kill."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.httperror import HttpError
from tldextract import TLDExtract
from twisted.python.failure import Failure

from forest_scrapy.core import Entry
from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.responses import page_key
from forest_scrapy.stores import Spool

__all__ = ["ArticleSpider", "BadArgument", "as_url", "read_lines", "read_steps", "site_of"]


class BadArgument(ValueError):
    """A spider argument cannot be used; the message says what can."""


class ArticleSpider(Spider):
    """Base of the spiders that ship.

    Requests carry ``meta["forest"]``: the ``entry`` of a feed, and how many steps of links to
    ``follow`` from the page.
    """

    crawler: Crawler

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._asked: set[str] = set()

    def page_request(
        self, url: str, entry: Entry | None = None, follow: int = 0, **options: Any
    ) -> Request:
        """A request for a page that may be an article."""
        about = {"entry": entry.to_dict() if entry else None, "follow": follow}
        return Request(
            url,
            callback=self.parse_page,
            errback=self.page_failed,
            meta={"forest": about},
            dont_filter=self._was_killed and not self._has_asked(url),
            **options,
        )

    def parse_page(self, response: Response) -> Iterator[Any]:
        """The page, and requests for the pages of the same site that it links."""
        about = response.meta.get("forest", {})
        entry = Entry.from_dict(about["entry"]) if about.get("entry") else None
        page = ArticlePage.from_response(response, entry)
        page.is_article = entry is not None
        yield page
        if about.get("follow", 0) > 0:
            yield from self.follow_links(response, about["follow"] - 1)

    def follow_links(self, response: Response, follow: int) -> Iterator[Request]:
        """Requests for the links of a page that stay on its site, in the page's order."""
        if not isinstance(response, HtmlResponse):
            return
        site = site_of(response.url)
        for link in LinkExtractor().extract_links(response):
            if site_of(link.url) == site and not self.is_done(link.url, follow):
                self.count("forest/links/followed")
                yield self.page_request(link.url, follow=follow)

    def page_failed(self, failure: Failure) -> None:
        """Count a page that could not be fetched, by its status or the error's name."""
        error = failure.value
        if isinstance(error, HttpError):
            reason = f"status_{error.response.status}"
        else:
            reason = type(error).__name__
        self.count(f"forest/failed/{reason}")
        url = failure.request.url  # type: ignore[attr-defined]
        self.logger.info("Page %s cannot be fetched: %s", url, reason)

    def count(self, stat: str, n: int = 1) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(stat, n)

    def is_done(self, url: str, follow: int) -> bool:
        """Whether an earlier run of the crawl, killed since, has the page, and no links of it
        are wanted.  (Those of a page that has them are followed again: the killed run may not
        have come to them.)"""
        return self._was_killed and not follow and self._spool.knows(page_key(url))

    @property
    def _spool(self) -> Spool:
        return context_of(self.crawler).templates.spool

    @property
    def _was_killed(self) -> bool:
        """Whether the run before was killed.  It has lost its queue, but not its list of the
        requests made: what was queued must pass Scrapy's filter of duplicates, once."""
        return self._spool.was_killed

    def _has_asked(self, url: str) -> bool:
        """Whether this run has made a request for the page; from now on it has."""
        key = page_key(url)
        has_asked = key in self._asked
        self._asked.add(key)
        return has_asked


@cache
def _suffixes() -> TLDExtract:
    # The list that comes with the package: nothing is fetched.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def site_of(url: str) -> str:
    """The registered domain of a URL, or host and port where it has none (an address).

    >>> site_of("https://www.example.co.uk/a"), site_of("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1:8000')
    """
    found = _suffixes()(url)
    return found.top_domain_under_public_suffix or urlsplit(url).netloc.lower()


def as_url(text: str) -> str:
    """An http(s) URL, with ``https://`` put before a bare host.

    >>> as_url("example.org/feed")
    'https://example.org/feed'
    """
    text = text.strip()
    url = text if "://" in text else f"https://{text}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise BadArgument(f"{text!r} is no http or https URL")
    return url


def read_steps(name: str, value: str | int) -> int:
    """A number of link steps, from 0."""
    try:
        steps = int(value)
    except ValueError:
        steps = -1
    if steps < 0:
        raise BadArgument(f"-a {name}={value}: must be a whole number from 0")
    return steps


def read_lines(path: str) -> list[str]:
    """The lines of a file that are neither empty nor comments (``#``)."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadArgument(f"{path}: {error.strerror}; name a file with one URL a line") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
