"""When pages that are known are asked for again."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import is_entry_url
from forest_scrapy.crawl.page_records import entry_digest
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord
from forest_scrapy.stores.database import StoreUnavailable

_HOUR = 3600
_DAY = 86_400

#: Pages of a template from which the rate of its changes is estimated, at least.
_MIN_PAGES_OF_RATE = 20


class RecheckHours:
    """After how many hours the pages of new articles are asked for again: by how often those of
    their template change, ``hours`` for templates of which too little is known."""

    def __init__(self, store: HistoryStore, hours: tuple[float, ...]) -> None:
        self._store = store
        self._hours = hours
        #: Planned at first use.
        self._hours_by_template: dict[str, tuple[float, ...]] | None = None

    def of(self, page: PageRecord) -> tuple[float, ...]:
        """The hours after which this page is asked for again.  Cost: one query at first use."""
        if not self._hours:
            return ()
        if self._hours_by_template is None:
            self._hours_by_template = self._plan_hours()
        template = f"{page.host} {page.template}"
        return self._hours_by_template.get(template, self._hours)

    def _plan_hours(self) -> dict[str, tuple[float, ...]]:
        """The hours by template, by how often its articles change on their first day."""
        from forest_scrapy.core.change_rate import (  # a first crawl has nothing to ask for again
            ChangeRate,
            Look,
            estimate_rate,
            plan_hours,
            read_looks,
        )

        looks: defaultdict[str, list[Look]] = defaultdict(list)
        pages: Counter[str] = Counter()
        try:
            for host, template, spans in self._store.versions.spans():
                looks_at_page = read_looks(spans, _DAY)
                if looks_at_page:
                    name = f"{host} {template}"
                    looks[name] += looks_at_page
                    pages[name] += 1
        except StoreUnavailable:
            return {}
        rates = {}
        for name, number in sorted(pages.items()):
            if number >= _MIN_PAGES_OF_RATE:
                rate = estimate_rate(looks[name])
                rates[name] = ChangeRate(rate, number)
        return plan_hours(self._hours, rates)


def needs_request(
    page: PageRecord,
    entry: Entry,
    now: int,
    recheck_hours: Sequence[float] = (),
) -> bool:
    """Whether a page that is known and listed has to be requested again: if it is due (``due_at``),
    or if its entry is another one."""
    due = due_at(page, now, recheck_hours)
    if due is not None and due <= now:
        return True
    return entry_digest(entry) != page.entry_digest


def due_at(page: PageRecord, now: int, recheck_hours: Sequence[float] = ()) -> int | None:
    """From when on a page that is listed is requested again, in seconds since 1970; None for an
    entry without a page of its own, of which only the entry tells that it has changed.

    It is checked again when more time has passed since it was last fetched than it was old
    then, at least a day: after 1, 2, 4, 8 days and so on; that of a new article also after these
    hours (see ``is_due_again``); and at once if its last request failed, or if it was fetched later
    than ``now``, because the clock was wrong then or is now.
    """
    if page.fetched is None or page.outcome == "" or page.failures:
        return 0
    if page.fetched > now:
        return 0
    if is_entry_url(page.url):
        return None
    written = page.published or page.first_seen
    age = page.fetched - written
    stale_at = page.fetched + max(age, _DAY) + 1
    return min([stale_at, *_recheck_moments(page, recheck_hours)])


def is_due_again(page: PageRecord, now: int, hours: Sequence[float]) -> bool:
    """Whether one of these times after it was seen first has passed since an article was fetched
    that was at most a day old then."""
    return any(moment <= now for moment in _recheck_moments(page, hours))


def _recheck_moments(page: PageRecord, hours: Sequence[float]) -> list[int]:
    """When the page of a new article is due after these hours, without the moments before it was
    fetched; none for other pages."""
    if page.fetched is None or page.outcome != "article" or is_entry_url(page.url):
        return []
    if page.published is not None:
        age = page.first_seen - page.published
        if age > _DAY:
            return []
    moments = [int(page.first_seen + hour * _HOUR) for hour in hours]
    return [moment for moment in moments if page.fetched < moment]


@dataclass(frozen=True)
class NextRequest:
    """When a crawl with ``only_new`` asks for a page again that its feed lists as before.

    - ``is_listed``: whether the feed listed the page when it was read last; one that no feed lists
      any more is only asked for if it is listed again, or within the first hours.
    - ``due``: from when on, in seconds since 1970, 0 at once; None: not by itself.
    - ``feed_due``: when the feed itself is due, which matters if crawls poll feeds when these are
      due; None without a feed.
    """

    is_listed: bool
    due: int | None
    feed_due: int | None


def plan_next_request(
    page: PageRecord,
    feed: FeedRecord | None,
    now: int,
    recheck_hours: Sequence[float],
) -> NextRequest:
    """When a page is asked for again; ``feed``: the one that has listed it."""
    is_listed = feed is not None and page.last_seen >= (feed.read or 0)
    due: int | None
    if is_listed or page.is_failing:
        due = due_at(page, now, recheck_hours)
    else:
        due = min(_recheck_moments(page, recheck_hours), default=None)
    if feed is None:
        return NextRequest(is_listed, None, None)
    return NextRequest(is_listed, due, feed.due_at(now))
