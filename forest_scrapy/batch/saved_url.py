"""The URL of a page that was saved as a file: what the program that saved it has written into it,
what the page declares, or what its path says."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import PurePosixPath
from re import DOTALL, IGNORECASE, Match
from re import compile as pattern
from urllib.parse import quote, unquote, urljoin, urlsplit

from forest_scrapy.core.page.urls import has_public_suffix

#: Characters of a URL at most.
MAX_URL_LENGTH = 65_536
#: Bytes at each end of a page in which a comment with its URL is looked for, and bytes at its
#: start in which a declared one is.
_START, _HEAD = 8_192, 200_000
#: What browsers, SingleFile and HTTrack write into the pages that they save.
_COMMENTS = (
    pattern(rb"<!--\s*saved from url=\(\d+\)(\S+?)\s*-->", IGNORECASE),
    pattern(rb"<!--\s*Page saved with SingleFile\s+url:\s*(\S+)", IGNORECASE),
    pattern(rb"<!--\s*Mirrored from (\S+) by HTTrack", IGNORECASE),
)
_TAG = pattern(rb"<(?:link|meta|base)\b[^>]{0,4000}>", IGNORECASE | DOTALL)
_ATTRIBUTE = pattern(rb"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
#: What would end the path of a URL, and what a URL does not have.
_MARKS, _NOT_IN_URLS = pattern("[#?]"), pattern(r"[\x00-\x20#\x7f]")
_HOST = pattern(r"[\w-]+(?:\.[\w-]+)+")
#: Ends of host names that are not public.
_LOCAL = ("corp", "example", "home", "internal", "lan", "local", "test")
#: Endings of archives that are ends of host names as well.
_ARCHIVES = ("zip",)
#: Files that stand for their folder.
_INDEX = ("index", "home", "default")
_PAGES = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".shtml")


def saved_url(body: bytes, source: str) -> str:
    """The URL of a saved page; ``source``, its path, if nothing tells it.

    In this order: the comment of the program that saved it; its canonical link, ``og:url`` and
    ``base``; and a folder of the path that is named as a host, as ``wget -r`` writes.  A page that
    declares the home page is not believed, unless its file is an index.  Marks of a query or
    fragment in a file's name are quoted: other files may have the same name before them.

    >>> saved_url(b"<!-- saved from url=(0021)https://a.example/1 -->", "1.html")
    'https://a.example/1'
    >>> saved_url(b"<p>Owls", "sites/www.example.org/2024/owls/index.html")
    'https://www.example.org/2024/owls/'
    """
    found = (*_from_comments(body), *_declared(body, source), *_from_path(source))
    return next((url for url in found if is_web_url(url)), _MARKS.sub(_quote, source))


def _quote(found: Match[str]) -> str:
    return quote(found[0])


def is_web_url(url: str) -> bool:
    return url.startswith(("http://", "https://")) and is_url(url)


def is_url(url: str) -> bool:
    """Whether the URL can be split into its parts, its host can be written in UTF-8, and it is not
    too long.

    >>> is_url("http://a.example/"), is_url("http://[a/"), is_url("http://\\ud800.example/")
    (True, False, False)
    """
    try:
        urlsplit(url).netloc.encode()
    except ValueError:
        return False
    return len(url) <= MAX_URL_LENGTH


def _from_comments(body: bytes) -> Iterator[str]:
    ends = body[:_START], body[_START:][-_START:]
    for comment in _COMMENTS:
        if found := next(filter(None, map(comment.search, ends)), None):
            url = unescape(found[1].decode("utf-8", "replace"))
            yield url if "://" in url else f"http://{url}"


def _declared(body: bytes, source: str) -> Iterator[str]:
    """The canonical link, ``og:url`` and ``base`` of a page, in this order."""
    canonical, shared, base = [], [], []
    for tag in _TAG.findall(body[:_HEAD]):
        own = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag)}
        if b"canonical" in own.get(b"rel", b"").lower().split() and b"href" in own:
            canonical.append(own[b"href"])
        elif own.get(b"property", own.get(b"name", b"")).lower() == b"og:url":
            shared.append(own.get(b"content", b""))
        elif tag[:5].lower() == b"<base" and b"href" in own:
            base.append(own[b"href"])
    for given in (*canonical, *shared):
        url = _join(source, given)
        if not _is_home(url) or _is_index(source):
            yield url
    for given in base:
        name = _MARKS.sub(_quote, _name_of(source))
        yield _join(given.decode("utf-8", "replace"), name.encode("utf-8", "replace"))


def _join(base: str, given: bytes) -> str:
    try:
        return urljoin(base, unescape(given.decode("utf-8", "replace")).strip())
    except ValueError:
        return ""


def _is_home(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.path in ("", "/") and not parts.query


def _name_of(source: str) -> str:
    """The name of the file; of an index that of its folder is meant."""
    return "" if _is_index(source) else PurePosixPath(source).name


def _is_index(source: str) -> bool:
    return PurePosixPath(source).name.partition(".")[0].lower() in _INDEX


def _from_path(source: str) -> Iterator[str]:
    """``host/path``, with the query as wget writes it: ``index.html?p=1``, ``index.html@p=1``."""
    steps = source.replace("\\", "/").split("/")
    for i, step in enumerate(steps[:-1]):
        host = step.partition("+")[0].lower()  # wget writes a port after a plus
        ending = host.rpartition(".")[2]
        is_host = ending in _LOCAL or (ending not in _ARCHIVES and has_public_suffix(host))
        if _HOST.fullmatch(host) and is_host:
            path = _write_path(steps[i + 1 :])
            yield f"https://{host}/{_NOT_IN_URLS.sub(_quote, path)}"
            return


def _write_path(steps: list[str]) -> str:
    *folders, name = steps
    stem, mark, query = name.partition("?") if "?" in name else name.partition("@")
    ending = next((one for one in _PAGES if stem.lower().endswith(one)), "")
    is_index = stem[: len(stem) - len(ending)].lower() in _INDEX
    query = unquote(query.removesuffix(".html")) if mark and ending and "=" in query else ""
    last = "" if is_index else (stem if query else name)
    return "/".join((*folders, last)) + (f"?{query}" if query else "")
