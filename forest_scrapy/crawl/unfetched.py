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

#: Pages that are kept by URL for each reason; feeds and sitemaps are all kept.
_EXAMPLES = 20
#: Sources and reasons that the summary names.
_NAMED = 10
#: A URL in the message of an error, with the marks around it.
_URL = re.compile(r"[<'\"]?\bhttps?://[^\s<>'\"]+[>'\"]?")


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
        if request.meta.get(_NUMBER) is None:
            self._count += 1
            request.meta[_NUMBER] = self._count
        self._requests.setdefault(id(response), {})[request.meta[_NUMBER]] = request

    def note_sent(self, response: Response | None, request: Request) -> None:
        """Note that a request, or what a middleware has made of it, has come to the engine."""
        number = request.meta.pop(_NUMBER, None)
        if number is not None:
            self._requests.get(id(response), {}).pop(number, None)

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


class UnfetchedRequests:
    """Collects what could not be fetched.  Of pages with the same reason the first are kept, the
    others are counted."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Unfetched] = {}
        self._counts: Counter[tuple[str, str]] = Counter()
        self._by_source: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, url: str, reason: str, source: str = "") -> None:
        """Note one; of the same URL the latest reason counts.  ``source``: the feed that lists a
        page, or its host."""
        if source:
            self._by_source[source, reason] += 1
        if kind != "page" or self._counts[kind, reason] < _EXAMPLES:
            self._found[kind, url] = Unfetched(kind, url, reason)
        self._counts[kind, reason] += 1

    def by_source(self) -> Mapping[tuple[str, str], int]:
        """How many pages failed, by source and reason."""
        return self._by_source

    def rows(self) -> tuple[Unfetched, ...]:
        """What is kept: feeds first, then sitemaps and pages, by URL."""
        order = {"feed": 0, "sitemap": 1, "page": 2}
        return tuple(sorted(self._found.values(), key=lambda one: (order[one.kind], one.url)))

    def summary(self) -> str:
        """A part of a sentence; ``""`` if all was fetched.

        >>> found = UnfetchedRequests()
        >>> found.add("feed", "https://a.example/feed", "status 404")
        >>> for number in range(3):
        ...     found.add("page", f"https://a.example/{number}", "status 500")
        >>> found.summary()
        '1 feed failed (https://a.example/feed: status 404); 3 pages failed (status 500: 3)'
        """
        parts = []
        for kind in ("feed", "sitemap"):
            own = [one for one in self.rows() if one.kind == kind]
            named = [f"{one.url}: {one.reason}" for one in own[:_NAMED]]
            named += [f"and {len(own) - _NAMED} more"] if len(own) > _NAMED else []
            if own:
                parts.append(f"{_count(len(own), kind)} failed ({', '.join(named)})")
        pages = {reason: n for (kind, reason), n in self._counts.items() if kind == "page"}
        if pages:
            ranked = sorted(pages.items(), key=lambda one: (-one[1], one[0]))
            named = [f"{reason}: {n}" for reason, n in ranked[:_NAMED]]
            left = sum(n for _, n in ranked[_NAMED:])
            named += [f"other reasons: {left}"] if left else []
            parts.append(f"{_count(sum(pages.values()), 'page')} failed ({', '.join(named)})")
        return "; ".join(parts)


def failure_reason(failure: Failure) -> str:
    """Why a request failed, on one line: the HTTP status, or the error."""
    return describe_error(failure.value)


def describe_error(error: BaseException | None) -> str:
    """As ``failure_reason``, of the error; without the URL, so that pages have one reason.

    >>> describe_error(OSError("no  route")), describe_error(ValueError())
    ('no route', 'ValueError')
    >>> describe_error(TimeoutError("Getting http://a.example/1 took longer than 9 seconds."))
    'Getting it took longer than 9 seconds.'
    """
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    if reasons := getattr(error, "reasons", None):  # of Twisted: it has only a list of failures
        return describe_error(reasons[0].value)
    if isinstance(error, SSLError) and error.args and isinstance(error.args[0], list):
        return "TLS: " + ", ".join(str(one[-1]) for one in error.args[0])
    return " ".join(_URL.sub("it", str(error)).split()) or type(error).__name__


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
