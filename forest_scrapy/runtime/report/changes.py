"""How articles that were fetched again differ from their text in the history."""

from __future__ import annotations

from datetime import UTC, datetime

from forest_scrapy.core import Page, Params, Wrapper, extract
from forest_scrapy.core.changes.delta import compare_texts
from forest_scrapy.core.changes.text_summary import share_changed, summarize_text
from forest_scrapy.runtime.pages.responses import page_key
from forest_scrapy.runtime.report.contents import Change
from forest_scrapy.stores import HistoryStore

__all__ = ["change_since"]


def change_since(
    page: Page, wrapper: Wrapper, history: HistoryStore, params: Params
) -> Change | None:
    """How the article of a page has changed since a crawl has fetched it last; None if it has
    not, or if its old text is not kept.  Cost: an extraction."""
    known = history.find(page_key(page.url))
    old = history.text(known.key) if known else None
    if known is None or old is None:
        return None
    text = extract(page, wrapper, params)[1].text
    if text == old or summarize_text(text).digest == known.text.digest:
        return None
    delta = compare_texts(old, text)
    fetched = datetime.fromtimestamp(known.fetched or known.first_seen, UTC).isoformat()
    return Change(page.url, fetched, share_changed(old, text), delta.inserted, delta.deleted)
