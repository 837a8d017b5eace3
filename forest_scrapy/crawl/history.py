"""The history of a crawl: which feeds and pages to request, and what is new on those that were
fetched."""

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import BadRules, Entry
from forest_scrapy.core.changes import (
    TextSummary,
    compare_texts,
    have_other_prose,
    share_changed,
    summarize_text,
)
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.items import ITEM_KINDS, is_teaser
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.schedule import FeedHints, Interval, choose_due, read_retry_after
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.conversion import asked_url, decode_headers
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.stores import FeedRecord, HistoryStore, LatestArticle, PageRecord

_HOUR, _DAY = 3600, 86_400
#: Characters of a line that is no label or number.
_LONG_LINE = 40
#: Seconds after which a feed is read in full: a server whose clock or ETags are wrong may always
#: answer 304, and pages that are to be checked again are only known from the body.
_MOST_UNREAD = 7 * _DAY


@dataclass(frozen=True)
class PlannedPage:
    """A page to request, with the headers that make the request conditional; without an entry,
    an article that has vanished from its feed."""

    url: str
    entry: Entry | None
    headers: dict[str, str]


class FeedHistory:
    """What earlier crawls know of feeds and of the pages that they list.  ``only_new``: it decides
    which of these pages are requested, and requests are conditional.  ``recheck_hours``: when the
    pages of new articles are asked for again (see ``is_due_again``)."""

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        only_new: bool = False,
        clock: Callable[[], float] = time.time,
        interval: Interval | None = None,
        recheck_hours: Sequence[float] = (),
    ) -> None:
        self._store, self._stats, self._only_new, self._clock = store, stats, only_new, clock
        self._recheck = tuple(recheck_hours)
        self._interval, self._started = interval or Interval(), int(clock())
        #: The records of feeds that are being polled.
        self._polled: dict[str, FeedRecord] = {}
        #: See ``CrawlHistory.done``; a crawl that watches feeds does not request these again.
        self.held: dict[str, str] = {}

    def due(self, url: str) -> int:
        """When a feed is to be polled, in seconds since 1970; see ``FeedRecord.due_at``."""
        return self._find(url).due_at(int(self._clock()))

    def headers(self, url: str) -> dict[str, str]:
        """Headers for a conditional request; none if pages that the feed lists are still to be
        fetched, because they are only known from its body, or if it was not read for a week, or
        later than now, because the clock was wrong."""
        known = self._polled[url] = self._find(url)
        is_recent = known.read and 0 <= self._clock() - known.read < _MOST_UNREAD
        if not self._only_new or not is_recent or self._store.has_failing_pages(url):
            return {}
        named = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        return {name: value for name, value in named.items() if value}

    def is_not_modified(self, response: Response) -> bool:
        """Whether the feed has answered with status 304, which is noted."""
        if response.status != 304:
            return False
        known = self._find(asked_url(response))
        now = int(self._clock())
        self._save(replace(known, polled=now, status=304, failures=0))
        self._stats.inc_value("forest/history/feeds_not_modified")
        return True

    def is_read_elsewhere(self, response: Response) -> bool:
        """Whether another crawl with ``only_new`` reads the feed, of which each item would be
        emitted twice; if not, none will until this one ends."""
        if not self._only_new or self._store.claim_feed(asked_url(response)):
            return False
        self._stats.inc_value("forest/feeds/read_elsewhere")
        return True

    def was_read(self, response: Response, feed: Feed, is_complete: bool) -> None:
        """Note a feed that was read; unless ``is_complete``, it is read again next time."""
        known, now = self._find(asked_url(response)), int(self._clock())
        headers = decode_headers(response) if is_complete else {}
        self._save(
            replace(
                known,
                etag=headers.get("Etag", ""),
                last_modified=headers.get("Last-Modified", ""),
                status=response.status,
                failures=0,
                polled=now,
                read=now,
                hints=to_json(feed.hints),
                dates=(*known.dates, *(date for date in _dates(feed.items) if date <= now)),
            )
        )

    def has_failed(self, url: str, status: int, retry_after: str = "") -> None:
        """Note a feed that could not be fetched or read; ``status``: 0 without a response;
        ``retry_after``: the header."""
        known = self._find(url)
        now, failures = int(self._clock()), known.failures + 1
        failed = replace(known, polled=now, status=status, failures=failures)
        self._save(failed, read_retry_after(retry_after, now))

    def pages(self, items: Sequence[tuple[str, Entry]]) -> list[PlannedPage]:
        """The pages to request of items of a feed: all, or with ``only_new`` those that
        ``needs_request`` tells."""
        return [page for url, entry in items if (page := self._plan(url, entry))]

    def vanished(self, response: Response, items: Sequence[tuple[str, Entry]]) -> list[PlannedPage]:
        """With ``only_new``, the pages to request that are not among all items of the feed any
        more: articles that were when it was read last, though older ones still are, and pages
        that are still to be fetched."""
        known, dates = self._find(asked_url(response)), _dates(items)
        if not self._only_new or known.read is None:
            return []
        listed = self._store.feed_pages(known.url, min(dates)) if dates else ()
        pages = {page.key: page for page in listed if known.read <= page.last_seen}
        pages |= {page.key: page for page in self._store.failing_pages(known.url)}
        for url, _ in items:
            pages.pop(page_key(url), None)
        return [PlannedPage(page.url, None, self.page_headers(page)) for page in pages.values()]

    def young(self, feed: str) -> list[PlannedPage]:
        """With ``only_new``, the pages of new articles of a feed that are due again: most
        corrections are made within hours, and the feed need not tell them."""
        if not self._only_new or not self._recheck:
            return []
        now = int(self._clock())
        since = now - int(max(self._recheck) * _HOUR) - _DAY
        found = self._store.pages_first_seen_since(feed, since)
        due = [page for page in found if is_due_again(page, now, self._recheck)]
        return [PlannedPage(page.url, None, self.page_headers(page)) for page in due]

    def was_known(self, url: str) -> bool:
        """Whether an earlier crawl, with only_new, has listed or requested this URL."""
        known = self._store.find(page_key(url)) if self._only_new else None
        return known is not None and known.first_seen < self._started

    def was_listed(
        self, feed: str, items: Sequence[tuple[str, Entry]], requested: Collection[str]
    ) -> bool:
        """Note items of a feed, of which these URLs are requested; whether all of them were
        requested, now or in an earlier crawl.  If not, the feed has to be read again in full next
        time."""
        records, now = [], int(self._clock())
        for url, entry in items:
            key = page_key(url)
            known = self._store.find(key)
            if known or url in requested:
                record = known or PageRecord(key, host_of(url), url, now, now)
                records.append(replace(record, last_seen=now, feed=feed, entry_id=entry.id))
        self._store.save(*records)
        return len(records) == len(items)

    def page_headers(self, known: PageRecord | None) -> dict[str, str]:
        """Headers for a conditional request.  Without an ETag the page is always downloaded
        (Clausen 2004); with one, the date is sent as well, which servers ignore if they compare
        ETags (RFC 9110)."""
        if not self._only_new or known is None or known.outcome != "article" or not known.etag:
            return {}
        dated = {"If-Modified-Since": known.last_modified} if known.last_modified else {}
        return {"If-None-Match": known.etag, **dated}

    def _save(self, feed: FeedRecord, retry_after: int | None = None) -> None:
        """Write a feed that was polled just now, with the time when it is due again; not while a
        shared store is unavailable, because what it knows of the feed would be lost."""
        if self._store.database.seconds_unavailable() is not None:
            return
        now, hints = int(self._clock()), _read_hints(feed)
        due = choose_due(
            feed.url, feed.dates, now, self._interval, hints, feed.failures, retry_after
        )
        self._store.save(feed=replace(feed, due=due))

    def _find(self, url: str) -> FeedRecord:
        return self._polled.pop(url, None) or self._store.feeds.find(url) or FeedRecord(url)

    def _plan(self, url: str, entry: Entry) -> PlannedPage | None:
        known = self._store.find(page_key(url))
        seen = known and replace(known, outcome="article") if page_key(url) in self.held else known
        now = int(self._clock())
        if self._only_new and seen and not needs_request(seen, entry, now, self._recheck):
            self._stats.inc_value("forest/history/skipped")
            return None
        return PlannedPage(url, entry, self.page_headers(known))


