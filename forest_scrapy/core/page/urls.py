"""URLs: absolute ones, hosts and sites, and keys that are the same for URLs of the same page."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from w3lib.url import canonicalize_url

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.site_caches import site_cache

if TYPE_CHECKING:
    from tldextract import TLDExtract

#: The schemes that URLs of an article may have.
SCHEMES = frozenset(("http", "https", "mailto", "tel"))
#: Characters of a URL and its base that are cached: longer URLs are those of embedded images, say.
_MAX_CACHED_LENGTH = 1000
_PORT = re.compile(":(?!443$)[0-9]+$")
#: A host and its port; an IPv6 address alone has more colons, or brackets around it.
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:]*):([0-9]+)")
#: By scheme, the ports that a URL need not name; without a scheme, either.
_DEFAULT_PORTS = {"http": (80,), "https": (443,)}
_ANY_DEFAULT_PORT = (80, 443)
#: Characters that browsers ignore, and those that must be percent-encoded.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_NOT_IN_URLS = re.compile(r"[^!-~]+")
#: Halves of characters, as JSON may have them: UTF-8 cannot write them.
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]")
#: What joining leaves as it is if no step begins with a dot: a path, a query and a fragment, the
#: last two not empty; after a host, or at the start.  And the start of a base up to its path.
_PLAIN_URL = re.compile(
    r"(?:https?://[\w.-]+)?/(?!/)[\w./~%=&+,@!'()*:$-]*"
    r"(?:\?[\w./~%=&+,@!'()*:$-]+)?(?:#[\w./~%=&+,!-]+)?",
    re.ASCII,
)
_PLAIN_BASE = re.compile(r"(https?://[\w.:-]+)/[^\[\]\s]*", re.ASCII)


def host_of(url: str) -> str:
    """The host in lower case, without the port; ``""`` if the URL has none or is ill-formed.

    >>> host_of("https://WWW.Example.org:8000/a"), host_of("a/b"), host_of("http://[")
    ('www.example.org', '', '')
    """
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def host_with_port(url: str) -> str:
    """``host_of``, with the port unless it is the default one of the scheme: two sites on ports of
    one host share no templates.  An IPv6 address has brackets before its port.

    >>> host_with_port("https://WWW.Example.org:443/a"), host_with_port("http://[::1]/")
    ('www.example.org', '::1')
    >>> host_with_port("http://127.0.0.1:8000/"), host_with_port("http://[::1]:8000/")
    ('127.0.0.1:8000', '[::1]:8000')
    """
    host = host_of(url)
    if not host:
        return ""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        return host
    default_ports = _DEFAULT_PORTS.get(parts.scheme, _ANY_DEFAULT_PORT)
    if port is None or port in default_ports:
        return host
    return join_port(host, port)


def join_port(host: str, port: int | None) -> str:
    """The host with a port; as it is without one, or with 0.

    >>> join_port("127.0.0.1", 8000), join_port("::1", 8000), join_port("::1", None)
    ('127.0.0.1:8000', '[::1]:8000', '::1')
    """
    if not port:
        return host
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{port}"


def is_of_host(url: str, host: str) -> bool:
    """Whether a URL is of a host; of any port if the host names none.

    >>> url = "http://127.0.0.1:8000/"
    >>> is_of_host(url, "127.0.0.1"), is_of_host(url, "127.0.0.1:9000")
    (True, False)
    """
    return host in (host_of(url), host_with_port(url))


def split_port(host: str) -> tuple[str, int | None]:
    """The host and the port of ``host_with_port``; None for the default port.

    >>> split_port("127.0.0.1:8000"), split_port("[::1]:8000"), split_port("::1")
    (('127.0.0.1', 8000), ('::1', 8000), ('::1', None))
    """
    match = _HOST_AND_PORT.fullmatch(host)
    if not match:
        return host, None
    name, port = match.groups()
    return name.strip("[]"), int(port)


def strip_www(host: str) -> str:
    """The host without ``www.``, with and without which a site is the same.

    >>> strip_www("www.example.org"), strip_www("www2.example.org")
    ('example.org', 'www2.example.org')
    """
    return host.removeprefix("www.")


def bare_host(url: str) -> str:
    """``host_of``, without ``www.``.

    >>> bare_host("https://WWW.Example.org:8000/a")
    'example.org'
    """
    return strip_www(host_of(url))


def encode_surrogates(url: str) -> str:
    """The URL with lone surrogates as browsers send them: as U+FFFD, percent-encoded.

    >>> encode_surrogates("http://a.example/owls\\ud83e")
    'http://a.example/owls%EF%BF%BD'
    """
    if url.isascii():
        return url
    return _LONE_SURROGATES.sub("%EF%BF%BD", url)


def with_scheme(text: str) -> str:
    """A URL whose scheme may be missing: https, or http if another port than 443 is named.

    >>> with_scheme("example.org/feed"), with_scheme("localhost:8000/feed")
    ('https://example.org/feed', 'http://localhost:8000/feed')
    """
    if "://" in text:
        return text
    host, *_ = re.split("[/?#]", text, maxsplit=1)
    scheme = "http" if _PORT.search(host) else "https"
    return f"{scheme}://{text}"


def absolute_url(url: str, base: str) -> str:
    """The URL joined to its base, percent-encoded; ``""`` if its scheme is not http, https, mailto
    or tel.

    >>> absolute_url("../b c#d", "http://a.example/x/y"), absolute_url("java\\tscript:x", "")
    ('http://a.example/b%20c#d', '')
    """
    if len(url) + len(base) > _MAX_CACHED_LENGTH:
        return _join.__wrapped__(url, base)
    return _join(url, base)


@site_cache
@lru_cache(maxsize=8192)
def _join(url: str, base: str) -> str:
    is_plain = "/." not in url and _PLAIN_URL.fullmatch(url) is not None
    start = _plain_start(base) if is_plain else ""
    if not start:
        return _join_any(url, base)
    return f"{start}{url}" if url.startswith("/") else url


@lru_cache(maxsize=256)  # all URLs of a page have one base
def _plain_start(base: str) -> str:
    """The base up to its path; ``""`` if it is not plain."""
    if not base.isascii():
        return ""
    match = _PLAIN_BASE.fullmatch(base)
    return match[1] if match else ""


def _join_any(url: str, base: str) -> str:
    try:
        joined = urljoin(base, _CONTROLS.sub("", url).strip())
        scheme = urlsplit(joined).scheme
    except ValueError:
        return ""
    if scheme not in SCHEMES:
        return ""
    return _NOT_IN_URLS.sub(_percent_encode, joined)


def _percent_encode(match: re.Match[str]) -> str:
    return quote(match.group(), errors="replace")


#: Names of query parameters that only tell where a reader comes from.
_TRACKERS = re.compile(
    r"(?:utm|itm|mtm|piwik|matomo|hsa)_.+|pk_(?:campaign|kwd|keyword|source|medium|content)"
    r"|at_(?:medium|campaign|custom\d|format|link\w+|bbc_team|ptr_name)"
    r"|ns_(?:mchannel|source|campaign|linkname|fee)|_ga|_gl|_hsenc|_hsmi|_openstat"
    r"|fbclid|gclid|gclsrc|gbraid|wbraid|dclid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id"
    r"|igshid|igsh|mc_[ce]id|mkt_tok|vero_id|oly_(?:anon|enc)_id|wickedid|s_cid|ref_src|xtor"
    r"|wt_z?mc|cmpid|ncid|spm|smid|sr_share|amp_js_v|usqp",
    re.IGNORECASE,
)
_DEFAULT_PORT = re.compile(r":(?:80|443)$")
#: A URL that is canonical but for its scheme, ``www.`` and final slashes, as most are.
_NORMAL_URL = re.compile(
    r"https?://(?P<host>[a-z0-9]+(?:[.-][a-z0-9]+)*+)"
    r"(?P<path>(?:/(?!\.\.?(?:/|\Z))[A-Za-z0-9_.~-]*+)*+)"
)


#: What comes before the identity of a feed entry in the URL of one that has no page of its own: a
#: fragment directive, which browsers do not show to the page.
_ENTRY_MARK = ":~:entry="
#: Characters of the longest identity in a URL; of a longer one there is a digest.  Scrapy requests
#: no URL of more than 2,083.
_MAX_IDENTITY_LENGTH = 300


def entry_url(page: str, identity: str) -> str:
    """The URL of a feed entry that has no page of its own: that of the page it is on, with the
    identity of the entry.

    >>> entry_url("https://a.example/log#v2", "tag:2")
    'https://a.example/log#v2:~:entry=tag%3A2'
    """
    quoted = quote(identity, safe="", errors="replace")
    if len(quoted) > _MAX_IDENTITY_LENGTH:
        quoted = hex_digest(identity, 12)
    fragment_mark = "" if "#" in page else "#"
    return f"{page}{fragment_mark}{_ENTRY_MARK}{quoted}"


def is_entry_url(url: str) -> bool:
    """Whether a URL is that of a feed entry without a page of its own, which is not requested.

    >>> is_entry_url(entry_url("https://a.example/", "7")), is_entry_url("https://a.example/#7")
    (True, False)
    """
    _, _, fragment = url.partition("#")
    return _ENTRY_MARK in fragment


@lru_cache(maxsize=256)  # a page's URL is asked for at every stage
def page_key(url: str) -> str:
    """The key of a page in a crawl: a digest of its URL, the same for URLs that lead to the same
    page (see ``fold_url``)."""
    return hex_digest(fold_url(url), 12)


def fold_url(url: str) -> str:
    """The URL without what does not change the page: scheme, ``www.``, default port, final
    slashes, fragment, order of the query, and parameters that track where a reader comes from.  An
    entry without a page of its own keeps its identity.

    >>> fold_url("https://www.example.org/a/?utm_source=rss&b=1#c")
    'example.org/a?b=1'
    >>> fold_url("http://example.org:80") == fold_url("https://www.example.org/")
    True
    >>> fold_url(entry_url("https://www.example.org/log/", "7"))
    'example.org/log#:~:entry=7'
    """
    normal = _NORMAL_URL.fullmatch(url)
    if normal:
        return strip_www(normal["host"]) + normal["path"].rstrip("/")
    if is_entry_url(url):
        page, _, fragment = url.partition("#")
        _, _, identity = fragment.partition(_ENTRY_MARK)
        return f"{fold_url(page)}#{_ENTRY_MARK}{identity}"
    return _fold_any(url)


def _fold_any(url: str) -> str:
    """``fold_url`` of any page's URL."""
    try:
        parts = urlsplit(canonicalize_url(encode_surrogates(url)))
    except ValueError:
        return url
    host = _host_and_port(parts.netloc)
    path = parts.path.rstrip("/")
    parameters = []
    for parameter in parts.query.split("&"):
        if parameter and not _is_tracker(parameter):
            parameters.append(parameter)
    if not parameters:
        return f"{host}{path}"
    query = "&".join(parameters)
    return f"{host}{path}?{query}"


