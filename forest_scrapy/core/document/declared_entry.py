"""What a page says of itself in its head."""

from __future__ import annotations

from typing import Any

from forest_scrapy.core.document.page import Entry
from forest_scrapy.core.document.text import block_text

__all__ = ["declared_entry", "declared_title"]


def declared_title(root: Any) -> str:
    """``og:title``, else the only ``h1``, else ``title``; ``""`` where there is none."""
    headings = [block_text(h1) for h1 in root.iter("h1")]
    candidates = (
        *root.xpath("//meta[@property='og:title' or @name='og:title']/@content"),
        *(headings if len(headings) == 1 else ()),
        *root.xpath("//head/title/text() | //title[not(ancestor::svg)]/text()"),
    )
    return next((" ".join(text.split()) for text in candidates if text.strip()), "")


def declared_entry(root: Any) -> Entry:
    """Title and description as the page declares them, in the place of a feed entry."""
    descriptions = root.xpath(
        "//meta[@property='og:description' or @name='description' or @name='og:description']"
        "/@content"
    )
    longest = max(descriptions, key=len, default="")
    return Entry(title=declared_title(root), description=" ".join(longest.split()))
