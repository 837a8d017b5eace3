"""What the spiders may download."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.settings import Settings

from forest_scrapy.responses.downloads import (
    DownloadGuard,
    RefusedUrl,
    ShortRobotParser,
    is_private,
)

PUBLIC = "http://93.184.216.34/"


def guard_of(*starts: str, **settings: Any) -> DownloadGuard:
    crawler = Crawler(Spider, Settings(settings))
    crawler.spider = Spider("any", start_urls=list(starts))
    return DownloadGuard.from_crawler(crawler)


def refusal(guard: DownloadGuard, url: str, **meta: Any) -> str:
    try:
        asyncio.run(guard.process_request(Request(url, meta=meta)))
    except RefusedUrl as refused:
        return refused.reason
    return ""


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0.0.0.0", "[::1]", "localhost"),
        *("a.localhost", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1"),
        *("[::ffff:127.0.0.1]", "[fe80::1]", "[fd00::1]", "[2002:7f00:1::]", "224.0.0.1"),
    ],
)
def test_private_addresses_are_refused(host: str) -> None:
    url = f"http://{host}:8000/a"
    assert refusal(guard_of(PUBLIC), url) == "private_address"
    assert refusal(guard_of(PUBLIC), url, proxy="http://p:1") == "private_address"
    assert refusal(guard_of(PUBLIC, FOREST_ALLOW_PRIVATE=True), url) == ""
    assert refusal(guard_of(PUBLIC, "http://192.168.0.7/feed"), url) == ""
    never = guard_of("http://192.168.0.7/feed", FOREST_ALLOW_PRIVATE="never")
    assert refusal(never, url) == "private_address"


def test_public_addresses_are_requested() -> None:
    assert refusal(guard_of(PUBLIC), PUBLIC) == ""
    assert refusal(guard_of(PUBLIC), "https://[2606:4700::1]/") == ""


def test_only_http_is_requested() -> None:
    for url in ("file:///etc/passwd", "ftp://a.example/", "data:,x", "s3://bucket/key"):
        assert refusal(guard_of(PUBLIC), url) == "bad_scheme"


def test_the_address_of_the_response_is_checked() -> None:
    """The name may have resolved to another address when it was connected to."""
    guard, request = guard_of(PUBLIC), Request("http://93.184.216.34/a")
    inside = Response(request.url, ip_address=ip_address("10.0.0.1"))
    with pytest.raises(RefusedUrl):
        asyncio.run(guard.process_response(request, inside))
    outside = Response(request.url, ip_address=ip_address("93.184.216.34"))
    assert asyncio.run(guard.process_response(request, outside)) is outside
    request.meta["proxy"] = "http://127.0.0.1:3128"
    assert asyncio.run(guard.process_response(request, inside)) is inside


@pytest.mark.parametrize(
    ("ours", "scrapys", "limit"), [(1000, 5000, 1000), (5000, 1000, 1000), (1000, 0, 1000)]
)
def test_the_size_of_responses_is_bounded(ours: int, scrapys: int, limit: int) -> None:
    guard = guard_of(PUBLIC, FOREST_MAX_BYTES=ours, DOWNLOAD_MAXSIZE=scrapys)
    request = Request(PUBLIC)
    asyncio.run(guard.process_request(request))
    assert request.meta["download_maxsize"] == limit


def test_is_private_takes_a_zone() -> None:
    assert is_private("fe80::1%eth0")


@pytest.mark.parametrize(
    "prefix", ["64:ff9b::", "64:ff9b:1::", "::"], ids=["NAT64", "local NAT64", "compatible"]
)
def test_an_ipv6_address_is_as_private_as_the_ipv4_address_in_it(prefix: str) -> None:
    assert is_private(f"{prefix}127.0.0.1")
    assert is_private(f"{prefix}169.254.169.254")
    assert is_private(f"{prefix}10.0.0.1")
    assert not is_private(f"{prefix}8.8.8.8")


def test_an_address_of_a_local_nat64_with_a_short_prefix_is_private() -> None:
    assert is_private("64:ff9b:1:7f00:0:100:808:808")


def test_a_long_robots_txt_is_read_in_part() -> None:
    text = b"User-agent: *\nDisallow: /a\n" + b"#" * 512_000 + b"\nDisallow: /b\n"
    parser = ShortRobotParser(text, None)
    assert not parser.allowed("http://a.example/a", "x")
    assert parser.allowed("http://a.example/b", "x")
