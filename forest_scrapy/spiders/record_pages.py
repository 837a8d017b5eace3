"""Which pages of records are requested, and which of them belong to their record.

A few are open at a time: where the server refuses them, the others are not requested any more.  A
redirect may lead to the page of a record under another name, or to one page for all, such as a
login.  So a page that was redirected waits for the next ones, and what several records lead to
belongs to none.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from scrapy.http import Response

from forest_scrapy.core.page.urls import fold_url
from forest_scrapy.forms.items import FormRecord

#: Pages that fail in a row, and then no other one is requested.
MAX_FAILURES = 5
#: Redirected pages that wait: more than are open at once by default need not.
MAX_REDIRECTED = 8

#: A record with the response of its page; None if that does not belong to it.
PageOfRecord = tuple[FormRecord, Response | None]


@dataclass(frozen=True)
class _RedirectedPage:
    record: FormRecord
    response: Response
    target: str


class RecordPages:
    """At most ``max_pages`` pages, ``max_open`` of them at a time.  Threads may share it."""

    def __init__(self, max_pages: int, max_open: int) -> None:
        self._max_pages = max_pages
        self._max_open = max(max_open, 1)
        self._urls: set[str] = set()
        self._waiting: deque[FormRecord] = deque()
        self._open = 0
        self._failures = 0
        self._redirected: deque[_RedirectedPage] = deque()
        self._targets: set[str] = set()
        self._lock = Lock()
        self.is_refused = False

    def has_room(self, url: str) -> bool:
        """Whether the page can be added: each is requested once."""
        return len(self._urls) < self._max_pages and url not in self._urls

    def add(self, record: FormRecord) -> bool:
        """Have the page of a record requested; False if the server refuses all."""
        with self._lock:
            self._urls.add(record.url)
            if self.is_refused:
                return False
            self._waiting.append(record)
            return True

    def open_next(self) -> FormRecord | None:
        """The record whose page is to be requested now; None if enough are open."""
        with self._lock:
            if not self._waiting or self._open >= self._max_open:
                return None
            self._open += 1
            return self._waiting.popleft()

    def note_answer(self) -> None:
        with self._lock:
            self._open -= 1
            self._failures = 0

    def note_failure(self, is_refusal: bool) -> bool:
        """Whether the server refuses all pages, since this one."""
        with self._lock:
            self._open -= 1
            self._failures += is_refusal
            is_last = self._failures >= MAX_FAILURES and not self.is_refused
            if is_last:
                self.is_refused = True
            return is_last

    def give_up(self) -> list[FormRecord]:
        """The records whose pages are not requested any more."""
        with self._lock:
            records = list(self._waiting)
            self._waiting.clear()
            return records

    def place(self, record: FormRecord, response: Response) -> list[PageOfRecord]:
        """The records that are complete with this response, with their pages."""
        if fold_url(response.url) == fold_url(record.url):
            return [(record, response), *self.release()]
        target = _target_of(response.url, record.url)
        pages: list[PageOfRecord] = []
        if target in self._targets:
            pages.append((record, None))
            same_pages = [page for page in self._redirected if page.target == target]
            for page in same_pages:
                self._redirected.remove(page)
                pages.append((page.record, None))
        else:
            self._targets.add(target)
            self._redirected.append(_RedirectedPage(record, response, target))
        if len(self._redirected) > MAX_REDIRECTED:
            first_page = self._redirected.popleft()
            pages.append((first_page.record, first_page.response))
        return [*pages, *self.release()]

    def release(self) -> list[PageOfRecord]:
        """The redirected pages that wait, if no other page is to come."""
        if self._open or self._waiting:
            return []
        pages: list[PageOfRecord] = []
        for page in self._redirected:
            pages.append((page.record, page.response))
        self._redirected.clear()
        return pages


def _target_of(url: str, link: str) -> str:
    """The URL without the parameters that tell from where a visitor came.

    >>> _target_of("http://a.example/login?next=/book/5&lang=en", "http://a.example/book/5")
    'a.example/login lang=en'
    """
    parts = urlsplit(url)
    path = urlsplit(link).path
    names = [f"{parts.netloc}{parts.path}"]
    for name, value in parse_qsl(parts.query):
        if path not in value:
            names.append(f"{name}={value}")
    return " ".join(names)
