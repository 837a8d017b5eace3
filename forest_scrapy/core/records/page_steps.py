"""How a URL differs from that of the page that links it, as those of pages of one list do."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

#: Parameters and words of paths that have the number of a page, or of what comes before it.
PAGE_WORDS = frozenset(
    "page pages pageno page_no pagenum page_num pagenumber page_number currentpage current_page"
    " pageindex _page paged pg pgno pn seite pagina página sivu strana str strona sida side sayfa"
    " stranica oldal start startat offset skip first from"
    " cpage pag ofs startrow startindex start_index firstrecord beg".split()
)
#: Words that may be those of pages, or of what is no page at all: ``?p=12`` is a post.
_SHORT_WORDS = frozenset("p s o i st b".split())
#: What the start page of a folder is called.
_INDEX_WORDS = frozenset("index default".split())
#: Parameters that show the same list in another way, or other things than lists.
_OTHER_NAMES = frozenset(
    "sort order orderby order_by sortby sort_by sortorder dir direction desc asc view action do"
    " mode goto go prev_next tab lang language locale theme style format output print share replyto"
    " replytocom limit size count per per_page perpage pagesize page_size rows num rating rate"
    " stars vote day month year date week d m y color colour filter"
    " id pid tid fid t f topic topicid topic_id thread threadid thread_id board forum post postid"
    " post_id article articleid item itemid story entry product productid cat category tag"
    " letter char unread last newpost".split()
)
_SESSION_NAMES = frozenset("sid s phpsessid jsessionid sessionid session osid".split())
#: Session ids.
_SESSION = re.compile(r"(?=[0-9a-f]{16})(?=\w{0,256}\d)[0-9a-f]+", re.IGNORECASE)
_PATH_SESSION = re.compile(r";[^/]*")
_EXTENSION = re.compile(r"\.(?:[sp]?html?|php\d?|aspx?|jsp|cfm|cgi|pl|do)$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
#: Digits of the largest number of a page or of what comes before it.
_MAX_DIGITS = 7
#: Numbers in paths without a word may be years and ids: a page has a smaller one.
_MAX_UNNAMED = 999
#: A larger number in a parameter without such a word is an id.
_MAX_OFFSET = 99_999
_YEAR = re.compile(r"(?:19|20)\d\d")
_MAX_SHORT_DIGITS = 5
#: Parameters that name the board of a list, which links may name in another way.
_BOARD_NAMES = frozenset("f fid forum board".split())
#: Words of a path before the number of the second page: ``/blog/page/2``.
_MAX_ADDED_WORDS = 2
_NO_LIST_WORDS = frozenset("comment comments".split())
#: A longer URL is not compared.
_MAX_LENGTH = 2_000


class PageStep(NamedTuple):
    """From the URL of a page to that of another page of the same list.

    ``number``: that in the other URL, None if it has none; ``own_number``: that in the page's own;
    ``is_named``: whether the URL says that they are numbers of pages or offsets; ``is_cursor``:
    whether something else than a number differs.
    """

    number: int | None
    own_number: int | None
    is_named: bool
    is_cursor: bool = False


class _Parts(NamedTuple):
    """The words and numbers of the path, and the parameters of the query."""

    path: tuple[str, ...]
    query: dict[str, str]


def read_step(page_url: str, url: str) -> PageStep | None:
    """The step from a page to a URL; None if that may not be of the same list.

    >>> read_step("http://a.example/owls?q=1", "http://a.example/owls?q=1&start=25")
    PageStep(number=25, own_number=None, is_named=True, is_cursor=False)
    >>> read_step("http://a.example/owls", "http://a.example/owls/page/2").number
    2
    >>> read_step("http://a.example/owls", "http://a.example/boats?page=2") is None
    True
    """
    own_parts = _split(page_url)
    parts = _split(url)
    if own_parts is None or parts is None:
        return None
    changes = _query_changes(own_parts.query, parts.query)
    if own_parts.path != parts.path:
        step = _path_step(own_parts.path, parts.path)
        if step is not None and changes:
            return _mixed_step(step, changes)
        return step
    if not changes:
        return None
    is_home = not parts.path and len(changes) == 1
    return _query_step(changes, is_home)


def read_named_number(url: str) -> int | None:
    """The number of a page in the query of a URL, in a parameter that says so.

    >>> read_named_number("http://a.example/list?page=3"), read_named_number("http://a.example/3")
    (3, None)
    """
    parts = _split(url)
    if parts is None:
        return None
    for name, value in parts.query.items():
        if name in PAGE_WORDS and _is_number(value):
            return int(value)
    return None


def is_second_page(page_url: str, url: str) -> bool:
    """Whether a URL below that of the page ends in the number 2, as of a home page with a list.

    >>> is_second_page("http://a.example/", "http://a.example/posts/page/2")
    True
    """
    own_parts = _split(page_url)
    parts = _split(url)
    if own_parts is None or parts is None or own_parts.query != parts.query:
        return False
    length = len(own_parts.path)
    if parts.path[:length] != own_parts.path:
        return False
    *words, number = parts.path[length:] or ("",)
    if number != "2" or len(words) > _MAX_ADDED_WORDS:
        return False
    return not _NO_LIST_WORDS.intersection(words)


def may_be_any_page(page_url: str, url: str) -> bool:
    """Whether a URL is one that programs make for pages, not for what these have: it has a query,
    or a number that the page's own has not.

    >>> may_be_any_page("http://a.example/", "http://a.example/search?until=2024-05-01")
    True
    >>> may_be_any_page("http://a.example/docs/setup", "http://a.example/docs/use")
    False
    """
    own_parts = _split(page_url)
    parts = _split(url)
    if own_parts is None or parts is None:
        return False
    numbers = {token for token in parts.path if _is_number(token) and int(token) <= _MAX_UNNAMED}
    return bool(parts.query) or not numbers <= set(own_parts.path)


@lru_cache(maxsize=1024)  # the page's own is compared with all its links
def _split(url: str) -> _Parts | None:
    if len(url) > _MAX_LENGTH:
        return None
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, separator="&")
    except ValueError:
        return None
    path = _PATH_SESSION.sub("", unquote(parts.path))
    path = _EXTENSION.sub("", path.rstrip("/"))
    tokens = _TOKEN.findall(path.lower())
    if tokens and tokens[-1] in _INDEX_WORDS:
        tokens.pop()
    query = {}
    for name, value in pairs:
        name = name.lower().rpartition("$")[2].rpartition("[")[2].rstrip("]")
        is_session = name in _SESSION_NAMES and not _is_number(value)
        if not is_session and not _SESSION.fullmatch(value):
            query[name] = value
    return _Parts(tuple(tokens), query)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS


class _Change(NamedTuple):
    """A parameter's values, the page's own and the other one; None where it is missing."""

    name: str
    own_value: str | None
    value: str | None


def _query_changes(own_query: Mapping[str, str], query: Mapping[str, str]) -> list[_Change]:
    names = dict.fromkeys([*own_query, *query])
    changes = []
    for name in names:
        own_value = own_query.get(name)
        value = query.get(name)
        if own_value != value and (own_value or value):
            changes.append(_Change(name, own_value, value))
    return changes


def _query_step(changes: Sequence[_Change], is_home: bool) -> PageStep | None:
    """The step of parameters that change while the path stays.  ``is_home``: of the home page by
    one parameter, which may be the number of a post."""
    renamed = _renamed_step(changes)
    if renamed is not None:
        return renamed
    for change in changes:
        is_named = change.name in PAGE_WORDS
        is_short = change.name in _SHORT_WORDS and not is_home
        if not is_named and not is_short:
            continue
        number = _last_number(change.value)
        own_number = _last_number(change.own_value)
        if number is None and own_number is None:
            continue
        if (
            is_short
            and max(len(change.value or ""), len(change.own_value or "")) > _MAX_SHORT_DIGITS
        ):
            continue
        others = [other for other in changes if other is not change]
        if all(map(_is_beside_page, others)):
            return PageStep(number, own_number, is_named=True)

    if len(changes) > 1:
        is_other = any(change.name in _OTHER_NAMES for change in changes)
        return None if is_other else PageStep(None, None, is_named=False, is_cursor=True)
    change = changes[0]
    if change.own_value and change.value:
        step = _step_within(change.own_value, change.value)
        if step is not None:
            return step
    if change.name in _OTHER_NAMES:
        return None
    number = _last_number(change.value)
    own_number = _last_number(change.own_value)
    if number is None and own_number is None:
        return PageStep(None, None, is_named=False, is_cursor=True)
    if max(number or 0, own_number or 0) > _MAX_OFFSET:
        return None
    return PageStep(number, own_number, is_named=False)


def _renamed_step(changes: Sequence[_Change]) -> PageStep | None:
    """The step from a page whose number has another name: from ``?start=0`` to ``?page=2``.  The
    two are not compared."""
    if len(changes) != 2 or any(change.name not in PAGE_WORDS for change in changes):
        return None
    removed = [change for change in changes if change.value is None]
    added = [change for change in changes if change.own_value is None]
    if len(removed) != 1 or len(added) != 1:
        return None
    number = _last_number(added[0].value)
    if number is None or _last_number(removed[0].own_value) is None:
        return None
    return PageStep(number, None, is_named=True)


def _mixed_step(step: PageStep, changes: Sequence[_Change]) -> PageStep | None:
    """The step between a path with the number of a page and a query with one: from ``?page=2`` to
    ``/page/1``; None if more differs."""
    if len(changes) != 1 or not step.is_named or changes[0].name not in PAGE_WORDS:
        return None
    (change,) = changes
    number = _last_number(change.value)
    own_number = _last_number(change.own_value)
    if step.number is not None and step.own_number is None and own_number is not None:
        return PageStep(step.number, own_number, is_named=True)
    if step.own_number is not None and step.number is None and number is not None:
        return PageStep(number, step.own_number, is_named=True)
    return None


def _is_beside_page(change: _Change) -> bool:
    """Whether a parameter may change along with the number of the page: a site may name the order
    of the list and its size in one of the two URLs."""
    if change.own_value is None or change.value is None:
        return True
    return change.name in _BOARD_NAMES


def _last_number(value: str | None) -> int | None:
    if value is None or not _is_number(value):
        return None
    return int(value)


def _step_within(own_value: str, value: str) -> PageStep | None:
    """The step of a value that has an id before the number: ``topic=50.0``, ``topic=50.15``."""
    own_tokens = _TOKEN.findall(own_value)
    tokens = _TOKEN.findall(value)
    has_id = len(tokens) > 1 and len(own_tokens) in (len(tokens), len(tokens) - 1)
    if not has_id or not _is_number(tokens[-1]):
        return None
    start = tokens[:-1]
    if own_tokens == start:
        return PageStep(int(tokens[-1]), None, is_named=True)
    if own_tokens[:-1] != start or not _is_number(own_tokens[-1]):
        return None
    return PageStep(int(tokens[-1]), int(own_tokens[-1]), is_named=True)


def _path_step(own_path: Sequence[str], path: Sequence[str]) -> PageStep | None:
    """The step of paths that differ in a number, and in words for pages."""
    shorter = min(len(own_path), len(path))
    start = 0
    while start < shorter and own_path[start] == path[start]:
        start += 1
    end = 0
    while end < shorter - start and own_path[-1 - end] == path[-1 - end]:
        end += 1
    own_middle = own_path[start : len(own_path) - end]
    middle = path[start : len(path) - end]

    words = [token for token in (*own_middle, *middle) if not token.isdecimal()]
    if not all(
        word in PAGE_WORDS or word in _SHORT_WORDS or word in _INDEX_WORDS for word in words
    ):
        return None
    own_numbers = [token for token in own_middle if token.isdecimal()]
    numbers = [token for token in middle if token.isdecimal()]
    if not words and _are_ranges(own_numbers, numbers):
        return PageStep(int(numbers[0]), int(own_numbers[0]), is_named=True)
    if len(own_numbers) > 1 or len(numbers) > 1 or not (own_numbers or numbers):
        return None
    if not all(map(_is_number, (*own_numbers, *numbers))):
        return None

    number = int(numbers[0]) if numbers else None
    own_number = int(own_numbers[0]) if own_numbers else None
    before = path[start - 1] if start else ""
    is_named = bool(words) or before in PAGE_WORDS
    if is_named:
        return PageStep(number, own_number, is_named=True)
    is_date = any(map(_YEAR.fullmatch, path[max(start - 2, 0) : start]))
    if is_date or max(number or 0, own_number or 0) > _MAX_UNNAMED:
        return None
    return PageStep(number, own_number, is_named=False)


def _are_ranges(own_numbers: Sequence[str], numbers: Sequence[str]) -> bool:
    """Whether two pairs of numbers are ranges beside each other: 1-10 and 11-20."""
    if len(own_numbers) != 2 or len(numbers) != 2:
        return False
    if not all(map(_is_number, (*own_numbers, *numbers))):
        return False
    own_first, own_last = map(int, own_numbers)
    first, last = map(int, numbers)
    is_after = first == own_last + 1
    is_before = last == own_first - 1
    return own_first < own_last and first < last and (is_after or is_before)