def _read_hints(feed: FeedRecord) -> FeedHints:
    """What the feed has said of polling; nothing if that cannot be read."""
    try:
        hints = from_json(FeedHints, feed.hints, ignore_unknown=True)
    except BadRules:
        return FeedHints()
    seconds = (hints.ttl, hints.max_age, hints.period)
    return hints if all(one is None or one >= 0 for one in seconds) else FeedHints()


def _dates(items: Sequence[tuple[str, Entry]]) -> list[int]:
    """The publication dates of the entries, in seconds since 1970."""
    dates = (to_seconds(entry.published) for _, entry in items)
    return [date for date in dates if date is not None]


def needs_request(
    known: PageRecord, entry: Entry, now: int, recheck_hours: Sequence[float] = ()
) -> bool:
    """Whether a page that is known has to be requested again.

    It is checked again when as much time has passed since it was last fetched as it was old
    then, at least a day: after 1, 2, 4, 8 days and so on; that of a new article also after these
    hours (see ``is_due_again``); and at once if it was fetched later than now, because the clock
    was wrong then or is now.
    """
    if known.fetched is None or known.outcome == "" or known.failures:
        return True
    age = known.fetched - (known.published or known.first_seen)
    is_stale = now - known.fetched > max(age, _DAY) or known.fetched > now
    is_due = is_stale or is_due_again(known, now, recheck_hours)
    return is_due or entry_digest(entry) != known.entry_digest


