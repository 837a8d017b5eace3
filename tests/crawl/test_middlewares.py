"""The template middleware, page by page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from crawls.helpers import story
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse

from crawl.helpers import HOST, article_page, counted, key_of, open_crawl, url_of
from forest_scrapy.core import Entry
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.middlewares import TemplateMiddleware
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.release import Releaser, remaining_pages
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import spool_page

ENTRY = Entry("A title", "A description")


class CountingReleaser(Releaser):
    """Counts the releases; there is no scraper to hand pages to."""

    started = 0

    def start(self, flush: bool = False) -> None:
        self.started += 1


def make_middleware(crawl: CrawlContext) -> tuple[TemplateMiddleware, CountingReleaser]:
    releaser = CountingReleaser(Crawler(Spider), crawl)
    return TemplateMiddleware(crawl, releaser), releaser


def receive(crawl: CrawlContext, *pages: ArticlePage) -> list[bool]:
    """Whether each page is passed on at once."""

    async def receive_all() -> list[bool]:
        middleware, _ = make_middleware(crawl)
        return [await middleware.receive(page) for page in pages]

    return asyncio.run(receive_all())


def test_pages_are_spooled_and_released_when_their_template_is_complete(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        middleware, releaser = make_middleware(crawl)
        pages = [article_page(i) for i in range(4)]
        passed = []
        for page, started in zip(pages, (0, 0, 1, 1), strict=True):
            passed.append(asyncio.run(middleware.receive(page)))
            assert releaser.started == started
        assert passed == [False, False, False, True]
        assert crawl.spool.pending() == 4
        assert crawl.in_flight.claim(10) == sorted(key_of(i) for i in range(3))
        assert pages[3].template_key == crawl.spool.read(key_of(0)).template_key != ""
        assert pages[3].fetched_at == crawl.spool.read(key_of(3)).fetched_at != ""


def test_output_that_is_not_a_new_page_is_passed_on(tmp_path: Path) -> None:
    released = article_page(1)
    released.key = key_of(1)
    outputs = [{"own": "item"}, article_page(0), released]

    async def process() -> list[object]:
        async def spider_output():
            for output in outputs:
                yield output

        middleware, _ = make_middleware(crawl)
        response = HtmlResponse(url_of(0))
        return [one async for one in middleware.process_spider_output(response, spider_output())]

    with open_crawl(tmp_path) as crawl:
        assert asyncio.run(process()) == [outputs[0], released]
        assert crawl.spool.pending() == 1


def test_a_page_that_comes_twice_is_a_duplicate(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        assert receive(crawl, article_page(0), article_page(0), article_page(1)) == [False] * 3
        assert counted(crawl, "dropped") == {"duplicate": 1}
        assert counted(crawl, "pages") == {"spooled": 2}


@pytest.mark.slow
def test_a_large_page_that_comes_twice_at_a_time_is_a_duplicate(tmp_path: Path) -> None:
    """Both are read in threads before the first is spooled."""

    async def receive_both() -> list[bool]:
        middleware, _ = make_middleware(crawl)
        large = story(0) + "<!-- long -->" * 30_000
        responses = [HtmlResponse(url_of(0), body=large, encoding="utf-8") for _ in range(2)]
        pages = [ArticlePage.from_response(response, ENTRY) for response in responses]
        return list(await asyncio.gather(*map(middleware.receive, pages)))

    with open_crawl(tmp_path) as crawl:
        assert asyncio.run(receive_both()) == [False, False]
        assert counted(crawl, "dropped") == {"duplicate": 1}


@pytest.mark.parametrize(
    ("body", "reason"), [(b" ", "empty"), (b"\x89PNG\0\0", "not_html"), (b"a" * 600, "too_large")]
)
@pytest.mark.parametrize("entry", [None, ENTRY], ids=["without entry", "with entry"])
def test_a_refused_page_is_dropped_unless_a_feed_entry_describes_it(
    tmp_path: Path, body: bytes, reason: str, entry: Entry | None
) -> None:
    page = ArticlePage.from_response(HtmlResponse(url_of(0), body=body), entry)
    with open_crawl(tmp_path, max_bytes=500) as crawl:
        assert receive(crawl, page) == [entry is not None]
        assert counted(crawl, "refused") == {reason: 1}
        assert counted(crawl, "dropped") == ({} if entry else {reason: 1})
        assert crawl.spool.is_pending(key_of(0)) == (key_of(0) in crawl.in_flight)
        assert crawl.spool.is_pending(key_of(0)) == (entry is not None)
        assert crawl.spool.waiting_hosts() == []
    assert (page.response.body, page.template_key) == (b"", "")


def test_a_wrong_encoding_is_repaired_and_counted(tmp_path: Path) -> None:
    response = HtmlResponse(url_of(0), body="<p>größer".encode(), encoding="latin-1")
    page = ArticlePage.from_response(response, ENTRY)
    with open_crawl(tmp_path) as crawl:
        receive(crawl, page, article_page(1))
        assert counted(crawl, "pages") == {"encoding_repaired": 1, "spooled": 2}
        assert crawl.spool.read(key_of(0)).encoding == "utf-8"
    assert "größer" in page.response.text


def test_the_host_of_a_page_is_flushed_by_its_name(tmp_path: Path) -> None:
    page = article_page(0)
    page.response = page.response.replace(url=url_of(0).replace("a.", "A."))
    with open_crawl(tmp_path) as crawl:
        receive(crawl, page)
        assert crawl.spool.waiting_hosts() == [HOST]


def test_a_page_is_spooled_before_it_is_parsed(tmp_path: Path) -> None:
    """A process that is killed by a page finds it as fetched when it is started again."""
    states = []

    class Looks(HtmlResponse):
        @property
        def selector(self) -> object:
            states.append((crawl.spool.fetched_keys(), crawl.spool.read(key_of(0)).body))
            return super().selector

    page = article_page(0)
    page.response = Looks(url_of(0), body=story(0), encoding="utf-8")
    with open_crawl(tmp_path) as crawl:
        receive(crawl, page)
        assert states[0] == ([key_of(0)], story(0).encode())
        assert crawl.spool.fetched_keys() == []


def test_pages_that_an_earlier_run_did_not_read_are_released(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        for number in range(3):
            assert crawl.spool.add(spool_page(article_page(number)))

    async def release() -> list[str]:
        return [page.key async for page in remaining_pages(crawl)]

    with open_crawl(tmp_path) as crawl:
        assert asyncio.run(release()) == sorted(key_of(number) for number in range(3))


def test_a_page_that_cannot_be_parsed_is_recorded_as_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Raises(HtmlResponse):
        @property
        def selector(self) -> object:
            raise ValueError("too deep")

    page = article_page(0)
    page.response = Raises(url_of(0), body=story(0), encoding="utf-8")
    with open_crawl(tmp_path) as crawl:
        assert receive(crawl, page, article_page(1)) == [False, False]
        assert counted(crawl, "dropped") == {"error": 1}
        assert crawl.spool.pending() == 1
    (record,) = (one for one in caplog.records if one.levelname == "WARNING")
    assert record.getMessage() == f"Page {url_of(0)} cannot be read: ValueError: too deep"


def test_pages_are_not_released_again_after_a_disk_failure(tmp_path: Path) -> None:
    """What becomes of them cannot be written any more, so the spool has them as ready."""

    async def release(crawl: CrawlContext) -> list[str]:
        released = []
        async for page in remaining_pages(crawl):
            released.append(page.key)
            crawl.failure.report(OSError("full"))
            crawl.ledger.record(page.key, Outcome.article("trained"))
        return released

    with open_crawl(tmp_path) as crawl:
        receive(crawl, article_page(0))
        assert asyncio.run(release(crawl)) == [key_of(0)]
        assert crawl.spool.pending() == 1
