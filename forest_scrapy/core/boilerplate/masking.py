"""Texts in which names stand for a page's own title, authors, dates and address.

A line such as "The post Boats first appeared on Gazette" is boilerplate that differs from page to
page.  With ``{title}`` in the place of the title it is the same on all of them.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.boilerplate.wordings import plain
from forest_scrapy.core.fields.dates import date_words, find_date
from forest_scrapy.core.fields.learn_authors import AUTHORS, read_authors
from forest_scrapy.core.fields.learn_dates import (
    FEED,
    FEED_MODIFIED,
    MODIFIED,
    PUBLISHED,
    read_dates,
)
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.titles import TITLES, first_title, read_title
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import line_text

# These constants are not tuned.
#: Characters of the longest text that is masked, and of the shortest title or name of an author.
MAX_LENGTH = 600
_MIN_VALUE = 3
#: Characters of the longest title, and the headings that may be another form of it.
_MAX_TITLE = 300
_MAX_HEADINGS = 2
#: The share of words that the title and another form of it have in common.
_MIN_SHARED = 0.6

TITLE = "{title}"
AUTHOR = "{author}"
DATE = "{date}"
URL = "{url}"
_NAMES = (TITLE, AUTHOR, DATE, URL)
#: The names of the notes on a page.
_NOTE = "own_values"
_AUTHORS_NOTE = "own_authors"
#: A word, a number, or a name that stands for a value.
_TOKEN = re.compile(r"\{[a-z]+\}|\d+|[^\W\d_]+")
_DIGIT = re.compile(r"\d")
#: What stands between the parts of a date, and words that are parts of times.
_BETWEEN = re.compile(r"[\s,.:/|-]{0,3}")
_TIME_WORDS = frozenset("am pm st nd rd th de of uhr um at".split())
#: Those that a time may end with.
_ENDS_OF_TIMES = frozenset("am pm uhr".split())
#: Numbers of a date that names no month.
_MIN_NUMBERS = 3
#: Where a page tells its own dates.
_DATE_SOURCES = (*PUBLISHED, *MODIFIED, FEED, FEED_MODIFIED, "html:time", "url:date")
#: The orders in which numbers of a date are read; ``""``: that of the language.
_ORDERS = ("", "DMY", "MDY")


class OwnTexts(NamedTuple):
    """What is masked of a page, the longest first; in lower case, see ``plain``.  ``days``: those
    of its publication and changes, as ``2024-05-03``."""

    titles: tuple[str, ...]
    authors: tuple[str, ...]
    urls: tuple[str, ...]
    language: str
    days: frozenset[str] = frozenset()


def read_own_texts(page: Page, fields: FieldSources | None = None) -> OwnTexts:
    """The title, authors, addresses and days of a page.  The answer is kept with the page.

    ``fields``: where the pages of its template have their fields; without these the sources of the
    title are ranked on the page by itself, which takes some ten times as long.
    """
    if _NOTE not in page.notes:
        page.notes[_NOTE] = OwnTexts(
            titles=_fold_all(_read_titles(page, fields)),
            authors=read_own_authors(page),
            urls=_fold_all(_read_addresses(page)),
            language=page.language,
            days=_read_days(page),
        )
    own_texts = page.notes[_NOTE]
    assert isinstance(own_texts, OwnTexts)
    return own_texts


def read_own_authors(page: Page) -> tuple[str, ...]:
    """The authors that a page declares, as in ``OwnTexts``.  The answer is kept with the page."""
    if _AUTHORS_NOTE not in page.notes:
        sources = PageSources(page.head)
        names_by_source = read_authors(sources, AUTHORS)
        authors: list[str] = []
        for names in names_by_source.values():
            authors.extend(names)
        page.notes[_AUTHORS_NOTE] = _fold_all(authors)
    names_of_authors: tuple[str, ...] = page.notes[_AUTHORS_NOTE]
    return names_of_authors


def _read_titles(page: Page, fields: FieldSources | None) -> list[str]:
    """The title of a page, and other forms of it in its headings."""
    if fields:
        page_sources = PageSources(page.head)
        sources = (*fields.title, *TITLES, "//h1")
        _, title = first_title(page_sources, sources, fields.affixes)
    else:
        title = read_title(page.head)

    titles = [title]
    for heading in islice(page.root.iter("h1"), _MAX_HEADINGS):
        text = line_text(heading)
        if _is_same_title(text, title):
            titles.append(text)
    return [text for text in titles if len(text) <= _MAX_TITLE]


def _is_same_title(heading: str, title: str) -> bool:
    """Whether a heading is another form of the title, and not the name of the site."""
    folded_heading = fold_words(heading)
    folded_title = fold_words(title)
    heading_words = set(folded_heading.split())
    title_words = set(folded_title.split())
    shared_words = heading_words & title_words
    longer = max(len(heading_words), len(title_words))
    return len(shared_words) >= _MIN_SHARED * longer > 0


def _read_addresses(page: Page) -> list[str]:
    """The URLs of a page, without their schemes."""
    urls = [page.url]
    for link in page.declared.head["link"]:
        relation = link.get("rel") or ""
        if relation.lower() == "canonical":
            address = link.get("href") or ""
            urls.append(address)
    return [_without_scheme(url) for url in urls]


def _without_scheme(url: str) -> str:
    """The host and path of a URL; ``""`` for that of a home page, which all pages may name."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.lower()
    host = host.removeprefix("www.")
    path = parts.path.rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    is_of_page = bool(path or query)
    if not host or not is_of_page:
        return ""
    return f"{host}{path}{query}"


