"""How well a wrapper fits the pages of its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

from forest_scrapy.core import METHODS, PAGE_METHODS, Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import compare_texts, share_changed, summarize_text
from forest_scrapy.core.fields import read_fields
from forest_scrapy.report.contents import Change
from forest_scrapy.report.contradictions import Contradiction, find_contradictions
from forest_scrapy.report.page_view import PageView, as_text, text_agreement
from forest_scrapy.responses.conversion import page_key
from forest_scrapy.stores import HistoryStore

__all__ = ["Fit", "change_since", "measure_fit"]

#: The fields that are compared with those of a wrapper learned again.
_COMPARED = ("title", "published", "authors")


@dataclass(frozen=True)
class Fit:
    """How well a wrapper fits; shares from 0 to 1, means over the pages.

    - ``match``: the share of the pages on which it finds text.
    - ``text``: how much its texts have in common with those of a wrapper learned again from these
      pages (shared shingles of words).
    - ``titles`` and ``fields``: the shares of equal titles; of equal titles, dates and authors.
    - ``contradictions``: the rules of the wrapper learned again that it contradicts.
    - ``single``: how much its texts have in common with what the classifier finds on each page by
      itself.

    ``text``, ``titles`` and ``fields`` are None for a single page, from which no template can be
    learned.
    """

    match: float
    single: float
    text: float | None = None
    titles: float | None = None
    fields: float | None = None
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def rules(self) -> float | None:
        """1 without contradictions, 0 if a certain rule is contradicted on every page."""
        if self.text is None:
            return None
        return 1 - max((one.weight for one in self.contradictions), default=0.0)

    @property
    def score(self) -> float:
        """The smallest of ``match``, ``text``, ``titles``, ``fields`` and ``rules``."""
        given = (self.match, self.text, self.titles, self.fields, self.rules)
        return min(x for x in given if x is not None)

    @property
    def sort_key(self) -> tuple[float, float]:
        """Smaller for a worse fit."""
        return round(self.score, 3), round(self.single, 3)


def measure_fit(
    pages: Sequence[Page], views: Sequence[PageView], wrapper: Wrapper, params: Params
) -> Fit:
    """The fit of a wrapper on pages, which have these ``views``.  Cost: learning from them."""
    if not pages:
        return Fit(0.0, 0.0)
    own = [wrapper.method == view.method for view in views]
    match = fmean(own) if wrapper.keep else 0.0
    single = fmean(text_agreement(view.text, view.likely) for view in views)
    if len(pages) < 2 or wrapper.method in PAGE_METHODS:
        return Fit(match, single)
    method = wrapper.method if wrapper.method in METHODS else params.method
    again = learn(pages, replace(params, method=method))
    if (again.id, again.fields) == (wrapper.id, wrapper.fields):
        return Fit(match, single, 1.0, 1.0, 1.0)
    found = [extract(page, again, params)[1] for page in pages]
    text = fmean(text_agreement(v.text, f.text) for v, f in zip(views, found, strict=True))
    read = [read_fields(p, again.fields, f.content) for p, f in zip(pages, found, strict=True)]
    equal = {
        name: fmean(
            view.value(name) == as_text(getattr(one, name))
            for view, one in zip(views, read, strict=True)
        )
        for name in _COMPARED
    }
    contradictions = () if text == 1 else find_contradictions(pages, wrapper, again)
    return Fit(match, single, text, equal["title"], fmean(equal.values()), contradictions)


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