def _host_and_port(netloc: str) -> str:
    """The host without ``www.``, and its port unless it is the default one."""
    _, _, host = netloc.rpartition("@")
    return strip_www(_DEFAULT_PORT.sub("", host))


def site_of(url: str) -> str:
    """The registered domain of a URL; host and port if there is none, as for an IP address.

    >>> site_of("https://www.example.co.uk/a"), site_of("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1:8000')
    """
    netloc = urlsplit(url).netloc.lower()
    _, _, host = netloc.rpartition("@")
    return _site_of_netloc(host)


def own_host(url: str) -> str:
    """The host of a URL, and its port, with which a site without and with ``www.`` is one.

    >>> own_host("https://www.example.org/a") == own_host("https://example.org:443/")
    True
    >>> own_host("https://docs.example.org/") == own_host("https://example.org/")
    False
    """
    netloc = urlsplit(url).netloc
    return _host_and_port(netloc.lower())


@lru_cache(maxsize=4096)
def _site_of_netloc(netloc: str) -> str:
    domain = _suffixes()(netloc).top_domain_under_public_suffix
    return domain or netloc


@lru_cache(maxsize=4096)
def has_public_suffix(host: str) -> bool:
    """Whether a host name ends as those of web sites do.

    >>> has_public_suffix("www.example.org"), has_public_suffix("page.html")
    (True, False)
    """
    domain = _suffixes()(host).top_domain_under_public_suffix
    return bool(domain)


