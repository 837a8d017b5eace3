"""URLs: their hosts, absolute URLs, and those of images."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, urljoin, urlsplit

from forest_scrapy.core.document.tree import Element

__all__ = ["SCHEMES", "absolute_url", "host_of", "image_url"]

#: The schemes that URLs of an article may have.
SCHEMES = frozenset(("http", "https", "mailto", "tel"))
#: Attributes for the URL of an image that is loaded late.
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-orig-file")
#: Images with a width or height up to this (pixels) are tracking pixels.
_TRACKING_PIXEL = 2
#: Longer URLs, of embedded images say, are not cached.
_LONGEST_CACHED = 1000
#: Characters that browsers ignore, and those that must be percent-encoded.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_NOT_IN_URLS = re.compile(r"[^!-~]+")


def host_of(url: str) -> str:
    """The host in lower case, without the port; ``""`` if the URL has none or is ill-formed.

    >>> host_of("https://WWW.Example.org:8000/a"), host_of("a/b"), host_of("http://[")
    ('www.example.org', '', '')
    """
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def absolute_url(url: str, base: str) -> str:
    """The URL joined to its base, percent-encoded; ``""`` if its scheme is not http, https, mailto
    or tel.

    >>> absolute_url("../b c#d", "http://a.example/x/y"), absolute_url("java\\tscript:x", "")
    ('http://a.example/b%20c#d', '')
    """
    is_short = len(url) + len(base) <= _LONGEST_CACHED
    return _join(url, base) if is_short else _join.__wrapped__(url, base)


@lru_cache(maxsize=8192)
def _join(url: str, base: str) -> str:
    try:
        joined = urljoin(base, _CONTROLS.sub("", url).strip())
        scheme = urlsplit(joined).scheme
    except ValueError:
        return ""
    return _NOT_IN_URLS.sub(_percent_encode, joined) if scheme in SCHEMES else ""


def image_url(image: Element, base: str) -> str:
    """The absolute URL of an ``img``, also of one that is loaded late; ``""`` if there is none,
    and for a tracking pixel."""
    if any(_is_tiny(image.get(side)) for side in ("width", "height")):
        return ""
    sets = (image.get("data-srcset") or "", image.get("srcset") or "")
    given = [
        *(image.get(name) or "" for name in _LAZY),
        image.get("src") or "",
        *(one.split()[0] for text in sets for one in text.split(", ")[-1:] if one.split()),
    ]
    found = (absolute_url(one, base) for one in given if one.strip())
    return next((one for one in found if one.startswith("http")), "")


def _is_tiny(size: str | None) -> bool:
    number = (size or "").strip()
    return number.isdecimal() and int(number[:9]) <= _TRACKING_PIXEL


def _percent_encode(match: re.Match[str]) -> str:
    return quote(match.group(), errors="replace")
