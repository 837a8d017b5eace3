"""Which source has the dates on the pages of a template."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from forest_scrapy.core.fields.dates import find_date, read_date
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.visible import find_visible, short_nodes

__all__ = [
    "MODIFIED",
    "PUBLISHED",
    "learn_modified",
    "learn_published",
    "read_dates",
    "read_raw_date",
]

#: What pages declare the day of publication by, the best first.
PUBLISHED = (
    "json-ld:datePublished",
    "opengraph:article:published_time",
    "microdata:datePublished",
    "json-ld:dateCreated",
    *(
        f"meta:{name}"
        for name in (
            "datepublished date pubdate publishdate publish-date publish_date published_time "
            "og:published_time og:article:published_time article:published article.published "
            "dc.date.issued dc.date dcterms.created dc.date.created dcterms.date sailthru.date "
            "parsely-pub-date cxenseparse:recs:publishtime bt:pubdate citation_publication_date"
        ).split()
    ),
    "json-ld-page:datePublished",
    "json-ld:uploadDate",
)
MODIFIED = (
    "json-ld:dateModified",
    "opengraph:article:modified_time",
    "microdata:dateModified",
    "opengraph:og:updated_time",
    *(f"meta:{name}" for name in "datemodified last-modified lastmod dcterms.modified".split()),
    "json-ld-page:dateModified",
)
#: After what is shown: any time element, and the day in the address.
_LAST = ("url:date", "html:time", "url:image")
FEED = "feed:published"
FEED_MODIFIED = "feed:updated"
#: An element that shows a date says little else, in characters.
_LONGEST = 120
_BARE = 30
#: How elements that show dates are marked.
_MARK = re.compile(r"date|time|publish|posted|datum|fecha|data\b", re.IGNORECASE)
#: A page and its feed may stand in different time zones.
_NEAR = timedelta(days=1)


def learn_published(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the day of publication in the order they are tried.

    Dates are the same if they are a day apart at most; one with an offset is exact.
    """
    found = [read_dates(page, (*PUBLISHED, FEED, "url:date")) for page in pages]
    shown = [] if all(map(_is_settled, found)) else _find_dates(pages, found)
    sources = (*PUBLISHED, *shown, *_LAST)
    found = [read_dates(page, sources) for page in pages]
    moving = drop_constant((*shown, "html:time"), found, lambda value: value[:10])
    kept = [source for source in sources if source in moving or not _is_element(source)]
    feed = [read_dates(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(kept, found, feed, is_same_day, FEED, _has_offset)


def learn_modified(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the day of the last change: what pages declare, then the feed."""
    found = [read_dates(page, (*MODIFIED, FEED_MODIFIED)) for page in pages]
    given = (*MODIFIED, FEED_MODIFIED)
    return tuple(source for source in given if any(source in dates for dates in found))


def read_dates(facts: PageSources, sources: Iterable[str]) -> dict[str, str]:
    """The date by each of the sources that has one, ISO 8601."""
    found = {}
    for source in sources:
        date_and_text = _read_source(facts, source)
        if date_and_text:
            found[source] = date_and_text[0]
    return found


def read_raw_date(facts: PageSources, source: str) -> str:
    """The text that gave the source's date, as the page has it."""
    found = _read_source(facts, source)
    return found[1] if found else ""


def _read_source(facts: PageSources, source: str) -> tuple[str, str] | None:
    """The first date of a source, and the text that it is from."""
    read = find_date if _is_element(source) else read_date
    for text in facts.texts(source):
        if value := read(text, facts.locale, facts.fetched_at):
            return value, " ".join(text.split())
    return None


def is_same_day(one: str, other: str) -> bool:
    """Whether two dates are at most a day apart.

    >>> is_same_day("2024-05-03T23:00:00+02:00", "2024-05-04")
    True
    """
    return abs(date.fromisoformat(one[:10]) - date.fromisoformat(other[:10])) <= _NEAR


def _is_element(source: str) -> bool:
    return is_xpath(source) or source.startswith("html:")


def _has_offset(value: str) -> bool:
    return value[19:20] in ("+", "-")


def _is_settled(dates: Mapping[str, str]) -> bool:
    """Whether a page declares a date that its feed entry does not gainsay: what it shows need not
    be looked for then, which takes longer than all else."""
    declared = [value for source, value in dates.items() if source in PUBLISHED]
    return bool(declared) and (FEED not in dates or is_same_day(declared[0], dates[FEED]))


def _find_dates(pages: Sequence[PageSources], found: Sequence[Mapping[str, str]]) -> list[str]:
    """XPaths of the elements that show a date that the page or its feed entry declares; where
    nothing is declared, of those that show any date, also a relative one."""
    common = _common_texts(pages)

    def is_declared(page: int, text: str, element: Any) -> bool:
        shown = _shown_date(pages[page], text, element)
        return bool(shown) and any(is_same_day(shown, value) for value in found[page].values())

    def is_date(page: int, text: str, element: Any) -> bool:
        if found[page] or text in common or not find_date(text, pages[page].locale):
            return False
        return not _is_comment(element)

    def is_relative(page: int, text: str, element: Any) -> bool:
        if found[page] or text in common or not _is_marked(element) or _is_comment(element):
            return False
        return bool(_shown_date(pages[page], text, element))

    for is_wanted in (is_declared, is_date, is_relative):
        if xpaths := find_visible(pages, _LONGEST, is_wanted, 3, _is_marked):
            return xpaths
    return []


def _common_texts(pages: Sequence[PageSources]) -> set[str]:
    """The texts on more than half of the pages, a menu's, which say nothing of one of them."""
    on = Counter(
        text for page in pages for text in {text for _, _, text in short_nodes(page, _LONGEST)}
    )
    return {text for text, count in on.items() if count > max(1, len(pages) / 2)}


def _is_comment(element: Any) -> bool:
    """Whether the element stands among readers' comments; the class of a whole page may say
    that it has some."""
    above = (e for e in (element, *element.iterancestors()) if e.tag not in ("body", "html"))
    return any("comment" in (e.get("class") or "") for e in above)


def _shown_date(facts: PageSources, text: str, element: Any) -> str:
    return find_date(element.get("datetime") or text, facts.locale, facts.fetched_at)


def _is_marked(element: Any) -> bool:
    """Whether the markup says that the element shows a date, or there is little else in it."""
    marks = f"{element.get('class') or ''} {element.get('id') or ''}"
    text = " ".join("".join(element.itertext()).split())
    return element.tag == "time" or bool(_MARK.search(marks)) or len(text) < _BARE
