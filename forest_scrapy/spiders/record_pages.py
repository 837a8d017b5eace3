"""Which pages of records are requested, and which of them belong to their record.

A few are open at a time: where the server refuses them, the others are not requested any more.

A link names the page of its record, unless others link to other parts of that.  A redirect may lead
to the page of a record under another name, to that of another record, or to one page for all, such
as a login, whose URL often tells where a visitor comes from.  So what a redirected page tells is
its record's only if no other record of the crawl leads to the same page, or to one that tells the
same.  That is known at the end: until then these records wait, and the order of responses does not
matter.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from forest_scrapy.core.page.urls import fold_url
from forest_scrapy.forms.items import FormRecord

if TYPE_CHECKING:
    from forest_scrapy.forms.details import Pair

#: Pages that fail in a row, and then no other one is requested.
MAX_FAILURES = 5


@dataclass(frozen=True)
class RecordPage:
    """What the page of a record tells, that was fetched from ``url`` at last."""

    record: FormRecord
    url: str
    title: str
    pairs: Sequence[Pair]

    @property
    def content(self) -> tuple[str, tuple[Pair, ...]]:
        return self.title, tuple(self.pairs)

    @property
    def is_redirected(self) -> bool:
        return _page_key(self.url) != _page_key(self.record.url)


@dataclass(frozen=True)
class PlacedPage:
    """A page that is decided on: whether it belongs to its record."""

    page: RecordPage
    is_own: bool


class RecordPages:
    """At most ``max_pages`` pages, ``max_open`` of them at a time.  Threads may share it."""

    def __init__(self, max_pages: int, max_open: int) -> None:
        self._max_pages = max_pages
        self._max_open = max(max_open, 1)
        self._urls: set[str] = set()
        self._links: dict[str, set[str]] = {}
        self._waiting: deque[FormRecord] = deque()
        self._open = 0
        self._unplaced = 0
        self._failures = 0
        self._held: list[RecordPage] = []
        self._targets: Counter[str] = Counter()
        self._contents: Counter[tuple[str, tuple[Pair, ...]]] = Counter()
        self._has_all_records = False
        self._lock = Lock()
        self.is_refused = False

    def note_link(self, url: str) -> bool:
        """Note the page of a record, also if it is not requested; whether other records link to
        other parts of it."""
        with self._lock:
            links = self._links.setdefault(_page_key(url), set())
            links.add(url)
            return len(links) > 1

    def has_room(self, url: str) -> bool:
        """Whether the page can be added: each is requested once, also for several parts of it."""
        with self._lock:
            return len(self._urls) < self._max_pages and _without_part(url) not in self._urls

    def add(self, record: FormRecord) -> bool:
        """Have the page of a record requested; False if the server refuses all."""
        with self._lock:
            self._urls.add(_without_part(record.url))
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
            self._unplaced += 1
            return self._waiting.popleft()

    def note_answer(self) -> None:
        """A page is there; ``place`` or ``note_unread`` follows when it was read."""
        with self._lock:
            self._open -= 1
            self._failures = 0

    def note_failure(self, is_refusal: bool) -> bool:
        """Whether the server refuses all pages, since this one."""
        with self._lock:
            self._open -= 1
            self._unplaced -= 1
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

    def note_unread(self) -> None:
        """A page that is there tells nothing."""
        with self._lock:
            self._unplaced -= 1

    def place(self, page: RecordPage) -> PlacedPage | None:
        """The page, if it can be decided on at once; else it waits for ``release``."""
        with self._lock:
            self._unplaced -= 1
            self._contents[page.content] += 1
            if page.is_redirected:
                self._targets[_page_key(page.url)] += 1
            elif "#" not in page.record.url:
                return PlacedPage(page, is_own=True)
            self._held.append(page)
            return None

    def note_last_record(self) -> None:
        """No record follows; ``release`` tells of the pages that wait."""
        with self._lock:
            self._has_all_records = True

    def release(self) -> list[PlacedPage]:
        """The pages that wait, if no other one is to come."""
        with self._lock:
            is_last = self._has_all_records and not self._unplaced and not self._waiting
            if not is_last:
                return []
            placed = [PlacedPage(page, self._is_own(page)) for page in self._held]
            self._held.clear()
            return placed

    def _is_own(self, page: RecordPage) -> bool:
        key = _page_key(page.url)
        if not page.is_redirected:
            return len(self._links.get(key, ())) <= 1
        is_linked = key in self._links
        return not is_linked and self._targets[key] == 1 and self._contents[page.content] == 1


def _page_key(url: str) -> str:
    """What the URLs of a page have in common, of whatever part of it."""
    return fold_url(_without_part(url))


def _without_part(url: str) -> str:
    page_url, _, _ = url.partition("#")
    return page_url
