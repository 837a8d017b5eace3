"""The URL of a page that was saved as a file: what the program that saved it has written into it,
what the page declares, or what its path says."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from itertools import chain
from pathlib import PurePosixPath
from re import DOTALL, IGNORECASE, Match
from re import compile as pattern
from urllib.parse import quote, unquote, urljoin, urlsplit

from forest_scrapy.core.page.urls import has_public_suffix

#: Characters of a URL at most.
MAX_URL_LENGTH = 65_536
#: Bytes at each end of a page in which a comment with its URL is looked for.
_END_SIZE = 8_192
#: Bytes at the start of a page in which a declared URL is looked for.
_HEAD_SIZE = 200_000
#: What browsers, SingleFile and HTTrack write into the pages that they save.
_COMMENTS = (
    pattern(rb"<!--\s*saved from url=\(\d+\)(\S+?)\s*-->", IGNORECASE),
    pattern(rb"<!--\s*Page saved with SingleFile\s+url:\s*(\S+)", IGNORECASE),
    pattern(rb"<!--\s*Mirrored from (\S+) by HTTrack", IGNORECASE),
)
_TAG = pattern(rb"<(?:link|meta|base)\b[^>]{0,4000}>", IGNORECASE | DOTALL)
_ATTRIBUTE = pattern(rb"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
#: What would end the path of a URL.
_MARKS = pattern("[#?]")
#: What a URL does not have.
_NOT_IN_URLS = pattern(r"[\x00-\x20#\x7f]")
_HOST = pattern(r"[\w-]+(?:\.[\w-]+)+")
#: Ends of host names that are not public.
_LOCAL = ("corp", "example", "home", "internal", "lan", "local", "test")
#: Endings of archives that are ends of host names as well.
_ARCHIVES = ("zip",)
#: Files that stand for their folder.
_INDEX = ("index", "home", "default")
_PAGES = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".shtml")


def saved_url(body: bytes, source: str) -> str:
    """The URL of a saved page; ``source``, its path, if nothing names it.

    In this order: the comment of the program that saved it; its canonical link, ``og:url`` and
    ``base``; and a folder of the path that is named as a host, as ``wget -r`` writes.  A page that
    declares the home page is not believed, unless its file is an index.  Marks of a query or
    fragment in a file's name are quoted: other files may have the same name before them.

    >>> saved_url(b"<!-- saved from url=(0021)https://a.example/1 -->", "1.html")
    'https://a.example/1'
    >>> saved_url(b"<p>Owls", "sites/www.example.org/2024/owls/index.html")
    'https://www.example.org/2024/owls/'
    """
    candidates = chain(
        _from_comments(body),
        _declared(body, source),
        _from_path(source),
    )
    for url in candidates:
        if is_page_url(url):
            return url
    return _quote_marks(source)


def _quote_marks(name: str) -> str:
    return _MARKS.sub(_quote, name)


def _quote(match: Match[str]) -> str:
    return quote(match[0])


def is_page_url(url: str) -> bool:
    """Whether the URL, see ``is_usable_url``, is of a page that is served by HTTP."""
    return url.startswith(("http://", "https://")) and is_usable_url(url)


def is_usable_url(url: str) -> bool:
    """Whether the URL can be split into its parts, its host can be written in UTF-8, and it is not
    too long.

    >>> is_usable_url("http://a.example/"), is_usable_url("http://[a/")
    (True, False)
    >>> is_usable_url("http://\\ud800.example/")
    False
    """
    try:
        urlsplit(url).netloc.encode()
    except ValueError:
        return False
    return len(url) <= MAX_URL_LENGTH


def _from_comments(body: bytes) -> Iterator[str]:
    """What the comments of programs that save pages say."""
    start = body[:_END_SIZE]
    end = body[_END_SIZE:][-_END_SIZE:]
    for comment in _COMMENTS:
        match = comment.search(start) or comment.search(end)
        if not match:
            continue
        url = _decode(match[1])
        has_scheme = "://" in url
        if not has_scheme:
            url = f"http://{url}"
        yield url


def _declared(body: bytes, source: str) -> Iterator[str]:
    """The canonical link, ``og:url`` and ``base`` of a page, in this order."""
    canonical_urls = []
    shared_urls = []
    base_urls = []
    for tag in _TAG.findall(body[:_HEAD_SIZE]):
        attributes = _read_attributes(tag)
        href = attributes.get(b"href")
        relations = attributes.get(b"rel", b"").lower().split()
        name = attributes.get(b"property", attributes.get(b"name", b""))
        if b"canonical" in relations and href is not None:
            canonical_urls.append(href)
        elif name.lower() == b"og:url":
            shared_urls.append(attributes.get(b"content", b""))
        elif tag[:5].lower() == b"<base" and href is not None:
            base_urls.append(href)

    for declared in (*canonical_urls, *shared_urls):
        url = _join(source, _decode(declared))
        if not _is_home(url) or _is_index(source):
            yield url
    file_name = _quote_marks(_name_of(source))
    for base in base_urls:
        base_url = base.decode("utf-8", "replace")
        relative_url = unescape(_without_surrogates(file_name))
        yield _join(base_url, relative_url)


def _read_attributes(tag: bytes) -> dict[bytes, bytes]:
    """The attributes of a tag, with the names in lower case; the last one of a name."""
    attributes = {}
    for name, double_quoted, single_quoted, unquoted in _ATTRIBUTE.findall(tag):
        attributes[name.lower()] = double_quoted or single_quoted or unquoted
    return attributes


def _decode(value: bytes) -> str:
    """The text of a value in HTML."""
    return unescape(value.decode("utf-8", "replace"))


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return ""


def _is_home(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.query:
        return False
    return parts.path in ("", "/")


def _name_of(source: str) -> str:
    """The name of the file; of an index that of its folder is meant."""
    if _is_index(source):
        return ""
    return PurePosixPath(source).name


def _is_index(source: str) -> bool:
    stem = PurePosixPath(source).name.partition(".")[0]
    return stem.lower() in _INDEX


def _from_path(source: str) -> Iterator[str]:
    """``host/path``, with the query as wget writes it: ``index.html?p=1``, ``index.html@p=1``."""
    steps = source.replace("\\", "/").split("/")
    for number, step in enumerate(steps[:-1], 1):
        host = step.partition("+")[0].lower()  # wget writes a port after a plus
        if _is_host(host):
            path = _write_path(steps[number:])
            quoted_path = _NOT_IN_URLS.sub(_quote, path)
            yield f"https://{host}/{quoted_path}"
            return


def _is_host(name: str) -> bool:
    if not _HOST.fullmatch(name):
        return False
    ending = name.rpartition(".")[2]
    if ending in _LOCAL:
        return True
    if ending in _ARCHIVES:
        return False
    return has_public_suffix(name)


def _write_path(steps: list[str]) -> str:
    *folders, name = steps
    query_mark = "?" if "?" in name else "@"
    stem, mark, query = name.partition(query_mark)
    ending = _ending_of(stem)
    has_query = mark and ending and "=" in query
    query = unquote(query.removesuffix(".html")) if has_query else ""

    last_step = stem if query else name
    bare_stem = stem[: len(stem) - len(ending)]
    if bare_stem.lower() in _INDEX:
        last_step = ""
    path = "/".join((*folders, last_step))
    if not query:
        return path
    return f"{path}?{query}"


def _ending_of(name: str) -> str:
    for ending in _PAGES:
        if name.lower().endswith(ending):
            return ending
    return ""
