"""The spider of forms and the pages of records."""

from __future__ import annotations

import pytest
from scrapy import Request

from forest_scrapy.forms.items import FormRecord
from forest_scrapy.spiders.form_spider import FormSpider
from tests.crawlers import make_crawler

SITE = "https://a.example"


def make_spider() -> FormSpider:
    crawler = make_crawler(FormSpider)
    return FormSpider.from_crawler(crawler, url=f"{SITE}/", details="100")


def make_record(url: str) -> FormRecord:
    return FormRecord(url, found_on=f"{SITE}/find?q=a")


@pytest.mark.parametrize(
    ("url", "failed"),
    [
        (f"{SITE}:99999/1", 1),
        (f"{SITE}:port/1", 1),
        ("https://[a.example/1", 0),
        ("ftp://a.example/1", 0),
        ("https://b.example/1", 0),
        (f"{SITE}/find?q=a#1", 0),
        (f"{SITE}/{'1' * 5_000}", 0),
    ],
)
def test_a_record_whose_page_cannot_be_requested_comes_as_it_is(url: str, failed: int) -> None:
    spider = make_spider()
    record = make_record(url)
    assert spider._complete(record) is record
    assert spider.crawler.stats is not None
    assert spider.crawler.stats.get_value("forest/form/failed_details", 0) == failed


def test_a_record_with_a_page_is_a_request() -> None:
    spider = make_spider()
    request = spider._complete(make_record(f"{SITE}/1"))
    assert isinstance(request, Request) and request.url == f"{SITE}/1"
