"""Which sources have the dates on the pages of a template, and how sure the dates of a page are."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache

from forest_scrapy.core.fields.dates import LONGEST, find_date, read_date
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import drop_constant, family_of, rank_sources
from forest_scrapy.core.fields.shown_dates import date_texts, find_date_xpaths, find_shown
from forest_scrapy.core.fields.sources import PageSources, short_elements

#: The sources of declared dates of publication and of the last change, best first.
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
            "parsely-pub-date cxenseparse:recs:publishtime bt:pubdate citation_publication_date "
            "dcterms.issued citation_online_date citation_date"
        ).split()
    ),
    "meta-name:published",
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
#: Tried after visible dates: the date in the URL of the page and of its main image.
_LAST = ("url:date", "url:image")
FEED = "feed:published"
FEED_MODIFIED = "feed:updated"
#: Dates of a page and of its feed may be in different time zones.
_NEAR = timedelta(days=1)


def learn_published(pages: Sequence[PageSources], titles: Sequence[str]) -> tuple[str, ...]:
    """The sources of the date of publication in the order they are tried.  ``titles``: those of
    the pages, in whose neighbourhood the date is looked for.

    Two dates agree if they are at most a day apart; a date with an offset is exact.
    """
    declared = [read_dates(page, (*PUBLISHED, FEED, "url:date")) for page in pages]
    is_declared = all(map(_is_consistent, declared))
    visible = ["html:time"] if is_declared else _find_dates(pages, declared, titles)
    sources = (*PUBLISHED, *visible, *_LAST)
    found = [read_dates(page, sources) for page in pages]
    varying = drop_constant(visible, found, lambda value: value[:10])
    kept = [source for source in sources if source in varying or source not in visible]
    feed = [read_dates(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(kept, found, feed, is_same_day, FEED, _has_offset)


def learn_modified(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the date of the last change: those that pages declare, then the feed."""
    sources = (*MODIFIED, FEED_MODIFIED)
    found = [read_dates(page, sources) for page in pages]
    return tuple(source for source in sources if any(source in dates for dates in found))


def read_dates(page: PageSources, sources: Iterable[str]) -> dict[str, str]:
    """The date by each of the sources that has one, as ISO 8601."""
    found = {source: page.value(_read_source, source) for source in sources}
    return {source: both[0] for source, both in found.items() if both}


def first_date(page: PageSources, sources: Iterable[str]) -> tuple[str, str, str]:
    """The first of the sources that has a date, the date as ISO 8601, and as the page has it;
    empty texts if there is none."""
    for source in sources:
        if found := page.value(_read_source, source):
            return source, *found
    return "", "", ""


def _read_source(page: PageSources, source: str) -> tuple[str, str] | None:
    """The first date of a source, and its text."""
    read = find_date if _is_element(source) else read_date
    texts: Iterable[str] = page.texts(source)
    if is_xpath(source):
        texts = (text for element in page.elements(source) for text in date_texts(element))
    for text in texts:
        if value := read(text, page.locale, page.fetched_at):
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


def _is_consistent(dates: Mapping[str, str]) -> bool:
    """Whether a page declares a date that its feed entry does not contradict.

    Visible dates are not searched for then, because that takes longer than everything else.
    """
    declared = [value for source, value in dates.items() if source in PUBLISHED]
    return bool(declared) and (FEED not in dates or is_same_day(declared[0], dates[FEED]))


def _find_dates(
    pages: Sequence[PageSources], declared: Sequence[Mapping[str, str]], titles: Sequence[str]
) -> list[str]:
    """XPaths of the elements that show a declared date or that of the feed entry.

    If there are none: of those that show any date, then any relative date, on the pages that
    declare none.
    """
    common = _common_texts(pages)
    pairs = list(zip(pages, titles, strict=True))
    for is_relative in (False, True):
        shown = [
            [one for one in find_shown(page, title, is_relative) if one.text not in common]
            for page, title in pairs
        ]
        matching = [
            [one for one in dates if _is_any(one.value, values)]
            for dates, values in zip(shown, declared, strict=True)
        ]
        others = [[] if values else dates for dates, values in zip(shown, declared, strict=True)]
        for wanted in (matching, others):
            if any(wanted):
                return find_date_xpaths(pages, wanted)
    return []


def _is_any(date: str, values: Mapping[str, str]) -> bool:
    return any(is_same_day(date, value) for value in values.values())


def _common_texts(pages: Sequence[PageSources]) -> set[str]:
    """The texts on more than half of the pages, such as those of a menu."""
    found_on = Counter(
        text for page in pages for text in {text for _, _, text in short_elements(page, LONGEST)}
    )
    return {text for text, count in found_on.items() if count > max(1, len(pages) / 2)}


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
