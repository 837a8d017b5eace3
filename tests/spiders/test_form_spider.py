"""What the spider of forms emits when no probe can be sent any more."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Request

from forest_scrapy.forms import FormNotSent
from forest_scrapy.forms.answers import AnswerReader
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.forms.probing import FormProbe, Prober
from forest_scrapy.forms.search import FormSearch
from forest_scrapy.spiders.form_spider import FormSpider
from tests.crawlers import make_crawler
from tests.forms.test_search import ADJECTIVES, FIRMS, FORM, TOWNS, answer


class NoRequests:
    """A form that cannot be sent."""

    def make(self, probe: FormProbe) -> Request:
        raise FormNotSent("a control is missing")


class LongRequests:
    """A form whose probes have URLs that are too long."""

    def make(self, probe: FormProbe) -> Request:
        return Request(f"https://a.example/find?q={'x' * 5_000}")


def make_spider(requests: Any) -> tuple[FormSpider, list[FormRecord]]:
    """A spider with answers whose items are held, and those that came out so far."""
    search = FormSearch(FORM, Prober(FORM), AnswerReader("runs"))
    emitted: list[FormRecord] = []
    for word in (*TOWNS[:4], *ADJECTIVES[:4]):
        emitted.extend(answer(search, word))
    spider = FormSpider.from_crawler(make_crawler(FormSpider), url="https://a.example/")
    spider.search = search
    spider._requests = requests
    return spider, emitted


@pytest.mark.parametrize("requests", [NoRequests(), LongRequests()])
def test_what_is_held_comes_out_when_no_probe_is_sent(requests: Any) -> None:
    spider, emitted = make_spider(requests)
    outputs = list(spider._next_probe())
    assert all(isinstance(output, FormRecord) for output in outputs)
    found = [record.text for record in (*emitted, *outputs)]
    assert len(found) == len(set(found)) > len(FIRMS) / 2
    assert spider.search is not None and spider.search.is_settled
