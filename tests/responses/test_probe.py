"""Reading pages in a process that can be stopped."""

from __future__ import annotations

import asyncio

import pytest
from scrapy.http import HtmlResponse, Response

from forest_scrapy.core import Options
from forest_scrapy.feeds.reader import may_be_slow, read_feed
from forest_scrapy.feeds.sitemap import read_sitemap
from forest_scrapy.responses.probe import Probe
from tests.core.records.shop import LAMPS, product_html


@pytest.mark.slow
@pytest.mark.parametrize("reads_records", [False, True])
def test_an_unusual_page(reads_records: bool) -> None:
    page = HtmlResponse("http://a.example/", body=product_html(LAMPS[0]).encode())
    kinds = ("thread", "product") if reads_records else ("article",)
    probe = Probe(60.0, Options(kinds=kinds, comments=not reads_records))
    try:
        assert not probe.check(page, is_unusual=True)
    finally:
        probe.close()


def test_a_page_is_tried_once() -> None:
    """The records spider and the middleware ask; the process, which has ended, is not asked."""
    page = HtmlResponse("http://a.example/", body=product_html(LAMPS[0]).encode())
    slow = HtmlResponse("http://a.example/", body=b"<p>a b " * 90_000, encoding="utf-8")
    probe = Probe(0.01)
    try:
        assert probe.check(slow)
        assert Probe(60.0).check(slow.replace(encoding="latin-1"), is_unusual=True)
    finally:
        probe.close()
    assert asyncio.run(Probe(60.0).admits(page))
    assert not asyncio.run(Probe(60.0).admits(slow))


def test_an_unusual_tree_is_tried_by_whoever_reads_it_first() -> None:
    """Items in items: nothing in the bytes is unusual."""
    nested = "".join(f"<ol><li class=c{i}x>a" for i in range(400))
    page = HtmlResponse("http://a.example/", body=nested.encode(), encoding="utf-8")
    probe = Probe(0.001, Options(kinds=("thread",)))
    try:
        assert not asyncio.run(probe.admits(page))
        assert asyncio.run(probe.is_too_slow(page))
    finally:
        probe.close()


@pytest.mark.slow
def test_records_take_time() -> None:
    """A page whose records cannot be read in the time that it has."""
    rows = "".join(f"<div class=post><p>Row {i} of a page.</p></div>" for i in range(100_000))
    page = HtmlResponse("http://a.example/", body=f"<html><body>{rows}".encode())
    probe = Probe(0.02, Options(kinds=("thread",)))
    try:
        assert probe.check(page, is_unusual=True)
    finally:
        probe.close()


@pytest.mark.slow
def test_a_large_feed() -> None:
    """It is what is read in this process: items, hints and the link to older items."""
    item = "<item><title>{0}</title><link>/{0}</link><slash:comments>{0}</slash:comments></item>"
    head = "<rss version='2.0'><channel><ttl>5</ttl><atom:link rel='next' href='/2'/>"
    body = (head + "".join(map(item.format, range(1_900))) * 2 + "</channel></rss>").encode()
    assert may_be_slow(body)
    probe = Probe(60.0)
    try:
        response = Response(
            "http://a.example/feed", body=body, headers={"Cache-Control": "max-age=7"}
        )
        feed = asyncio.run(probe.read_feed(response))
    finally:
        probe.close()
    assert feed == read_feed(body, response.url, {"Cache-Control": "max-age=7"})
    assert (len(feed.items), feed.older) == (2_000, "http://a.example/2")
    assert (feed.hints.ttl, feed.hints.max_age) == (300, 7)


@pytest.mark.slow
def test_a_process_that_something_else_kills_is_started_again() -> None:
    page = HtmlResponse("http://a.example/", body=product_html(LAMPS[0]).encode())
    probe = Probe(60.0)
    try:
        assert not probe.check(page, is_unusual=True)
        assert probe._process is not None
        probe._process.kill()
        assert not probe.check(page, is_unusual=True)
    finally:
        probe.close()


async def _close_while_asked(probe: Probe, pages: list[HtmlResponse], delay: float) -> list[bool]:
    asked = [asyncio.create_task(probe.is_too_slow(page)) for page in pages]
    while probe._process is None:
        await asyncio.sleep(0.0001)
    await asyncio.sleep(delay)
    probe.close()
    return await asyncio.gather(*asked)


@pytest.mark.parametrize("delay", [n * 1e-4 for n in range(20)])
def test_tasks_are_answered_when_the_probe_closes_and_start_no_process(delay: float) -> None:
    """Closed while a task is written, or read; the next begins when the process is killed."""
    pages = [HtmlResponse(f"http://a.example/{n}", body=b"<p>a b " * 90_000) for n in range(3)]
    probe = Probe(60.0)

    assert asyncio.run(_close_while_asked(probe, pages, delay)) == [True, True, True]
    assert probe._process is None
    assert probe.check(pages[0].replace(url="http://a.example/last"))
    assert probe._process is None


@pytest.mark.slow
def test_a_large_sitemap_is_read_as_in_this_process() -> None:
    urls = "".join(f"<url><loc>http://a.example/{i}</loc></url>" for i in range(8_000))
    response = Response("http://a.example/s.xml", body=f"<urlset>{urls}</urlset>".encode())
    probe = Probe(60.0)
    try:
        sitemap = asyncio.run(probe.read_sitemap(response))
    finally:
        probe.close()
    assert sitemap == read_sitemap(response.body, response.url)
    assert len(sitemap.urls) == 8_000


@pytest.mark.slow
def test_a_large_plain_page_is_read_if_more_time_is_allowed() -> None:
    """It takes more memory, too."""
    words = "the boats are in the harbour today and the sea is calm".split()
    paragraphs = []
    for number in range(15_000):
        text = " ".join(f"{word}{number % 997}" for word in words * 6)
        paragraphs.append(f"<p>{text}.</p>")
    body = f"<h1>The harbour</h1><div class=story>{''.join(paragraphs)}</div>".encode()
    outcomes = {}
    for seconds in (0.2, 30):
        probe = Probe(seconds)
        page = HtmlResponse("http://a.example/", body=body, encoding="utf-8")
        outcomes[seconds] = probe.check(page)
        probe.close()
    assert outcomes == {0.2: True, 30: False}
