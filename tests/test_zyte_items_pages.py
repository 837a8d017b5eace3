"""Pages as zyte-common-items."""

from __future__ import annotations

import pytest
from itemadapter import ItemAdapter

from forest_scrapy.items import Thread, WebPage
from forest_scrapy.zyte_items import convert_item, page_to_zyte

zyte = pytest.importorskip("zyte_common_items")
pytestmark = pytest.mark.skipif(not hasattr(zyte, "PageContent"), reason="an early version")

FULL = WebPage(
    "http://a.example/pricing",
    title="Pricing",
    kind="other",
    text="Every plan has all features.",
    html="<p>Every plan has all features.</p>",
    markdown="Every plan has all features.",
    language="en",
    fetched_at="2026-11-22T06:00:00+00:00",
    template_id="t1",
    confidence=0.875,
)


def test_no_value_is_lost() -> None:
    item = page_to_zyte(FULL)
    assert isinstance(item, zyte.PageContent)
    assert (item.url, item.headline, item.itemMain) == (FULL.url, FULL.title, FULL.text)
    assert item.metadata.dateDownloaded == FULL.fetched_at
    for name in ("kind", "html", "markdown", "language", "template_id", "confidence"):
        assert getattr(item.metadata, name) == getattr(FULL, name)
    assert ItemAdapter(item).asdict()["url"] == FULL.url


def test_items_without_a_class_stay() -> None:
    thread = Thread("http://a.example/t/1")
    assert convert_item(thread, "zyte") is thread
    assert convert_item(FULL, "article") is FULL
    assert isinstance(convert_item(FULL, "zyte"), zyte.PageContent)
