"""Texts in which names stand for a page's own title, authors, dates and address.

A line such as "The post Boats first appeared on Gazette" is boilerplate that differs from page to
page.  With ``{title}`` in the place of the title it is the same on all of them.
"""

import re
from collections.abc import Iterable
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
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.titles import read_title
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
#: The name of the note on a page.
_NOTE = "own_values"
#: A word, a number, or a name that stands for a value.
_TOKEN = re.compile(r"\{[a-z]+\}|\d+|[^\W\d_]+")
_DIGIT = re.compile(r"\d")
#: What stands between the parts of a date, and words that are parts of times.
_BETWEEN = re.compile(r"[\s,.:/|-]{0,3}")
_TIME_WORDS = frozenset(("am", "pm", "st", "nd", "rd", "th", "de", "of", "uhr", "um", "at"))
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


def read_own_texts(page: Page) -> OwnTexts:
    """The title, authors, addresses and days of a page.  The answer is kept with the page."""
    if _NOTE not in page.notes:
        page.notes[_NOTE] = _read_own_texts(page)
    own_texts = page.notes[_NOTE]
    assert isinstance(own_texts, OwnTexts)
    return own_texts


def _read_own_texts(page: Page) -> OwnTexts:
    sources = PageSources(page.head)
    authors: list[str] = []
    for names in read_authors(sources, AUTHORS).values():
        authors.extend(names)
    titles = [read_title(page.head)]
    for heading in islice(page.root.iter("h1"), _MAX_HEADINGS):
        text = line_text(heading)
        if _is_same_title(text, titles[0]):
            titles.append(text)
    urls = [page.url]
    for link in page.declared.head["link"]:
        if (link.get("rel") or "").lower() == "canonical":
            urls.append(link.get("href") or "")
    return OwnTexts(
        titles=_fold_all(title for title in titles if len(title) <= _MAX_TITLE),
        authors=_fold_all(authors),
        urls=_fold_all(map(_without_scheme, urls)),
        language=page.language,
        days=_read_days(sources),
    )


def _read_days(sources: PageSources) -> frozenset[str]:
    """The days of publication and of changes that a page tells."""
    dates = read_dates(sources, _DATE_SOURCES)
    return frozenset(date[:10] for date in dates.values() if date)


def _is_same_title(heading: str, title: str) -> bool:
    """Whether a heading is another form of the title, and not the name of the site."""
    heading_words = set(fold_words(heading).split())
    title_words = set(fold_words(title).split())
    longer = max(len(heading_words), len(title_words))
    return len(heading_words & title_words) >= _MIN_SHARED * longer > 0


def _fold_all(texts: Iterable[str]) -> tuple[str, ...]:
    folded = {plain(text).lower() for text in texts}
    return tuple(
        sorted((text for text in folded if len(text) >= _MIN_VALUE), key=lambda t: (-len(t), t))
    )


def _without_scheme(url: str) -> str:
    """The host and path of a URL; ``""`` for that of a home page, which all pages may name."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    path = parts.path.rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}{path}{query}" if host and (path or query) else ""


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
    masked = plain(text).lower().replace("{", "(").replace("}", ")")
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
    return sum(1 for token in _TOKEN.findall(masked) if token not in _NAMES)


@lru_cache(maxsize=512)
def _value_pattern(value: str) -> re.Pattern[str]:
    """Finds a value as whole words, as far as its letters tell where words end."""
    start = r"(?<![a-z0-9])" if value[0].isascii() and value[0].isalnum() else ""
    end = r"(?![a-z0-9])" if value[-1].isascii() and value[-1].isalnum() else ""
    return re.compile(start + re.escape(value) + end)


@lru_cache(maxsize=512)
def _url_pattern(url: str) -> re.Pattern[str]:
    start = r"(?<![a-z0-9./:])(?:https?://)?(?:www\.)?"
    end = "(?:/(?![a-z0-9])|(?![a-z0-9/]))"
    return re.compile(start + re.escape(url) + end)


def _mask_dates(text: str, own_texts: OwnTexts) -> str:
    """The text with each run of numbers, names of months and days, and words of times as one name,
    if it is one of the page's own days."""
    if not own_texts.days or not _DIGIT.search(text):
        return text
    names = date_words(own_texts.language)
    pieces: list[str] = []
    end = 0
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        is_part = token[0].isdecimal() or token[0] in names or bool(run and token[0] in _TIME_WORDS)
        is_next = not run or _BETWEEN.fullmatch(text, run[-1].end(), token.start()) is not None
        if is_part and is_next:
            run.append(token)
            continue
        end = _add_run(text, run, own_texts, pieces, end)
        run = [token] if token[0].isdecimal() or token[0] in names else []
    end = _add_run(text, run, own_texts, pieces, end)
    return "".join(pieces) + text[end:]


def _add_run(
    text: str,
    run: list[re.Match[str]],
    own_texts: OwnTexts,
    pieces: list[str],
    end: int,
) -> int:
    """Add the text up to the run and a name for it, if it is one of the page's own days; the new
    end."""
    names = date_words(own_texts.language)
    while run and run[-1][0] in _TIME_WORDS and run[-1][0] not in names:
        is_of_time = run[-1][0] in ("am", "pm", "uhr") and len(run) > 1
        if is_of_time:
            break
        run.pop()
    numbers = sum(1 for token in run if token[0].isdecimal())
    has_name = any(token[0] in names for token in run)
    if numbers < _MIN_NUMBERS and not (numbers and has_name):
        return end
    if not _is_own_day(text[run[0].start() : run[-1].end()], own_texts):
        return end
    pieces.append(text[end : run[0].start()])
    pieces.append(DATE)
    return run[-1].end()


def _is_own_day(date: str, own_texts: OwnTexts) -> bool:
    for order in _ORDERS:
        if find_date(date, own_texts.language, order=order)[:10] in own_texts.days:
            return True
    return False
