"""How certain the dates of a page are, by how its sources agree (Oita's thesis, 2.1)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache

from forest_scrapy.core.fields.learn_dates import (
    FEED,
    FEED_MODIFIED,
    MODIFIED,
    PUBLISHED,
    is_same_day,
    read_dates,
)
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import family_of
from forest_scrapy.core.fields.sources import PageSources

__all__ = ["OUTER_MODIFIED", "rate_modified", "rate_published"]

#: Sources of the date of the last change that are not on the page, the least reliable: a sitemap
#: and a server often give the date when the page was generated.
OUTER_MODIFIED = ("sitemap:lastmod", "http:last-modified")
#: Visible dates that are not learned may be those of comments and of other articles, so they
#: confirm a date, but do not contradict it.
_ONLY_CONFIRM = frozenset(("visible", "image"))

#: The probability that a date is right to a day, by the number of other families of sources that
#: have the same one.  On fundus and a third of feeds-dev, without the feed: 165 of 165, 275 of 276,
#: and 199 of 210.
_CONFIRMED_TWICE, _CONFIRMED, _ALONE = 0.995, 0.99, 0.95
#: If a family has another date: estimates, because there was no such page.
_DISPUTED, _CONTRADICTED = 0.9, 0.6
#: A page without offsets, or a generator, may be a day off; further back, a change comes before
#: the publication.
_NEAR = timedelta(days=1)


def rate_published(page: PageSources, learned: Iterable[str], source: str, value: str) -> float:
    """The probability from 0 to 1 that a page's date of publication is right to a day; 0 if there
    is none.

    ``learned``: the sources learned from the template; ``source``: that of ``value``.
    """
    if not value:
        return 0.0
    visible = [one for one in learned if is_xpath(one)]
    sources = (*PUBLISHED, FEED, "url:date", *visible, "html:time", "url:image")
    return _rate(page, source, value, sources)


def rate_modified(page: PageSources, source: str, value: str, published: str) -> float:
    """The same for the date of the last change; one before the date of publication is doubtful."""
    if not value:
        return 0.0
    if published and date.fromisoformat(value[:10]) < date.fromisoformat(published[:10]) - _NEAR:
        return _CONTRADICTED
    return _rate(page, source, value, (*MODIFIED, FEED_MODIFIED, *OUTER_MODIFIED))


def _rate(page: PageSources, source: str, value: str, sources: Iterable[str]) -> float:
    """The confidence in the value of a source, given the other ``sources``; those that only
    confirm come last.  Sources that cannot change the confidence are not read."""
    own, agreeing, others = _family_of(source), set[str](), set[str]()
    for name in sources:
        family = _family_of(name)
        is_disputed = bool(others - agreeing - _ONLY_CONFIRM)
        if family in _ONLY_CONFIRM and len(agreeing) >= (1 if is_disputed else 2):
            break
        if family == own or family in agreeing:
            continue
        if other := read_dates(page, (name,)).get(name):
            (agreeing if is_same_day(value, other) else others).add(family)
    if others - agreeing - _ONLY_CONFIRM:
        return _DISPUTED if agreeing else _CONTRADICTED
    return (_ALONE, _CONFIRMED, _CONFIRMED_TWICE)[min(len(agreeing), 2)]


@lru_cache(maxsize=1024)
def _family_of(source: str) -> str:
    """As ``family_of``; the date of the main image may be another one than that of the page."""
    return "image" if source == "url:image" else family_of(source)
