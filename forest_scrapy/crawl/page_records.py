"""The records of the history as a crawl writes them: of a page that was fetched, and of its item.

The history has one item of each page, that of the last crawl that has emitted it.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace

from scrapy.http import Response

from forest_scrapy import core
from forest_scrapy.core import Entry
from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.field_changes import digest_fields
from forest_scrapy.core.items import OTHER_ITEMS, is_teaser
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.items import Article, ArticlePage, Item, Listing, Product
from forest_scrapy.responses.conversion import asked_url, decode_headers
from forest_scrapy.stores import LatestArticle, PageRecord, PageVersion

#: The method of an article that is only known to have been exported, before a crawl was killed;
#: of items of other kinds, whose method is that of their kind, it is the wrapper.
RECOVERED = "recovered"
#: The method of an article that is that of its feed entry.
ENTRY_METHOD = "entry"
#: The digest of a page that was never fetched: its article is that of its feed entry.
NO_BODY = digest_of(b"")
#: The wrapper of items that are no articles, whose rules have no id; without it they were written
#: before they were compared, or a person has changed their rules since.
RECORDS_WRAPPER = "records"

#: The fields of articles that feeds have.
FEED_FIELDS = (
    "url",
    "title",
    "summary",
    "published",
    "modified",
    "authors",
    "categories",
    "tags",
    "site_name",
    "language",
    "main_image",
    "fetched_at",
    "method",
    "xpath",
    "status",
)


def to_seconds(moment: str) -> int | None:
    """ISO 8601 as seconds since 1970; without an offset, UTC is assumed.

    >>> to_seconds("1970-01-02"), to_seconds("yesterday")
    (86400, None)
    """
    parsed = read_moment(moment)
    if parsed is None:
        return None
    return int(parsed.timestamp())


def entry_digest(entry: Entry) -> bytes:
    """A digest of what a feed entry says about the page, without the number of comments."""
    values = entry.to_dict()
    values["comments_count"] = None
    values["feed"] = ""
    return digest_of(json.dumps(values))


def page_digest(response: Response) -> bytes:
    """A digest of the body of a page."""
    return digest_of(response.body)


def has_body(response: Response) -> bool:
    """Whether a response is that of the page; if not, its feed entry stands in for it."""
    return 200 <= response.status < 300


def make_page_record(
    item: ArticlePage,
    stored: PageRecord | None,
    now: int,
) -> PageRecord:
    """The record of a page that was fetched just now; ``stored``: its record so far."""
    response = item.response
    url = asked_url(response)
    headers = decode_headers(response)
    if stored is None:
        stored = PageRecord(page_key(url), host_of(url), url, now, now)

    has_failed = response.status == 0 or response.status >= 400
    return replace(
        stored,
        last_seen=now,
        fetched=to_seconds(item.fetched_at) or now,
        status=response.status,
        failures=stored.failures + 1 if has_failed else 0,
        etag=headers.get("Etag", ""),
        last_modified=headers.get("Last-Modified", ""),
        page_digest=page_digest(response),
        entry_digest=entry_digest(item.entry) if item.entry else stored.entry_digest,
    )


def make_item_record(
    item: ArticlePage,
    content: Item,
    stored: PageRecord | None,
    now: int,
) -> PageRecord:
    """The record of a page from which an item was extracted just now."""
    record = make_page_record(item, stored, now)
    record = add_item(record, content)
    if isinstance(content, Article):
        return replace(record, fingerprint=item.fingerprint)
    return record


def compared_text(content: Item) -> str:
    """The text by which an item is compared with what it was: of a product its description, since
    the main text of its page has what changes with each visit; of a listing a line for each item.
    """
    if isinstance(content, Product):
        return content.description
    if not isinstance(content, Listing):
        return content.text
    lines = []
    for row in content.items:
        name = row.get("title") or row.get("url") or row.get("text") or ""
        values = (name, row.get("price"), row.get("currency"))
        lines.append(" ".join(str(value) for value in values if value))
    return "\n".join(lines)


def kind_of_record(record: PageRecord) -> str:
    """The kind of ``ITEM_KINDS`` of the item that the history has of a page."""
    if record.method in OTHER_ITEMS:
        return record.method
    return "article"


def was_recovered(record: PageRecord) -> bool:
    """Whether the item that the history has of a page is as an export has it."""
    return RECOVERED in (record.method, record.wrapper)


def as_recovered(record: PageRecord, kind: str) -> PageRecord:
    """The record of a page whose item, of this kind, is as an export has it."""
    if kind in OTHER_ITEMS:
        return replace(record, method=kind, wrapper=RECOVERED)
    return replace(record, method=RECOVERED)


def add_item(record: PageRecord, content: Item) -> PageRecord:
    """The record of a page with what is known of its item."""
    text = compared_text(content)
    if isinstance(content, Article):
        link_texts = tuple(link["text"] for link in content.links)
        summary = core.summarize_text(text, link_texts)
        return _add_article(record, content, summary)
    # The dates that pages of other kinds declare do not tell how often they change.
    return replace(
        record,
        text=_summarize(content, text),
        published=None,
        published_source="",
        modified=None,
        modified_source="",
        template=content.template_id,
        wrapper=RECORDS_WRAPPER,
        method=content.type,
        fingerprint="",
    )


def _summarize(content: Item, text: str) -> core.TextSummary:
    """The summary of the text by which an item is compared.  In those of products and listings a
    number in a short line is no counter, but a price or a size."""
    if not text:
        return core.TextSummary()
    summary = core.summarize_text(text)
    if isinstance(content, Product | Listing):
        words = " ".join(text.split())
        return replace(summary, digest=digest_of(words))
    return summary


def _add_article(record: PageRecord, article: Article, text: core.TextSummary) -> PageRecord:
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


def make_latest(record: PageRecord, article: Article, now: int) -> LatestArticle:
    """The article for a rolling feed.  One that is unchanged stays as it is stored."""
    values = {name: getattr(article, name) for name in FEED_FIELDS}
    if is_teaser(article):
        values["html"] = ""
        values["text"] = ""
        values["summary"] = article.summary or article.text
    elif article.html:
        values["html"] = article.html
    else:
        values["text"] = article.text

    kind = article.change.get("kind")
    was_corrected = kind in ("changed", "wrapper")
    published = now if record.published is None else record.published
    return LatestArticle(
        key=record.key,
        source=record.feed or record.host,
        moment=min(published, now),
        updated=now if was_corrected else None,
        values=values,
        replaces=kind != "unchanged",
    )


#: Fields of items that versions have apart.
_FIELDS_OF_VERSIONS = ("change", "status")


def make_version(record: PageRecord, content: Item, now: int) -> PageVersion:
    """The version of an item that was emitted, or is unchanged."""
    change = dict(content.change)
    kind = change.pop("kind", "new")
    return PageVersion(
        key=record.key,
        first_seen=now,
        last_seen=now,
        kind=kind,
        status=content.status if isinstance(content, Article) else record.status,
        change=change,
        values=_values_of(content),
        text_digest=record.text.digest,
        digest=digest_of(record.text.digest + digest_fields(content)),
    )


def _values_of(content: Item) -> dict[str, object]:
    """The fields that are not empty, but for those that versions have apart."""
    values: dict[str, object] = {}
    for field in fields(content):
        value = getattr(content, field.name)
        is_empty = value is None or value in ("", [], {})
        if not is_empty and field.name not in _FIELDS_OF_VERSIONS:
            values[field.name] = value
    return values


def make_gone_version(page: PageRecord, now: int) -> PageVersion:
    """The version that says that an item does not exist any more."""
    return PageVersion(
        key=page.key,
        first_seen=now,
        last_seen=now,
        kind="gone",
        status=page.status,
        values={"url": page.url, "type": kind_of_record(page)},
    )
