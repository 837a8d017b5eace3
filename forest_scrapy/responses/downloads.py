"""Limits on what the spiders ``feeds`` and ``site`` download: http and https only, at most
``FOREST_MAX_BYTES``, and only public addresses unless the crawl starts at a private one.

Pages and feeds choose the URLs of these spiders' requests, so they must not reach what only the
machine that crawls can reach.
"""

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object

from forest_scrapy.core.page.urls import host_of
from forest_scrapy.responses.conversion import replace_codec
from forest_scrapy.responses.places import share_places
from forest_scrapy.settings import read_settings

#: After the middleware that sets the proxy (750), so that every redirect passes it too.
_ORDER = 760
#: That of Scrapy's own.
_ROBOTS_ORDER = 100
#: After the body is decompressed (590), before it is searched for redirects (580).
CODEC_ORDER = 585
#: IPv6 addresses whose last 32 bits are an IPv4 address.  Networks choose how the local ones have
#: it; those with another length of the prefix are private.
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_LOCAL_NAT64_OF_IPV4 = IPv6Network("64:ff9b:1::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
#: Bytes and lines read of a robots.txt.  RFC 9309 asks for at least 500 KiB, but the rules are
#: parsed on the event loop, where 500 KiB of short ones take half a second.
_MAX_ROBOTS_BYTES = 512_000
_MAX_ROBOTS_LINES = 4_000


#: The names of Scrapy's and Twisted's errors of responses that were cut.
_DATA_LOSSES = frozenset({"ResponseDataLossError", "_DataLoss"})


class RefusedUrl(IgnoreRequest):
    """A URL that the crawl must not request; ``reason`` is the name of a stat: ``bad_scheme`` or
    ``private_address``."""

    def __init__(self, reason: str, url: str) -> None:
        message = f"{url}: {reason}"
        if reason == "private_address":
            message += "; FOREST_ALLOW_PRIVATE = True allows it"
        super().__init__(message)
        self.reason = reason


class GuardedSpider(Spider):
    """A spider whose requests come from pages and feeds.  ``start_urls``: the URLs that the user
    names; only if one of them is private, private addresses are requested.

    robots.txt is obeyed unless the project's settings say otherwise.
    """

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        name = "DOWNLOADER_MIDDLEWARES"
        settings.setdefault_in_component_priority_dict(name, DownloadGuard, _ORDER)
        settings.setdefault_in_component_priority_dict(name, CodecMiddleware, CODEC_ORDER)
        _replace_robots(settings)
        # Scrapy merges the project's value in again, which must not replace this one.
        settings.set(name, settings[name].copy(), priority="spider")
        settings.set("ROBOTSTXT_OBEY", True, priority="addon")
        settings.set("ROBOTSTXT_PARSER", ShortRobotParser, priority="addon")
        share_places(settings)


def _replace_robots(settings: BaseSettings) -> None:
    """Put ``RobotsMiddleware`` in the place of Scrapy's, unless the project has moved that one."""
    name = "DOWNLOADER_MIDDLEWARES"
    moved_classes = [load_object(middleware) for middleware in settings[name]]
    if RobotsTxtMiddleware in moved_classes:
        return
    settings.setdefault_in_component_priority_dict(name, RobotsMiddleware, _ROBOTS_ORDER)
    settings.setdefault_in_component_priority_dict(name, RobotsTxtMiddleware, None)


def max_response_bytes(settings: BaseSettings) -> int:
    """The bytes that a response may have, also after it is decompressed."""
    max_bytes = read_settings(settings).max_bytes
    max_download = settings.getint("DOWNLOAD_MAXSIZE")
    limits = (max_bytes, max_download)
    return min(limit for limit in limits if limit)  # Scrapy's 0 is no limit


def describe_limit(settings: BaseSettings) -> str:
    """Why a response is too large, with the setting that allows larger ones.

    >>> describe_limit(BaseSettings({"DOWNLOAD_MAXSIZE": 1_000}))
    'it has more than 1000 bytes, DOWNLOAD_MAXSIZE'
    """
    max_bytes = max_response_bytes(settings)
    is_ours = max_bytes == read_settings(settings).max_bytes
    name = "FOREST_MAX_BYTES" if is_ours else "DOWNLOAD_MAXSIZE"
    return f"it has more than {max_bytes} bytes, {name}"


def is_cut_in_transit(error: BaseException | None) -> bool:
    """Whether a download failed because the connection has ended before the response has."""
    failures = getattr(error, "reasons", None) or ()  # of Twisted, which Scrapy 2.14 passes on
    names = [type(error).__name__]
    for failure in failures:
        names.append(failure.type.__name__)
    return not _DATA_LOSSES.isdisjoint(names)


def is_too_large(error: BaseException | None) -> bool:
    """Whether a download failed because the response, or what it decompresses to, is larger than
    allowed.  Scrapy has no exception of its own for the second."""
    if isinstance(error, IgnoreRequest):
        return "exceeded DOWNLOAD_MAXSIZE" in str(error)
    return type(error).__name__ in ("DownloadCancelledError", "CancelledError")


class AddressGuard:
    """Raises ``RefusedUrl`` for URLs that are not http or https, and for private, loopback and
    link-local addresses, unless one of the spider's ``start_urls`` is private too.

    ``allow_private``: as ``ForestSettings.allow_private``."""

    def __init__(self, crawler: Crawler, allow_private: bool | Literal["never"]) -> None:
        self._crawler = crawler
        self._allow_private = allow_private is True
        self._starts_checked = allow_private == "never"

    async def check_url(self, url: str, resolve: bool = True) -> None:
        """``resolve``: False if a proxy resolves the name."""
        scheme = urlsplit(url).scheme
        if scheme not in ("http", "https"):
            raise RefusedUrl("bad_scheme", url)
        host = host_of(url)
        addresses = await _addresses(host, resolve)
        await self.check(addresses, url, resolve)

    async def check(
        self,
        addresses: Iterable[str],
        url: str,
        resolve: bool = True,
    ) -> None:
        """Check the IP addresses of a URL's host."""
        has_private = any(map(is_private, addresses))
        if has_private and not await self._may_be_private(resolve):
            raise RefusedUrl("private_address", url)

    async def _may_be_private(self, resolve: bool) -> bool:
        if self._allow_private or self._starts_checked:
            return self._allow_private
        start_urls = getattr(self._crawler.spider, "start_urls", ())
        for url in start_urls:
            host = host_of(url)
            addresses = await _addresses(host, resolve)
            if any(map(is_private, addresses)):
                self._allow_private = True
        self._starts_checked = True
        return self._allow_private


class DownloadGuard:
    """Downloader middleware that raises ``RefusedUrl``, and bounds the size of responses.

    Private addresses (see ``AddressGuard``) are refused, also those that a name resolves to and
    those that a redirect leads to.  Behind a proxy, which resolves the names itself, only the URL
    is checked.
    """

    def __init__(self, addresses: AddressGuard, max_bytes: int) -> None:
        self._addresses = addresses
        self._max_bytes = max_bytes

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = read_settings(crawler.settings)
        addresses = AddressGuard(crawler, settings.allow_private)
        return cls(addresses, max_response_bytes(crawler.settings))

    async def process_request(self, request: Request) -> None:
        request.meta.setdefault("download_maxsize", self._max_bytes)
        has_proxy = bool(request.meta.get("proxy"))
        await self._addresses.check_url(request.url, resolve=not has_proxy)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Check the address again: a name may have resolved to another one meanwhile."""
        has_proxy = bool(request.meta.get("proxy"))
        if response.ip_address is not None and not has_proxy:
            address = str(response.ip_address)
            await self._addresses.check([address], request.url)
        return response


def is_private(address: str) -> bool:
    """Whether an IP address is not one of the public internet.

    >>> is_private("127.0.0.1"), is_private("169.254.169.254"), is_private("::ffff:10.0.0.1")
    (True, True, True)
    >>> is_private("8.8.8.8")
    False
    """
    without_zone, _, _ = address.partition("%")
    ip = ip_address(without_zone)
    if isinstance(ip, IPv6Address):
        is_local = ip in _LOCAL_NAT64
        if is_local and ip not in _LOCAL_NAT64_OF_IPV4:
            return True
        ip = ip.ipv4_mapped or ip.sixtofour or _embedded_ipv4(ip) or ip
    return not ip.is_global or ip.is_multicast


def _embedded_ipv4(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that NAT64 or an IPv4-compatible address leads to; None for others."""
    for network in (_NAT64, _LOCAL_NAT64_OF_IPV4, _IPV4_COMPATIBLE):
        if ip in network:
            last_bits = int(ip) & 0xFFFF_FFFF
            return IPv4Address(last_bits)
    return None


async def _addresses(host: str, resolve: bool) -> list[str]:
    """The addresses of a host; empty if the name is not, or cannot be, resolved."""
    addresses = addresses_in_name(host)
    if addresses or not resolve or not host:
        return addresses
    return await _resolve(host)


def addresses_in_name(host: str) -> list[str]:
    """The address that a host is written as, or has everywhere; empty for other names.

    >>> addresses_in_name("2130706433"), addresses_in_name("a.localhost")
    (['127.0.0.1'], ['127.0.0.1'])
    >>> addresses_in_name("a.example")
    []
    """
    try:
        address = ip_address(host)
        return [str(address)]
    except ValueError:
        pass
    try:
        packed = socket.inet_aton(host)  # as in http://2130706433/
        return [socket.inet_ntoa(packed)]
    except (OSError, ValueError):
        pass
    if host == "localhost" or host.endswith(".localhost"):
        return ["127.0.0.1"]
    return []


async def _resolve(host: str) -> list[str]:
    """The addresses that Scrapy's resolver, which caches them, finds for a name."""
    from twisted.internet import reactor

    lookup: Any = reactor
    try:
        address = await maybe_deferred_to_future(lookup.resolve(host))
    except Exception:
        return []  # the download fails with the same error, which is reported there
    return [address]


class CodecMiddleware:
    """Downloader middleware that replaces encodings with which Scrapy's own middlewares, which
    look for redirects in the text, could not read it."""

    async def process_response(self, request: Request, response: Response) -> Response:
        return replace_codec(response)


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware, for all requests that wait for one robots.txt.

    Scrapy 2.19 gives the rules to the first two requests of a host, and none to those that wait
    longer, which are then sent whatever robots.txt says.
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        parser = await super().robot_parser(request)
        if parser is not None:
            return parser
        read_parser = self._parsers.get(urlsplit(request.url).netloc)
        if isinstance(read_parser, RobotParser):
            return read_parser
        return None


class ShortRobotParser(ProtegoRobotParser):
    """Scrapy's parser of robots.txt, for the first 500 KiB and 4,000 lines of the file."""

    def __init__(self, robotstxt_body: bytes, spider: Any) -> None:
        start = robotstxt_body[:_MAX_ROBOTS_BYTES]
        lines = start.splitlines(keepends=True)
        first_lines = lines[:_MAX_ROBOTS_LINES]
        super().__init__(b"".join(first_lines), spider)
