"""The URL of a page that was saved as a file: what the program that saved it has written into it,
what the page declares, or what its path says."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from ipaddress import IPv4Address
from itertools import chain
from pathlib import PurePosixPath
from re import DOTALL, IGNORECASE, Match
from re import compile as pattern
from urllib.parse import quote, unquote, urljoin, urlsplit

from forest_scrapy.core.page.urls import encode_surrogates, ends_as_host, with_scheme

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
#: What a path may have unquoted, beside letters and digits.  What is quoted stays so.
_PATH_MARKS = "/%:@!$&'()*+,;=~[]|"
_QUERY_MARKS = f"{_PATH_MARKS}?"
_HOST = pattern(r"[\w-]+(?:\.[\w-]+)+")
#: A port in the name of a folder: wget writes a colon, or a plus for Windows.
_PORT = pattern(r"[:+](\d{1,5})$")
#: A link of a page, in quotes, to a file.
_FILE_LINK = pattern(
    rb"""(\s(?:href|src|action)\s*+=\s*+["'])([^"'#<>\s]*+)(["'#])""",
    IGNORECASE,
)
#: Endings of archives that are ends of host names as well.
_ARCHIVES = ("zip",)
#: Files that stand for their folder.
_INDEX = ("index", "home", "default")
#: The name that wget gives to the page of a folder.
_FOLDER_PAGE = "index.html"
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
    path = _path_of(source)
    candidates = chain(
        _from_comments(body),
        _declared(body, source, path),
        _from_path(path),
    )
    for url in candidates:
        if is_page_url(url):
            return url
    return _MARKS.sub(_quote, source)


def restore_links(body: bytes, source: str) -> bytes:
    """The page with the links that it had, if wget has changed them (``-k``, ``-E``) into the names
    of files: ``story.php%3Fid=1.html`` into ``story.php?id=1``.  Pages that are in no folder that
    is named as a host are not changed.

    >>> restore_links(b'<a href="story.php%3Fid=1.html#c">', "www.example.org/index.html")
    b'<a href="story.php?id=1#c">'
    """
    path = _path_of(source)
    is_mirror = any(_from_path(path))
    if not is_mirror:
        return body
    own_name = PurePosixPath(path).name

    def restore(match: Match[bytes]) -> bytes:
        before, link, end = match.groups()
        return before + _restore_link(link, own_name, end) + end

    return _FILE_LINK.sub(restore, body)


def _restore_link(link: bytes, own_name: str, end: bytes) -> bytes:
    """The link to a file as it was; ``end``: what stands behind it, a quote or a number sign."""
    folders, slash, quoted_name = link.rpartition(b"/")
    if b"://" in link or not quoted_name.endswith(b".html"):
        return link
    name = unescape(quoted_name.decode("utf-8", "surrogateescape"))
    if end == b"#" and unquote(name) == own_name:
        return b""
    address = _write_path([name.replace("%3F", "?", 1)]).encode()
    if not address and not slash:
        return b"./"
    return folders + slash + address.replace(b"&", b"&amp;")


def _path_of(source: str) -> str:
    """The path of a file that may be given as a ``file`` URL.  It has surrogates only for bytes
    that are not UTF-8."""
    if not source.startswith("file:"):
        return encode_surrogates(source)
    return unquote(source.partition(":")[2], errors="surrogateescape")


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


def _declared(body: bytes, source: str, path: str) -> Iterator[str]:
    """The canonical link, ``og:url`` and ``base`` of a page, in this order.  ``path``: of the file,
    as it is named on the disk."""
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
        if not _is_home(url) or _is_index(path):
            yield url
    file_name = _quote_path(_name_of(path))
    for base in base_urls:
        base_url = base.decode("utf-8", "replace")
        yield _join(base_url, file_name)


def _read_attributes(tag: bytes) -> dict[bytes, bytes]:
    """The attributes of a tag, with the names in lower case; the last one of a name."""
    attributes = {}
    for name, double_quoted, single_quoted, unquoted in _ATTRIBUTE.findall(tag):
        attributes[name.lower()] = double_quoted or single_quoted or unquoted
    return attributes


def _decode(value: bytes) -> str:
    """The text of a value in HTML."""
    return unescape(value.decode("utf-8", "replace"))


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


def _name_of(path: str) -> str:
    """The name of the file; of an index that of its folder is meant."""
    if _is_index(path):
        return ""
    return PurePosixPath(path).name


def _is_index(path: str) -> bool:
    stem = PurePosixPath(path).name.partition(".")[0]
    return stem.lower() in _INDEX


def _from_path(path: str) -> Iterator[str]:
    """``host/path``, with the query as wget writes it: ``index.html?p=1``, ``index.html@p=1``."""
    steps = path.replace("\\", "/").split("/")
    for number, step in enumerate(steps[:-1], 1):
        host = _host_of_folder(step)
        if host:
            base = with_scheme(host)
            yield f"{base}/{_write_path(steps[number:])}"
            return


def _host_of_folder(name: str) -> str:
    """The host, and the port if there is one, that a folder is named as; ``""`` for others."""
    port = _PORT.search(name)
    host = name[: port.start()] if port else name
    host = host.partition("+")[0].lower()
    if port and (host == "localhost" or _is_address(host) or _is_host(host)):
        return f"{host}:{port[1]}"
    return host if _is_host(host) else ""


def _is_address(name: str) -> bool:
    try:
        IPv4Address(name)
    except ValueError:
        return False
    return True


def _is_host(name: str) -> bool:
    if not _HOST.fullmatch(name):
        return False
    ending = name.rpartition(".")[2]
    return ending not in _ARCHIVES and ends_as_host(name)


def _write_path(steps: list[str]) -> str:
    """The path and the query of the file at the end of these folders, quoted.

    >>> _write_path(["forum", "viewtopic.php?t=1.html"]), _write_path(["about.php.html"])
    ('forum/viewtopic.php?t=1', 'about.php')
    """
    *folders, name = steps
    stem, query = _divide_query(name)
    if not query:
        stem = _without_added_ending(name)
    if stem.lower() == _FOLDER_PAGE:
        stem = ""
    path = _quote_path("/".join((*folders, stem)))
    if not query:
        return path
    quoted_query = quote(query, safe=_QUERY_MARKS, errors="surrogateescape")
    return f"{path}?{quoted_query}"


def _divide_query(name: str) -> tuple[str, str]:
    """The file of a URL and its query, without the ending that ``-E`` adds.  wget writes ``@`` for
    Windows, which names of files may have without a query."""
    mark = "?" if "?" in name else "@"
    stem, _, query = name.partition(mark)
    is_page = bool(_ending_of(stem))
    has_value = "=" in query
    is_query = (is_page or has_value) if mark == "?" else (is_page and has_value)
    if not is_query:
        return name, ""
    return stem, query.removesuffix(".html")


def _without_added_ending(name: str) -> str:
    """The name without the ending that ``-E`` adds to the one of a page."""
    stem = name.removesuffix(".html")
    return stem if _ending_of(stem) else name


def _quote_path(path: str) -> str:
    return quote(path, safe=_PATH_MARKS, errors="surrogateescape")


def _ending_of(name: str) -> str:
    for ending in _PAGES:
        if name.lower().endswith(ending):
            return ending
    return ""
