"""A feed by https whose server answers by http only, and the reverse: it is requested once the
other way."""

from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from twisted.python.failure import Failure

from forest_scrapy.responses.conversion import first_url
from forest_scrapy.responses.downloads import is_too_large

#: The key in the meta of a request by the other scheme: why the first one has failed.
_FIRST_REASON = "forest_first_reason"
_OTHER_SCHEMES = {"http": "https", "https": "http"}
_DEFAULT_PORTS = {"http": 80, "https": 443}
#: Errors of hosts that have no address, by whatever scheme: of Scrapy, and of Twisted.
_NO_HOST = ("CannotResolveHostError", "DNSLookupError")
#: Headers, and notes of Scrapy, that are meant for the first scheme.
_HEADERS = ("Authorization", "Cookie", "Proxy-Authorization")
_NOTES = ("proxy", "_auth_proxy", "_scheme_proxy", "download_slot")


def request_other_scheme(request: Request, failure: Failure, reason: str) -> Request | None:
    """The request by the other scheme for one that has failed for this reason; None if the server
    has answered, has no address, or was asked the other way before.

    For the history it is a request for the first URL.
    """
    other_url = swap_scheme(request.url)
    if not other_url or was_asked_otherwise(request):
        return None
    if not _is_unreachable(failure):
        return None
    meta: dict[str, Any] = dict(request.meta)
    for name in _NOTES:
        meta.pop(name, None)
    meta[_FIRST_REASON] = reason
    meta["redirect_urls"] = [first_url(request), request.url]
    other_request = request.replace(url=other_url, meta=meta, dont_filter=True)
    for name in _HEADERS:
        other_request.headers.pop(name, None)
    return other_request


def first_reason(request: Request, reason: str) -> str:
    """Why a request has failed, ``reason``; for one by the other scheme, why the first one has."""
    return str(request.meta.get(_FIRST_REASON) or reason)


def was_asked_otherwise(request: Request) -> bool:
    """Whether this is a request by the other scheme."""
    return _FIRST_REASON in request.meta


def swap_scheme(url: str) -> str:
    """The URL with https instead of http, or the reverse; ``""`` for another scheme.

    >>> swap_scheme("https://a.example:443/feed"), swap_scheme("http://a.example:8080/")
    ('http://a.example/feed', 'https://a.example:8080/')
    """
    parts = urlsplit(url)
    scheme = _OTHER_SCHEMES.get(parts.scheme)
    if scheme is None:
        return ""
    address = parts.netloc
    if parts.port == _DEFAULT_PORTS[parts.scheme]:
        address = address.removesuffix(f":{parts.port}")
    return parts._replace(scheme=scheme, netloc=address).geturl()


def _is_unreachable(failure: Failure) -> bool:
    """Whether there was no answer from a server that has an address."""
    error = failure.value
    has_answered = getattr(error, "response", None) is not None
    is_refused = isinstance(error, IgnoreRequest)
    if has_answered or is_refused or is_too_large(error):
        return False
    return type(error).__name__ not in _NO_HOST
