"""The page numbers that URLs have: which URLs may be those of pages of one article."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

from forest_scrapy.core.page.urls import fold_url

#: Digits of the largest page number; offsets have more.
_MAX_DIGITS = 3
_MAX_OFFSET_DIGITS = 4
#: A longer URL is not one of a page of an article.
_MAX_LENGTH = 2_000
#: Parameters that have a page number and nothing else.
_PAGE_PARAMETERS = frozenset(
    "page pages pageno page_no pagenum page_num pagenumber page_number currentpage pageindex _page"
    " pg pn seite pagina sivu strana str strona sida side sayfa stranica oldal".split()
)
#: Parameters that may have one: ``p`` is also the number of a post.
_SHORT_PARAMETERS = frozenset(("p", "s"))
#: Parameters that have the number of what comes before.
_OFFSET_PARAMETERS = frozenset(("start", "offset", "from", "skip"))
#: Words of paths before a page number.
_WORD = (
    r"(?:page|pages|seite|pagina|p%c3%a1gina|página|sivu|strana|strona|sida|side|sayfa|stranica"
    r"|oldal|pg)"
)
_NUMBER = r"(?P<number>\d{1,3})"
_EXTENSION = r"(?P<extension>\.(?:[sp]?html?|php\d?|aspx?|jsp|cfm|do))?"
#: ``/owls/page/2``, ``/owls/seite-2``, ``/owls/page2.html``.
_NAMED_STEP = re.compile(rf"(?P<base>.*)/{_WORD}[-_/]?{_NUMBER}{_EXTENSION}", re.IGNORECASE)
#: ``/owls-page-2.html``, ``/owls,seite2``.
_NAMED_END = re.compile(rf"(?P<base>.*[^/])[-_,.]{_WORD}[-_]?{_NUMBER}{_EXTENSION}", re.IGNORECASE)
#: ``/owls/2``, ``/owls/2.html``.
_STEP = re.compile(rf"(?P<base>.*[^/])/{_NUMBER}{_EXTENSION}", re.IGNORECASE)
#: ``/owls-2.html``, ``/owls_2``, ``/owls,2.html``.
_END = re.compile(rf"(?P<base>.*[^/])[-_,.]{_NUMBER}{_EXTENSION}", re.IGNORECASE)
#: The kinds of paths: how one is matched, whether the URL says that the number is one of a page,
#: and whether it stands in a step of its own.
_PATHS = (
    (_NAMED_STEP.fullmatch, True, True),
    (_NAMED_END.fullmatch, True, False),
    (_STEP.fullmatch, False, True),
    (_END.fullmatch, False, False),
)
_ANY_EXTENSION = re.compile(rf"{_EXTENSION}$", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)$", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
#: URLs of comments: ``/comment-page-2/``, ``?cpage=2``.
_COMMENTS = re.compile(r"comment-page|[?&]c(?:omment_?)?page=", re.IGNORECASE)


@dataclass(frozen=True)
class PageNumber:
    """One way to read a page number from a URL.

    ``base``: what the pages of the article have in common; ``number``: that in the URL, which may
    be an ``is_offset``; ``is_named``: whether the URL says that it is one of a page; ``is_step``:
    whether it has a step of the path, or a parameter, for itself.
    """

    base: str
    number: int
    is_named: bool = True
    is_step: bool = True
    is_offset: bool = False


def read_page_numbers(url: str) -> list[PageNumber]:
    """All ways to read a page number from a URL; none if it has none, or is one of comments, or if
    the home page would be page one.

    >>> read_page_numbers("https://a.example/owls?page=2")
    [PageNumber(base='a.example/owls', number=2, is_named=True, is_step=True, is_offset=False)]
    >>> read_page_numbers("https://a.example/?p=12")
    []
    """
    has_number = len(url) <= _MAX_LENGTH and _DIGIT.search(url) is not None
    if not has_number or _is_of_comments(url):
        return []
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    if not parts.netloc:
        return []
    readings = [*_read_query(parts), *_read_path(parts)]
    return [reading for reading in readings if not _is_home(reading.base)]


def fold_base(url: str) -> str:
    """What a URL without a page number has in common with those of further pages.

    >>> fold_base("https://www.a.example/owls.html#top"), fold_base("http://a.example/index.php")
    ('a.example/owls', 'a.example')
    """
    if len(url) > _MAX_LENGTH:
        return url
    path, mark, query = fold_url(url).partition("?")
    path = _ANY_EXTENSION.sub("", path)
    path = _INDEX.sub("", path).rstrip("/")
    return f"{path}{mark}{query}"


def _is_of_comments(url: str) -> bool:
    """Whether a URL is one of comments, or of a place among them.

    >>> [_is_of_comments("/owls" + end) for end in ("?cpage=2", "/2#Comment-7", "/comments/2")]
    [True, True, False]
    """
    _, _, fragment = url.partition("#")
    if "comment" in fragment.lower():
        return True
    return _COMMENTS.search(url) is not None


def _is_home(base: str) -> bool:
    return "/" not in base and "?" not in base


def _read_query(parts: SplitResult) -> Iterator[PageNumber]:
    pairs = parts.query.split("&") if parts.query else []
    for i, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        name = name.lower()
        is_offset = name in _OFFSET_PARAMETERS
        is_named = name in _PAGE_PARAMETERS
        if not (is_offset or is_named or name in _SHORT_PARAMETERS):
            continue
        max_digits = _MAX_OFFSET_DIGITS if is_offset else _MAX_DIGITS
        is_number = value.isascii() and value.isdecimal()
        if not is_number or len(value) > max_digits:
            continue
        other_pairs = pairs[:i] + pairs[i + 1 :]
        query = "&".join(other_pairs)
        base = fold_base(urlunsplit((*parts[:3], query, "")))
        yield PageNumber(base, int(value), is_named, is_offset=is_offset)


def _read_path(parts: SplitResult) -> Iterator[PageNumber]:
    path = parts.path.rstrip("/")
    for match_path, is_named, is_step in _PATHS:
        match = match_path(path)
        if match is None:
            continue
        url = urlunsplit((*parts[:2], match["base"], parts.query, ""))
        number = int(match["number"])
        yield PageNumber(fold_base(url), number, is_named, is_step)
        if is_named:
            return
