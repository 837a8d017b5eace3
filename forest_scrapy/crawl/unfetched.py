"""What a crawl could not fetch or read: feeds, sitemaps and pages, with the reasons, for the
summary at its end and for the report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from OpenSSL.SSL import Error as SSLError
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from forest_scrapy.core import ForestError
from forest_scrapy.core.plurals import count

#: Pages that are kept by URL for each reason; feeds and sitemaps are all kept.
_MAX_EXAMPLES = 20
#: Sources and reasons that the summary names.
_MAX_NAMED = 10
#: A URL in the message of an error, with the marks around it, and the status or method before it.
_URL = re.compile(r"(?:<(?:\w{1,10}\s)?|['\"])?\bhttps?://[^\s<>'\"]+[>'\"]?")


class UrlTooLong(ForestError):
    """A URL that Scrapy does not request, since it is longer than ``URLLENGTH_LIMIT``."""

    reason = "url_too_long"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the URL has more than {limit} characters, URLLENGTH_LIMIT")


class DroppedByMiddleware(IgnoreRequest):
    """A request that a spider middleware has dropped, for its depth for example."""

    reason = "by_middleware"

    def __init__(self) -> None:
        super().__init__("dropped by a spider middleware")


class MadeRequests:
    """The requests that a spider has made for each response, or at its start (None), and that were
    not sent yet.  A request has its number in the meta until it is sent."""

    def __init__(self) -> None:
        self._count = 0
        self._requests: dict[int, dict[int, Request]] = {}

    def add(self, response: Response | None, request: Request) -> None:
        """Note a request."""
        number = request.meta.get(_NUMBER)
        if number is None:
            self._count += 1
            number = self._count
            request.meta[_NUMBER] = number
        requests = self._requests.setdefault(id(response), {})
        requests[number] = request

    def note_sent(self, response: Response | None, request: Request) -> None:
        """Note that a request, or what a middleware has made of it, has come to the engine."""
        number = request.meta.pop(_NUMBER, None)
        if number is None:
            return
        requests = self._requests.get(id(response), {})
        requests.pop(number, None)

    def take_dropped(self, response: Response | None) -> list[Request]:
        """The requests for a response that were not sent, when all others were."""
        requests = self._requests.pop(id(response), {})
        for request in requests.values():
            request.meta.pop(_NUMBER, None)
        return list(requests.values())


#: The key of a request's number in its meta.
_NUMBER = "forest_number"


@dataclass(frozen=True)
class Unfetched:
    """A feed, sitemap or page (``kind``) that could not be fetched or read, and why."""

    kind: str
    url: str
    reason: str


#: The order in which kinds are listed.
_KINDS = ("feed", "sitemap", "page")


class UnfetchedRequests:
    """Collects what could not be fetched.  Of pages with the same reason the first are kept, the
    others are counted."""

    def __init__(self) -> None:
        #: What is kept, by kind and URL.
        self._unfetched: dict[tuple[str, str], Unfetched] = {}
        #: The pages that are not kept, by reason.
        self._left_out: Counter[str] = Counter()
        #: How many there are, by kind and reason.
        self._counts: Counter[tuple[str, str]] = Counter()
        self._by_source: Counter[tuple[str, str]] = Counter()

    def add(
        self,
        kind: str,
        url: str,
        reason: str,
        source: str = "",
    ) -> None:
        """Note a feed, sitemap or page; of the same URL the latest reason counts.  ``source``: the
        feed that lists a page, or its host."""
        if source:
            self._by_source[source, reason] += 1
        has_room = self._counts[kind, reason] < _MAX_EXAMPLES
        if kind != "page" or has_room:
            self._unfetched[kind, url] = Unfetched(kind, url, reason)
        else:
            self._left_out[reason] += 1
        self._counts[kind, reason] += 1

    def by_source(self) -> Mapping[tuple[str, str], int]:
        """How many pages failed, by source and reason."""
        return self._by_source

    def left_out(self) -> Mapping[str, int]:
        """How many pages are not among ``rows``, by reason."""
        return self._left_out

    def rows(self) -> tuple[Unfetched, ...]:
        """What is kept: feeds first, then sitemaps and pages, by URL."""

        def order(unfetched: Unfetched) -> tuple[int, str]:
            return _KINDS.index(unfetched.kind), unfetched.url

        return tuple(sorted(self._unfetched.values(), key=order))

    def summary(self) -> str:
        """A part of a sentence; ``""`` if all was fetched.

        >>> requests = UnfetchedRequests()
        >>> requests.add("feed", "https://a.example/feed", "status 404")
        >>> for number in range(3):
        ...     requests.add("page", f"https://a.example/{number}", "status 500")
        >>> requests.summary()
        '1 feed failed (https://a.example/feed: status 404); 3 pages failed (status 500: 3)'
        """
        parts = [
            self._summarize_sources("feed"),
            self._summarize_sources("sitemap"),
            self._summarize_pages(),
        ]
        return "; ".join(part for part in parts if part)

    def _summarize_sources(self, kind: str) -> str:
        """Which feeds, or sitemaps, failed and why; ``""`` if none did."""
        sources = []
        for source in self.rows():
            if source.kind == kind:
                sources.append(source)
        if not sources:
            return ""
        names = [f"{source.url}: {source.reason}" for source in sources[:_MAX_NAMED]]
        further_count = len(sources) - _MAX_NAMED
        if further_count > 0:
            names.append(f"and {further_count} more")
        total = count(len(sources), kind)
        return f"{total} failed ({', '.join(names)})"

    def _summarize_pages(self) -> str:
        """How many pages failed for which reasons, the most frequent first; ``""`` if none did."""
        counts: Counter[str] = Counter()
        for (kind, reason), number in self._counts.items():
            if kind == "page":
                counts[reason] = number
        if not counts:
            return ""

        reasons = sorted(counts, key=lambda reason: (-counts[reason], reason))
        names = [f"{reason}: {counts[reason]}" for reason in reasons[:_MAX_NAMED]]
        unnamed_count = sum(counts[reason] for reason in reasons[_MAX_NAMED:])
        if unnamed_count:
            names.append(f"other reasons: {unnamed_count}")
        total = count(counts.total(), "page")
        return f"{total} failed ({', '.join(names)})"


def failed_status(failure: Failure) -> int:
    """The HTTP status of a failed request; 0 if there was no response."""
    error = failure.value
    if not isinstance(error, HttpError):
        return 0
    return int(error.response.status)


def failure_stat(failure: Failure) -> str:
    """The stat that counts a page that could not be fetched: by its status, or the error."""
    status = failed_status(failure)
    if status:
        return f"forest/failed/status_{status}"
    error_name = getattr(failure.value, "reason", type(failure.value).__name__)
    return f"forest/failed/{error_name}"


def failure_reason(failure: Failure) -> str:
    """Why a request failed, on one line: the HTTP status, or the error."""
    return describe_error(failure.value)


def describe_error(error: BaseException | None) -> str:
    """As ``failure_reason``, of the error; without the URL, so that pages have one reason.

    >>> describe_error(OSError("no  route")), describe_error(ValueError())
    ('no route', 'ValueError')
    >>> describe_error(TimeoutError("Getting http://a.example/1 took longer than 9 seconds."))
    'Getting it took longer than 9 seconds'
    """
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    failures = getattr(error, "reasons", None)  # of Twisted: it has only a list of failures
    if failures:
        return describe_error(failures[0].value)
    entries = error.args[0] if isinstance(error, SSLError) and error.args else None
    if isinstance(entries, list):
        reasons = [str(entry[-1]) for entry in entries]
        return f"TLS: {', '.join(reasons)}"
    message = _URL.sub("it", str(error))
    message = " ".join(message.split()).rstrip(".")  # it is a part of a sentence
    return message or type(error).__name__
