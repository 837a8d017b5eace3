"""Which sources have the dates on the pages of a template, and how sure the dates of a page are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache

from forest_scrapy.core.fields.byline_elements import AsideFinder
from forest_scrapy.core.fields.dates import (
    LONGEST,
    decide_order,
    find_date,
    find_numeric_dates,
    find_updated_date,
    has_update_label,
    is_ambiguous,
    read_date,
)
from forest_scrapy.core.fields.metadata import FieldSources, is_xpath
from forest_scrapy.core.fields.ranking import drop_constant, family_of, rank_sources
from forest_scrapy.core.fields.shown_dates import date_texts, find_date_xpaths, find_shown
from forest_scrapy.core.fields.sources import (
    PageSources,
    ShortElement,
    find_visible,
    short_elements,
)
from forest_scrapy.core.moments import parse_day
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element, class_and_id

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
            "dcterms.issued citation_online_date citation_date og:regdate regdate og:pubdate "
            "article:published_date article:publish_date article_date_original dc.date.published "
            "originalpublicationdate date.issued displaydate mediator_published_time"
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
    *(
        f"meta:{name}"
        for name in (
            "datemodified last-modified lastmod dcterms.modified dc.date.modified article:modified "
            "og:article:modified_time article:updated_time article.updated updated_time revised "
            "last_updated_date date.modified og:moddate"
        ).split()
    ),
    "json-ld-page:dateModified",
)
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
    constant = _find_constant(declared)
    doubted = [_without(dates, constant) for dates in declared]
    visible = ["html:time"]
    if not all(map(_is_consistent, doubted)):
        visible = _find_dates(pages, declared, titles)
        if constant and not _confirm(pages, titles, declared, constant):
            others = _find_dates(pages, doubted, titles)
            visible = others if _tell_apart(pages, others) else visible
            constant = constant if visible is others else frozenset()
        else:
            constant = frozenset()
    images = ("url:image",) if _has_own_images(pages) else ()
    sources = (*(s for s in PUBLISHED if s not in constant), *visible, "url:date", *images)
    found = [read_dates(page, sources) for page in pages]
    varying = drop_constant(visible, found, lambda value: value[:10])
    kept = [source for source in sources if source in varying or source not in visible]
    feed = [read_dates(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(kept, found, feed, is_same_day, FEED, _has_offset)


def find_site_dates(pages: Sequence[PageSources], published: Iterable[str]) -> tuple[str, ...]:
    """The declared sources that the pages have, but that are not among the learned ones: their
    date is that of the site (see ``learn_published``)."""
    learned = set(published)
    return tuple(
        source
        for source in PUBLISHED
        if source not in learned and any(read_dates(page, (source,)) for page in pages)
    )


def _find_constant(declared: Sequence[Mapping[str, str]]) -> frozenset[str]:
    """The declared sources with the same date and time on all of two or more pages; such as a
    theme's, or those of pages of one day."""
    constant = set()
    for source in PUBLISHED:
        values = [dates[source] for dates in declared if source in dates]
        if len(values) > 1 and len(set(values)) == 1:
            constant.add(source)
    return frozenset(constant)


def _without(dates: Mapping[str, str], sources: frozenset[str]) -> Mapping[str, str]:
    """The dates without those of the sources, unless the feed agrees with them."""
    feed = dates.get(FEED)
    return {
        source: value
        for source, value in dates.items()
        if source not in sources or (feed and is_same_day(value, feed))
    }


def _confirm(
    pages: Sequence[PageSources],
    titles: Sequence[str],
    declared: Sequence[Mapping[str, str]],
    constant: frozenset[str],
) -> bool:
    """Whether the likeliest visible date is the constant one on most of the pages that declare
    that."""
    confirmed = 0
    count = 0
    for page, title, dates in zip(pages, titles, declared, strict=True):
        values = [value for source, value in dates.items() if source in constant]
        shown = find_shown(page, title, is_relative=False) if values else []
        likeliest = min(shown, key=lambda date: date.cost, default=None)
        count += bool(values)
        confirmed += likeliest is not None and is_same_day(likeliest.value, values[0])
    return 2 * confirmed > count


def _tell_apart(pages: Sequence[PageSources], visible: Sequence[str]) -> bool:
    """Whether one of the visible elements has dates on most pages, of several days."""
    for source in visible:
        days = [dates[source][:10] for page in pages if (dates := read_dates(page, (source,)))]
        if 2 * len(days) > len(pages) and len(set(days)) > len(days) / 2 and len(set(days)) > 1:
            return True
    return False


def _has_own_images(pages: Sequence[PageSources]) -> bool:
    """Whether the main image is not the same on all of two or more pages, as a site's logo is."""
    images = [page.declared.first_meta("og:image") for page in pages]
    return len(pages) < 2 or len(set(images)) > 1


#: The share of the dates of numbers that must have one order.  Not tuned: articles quote dates.
_MIN_ORDERED = 0.9


