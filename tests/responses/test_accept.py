"""Which formats requests for feeds and sitemaps ask for."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings, default_settings

from forest_scrapy.responses.accept import FEED_TYPES, SITEMAP_TYPES, accept_headers


def test_feeds_come_before_html() -> None:
    assert accept_headers(Settings(), FEED_TYPES) == {"Accept": FEED_TYPES}
    assert FEED_TYPES.index("rss+xml") < FEED_TYPES.index("html;q=0.4")
    assert SITEMAP_TYPES.startswith("application/xml,")


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ({"Accept": "application/json"}, True),
        ({"accept": "application/json"}, True),
        ({"Accept": None}, True),
        ({"Accept-Language": "de"}, False),
        ({**default_settings.DEFAULT_REQUEST_HEADERS, "Accept-Language": "de"}, False),
    ],
)
def test_the_headers_of_the_project(headers: dict[str, Any], is_own: bool) -> None:
    settings = Settings({"DEFAULT_REQUEST_HEADERS": headers})
    assert accept_headers(settings, FEED_TYPES) == ({} if is_own else {"Accept": FEED_TYPES})
