"""Feeds with texts that look like HTML."""

from __future__ import annotations

import feedparser
import pytest

from forest_scrapy.exporters.feeds import AtomItemExporter, RssItemExporter
from forest_scrapy.items import Article

from .test_text_formats import write

ATTACK = "<img src=x onerror=alert(1)> & <b>boats</b>"


@pytest.mark.parametrize("exporter", [RssItemExporter, AtomItemExporter])
def test_texts_are_no_html(exporter: type) -> None:
    """A reader that takes the elements for HTML shows them as texts."""
    item = Article(
        url="http://a.example/", title=ATTACK, text=ATTACK, summary=ATTACK, authors=[ATTACK],
        tags=[ATTACK], site_name=ATTACK, published="2026-01-02T03:04:05Z",
    )  # fmt: skip
    written = write(exporter, item)
    feed = feedparser.parse(written, sanitize_html=False)
    assert not feed.bozo
    entry = feed.entries[0]
    values = [entry.title_detail, entry.summary_detail, entry.content[0], feed.feed.title_detail]
    for one in values:
        is_html = one["type"] == "text/html" or exporter is RssItemExporter
        assert ("<img" in one["value"]) != is_html, one
    if exporter is RssItemExporter:
        assert "<img" not in entry.author and "<img" not in entry.tags[0].term
