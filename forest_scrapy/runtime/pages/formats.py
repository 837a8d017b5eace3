"""The forms in which the content of an article is written, by ``FOREST_FORMATS``."""

from __future__ import annotations

from collections.abc import Collection

from forest_scrapy.items import Article

__all__ = ["apply_formats"]


def apply_formats(article: Article, formats: Collection[str]) -> None:
    """Fill ``markdown``, and empty ``html``, as the formats say.  Cost: Markdown takes some 5 ms
    for a page."""
    if "markdown" in formats:
        article.markdown = to_markdown(article.html)
    if "html" not in formats:
        article.html = ""


def to_markdown(html: str) -> str:
    """Sanitized HTML as Markdown, with ``#`` headings.

    >>> to_markdown("<h2>Boats</h2><p>Two <b>red</b> <a href='http://a.example/'>boats</a>.</p>")
    '## Boats\\n\\nTwo **red** [boats](http://a.example/).'
    """
    from markdownify import ATX, markdownify

    return str(markdownify(html, heading_style=ATX, bullets="-")).strip()