def _read_days(page: Page) -> frozenset[str]:
    """The days of publication and of changes that a page tells."""
    dates = read_dates(PageSources(page.head), _DATE_SOURCES)
    return frozenset(date[:10] for date in dates.values() if date)


def _fold_all(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in lower case, each once, the longest first, without those that are too short."""
    folded = {plain(text).lower() for text in texts}
    values = []
    for text in folded:
        if len(text) >= _MIN_VALUE:
            values.append(text)
    values.sort()
    values.sort(key=len, reverse=True)
    return tuple(values)


def mask_text(text: str, own_texts: OwnTexts) -> str:
    """The text, in lower case and on one line, with ``{title}``, ``{author}``, ``{date}`` and
    ``{url}`` in the places of the page's own; ``""`` if it has none of them, or is too long.  Other
    dates stay: they are what a sentence tells.

    >>> days = frozenset({"2024-05-04"})
    >>> own_texts = OwnTexts(("boats & owls",), ("ana bo",), ("a.example/boats",), "en", days)
    >>> mask_text("Boats & Owls by Ana Bo was published on 4 May 2024.", own_texts)
    '{title} by {author} was published on {date}.'
    >>> mask_text("See https://www.a.example/boats/ for more", own_texts)
    'see {url} for more'
    >>> mask_text("The harbour is quiet", own_texts)
    ''
    """
    if len(text) > MAX_LENGTH:
        return ""
    masked = plain(text).lower()
    masked = masked.replace("{", "(")
    masked = masked.replace("}", ")")
    # Most texts have none of these, and compiling an expression takes longer than a search.
    for url in own_texts.urls:
        if url in masked:
            masked = _url_pattern(url).sub(URL, masked)
    for title in own_texts.titles:
        if title in masked:
            masked = _value_pattern(title).sub(TITLE, masked)
    for author in own_texts.authors:
        if author in masked:
            masked = _value_pattern(author).sub(AUTHOR, masked)
    masked = _mask_dates(masked, own_texts)
    return masked if is_masked(masked) else ""


def is_masked(text: str) -> bool:
    """Whether a text has a name that stands for a page's own value."""
    return any(name in text for name in _NAMES)


def words_beside(masked: str) -> int:
    """The number of words of a masked text beside the names.

    >>> words_beside("the post {title} by {author}")
    3
    """
    words = []
    for token in _TOKEN.findall(masked):
        if token not in _NAMES:
            words.append(token)
    return len(words)


@lru_cache(maxsize=512)
def _value_pattern(value: str) -> re.Pattern[str]:
    """Finds a value as whole words, as far as its letters tell where words end."""
    expression = re.escape(value)
    if _is_ascii_letter(value[0]):
        expression = r"(?<![a-z0-9])" + expression
    if _is_ascii_letter(value[-1]):
        expression += r"(?![a-z0-9])"
    return re.compile(expression)


def _is_ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


@lru_cache(maxsize=512)
def _url_pattern(url: str) -> re.Pattern[str]:
    start = r"(?<![a-z0-9./:])(?:https?://)?(?:www\.)?"
    end = "(?:/(?![a-z0-9])|(?![a-z0-9/]))"
    return re.compile(start + re.escape(url) + end)


def _mask_dates(text: str, own_texts: OwnTexts) -> str:
    """The text with one name for each date that is one of the page's own days."""
    if not own_texts.days or not _DIGIT.search(text):
        return text

    pieces: list[str] = []
    end = 0
    names = date_words(own_texts.language)
    for date in _find_dates(text, names):
        written_date = text[date.start : date.stop]
        if not _is_own_day(written_date, own_texts):
            continue
        before = text[end : date.start]
        pieces.append(before)
        pieces.append(DATE)
        end = date.stop
    after = text[end:]
    pieces.append(after)
    return "".join(pieces)


def _find_dates(text: str, names: Collection[str]) -> Iterator[range]:
    """The places of what may be dates: runs of numbers, names of months and days, and words of
    times.  ``names``: those of months and days."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        is_of_date = word.isdecimal() or word in names
        may_follow = is_of_date or word in _TIME_WORDS
        if run and may_follow and _is_next(text, run[-1], token):
            run.append(token)
            continue
        if run:
            yield from _date_of(run, names)
        run = [token] if is_of_date else []
    if run:
        yield from _date_of(run, names)


def _is_next(
    text: str,
    token: re.Match[str],
    next_token: re.Match[str],
) -> bool:
    """Whether there is nothing between two tokens but what stands between the parts of a date."""
    return _BETWEEN.fullmatch(text, token.end(), next_token.start()) is not None


def _date_of(
    run: list[re.Match[str]],
    names: Collection[str],
) -> Iterator[range]:
    """The place of a run, without words of times at its end that belong to no time, if it has
    enough parts for a date."""
    words = [token[0] for token in run]
    while words and words[-1] in _TIME_WORDS and words[-1] not in names:
        is_of_time = len(words) > 1 and words[-1] in _ENDS_OF_TIMES
        if is_of_time:
            break
        words.pop()

    numbers = sum(map(str.isdecimal, words))
    has_name = any(word in names for word in words)
    is_date = numbers >= _MIN_NUMBERS or (numbers > 0 and has_name)
    if is_date:
        last = run[len(words) - 1]
        yield range(run[0].start(), last.end())


def _is_own_day(date: str, own_texts: OwnTexts) -> bool:
    language = own_texts.language
    for order in _ORDERS:
        iso_date = find_date(date, language, order=order)
        day = iso_date[:10]
        if day in own_texts.days:
            return True
    return False