def is_due_again(known: PageRecord, now: int, hours: Sequence[float]) -> bool:
    """Whether one of these times after it was seen first has passed since an article was fetched
    that was at most a day old then."""
    if known.fetched is None or known.outcome != "article":
        return False
    if known.published is not None and known.first_seen - known.published > _DAY:
        return False
    moments = (known.first_seen + hour * _HOUR for hour in hours)
    return any(known.fetched < moment <= now for moment in moments)


def entry_digest(entry: Entry) -> bytes:
    """A digest of what a feed entry says about the page, without the number of comments."""
    values = {**entry.to_dict(), "comments_count": None, "feed": ""}
    return digest_of(json.dumps(values))


def to_seconds(moment: str) -> int | None:
    """ISO 8601 as seconds since 1970; without an offset, UTC is assumed.

    >>> to_seconds("1970-01-02"), to_seconds("yesterday")
    (86400, None)
    """
    parsed = read_moment(moment)
    return None if parsed is None else int(parsed.timestamp())


#: The method of an article that is only known to have been exported, before a crawl was killed.
RECOVERED = "recovered"
#: The digest of a page that was never fetched: its article is that of its feed entry.
NO_BODY = digest_of(b"")


def has_body(response: Response) -> bool:
    """Whether a response is that of the page; if not, its feed entry stands in for it."""
    return 200 <= response.status < 300


def page_digest(response: Response) -> bytes:
    """A digest of the body of a page."""
    return digest_of(response.body)


def _long_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if len(line) >= _LONG_LINE]


def make_page_record(item: ArticlePage, known: PageRecord | None, now: int) -> PageRecord:
    """The record of a page that was fetched just now; ``known``: its record so far."""
    url, named = asked_url(item.response), decode_headers(item.response)
    status = item.response.status
    base = known or PageRecord(page_key(url), host_of(url), url, now, now)
    return replace(
        base,
        last_seen=now,
        fetched=to_seconds(item.fetched_at) or now,
        status=status,
        failures=base.failures + 1 if status == 0 or status >= 400 else 0,
        etag=named.get("Etag", ""),
        last_modified=named.get("Last-Modified", ""),
        page_digest=page_digest(item.response),
        entry_digest=entry_digest(item.entry) if item.entry else base.entry_digest,
    )


def make_article_record(
    item: ArticlePage, article: Article, text: TextSummary, known: PageRecord | None, now: int
) -> PageRecord:
    """The record of a page from which an article was extracted just now."""
    record = add_article(make_page_record(item, known, now), article, text)
    return replace(record, fingerprint=item.fingerprint)


def add_article(record: PageRecord, article: Article, text: TextSummary) -> PageRecord:
    """The record of a page with what is known of its article."""
    return replace(
        record,
        text=text,
        published=to_seconds(article.published),
        published_source=article.sources.get("published", ""),
        modified=to_seconds(article.modified),
        modified_source=article.sources.get("modified", ""),
        template=article.template_id,
        wrapper=article.wrapper_id,
        method=article.method,
    )


def is_corrected(known: PageRecord) -> bool:
    """Whether the wrapper was changed by a person since the article was extracted, see
    ``HistoryStore.forget_wrapper``."""
    return known.wrapper == "" and known.method not in ("", RECOVERED)


def is_same_text(known: PageRecord, wrapper_id: str, text: TextSummary) -> bool:
    """Whether the article's text is the same as last time.  If another wrapper has found it,
    small differences may come from that, or from pipelines of the project if it was recovered from
    an export.  A recovered text that is not known is the same."""
    if known.text.digest == text.digest:
        return True
    if known.method == RECOVERED:
        return known.text == TextSummary() or known.text.is_near(text)
    if is_corrected(known):
        return False
    return known.wrapper != wrapper_id and known.text.is_near(text)


