"""Reading pages in a process that can be stopped."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from forest_scrapy.responses.probe import Probe
from tests.core.records.shop import LAMPS, product_html


@pytest.mark.parametrize("reads_records", [False, True])
def test_an_unusual_page(reads_records: bool) -> None:
    page = HtmlResponse("http://a.example/", body=product_html(LAMPS[0]).encode())
    probe = Probe(60.0, reads_records, reads_comments=not reads_records)
    try:
        assert not probe.check(page, is_unusual=True)
    finally:
        probe.close()


def test_records_take_time() -> None:
    """A page whose records cannot be read in the time that it has."""
    rows = "".join(f"<div class=post><p>Row {i} of a page.</p></div>" for i in range(100_000))
    page = HtmlResponse("http://a.example/", body=f"<html><body>{rows}".encode())
    probe = Probe(0.05, reads_records=True)
    try:
        assert probe.check(page, is_unusual=True)
    finally:
        probe.close()
