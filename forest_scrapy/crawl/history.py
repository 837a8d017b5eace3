"""The history of a crawl: what is new on the pages that were fetched.

Which feeds and pages to request is in ``feed_history``; what is written of a page in
``page_records``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy import core
from forest_scrapy.core import Entry
from forest_scrapy.core.field_changes import (
    FieldComparison,
    FieldContext,
    compare_fields,
    remember_fields,
)
from forest_scrapy.core.health.coherence import Looks, unchanged_since
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.feed_history import FeedHistory, HistoryOptions
from forest_scrapy.crawl.page_records import (
    ENTRY_METHOD,
    NO_BODY,
    RECORDS_WRAPPER,
    RECOVERED,
    compared_text,
    entry_digest,
    has_body,
    kind_of_record,
    make_gone_version,
    make_item_record,
    make_latest,
    make_page_record,
    make_version,
    to_seconds,
    was_recovered,
)
from forest_scrapy.items import Article, ArticlePage, Item, Product, Thread
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.stores import HistoryStore, PageRecord

#: Characters of a line that is no label or number.
_MIN_LINE_LENGTH = 40
#: Statuses of pages that do not exist any more.
_GONE_STATUSES = (404, 410)


@dataclass(frozen=True)
class _ComparedItem:
    """An item that was compared and has no outcome yet; ``record``: that of its page as it will
    be; ``seen_before``: when it was fetched before, if it is as it was then."""

    record: PageRecord
    content: Item
    seen_before: int | None = None


class CrawlHistory:
    """What earlier crawls know about the pages of this one.

    The history is always written.  ``is_replay``: the pages were fetched by earlier crawls: when,
    and how, they were requested last stays as it is.
    """

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        options: HistoryOptions,
        is_replay: bool = False,
    ) -> None:
        self.store = store
        self._is_replay = is_replay
        self.only_new = options.only_new
        self.feeds = FeedHistory(store, stats, options)
        self._stats = stats
        self._clock = options.clock
        #: Since when, and until when, the items of this crawl were seen to be the same.
        self.looks = Looks()
        #: The items that have no outcome yet, by the key of their page.
        self._compared: dict[str, _ComparedItem] = {}
        #: The keys of pages that tell nothing of their item, and have no outcome yet.
        self._untold: set[str] = set()
        #: The outcomes, by key, of articles whose export is not on the disk yet.
        self._held = self.feeds.held

    @property
    def now(self) -> int:
        return int(self._clock())

    def compare(
        self,
        item: ArticlePage,
        content: Item,
        is_exact: bool = False,
    ) -> dict[str, Any]:
        """The ``change`` of an item since it was last extracted; ``done`` writes the new state to
        the history.

        If the page could not be fetched, an article stays what it was.  ``is_exact``: a small
        difference is a change even if another wrapper has found the text.  Raises
        ``StoreUnavailable``: an item is not new because it is not known.
        """
        page = self.store.find(page_key(asked_url(item.response)), is_needed=True)
        if page is not None and self._stays_as_it_was(page, item, content):
            self._untold.add(item.key)
            return {"kind": "unchanged"}

        record = make_item_record(item, content, page, self.now)
        record = self._as_requested(page, record)
        if page is None or not (self._was_item(page) and _is_comparable(page, content)):
            change: dict[str, Any] = {"kind": "new"}
            record = replace(record, fields=remember_fields(content))
        else:
            comparison = _Comparison(
                page=page,
                record=record,
                content=content,
                old_text=self._find_text(page),
                is_exact=is_exact,
                has_entry=item.entry is not None,
            )
            change = comparison.describe()
            record = replace(record, fields=comparison.fields.memories)
        is_unchanged = page is not None and change["kind"] == "unchanged"
        seen_before = page.fetched if page is not None and is_unchanged else None
        self._compared[item.key] = _ComparedItem(record, content, seen_before)

        if page is not None and page.fetched is not None:
            change["since"] = _iso(page.fetched)
        self._count(change["kind"])
        return change

    def _was_item(self, page: PageRecord) -> bool:
        """Whether a page had an item that was emitted, also by this crawl, or is gone."""
        return page.outcome in ("article", "gone") or page.key in self._held

    def _stays_as_it_was(self, page: PageRecord, item: ArticlePage, content: Item) -> bool:
        """Whether a page tells nothing of its item, because it, or its further pages, could not
        be fetched this time, or it shows something else, such as a consent wall, so that there is
        only the feed entry."""
        if isinstance(content, Thread):
            return page.outcome == "article" and self._is_cut_off(page, content)
        if not isinstance(content, Article):
            return False
        is_of_page = has_body(item.response) and content.method != ENTRY_METHOD
        if page.outcome == "gone":
            return not is_of_page
        if page.outcome != "article":
            return False
        if page.method == ENTRY_METHOD:
            return not has_body(item.response)
        return not is_of_page or self._is_cut_off(page, content)

    def _is_cut_off(self, page: PageRecord, content: Article | Thread) -> bool:
        """Whether an article or a thread is as it was but for its further pages, which could not be
        fetched this time."""
        if not content.next_page:
            return False
        old_text = self.store.text(page.key)
        if old_text is None or len(old_text) <= len(content.text):
            return False
        lines = _long_lines(content.text)
        old_lines = _long_lines(old_text)
        is_shorter = 0 < len(lines) < len(old_lines)
        return is_shorter and old_lines[: len(lines)] == lines

    def _find_text(self, page: PageRecord) -> str | None:
        """The text of the item as it was when its page was fetched last, if it is kept."""
        if not page.text.digest:
            # The text that is stored, if any, is an earlier one.
            was_compared = page.wrapper == RECORDS_WRAPPER or page.fields
            return "" if was_compared and not was_recovered(page) else None
        text = self.store.text(page.key)
        if text is not None:
            return text
        version = self.store.find_version(page.key)
        if version is None or version.text_digest != page.text.digest:
            return None
        is_compared_by_text = kind_of_record(page) not in ("product", "listing")
        return version.text if is_compared_by_text else None

    def done(
        self,
        item: ArticlePage,
        outcome: str = "article",
        is_held: bool = False,
    ) -> None:
        """Write the outcome of a page, which is not requested again as long as its feed entry
        stays the same.  A page that was an article stays one, whatever becomes of it now, and one
        that is gone stays gone until it has an article again.  The method of a thread, product or
        listing is the name of its kind.

        ``is_held``: its article is in an export that is not on the disk yet.  For the next crawl
        it is still to be fetched, unless ``release_held`` is called.
        """
        compared = self._compared.pop(item.key, None)
        if compared is None:
            self._note_without_article(item, outcome, is_held)
            return

        record = compared.record
        content = compared.content
        modified = content.modified if isinstance(content, Article) else ""
        if record.outcome == "article":
            outcome = "article"
        if outcome == "article" and has_body(item.response):
            self._note_look(record, modified, compared.seen_before)
        if outcome != "article":
            if record.outcome == "gone":
                outcome = "gone"
            self.store.save(replace(record, outcome=outcome), text=compared_text(content))
            return

        if is_held:
            self._held[record.key] = outcome
            outcome = ""
        latest = None
        if isinstance(content, Article):
            latest = make_latest(record, content, self.now)
        self.store.save(
            replace(record, outcome=outcome),
            text=compared_text(content),
            latest=latest,
            version=make_version(record, content, self._seen(item, content)),
        )

    def _note_look(
        self,
        record: PageRecord,
        modified: str = "",
        seen_before: int | None = None,
    ) -> None:
        """Note since when an item is as it is, for the coherence of the crawl."""
        since = unchanged_since(record.last_modified, modified, seen_before)
        self.looks.add(record.key, since, record.fetched or self.now)

    def _seen(self, item: ArticlePage, content: Item) -> int:
        """When a version was seen: one that is told anew now, and one that is as it was when its
        page was fetched."""
        if self._is_replay and content.change.get("kind") == "unchanged":
            return to_seconds(item.fetched_at) or self.now
        return self.now

    def _as_requested(self, page: PageRecord | None, record: PageRecord) -> PageRecord:
        """The new record of a page; in a replay with what the last request has told, if there was
        one."""
        if page is None or not self._is_replay:
            return record
        return replace(
            record,
            last_seen=page.last_seen,
            fetched=page.fetched,
            status=page.status,
            failures=page.failures,
            entry_digest=page.entry_digest,
        )

    def _note_without_article(self, item: ArticlePage, outcome: str, is_held: bool) -> None:
        """Note a page of which no item was compared: it has none, or is a part of one."""
        page = self.known(item.response)
        record = self._as_requested(page, make_page_record(item, page, self.now))
        if page is not None and item.key in self._untold:
            self._untold.remove(item.key)
            self._note_dropped(item, page, record)
            return
        if item.method in ITEM_KINDS:
            record = replace(record, method=item.method)
            self._note_look(record)
        elif page is not None and page.outcome in ("article", "gone"):
            self._note_dropped(item, page, record)
            return
        if record.outcome == "article":
            outcome = "article"
        if is_held and outcome == "article":
            self._held[record.key] = outcome
            outcome = ""
        self.store.save(replace(record, outcome=outcome))

    def _note_dropped(self, item: ArticlePage, page: PageRecord, record: PageRecord) -> None:
        """Note that the page of an item was fetched, though it has none now, or not the whole, so
        that it is not requested in each crawl; the text stays that of the item, and the headers."""
        if not has_body(item.response):
            return
        self.store.save(
            replace(
                page,
                fetched=record.fetched,
                last_seen=record.last_seen,
                status=record.status,
                failures=0,
                entry_digest=record.entry_digest,
            )
        )

    def release_held(self) -> None:
        """Record the articles that were held: their exports are on the disk.  Raises
        ``StoreUnavailable``."""
        for key, outcome in list(self._held.items()):
            page = self.store.find(key, is_needed=True)
            if page is not None and outcome == "gone":
                self._save_gone(page)
            elif page is not None:
                self.store.save(replace(page, outcome=outcome, failures=0))
            del self._held[key]

    def failed(self, item: ArticlePage) -> None:
        """Forget what was extracted from a page, which is requested again next time."""
        self._compared.pop(item.key, None)
        self._untold.discard(item.key)

    def not_modified(self, response: Response) -> None:
        """Note that a page has not changed (status 304)."""
        self._count("not_modified")
        page = self.known(response)
        if page is None:
            return
        entry = notes_of(response).entry
        now = self.now
        if page.outcome == "article":
            since = unchanged_since(page.last_modified, "", page.fetched)
            self.looks.add(page.key, since, now)
        self.store.save(
            replace(
                page,
                fetched=now,
                last_seen=now,
                failures=0,
                entry_digest=entry_digest(entry) if entry else page.entry_digest,
            ),
            seen_again=now,
        )

    def request_failed(
        self,
        url: str,
        status: int,
        entry: Entry | None = None,
    ) -> Item | None:
        """Note a failed request; ``status``: 0 if there was no response; ``entry``: that with which
        the page was requested.

        If the page had an item and does not exist any more, an item of that kind that says so, for
        ``gone`` when it is exported.  A page that is gone already is asked for as rarely as one
        that stays the same.
        """
        page = self.store.find(page_key(url))
        if page is None:
            return None
        is_lost = self._is_lost(page, status)
        outcome = self._outcome_of(page)
        if is_lost and outcome == "gone":
            self._note_still_gone(page, status, entry)
            return None

        self.store.save(replace(page, status=status, failures=page.failures + 1))
        if not is_lost or outcome != "article":
            return None
        self._count("gone")
        change = {"kind": "gone"}
        if page.fetched is not None:
            change["since"] = _iso(page.fetched)
        item_class = ITEM_KINDS[kind_of_record(page)]
        content = item_class(
            page.url,
            template_id=page.template,
            change=change,
            fetched_at=_iso(self.now),
        )
        if isinstance(content, Article):
            content.status = status
        return content

    def is_lost(self, url: str, status: int) -> bool:
        """Whether a page that was there does not exist any more, by the status with which it
        answers: then no feed entry stands in for it."""
        if status not in _GONE_STATUSES:
            return False
        page = self.store.find(page_key(url))
        return page is not None and self._is_lost(page, status)

    def _is_lost(self, page: PageRecord, status: int) -> bool:
        if status not in _GONE_STATUSES:
            return False
        outcome = self._outcome_of(page)
        if outcome in ("", "gone"):
            return outcome == "gone"
        version = self.store.find_version(page.key)
        if version is not None and version.status in _GONE_STATUSES:
            return False  # its article is that of its entry, or of the page that says so
        if page.page_digest == NO_BODY:
            return version is not None and page.status not in _GONE_STATUSES
        return True

    def _outcome_of(self, page: PageRecord) -> str:
        """The outcome of a page, also of one whose export is not on the disk yet."""
        return self._held.get(page.key, page.outcome)

    def is_gone(self, item: ArticlePage) -> bool:
        """Whether the page of an item is known to be gone."""
        compared = self._compared.get(item.key)
        if compared is not None:
            return self._outcome_of(compared.record) == "gone"
        page = self.known(item.response)
        return page is not None and self._outcome_of(page) == "gone"

    def _note_still_gone(self, page: PageRecord, status: int, entry: Entry | None) -> None:
        now = self.now
        self.store.save(
            replace(
                page,
                fetched=now,
                last_seen=now,
                status=status,
                failures=0,
                entry_digest=entry_digest(entry) if entry else page.entry_digest,
            ),
            seen_again=now,
        )

    def gone(self, content: Item, is_held: bool = False) -> None:
        """Note that an item does not exist any more, when the one that says so is done;
        ``is_held``: as for ``done``."""
        page = self.store.find(page_key(content.url))
        if page is None:
            return
        if is_held:
            self._held[page.key] = "gone"
        else:
            self._save_gone(page)

    def _save_gone(self, page: PageRecord) -> None:
        now = self.now
        self.store.save(
            replace(page, outcome="gone", fetched=now, failures=0),
            version=make_gone_version(page, now),
        )

    def known(self, response: Response) -> PageRecord | None:
        """The record of the page with the URL that was asked for; None if it is new."""
        return self.store.find(page_key(asked_url(response)))

    def close(self, waits: bool = True) -> None:
        self.store.close(waits)

    def _count(self, event: str) -> None:
        self._stats.inc_value(f"forest/history/{event}")


@dataclass(frozen=True)
class _Comparison:
    """An item beside what it was.

    - ``page``, ``old_text``: the page as it is known, and its text, if that is kept; ``record``:
      the page as it is now.
    - ``is_exact``: see ``CrawlHistory.compare``; ``has_entry``: see ``FieldContext``.
    """

    page: PageRecord
    record: PageRecord
    content: Item
    old_text: str | None
    is_exact: bool
    has_entry: bool

    @cached_property
    def has_other_text(self) -> bool:
        """Whether the text has changed, or was found differently."""
        if self.is_exact:
            return not self._is_equal()
        is_same = is_same_text(self.page, self.record.wrapper, self.record.text)
        return not is_same or self._was_edited()

    @cached_property
    def fields(self) -> FieldComparison:
        """How the fields have changed; not at all if they were not known."""
        if not self.page.fields:
            return FieldComparison({}, remember_fields(self.content))
        has_other_rules = self.page.wrapper != self.record.wrapper
        context = FieldContext(
            has_other_text=self.has_other_text,
            has_other_rules=has_other_rules and not self._is_by_person(),
            has_entry=self.has_entry,
            was_partly_known=was_recovered(self.page),
        )
        return compare_fields(self.page.fields, self.content, context)

    def describe(self) -> dict[str, Any]:
        """The ``change`` of the item, without ``since``."""
        kind = self._kind()
        if kind == "unchanged":
            return {"kind": kind}
        change: dict[str, Any] = {"kind": kind}
        change |= self._describe_text()
        if self.fields.changes:
            changes = self.fields.changes
            change["fields"] = {name: changes[name].to_dict() for name in changes}
        return change

    def _kind(self) -> str:
        if self.page.outcome == "gone":
            return "returned"
        if not self.has_other_text and not self.fields.changes:
            return "unchanged"
        if self._is_by_person():
            return "wrapper"
        if self.has_other_text and is_same_page(self.page, self.record):
            return "wrapper"
        if self._is_of_same_body():
            return "wrapper"
        return "changed"

    def _is_of_same_body(self) -> bool:
        """Whether an item that is no article was read from the same page as before, so that what is
        different comes from other rules, which have no id.  Threads are on several pages."""
        if isinstance(self.content, Article | Thread):
            return False
        return self.page.page_digest == self.record.page_digest

    def _is_by_person(self) -> bool:
        """Whether what is different comes from a correction of the rules."""
        return self.is_exact or is_corrected(self.page)

    def _describe_text(self) -> dict[str, Any]:
        """What has changed in the text, with a delta if the old one is still kept."""
        if not self.has_other_text:
            is_product = isinstance(self.content, Product)
            return {} if is_product else {"share": 0.0, "inserted": [], "deleted": []}
        if self.old_text is None:
            share = self.page.text.share_changed(self.record.text)
            return {"share": round(share, 3)}
        text = compared_text(self.content)
        delta = core.compare_texts(self.old_text, text)
        share = core.share_changed(self.old_text, text)
        return {
            "share": round(share, 3),
            "inserted": list(delta.inserted),
            "deleted": list(delta.deleted),
        }

    def _is_equal(self) -> bool:
        """Whether the text is the same to the letter; by its words if the old one is not kept."""
        if self.old_text is None:
            return self.page.text.digest == self.record.text.digest
        return self.old_text == compared_text(self.content)

    def _was_edited(self) -> bool:
        """Whether paragraphs of a near duplicate that another wrapper has found were edited, by the
        old text, if it is kept."""
        has_same_digest = self.page.text.digest == self.record.text.digest
        if has_same_digest or is_same_page(self.page, self.record):
            return False
        if was_recovered(self.page) or self.old_text is None:
            return False
        return core.have_other_prose(self.old_text, compared_text(self.content))


def _is_comparable(page: PageRecord, content: Item) -> bool:
    """Whether the item that the history has of a page can be compared with another one: it is of
    the same kind, or not known; earlier versions have not written what items are compared by that
    are no articles."""
    if page.method == RECOVERED and page.text == core.TextSummary():
        return True  # an article, or of no kind of ours
    if content.type != kind_of_record(page):
        return False
    was_compared = bool(page.wrapper or page.fields or page.text.digest)
    return isinstance(content, Article) or page.outcome == "gone" or was_compared


def is_corrected(page: PageRecord) -> bool:
    """Whether the wrapper was changed by a person since the article was extracted, see
    ``HistoryStore.forget_wrapper``."""
    return page.wrapper == "" and page.method != "" and not was_recovered(page)


def is_same_text(page: PageRecord, wrapper_id: str, text: core.TextSummary) -> bool:
    """Whether the article's text is the same as last time.  If another wrapper has found it,
    small differences may come from that, or from pipelines of the project if it was recovered from
    an export.  A recovered text that is not known is the same."""
    if page.text.digest == text.digest:
        return True
    if was_recovered(page):
        return page.text == core.TextSummary() or page.text.is_near(text)
    if is_corrected(page):
        return False
    return page.wrapper != wrapper_id and page.text.is_near(text)


def is_same_page(page: PageRecord, record: PageRecord) -> bool:
    """Whether another wrapper was applied to the same page, so that what differs in the text is
    not the publisher's change."""
    was_read = page.page_digest not in (b"", NO_BODY)
    is_of_entry = ENTRY_METHOD in (page.method, record.method)
    has_other_wrapper = page.wrapper != record.wrapper
    has_same_body = page.page_digest == record.page_digest
    return was_read and not is_of_entry and has_other_wrapper and has_same_body


def _long_lines(text: str) -> list[str]:
    long_lines = []
    for line in text.split("\n"):
        if len(line) >= _MIN_LINE_LENGTH:
            long_lines.append(line)
    return long_lines


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
