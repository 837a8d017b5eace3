"""The spider of forms and the pages of records."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from forest_scrapy.forms.items import FormRecord
from forest_scrapy.spiders.form_spider import FormSpider
from tests.crawlers import make_crawler

SITE = "https://a.example"
#: What the log advises.
AGAIN = "the same command with another file (-o) requests them again"
NO_CHANGE = "requesting them again changes nothing"


def make_spider() -> FormSpider:
    crawler = make_crawler(FormSpider)
    return FormSpider.from_crawler(crawler, url=f"{SITE}/", details="100")


def make_record(url: str) -> FormRecord:
    return FormRecord(url, found_on=f"{SITE}/find?q=a")


@pytest.mark.parametrize(
    ("url", "barred"),
    [
        (f"{SITE}:99999/1", 1),
        (f"{SITE}:port/1", 1),
        ("https://[a.example/1", 0),
        ("ftp://a.example/1", 0),
        ("https://b.example/1", 0),
        (f"{SITE}/find?q=a#1", 0),
        (f"{SITE}/{'1' * 5_000}", 1),
    ],
)
def test_a_record_whose_page_cannot_be_requested_comes_as_it_is(url: str, barred: int) -> None:
    spider = make_spider()
    record = make_record(url)
    assert list(spider._complete(record)) == [record]
    assert spider.crawler.stats is not None
    assert spider.crawler.stats.get_value("forest/form/barred_details", 0) == barred


def test_a_record_with_a_page_is_a_request() -> None:
    spider = make_spider()
    (request,) = spider._complete(make_record(f"{SITE}/1"))
    assert isinstance(request, Request) and request.url == f"{SITE}/1"


@pytest.mark.parametrize(
    ("url", "media_type", "stat"),
    [
        (f"{SITE}/1", "text/html", "details"),
        ("https://www.a.example/1/", "text/html", "details"),
        (f"{SITE}/1", "application/pdf", "unreadable_details"),
        ("https://b.example/1", "text/html", "foreign_details"),
        (f"{SITE}/find?q=a", "text/html", "foreign_details"),
        (f"{SITE}/", "text/html", "foreign_details"),
    ],
)
def test_a_record_has_only_values_of_its_own_page(
    caplog: pytest.LogCaptureFixture, url: str, media_type: str, stat: str
) -> None:
    spider = make_spider()
    spider._form_url = f"{SITE}/"
    list(spider._complete(make_record(f"{SITE}/1")))
    response_class = HtmlResponse if media_type == "text/html" else Response
    response = response_class(url, body=b"<html><body><p>ISBN: 12</p></body></html>")

    async def read() -> list[Any]:
        outputs = spider.parse_details(response, make_record(f"{SITE}/1"))
        return [output async for output in outputs]

    (record,) = asyncio.run(read())
    assert bool(record.values) == (stat == "details")
    assert spider.crawler.stats is not None
    assert spider.crawler.stats.get_value(f"forest/form/{stat}") == 1
    spider._log_missing()
    assert "Records may be missing" not in caplog.text
    assert ("without what their own pages tell" in caplog.text) == (stat != "details")


@pytest.mark.parametrize(
    ("error", "stat", "remedy"),
    [
        (HttpError(Response(f"{SITE}/1", status=503)), "failed", AGAIN),
        (HttpError(Response(f"{SITE}/1", status=404)), "gone", NO_CHANGE),
        (IgnoreRequest("Forbidden by robots.txt"), "barred", NO_CHANGE),
        (TimeoutError(), "failed", AGAIN),
    ],
)
def test_the_log_advises_what_brings_missing_pages(
    caplog: pytest.LogCaptureFixture, error: Exception, stat: str, remedy: str
) -> None:
    spider = make_spider()
    (request,) = spider._complete(make_record(f"{SITE}/1"))
    assert isinstance(request, Request)

    async def read() -> list[Any]:
        outputs = spider.details_failed(Failure(error), **request.cb_kwargs)
        return [output async for output in outputs]

    assert len(asyncio.run(read())) == 1
    assert spider.crawler.stats is not None
    assert spider.crawler.stats.get_value(f"forest/form/{stat}_details") == 1
    spider._log_missing()
    assert {text for text in (AGAIN, NO_CHANGE) if text in caplog.text} == {remedy}


def complete(targets: dict[str, str], pages: dict[str, str]) -> dict[str, str]:
    """The added values of records with these links, after a crawl in which each is redirected to
    its target."""
    spider = make_spider()
    spider._form_url = f"{SITE}/"
    outputs: list[Any] = []
    for link in targets:
        outputs += spider._complete(make_record(SITE + link))

    async def read() -> list[FormRecord]:
        records = []
        for output in outputs:
            if isinstance(output, FormRecord):
                records.append(output)
                continue
            target = targets[output.url.removeprefix(SITE)]
            response = HtmlResponse(SITE + target, body=pages[target].encode())
            async for result in spider.parse_details(response, **output.cb_kwargs):
                if isinstance(result, FormRecord):
                    records.append(result)
                else:
                    outputs.append(result)
        return [*records, *spider._last_records()]

    values = {}
    for record in asyncio.run(read()):
        values[record.url.removeprefix(SITE)] = ", ".join(value["value"] for value in record.values)
    return values


def test_records_that_are_parts_of_a_page_do_not_get_its_values() -> None:
    html = "<body><section id=r1><p>Year: 1990</section><section id=r2><p>Year: 2001</section>"
    targets = {"/all#r1": "/all", "/all#r2": "/all", "/1": "/1", "/2": "/1"}
    values = complete(targets, {"/all": html, "/1": "<body><p>Year: 1603</p>"})
    assert values == {"/all#r1": "", "/all#r2": "", "/1": "1603", "/2": ""}


def test_redirected_pages_that_tell_the_same_belong_to_no_record() -> None:
    targets = {f"/r/{number}": f"/login;id={number}F" for number in range(20)}
    pages = dict.fromkeys(targets.values(), "<body><p>Open: daily</p>")
    for number in range(20, 40):
        targets[f"/r/{number}"] = f"/show?{number}"
        pages[f"/show?{number}"] = f"<body><p>Open: {number}</p>"
    values = complete(targets, pages)
    assert len(values) == 40
    assert {link for link, value in values.items() if value} == set(list(targets)[20:])