#: Ends of host names that are not public.
_LOCAL_ENDINGS = ("corp", "example", "home", "internal", "lan", "local", "test")


def ends_as_host(name: str) -> bool:
    """Whether a name with a dot ends as those of web sites do, public ones or not.

    >>> ends_as_host("news.example"), ends_as_host("title.html"), ends_as_host("example")
    (True, False, False)
    """
    _, has_dot, ending = name.rpartition(".")
    if has_dot and ending in _LOCAL_ENDINGS:
        return True
    return has_public_suffix(name)


@cache
def _suffixes() -> "TLDExtract":
    from tldextract import TLDExtract  # imports a client for HTTP

    # The list in the package: nothing is fetched.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def without_trackers(url: str) -> str:
    """The URL without parameters that only tell where a reader comes from; else as it is.

    >>> without_trackers("https://a.example/1?b=%20&utm_source=rss&c=#d")
    'https://a.example/1?b=%20&c=#d'
    >>> without_trackers("https://a.example/?fbclid=1"), without_trackers("https://a.example/1?")
    ('https://a.example/', 'https://a.example/1?')
    """
    page, hash_sign, fragment = url.partition("#")
    address, has_query, query = page.partition("?")
    if not has_query:
        return url
    parameters = query.split("&")
    own_parameters = [parameter for parameter in parameters if not _is_tracker(parameter)]
    if len(own_parameters) == len(parameters):
        return url
    query = "&".join(own_parameters)
    return f"{address}{'?' if query else ''}{query}{hash_sign}{fragment}"


def _is_tracker(parameter: str) -> bool:
    name, _, _ = parameter.partition("=")
    return _TRACKERS.fullmatch(name) is not None


def is_url(text: str) -> bool:
    """Whether the text is an http or https URL.

    >>> is_url("https://a.example/1"), is_url("pages/1.html"), is_url("http://")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
