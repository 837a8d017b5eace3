"""How certain the dates of a page are, by how its sources agree (Oita's thesis, 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

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
    found = read_dates(page, (*PUBLISHED, FEED, "url:date", "url:image", "html:time", *visible))
    return _rate(source, value, found)


def rate_modified(page: PageSources, source: str, value: str, published: str) -> float:
    """The same for the date of the last change; one before the date of publication is doubtful."""
    if not value:
        return 0.0
    found = read_dates(page, (*MODIFIED, FEED_MODIFIED, *OUTER_MODIFIED))
    if published and date.fromisoformat(value[:10]) < date.fromisoformat(published[:10]) - _NEAR:
        return _CONTRADICTED
    return _rate(source, value, found)


def _rate(source: str, value: str, found: Mapping[str, str]) -> float:
    """The confidence in the value of a source; ``found``: the values of all sources."""
    agreeing: set[str] = set()
    others: set[str] = set()
    for name, other in found.items():
        family = "image" if name == "url:image" else family_of(name)
        if family != family_of(source):
            (agreeing if is_same_day(value, other) else others).add(family)
    is_disputed = bool(others - agreeing - _ONLY_CONFIRM)
    if is_disputed:
        return _DISPUTED if agreeing else _CONTRADICTED
    return (_ALONE, _CONFIRMED, _CONFIRMED_TWICE)[min(len(agreeing), 2)]
