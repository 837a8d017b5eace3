from __future__ import annotations

import pytest

from demo import build_site
from forest_scrapy.core import Page

SITE = "http://demo.example"


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    site = build_site(SITE)
    found = [one for one in site.articles if one.path.startswith("/news/")]
    return [Page.from_html(site.files[a.path][1].decode(), SITE + a.path) for a in found]