def learn_order(pages: Sequence[PageSources]) -> str:
    """The order of day and month in the dates of numbers on the pages, ``DMY`` or ``MDY``; ``""``
    if they have none that tells.

    A day above 12 tells; else the order in which a date is that of the page's feed entry or URL.
    Cost: one search in the text of each page.
    """
    orders = Counter[str]()
    unclear: list[tuple[PageSources, str]] = []
    for page in pages:
        for text in find_numeric_dates("\n".join(page.page.outline.lines)):
            order = decide_order(text)
            orders[order] += bool(order)
            if not order:
                unclear.append((page, text))
    if not +orders:
        for page, text in unclear:
            known = read_dates(page, (FEED, "url:date")).values()
            fitting = [
                order
                for order in ("DMY", "MDY")
                if any(find_date(text, order=order)[:10] == value[:10] for value in known)
            ]
            orders[fitting[0] if len(fitting) == 1 else ""] += 1
        del orders[""]
    order = max(("DMY", "MDY"), key=lambda order: orders[order])
    is_clear = orders[order] and orders[order] >= _MIN_ORDERED * orders.total()
    return order if is_clear else ""


def learn_modified(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the date of the last change: those that pages declare, then the feed; if a
    page declares none, also the XPaths of elements with a label such as "updated"."""
    declared = (*MODIFIED, FEED_MODIFIED)
    found = [read_dates(page, declared) for page in pages]
    sources = [source for source in declared if any(source in dates for dates in found)]
    if not all(any(source in dates for source in MODIFIED) for dates in found):
        shown = [list(_find_updated(page)) for page in pages]
        sources += find_visible(pages, shown, _MAX_UPDATED)
    return tuple(sources)


def _find_updated(page: PageSources) -> Iterator[ShortElement]:
    """The short elements that show a date of a change, without those in comments and menus."""
    is_aside = AsideFinder()
    has_times = any(_updated_time(time) is not None for time in page.page.root.iter("time"))
    for one in short_elements(page, LONGEST):
        element = one.node.element
        has_label = page.may_have_date(one.node) and has_update_label(one.text)
        if not has_label and not (has_times and _updated_time(element) is not None):
            continue
        if _read_updated_element(page, element) and not is_aside(element):
            yield one


def _updated_time(element: Element) -> Element | None:
    """The ``time`` element, marked as that of a change, that is all there is in an element, or is
    the element itself."""
    for _ in range(_MAX_DEPTH):
        if element.tag == "time":
            return element if _UPDATED_MARK.search(class_and_id(element)) else None
        if len(element) != 1:
            return None
        element = element[0]
    return None


#: Elements in each other that are looked at.
_MAX_DEPTH = 4
#: Elements with a date of a change that are learned.
_MAX_UPDATED = 2
#: Class names and ids of dates of a change.
_UPDATED_MARK = re.compile(r"updat|modif", re.IGNORECASE)


def first_modified(page: PageSources, sources: Iterable[str]) -> tuple[str, str, str]:
    """As ``first_date``, for the date of the last change: of elements only a date with a label
    such as "updated" is read."""
    for source in sources:
        both = page.value(_read_updated if is_xpath(source) else _read_source, source)
        if both:
            return source, *both
    return "", "", ""


def _read_updated(page: PageSources, source: str) -> tuple[str, str] | None:
    """The first date of a change in the elements of an XPath, and its text."""
    for element in page.elements(source):
        if both := _read_updated_element(page, element):
            return both
    return None


def _read_updated_element(page: PageSources, element: Element) -> tuple[str, str] | None:
    time = _updated_time(element)
    if time is not None:
        for text in date_texts(time):
            if value := read_date(text, page.locale, page.fetched_at, page.date_order):
                return value, " ".join(text.split())
    text = " ".join(block_text(element).split())
    value = find_updated_date(text, page.locale, page.fetched_at, page.date_order)
    return (value, text) if value else None


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
    read = find_date if source.startswith("html:") else read_date
    texts: Iterable[str] = page.texts(source)
    if is_xpath(source):
        texts = (text for element in page.elements(source) for text in date_texts(element))
    for text in texts:
        if value := read(text, page.locale, page.fetched_at, page.date_order):
            return value, " ".join(text.split())
    return None


def is_same_day(one: str, other: str) -> bool:
    """Whether two dates are at most a day apart.

    >>> is_same_day("2024-05-03T23:00:00+02:00", "2024-05-04")
    True
    """
    return abs(parse_day(one) - parse_day(other)) <= _NEAR


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


def rate_published(page: PageSources, learned: FieldSources, source: str, value: str) -> float:
    """The probability from 0 to 1 that a page's date of publication is right to a day; 0 if there
    is none.

    ``learned``: what the template taught; ``source``: that of ``value``.
    """
    if not value:
        return 0.0
    visible = [one for one in learned.published if is_xpath(one)]
    declared = [one for one in PUBLISHED if one not in learned.site_dates]
    sources = (*declared, FEED, "url:date", *visible, "html:time", "url:image")
    confidence = _rate(page, source, value, sources)
    is_unclear = confidence == _ALONE and _may_be_exchanged(page, source)
    return _CONTRADICTED if is_unclear else confidence


def _may_be_exchanged(page: PageSources, source: str) -> bool:
    """Whether day and month of a source's date may be exchanged: nothing tells their order."""
    both = page.value(_read_source, source)
    is_known = page.date_order or page.locale != "en"
    return both is not None and not is_known and is_ambiguous(both[1])


def rate_modified(page: PageSources, source: str, value: str, published: str) -> float:
    """The same for the date of the last change; one before the date of publication is doubtful."""
    if not value:
        return 0.0
    if published and parse_day(value) < parse_day(published) - _NEAR:
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
