"""The history of a crawl: which pages to request, and what is new on those that were fetched."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core.changes import TextSummary, compare_texts, share_changed, summarize_text
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.templates.kinds import KINDS
from forest_scrapy.crawl.feed_plan import FeedHistory, FeedPlan, entry_digest, to_seconds
from forest_scrapy.feeds.schedule import Interval
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.conversion import asked_url, decode_headers, page_key
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.stores import HistoryStore, PageRecord

__all__ = ["CrawlHistory"]

#: The digest of a page that was never fetched: its article is that of its feed entry.
NO_BODY = blake2b(b"", digest_size=8).digest()


def has_body(response: Response) -> bool:
    """Whether a response is that of the page; if not, its feed entry stands in for it."""
    return 200 <= response.status < 300


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
        page_digest=blake2b(item.response.body, digest_size=8).digest(),
        entry_digest=entry_digest(item.entry) if item.entry else base.entry_digest,
    )


def make_article_record(
    item: ArticlePage, article: Article, text: TextSummary, known: PageRecord | None, now: int
) -> PageRecord:
    """The record of a page from which an article was extracted just now."""
    return replace(
        make_page_record(item, known, now),
        text=text,
        published=to_seconds(article.published),
        published_source=article.sources.get("published", ""),
        modified=to_seconds(article.modified),
        modified_source=article.sources.get("modified", ""),
        template=article.template_id,
        wrapper=article.wrapper_id,
        method=article.method,
        fingerprint=item.fingerprint,
    )


def is_same_text(known: PageRecord, wrapper_id: str, text: TextSummary) -> bool:
    """Whether the article's text is the same as last time.  If another wrapper has found it,
    small differences may come from that."""
    if known.text.digest == text.digest:
        return True
    return known.wrapper != wrapper_id and known.text.is_near(text)


class CrawlHistory:
    """What earlier crawls know about the pages of this one.

    The history is always written.  ``only_new``: it also decides which pages are requested.
    ``plan``: the requests for the items of feeds.
    ``clock`` returns seconds since 1970.
    """

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        only_new: bool = False,
        clock: Callable[[], float] = time.time,
        interval: Interval | None = None,
    ) -> None:
        self.store, self.only_new = store, only_new
        self.plan = FeedPlan(store, stats, only_new, clock, interval)
        self._stats, self._clock = stats, clock
        #: Records and texts of the articles that have no outcome yet, by the key of their page.
        self._extracted: dict[str, tuple[PageRecord, str]] = {}

    @property
    def feeds(self) -> FeedHistory:
        """When feeds were read and are due."""
        return self.plan.feeds

    @property
    def now(self) -> int:
        return int(self._clock())

    def compare(self, item: ArticlePage, article: Article) -> dict[str, Any]:
        """The ``change`` of an article since it was last extracted; ``done`` writes the new state
        to the history.  If the page could not be fetched, an article stays what it was."""
        known = self.known(item.response)
        if known and known.outcome == "article" and not has_body(item.response):
            return {"kind": "unchanged"}
        text = summarize_text(article.text, tuple(link["text"] for link in article.links))
        record = make_article_record(item, article, text, known, self.now)
        self._extracted[item.key] = (record, article.text)
        if known is None or known.outcome != "article":
            change: dict[str, Any] = {"kind": "new"}
        elif is_same_text(known, article.wrapper_id, text):
            change = {"kind": "unchanged"}
        else:
            change = self._describe(known, article.text, text)
        if known is not None and known.fetched is not None:
            change["since"] = datetime.fromtimestamp(known.fetched, UTC).isoformat()
        self._count(change["kind"])
        return change

    def done(self, item: ArticlePage, outcome: str = "article") -> None:
        """Write the outcome of a page, which is not requested again as long as its feed entry
        stays the same.  A page that was an article stays one, whatever becomes of it now.  The
        method of a thread, product or listing is the name of its kind."""
        record, text = self._extracted.pop(item.key, (None, ""))
        if record is None:
            record = make_page_record(item, self.known(item.response), self.now)
            if item.method in KINDS:
                record = replace(record, method=item.method)
            elif record.outcome == "article":
                return
        is_article = "article" in (record.outcome, outcome)
        self.store.save(replace(record, outcome="article" if is_article else outcome), text=text)

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
        article and does not exist any more, an item that says so, the first time only."""
        known = self.store.find(page_key(url))
        if known is None:
            return None
        known = replace(known, status=status, failures=known.failures + 1)
        was_there = known.outcome == "article" and known.page_digest != NO_BODY
        is_gone = self.only_new and status in (404, 410) and was_there
        self.store.save(replace(known, outcome="gone", failures=0) if is_gone else known)
        if not is_gone:
            return None
        self._count("gone")
        return Article(known.url, template_id=known.template, change={"kind": "gone"})

    def known(self, response: Response) -> PageRecord | None:
        """The record of the page with the URL that was asked for; None if it is new."""
        return self.store.find(page_key(asked_url(response)))

    def close(self) -> None:
        self.store.close()

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