def is_same_page(known: PageRecord, record: PageRecord) -> bool:
    """Whether another wrapper was applied to the same page, so that what differs in the text is
    not the publisher's change."""
    was_read = known.page_digest not in (b"", NO_BODY) and "entry" not in (
        known.method,
        record.method,
    )
    is_other = known.wrapper != record.wrapper
    return was_read and is_other and known.page_digest == record.page_digest


#: The fields of articles that feeds have.
FEED_FIELDS = (
    *("url", "title", "summary", "published", "modified", "authors", "categories", "tags"),
    *("site_name", "language", "main_image", "fetched_at", "method", "xpath", "status"),
)


def make_latest(record: PageRecord, article: Article, now: int) -> LatestArticle:
    """The article for a rolling feed.  One whose text is the same stays as it is stored."""
    content = {"html": article.html} if article.html else {"text": article.text}
    values = {name: getattr(article, name) for name in FEED_FIELDS} | content
    if is_teaser(article):
        values |= {"html": "", "text": "", "summary": article.summary or article.text}
    kind = article.change.get("kind")
    published = record.published if record.published is not None else now
    return LatestArticle(
        record.key,
        record.feed or record.host,
        min(published, now),
        now if kind in ("changed", "wrapper") else None,
        values,
        replaces=kind != "unchanged",
    )


