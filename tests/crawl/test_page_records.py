"""The records of pages and articles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core.changes import TextSummary
from forest_scrapy.crawl.page_records import (
    NO_BODY,
    add_item,
    compared_text,
    entry_digest,
    make_gone_version,
    make_latest,
    make_page_record,
    make_version,
)
from forest_scrapy.items import Article, Listing, Product, Thread
from forest_scrapy.stores import PageRecord

from .test_history import ENTRY, TEXT, URL, make_item

NOW = 1_700_000_000
PAGE = PageRecord("aa", "a.example", URL, 1, 1)


def test_a_page_that_is_new() -> None:
    record = make_page_record(make_item(), None, NOW)
    assert (record.url, record.host, record.first_seen) == (URL, "a.example", NOW)
    assert (record.fetched, record.status, record.failures) == (NOW, 200, 0)
    assert record.entry_digest == entry_digest(ENTRY)


def test_a_page_that_fails_again() -> None:
    item = make_item(entry=None)
    item.response = item.response.replace(status=503, body=b"")
    stored = replace(PAGE, failures=2, entry_digest=b"digest")
    record = make_page_record(item, stored, NOW)
    assert (record.first_seen, record.last_seen, record.failures) == (1, NOW, 3)
    assert (record.page_digest, record.entry_digest) == (NO_BODY, b"digest")


def test_the_number_of_comments_is_no_part_of_the_digest() -> None:
    assert entry_digest(ENTRY) == entry_digest(replace(ENTRY, comments_count=4))
    assert entry_digest(ENTRY) != entry_digest(replace(ENTRY, description="Another"))


@pytest.mark.parametrize(
    ("kind", "updated", "replaces"),
    [
        ("new", None, True),
        ("changed", NOW, True),
        ("wrapper", NOW, True),
        ("returned", None, True),
        ("unchanged", None, False),
    ],
)
def test_an_article_for_a_rolling_feed(kind: str, updated: int | None, replaces: bool) -> None:
    article = Article(URL, text=TEXT, html="<p>HTML", change={"kind": kind})
    latest = make_latest(replace(PAGE, published=7), article, NOW)
    assert (latest.updated, latest.replaces, latest.moment) == (updated, replaces, 7)
    assert latest.values["html"] == "<p>HTML"
    assert "text" not in latest.values


def test_a_version_has_the_fields_that_are_not_empty() -> None:
    article = Article(
        URL,
        title="A title",
        text=TEXT,
        is_free=False,
        change={"kind": "changed", "share": 0.1},
        status=203,
    )
    record = add_item(PAGE, article)
    version = make_version(record, article, NOW)
    assert version.values.keys() >= {"url", "title", "text", "is_free", "type"}
    assert version.values.keys().isdisjoint({"tags", "change", "status"})
    assert (version.kind, version.status, version.change) == ("changed", 203, {"share": 0.1})
    item = version.to_item()
    assert (item["change"], item["status"]) == (article.change, 203)
    other = make_version(record, replace(article, title="Another"), NOW)
    assert other.digest != version.digest
    assert make_version(record, replace(article, summary="Another"), NOW).digest == version.digest


def test_a_version_that_is_gone() -> None:
    version = make_gone_version(replace(PAGE, status=410), NOW)
    gone = {"url": URL, "change": {"kind": "gone"}}
    assert version.to_item() == {**gone, "type": "article", "status": 410}
    product = make_gone_version(replace(PAGE, status=410, method="product"), NOW)
    assert product.to_item() == {**gone, "type": "product"}


def test_prices_in_lists_and_sizes_in_descriptions_are_no_counters() -> None:
    lamp = {"title": "Owl lamp", "price": "89.90", "currency": "EUR", "text": "89,90 €"}
    listing = Listing(URL, items=[lamp, {"url": "/wren"}])
    assert compared_text(listing) == "Owl lamp 89.90 EUR\n/wren"
    cheaper = Listing(URL, items=[{**lamp, "price": "79.90"}, {"url": "/wren"}])
    product, other_product = (Product(URL, description=f"{n} litres") for n in (1, 2))
    for old, new in ((listing, cheaper), (product, other_product)):
        assert add_item(PAGE, old).text.digest != add_item(PAGE, new).text.digest
    assert add_item(PAGE, Product(URL, text="Seen by 8 people")).text == TextSummary()
    likes, more_likes = (Thread(URL, text=f"{n} likes") for n in (1, 2))
    assert add_item(PAGE, likes).text == add_item(PAGE, more_likes).text


def test_a_version_of_a_product() -> None:
    product = Product(URL, "An owl", "9.00", template_id="t", change={"kind": "new"})
    record = add_item(replace(PAGE, published=7, fingerprint="aa", status=200), product)
    assert (record.template, record.method, record.published) == ("t", "product", None)
    assert record.fingerprint == ""
    version = make_version(record, product, NOW)
    item = version.to_item()
    assert (item["price"], item["change"], "status" in item) == ("9.00", {"kind": "new"}, False)
    dearer = make_version(record, replace(product, price="10.00"), NOW)
    assert dearer.digest != version.digest