class CrawlHistory:
    """What earlier crawls know about the pages of this one.

    The history is always written.  ``only_new``: it also decides which pages are requested.
    ``clock`` returns seconds since 1970.
    """

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        only_new: bool = False,
        clock: Callable[[], float] = time.time,
        interval: Interval | None = None,
        recheck_hours: Sequence[float] = (),
    ) -> None:
        self.store, self.only_new = store, only_new
        self.feeds = FeedHistory(store, stats, only_new, clock, interval, recheck_hours)
        self._stats, self._clock = stats, clock
        #: The articles that have no outcome yet, by the key of their page.
        self._extracted: dict[str, tuple[PageRecord, Article]] = {}
        #: The outcomes, by key, of articles whose export is not on the disk yet.
        self._held = self.feeds.held

    @property
    def now(self) -> int:
        return int(self._clock())

    def compare(
        self, item: ArticlePage, article: Article, is_exact: bool = False
    ) -> dict[str, Any]:
        """The ``change`` of an article since it was last extracted; ``done`` writes the new state
        to the history.  If the page could not be fetched, an article stays what it was.
        ``is_exact``: a small difference is a change even if another wrapper has found the text.
        Raises ``StoreUnavailable``: an article is not new because it is not known."""
        known = self.store.find(page_key(asked_url(item.response)), is_needed=True)
        if known and known.outcome == "article" and not has_body(item.response):
            return {"kind": "unchanged"}
        if known and known.outcome == "article" and self._is_cut_off(known, article):
            return {"kind": "unchanged"}
        text = summarize_text(article.text, tuple(link["text"] for link in article.links))
        record = make_article_record(item, article, text, known, self.now)
        self._extracted[item.key] = (record, article)
        is_held = known is not None and known.key in self._held
        if known is None or (known.outcome != "article" and not is_held):
            change: dict[str, Any] = {"kind": "new"}
        elif is_exact and not self._is_equal(known, article.text, text):
            change = {**self._describe(known, article.text, text), "kind": "wrapper"}
        elif is_same_text(known, article.wrapper_id, text) and not self._was_edited(
            known, record, article.text
        ):
            change = {"kind": "unchanged"}
        else:
            change = self._describe(known, article.text, text)
            if is_corrected(known) or is_same_page(known, record):
                change["kind"] = "wrapper"
        if known is not None and known.fetched is not None:
            change["since"] = datetime.fromtimestamp(known.fetched, UTC).isoformat()
        self._count(change["kind"])
        return change

    def _is_cut_off(self, known: PageRecord, article: Article) -> bool:
        """Whether an article is as it was but for its further pages, which could not be fetched
        this time."""
        old = self.store.text(known.key) if article.next_page else None
        if old is None or len(old) <= len(article.text):
            return False
        lines = _long_lines(article.text)
        old_lines = _long_lines(old)
        return 0 < len(lines) < len(old_lines) and old_lines[: len(lines)] == lines

    def _is_equal(self, known: PageRecord, text: str, summary: TextSummary) -> bool:
        """Whether the text is the same to the letter; by its words if the old one is not kept."""
        old = self.store.text(known.key)
        return known.text.digest == summary.digest if old is None else old == text

    def _was_edited(self, known: PageRecord, record: PageRecord, text: str) -> bool:
        """Whether paragraphs of a near duplicate that another wrapper has found were edited, by the
        old text, if it is kept."""
        is_same = known.text.digest == record.text.digest or is_same_page(known, record)
        if is_same or known.method == RECOVERED:
            return False
        old = self.store.text(known.key)
        return old is not None and have_other_prose(old, text)

    def done(self, item: ArticlePage, outcome: str = "article", is_held: bool = False) -> None:
        """Write the outcome of a page, which is not requested again as long as its feed entry
        stays the same.  A page that was an article stays one, whatever becomes of it now.  The
        method of a thread, product or listing is the name of its kind.

        ``is_held``: its article is in an export that is not on the disk yet.  For the next crawl
        it is still to be fetched, unless ``release_held`` is called.
        """
        record, article = self._extracted.pop(item.key, (None, None))
        if record is None:
            known = self.known(item.response)
            record = make_page_record(item, known, self.now)
            if item.method in ITEM_KINDS:
                record = replace(record, method=item.method)
            elif known and known.outcome == "article":
                self._note_dropped(item, known, record)
                return
        if "article" in (record.outcome, outcome):
            outcome = "article"
        latest = (
            make_latest(record, article, self.now) if article and outcome == "article" else None
        )
        if is_held and outcome == "article":
            self._held[record.key], outcome = outcome, ""
        text = article.text if article else ""
        self.store.save(replace(record, outcome=outcome), text=text, latest=latest)

    def _note_dropped(self, item: ArticlePage, known: PageRecord, record: PageRecord) -> None:
        """Note that the page of an article was fetched, though it has none now, so that it is not
        requested in each crawl; the text stays that of the article, and the headers."""
        if has_body(item.response):
            seen = replace(known, fetched=record.fetched, last_seen=record.last_seen, failures=0)
            self.store.save(replace(seen, status=record.status, entry_digest=record.entry_digest))

    def release_held(self) -> None:
        """Record the articles that were held: their exports are on the disk.  Raises
        ``StoreUnavailable``."""
        for key, outcome in list(self._held.items()):
            known = self.store.find(key, is_needed=True)
            if known is not None:
                self.store.save(replace(known, outcome=outcome, failures=0))
            del self._held[key]

    def failed(self, item: ArticlePage) -> None:
        """Forget what was extracted from a page, which is requested again next time."""
        self._extracted.pop(item.key, None)

    def not_modified(self, response: Response) -> None:
        """Note that a page has not changed (status 304)."""
        known = self.known(response)
        self._count("not_modified")
        if known is not None:
            entry = notes_of(response).entry
            digest = entry_digest(entry) if entry else known.entry_digest
            seen = replace(known, fetched=self.now, last_seen=self.now, failures=0)
            self.store.save(replace(seen, entry_digest=digest))

    def request_failed(self, url: str, status: int) -> Article | None:
        """Note a failed request; ``status``: 0 if there was no response.  If the page was an
        article and does not exist any more, an item that says so, for ``gone`` when it is
        exported."""
        known = self.store.find(page_key(url))
        if known is None:
            return None
        was_there = known.outcome == "article" and known.page_digest != NO_BODY
        self.store.save(replace(known, status=status, failures=known.failures + 1))
        if not (self.only_new and status in (404, 410) and was_there):
            return None
        self._count("gone")
        return Article(known.url, template_id=known.template, change={"kind": "gone"})

    def gone(self, article: Article, is_held: bool = False) -> None:
        """Note that an article does not exist any more, when the item that says so is done;
        ``is_held``: as for ``done``."""
        known = self.store.find(page_key(article.url))
        if known is not None and is_held:
            self._held[known.key] = "gone"
        elif known is not None:
            self.store.save(replace(known, outcome="gone", failures=0))

    def known(self, response: Response) -> PageRecord | None:
        """The record of the page with the URL that was asked for; None if it is new."""
        return self.store.find(page_key(asked_url(response)))

    def close(self, waits: bool = True) -> None:
        self.store.close(waits)

    def _describe(self, known: PageRecord, text: str, summary: TextSummary) -> dict[str, Any]:
        """What has changed, with a delta if the old text is still kept."""
        old = self.store.text(known.key)
        if old is None:
            share = known.text.share_changed(summary)
            return {"kind": "changed", "share": round(share, 3)}
        delta = {name: list(runs) for name, runs in asdict(compare_texts(old, text)).items()}
        return {"kind": "changed", "share": round(share_changed(old, text), 3), **delta}

    def _count(self, event: str) -> None:
        self._stats.inc_value(f"forest/history/{event}")
